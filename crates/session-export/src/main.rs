//! The `session-export` command.

fn main() -> std::process::ExitCode {
    session_export::main()
}
