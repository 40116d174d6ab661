//! Double of `session-export` for the tests.

fn main() -> std::process::ExitCode {
    session_export::main()
}
