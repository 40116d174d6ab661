//! The `commit-run` command.

fn main() -> std::process::ExitCode {
    commit_run::main()
}
