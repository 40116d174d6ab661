//! The `plantools` command.

fn main() -> std::process::ExitCode {
    plantools::main()
}
