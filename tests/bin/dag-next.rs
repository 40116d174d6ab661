//! Double of `dag-next` for the tests.

fn main() -> std::process::ExitCode {
    dag_next::main()
}
