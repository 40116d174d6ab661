//! Double of `handoff` for the tests.

fn main() -> std::process::ExitCode {
    handoff::main()
}
