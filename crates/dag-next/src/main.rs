//! The `dag-next` command.

fn main() -> std::process::ExitCode {
    dag_next::main()
}
