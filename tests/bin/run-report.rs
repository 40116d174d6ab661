//! Double of `run-report` for the tests.

fn main() -> std::process::ExitCode {
    run_report::main()
}
