//! x
/// The command.
pub fn main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
