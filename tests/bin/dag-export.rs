//! Double of `dag-export` for the tests.

fn main() -> std::process::ExitCode {
    dag_export::main()
}
