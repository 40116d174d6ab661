//! The `run-report` command.

fn main() -> std::process::ExitCode {
    run_report::main()
}
