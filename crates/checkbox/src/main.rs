//! The `checkbox` command.

fn main() -> std::process::ExitCode {
    checkbox::main()
}
