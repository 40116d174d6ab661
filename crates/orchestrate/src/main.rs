//! The `orchestrate` command.

fn main() -> std::process::ExitCode {
    orchestrate::main()
}
