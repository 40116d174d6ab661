//! Double of `commit-run` for the tests.

fn main() -> std::process::ExitCode {
    commit_run::main()
}
