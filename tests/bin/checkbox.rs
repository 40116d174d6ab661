//! Double of `checkbox` for the tests.

fn main() -> std::process::ExitCode {
    checkbox::main()
}
