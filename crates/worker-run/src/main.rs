//! The `worker-run` command.

fn main() -> std::process::ExitCode {
    worker_run::main()
}
