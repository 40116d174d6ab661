//! The `punch` command.

fn main() -> std::process::ExitCode {
    punch::main()
}
