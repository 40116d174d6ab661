//! Double of `worker-run` for the tests.

fn main() -> std::process::ExitCode {
    worker_run::main()
}
