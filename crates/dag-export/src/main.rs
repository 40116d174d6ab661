//! The `dag-export` command.

fn main() -> std::process::ExitCode {
    dag_export::main()
}
