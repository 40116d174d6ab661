//! The `handoff` command.

fn main() -> std::process::ExitCode {
    handoff::main()
}
