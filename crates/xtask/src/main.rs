//! Generates what is committed and derived: JSON Schemas, man pages, completions.

mod schemas;

fn main() -> std::process::ExitCode {
    schemas::write();
    std::process::ExitCode::SUCCESS
}
