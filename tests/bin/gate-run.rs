//! Double of `gate-run` for the tests.

fn main() -> std::process::ExitCode {
    gate_run::main()
}
