//! The `context-save` command.

fn main() -> std::process::ExitCode {
    context_save::main()
}
