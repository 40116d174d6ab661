//! Double of `punch` for the tests.

fn main() -> std::process::ExitCode {
    punch::main()
}
