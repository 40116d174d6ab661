//! Double of `context-save` for the tests.

fn main() -> std::process::ExitCode {
    context_save::main()
}
