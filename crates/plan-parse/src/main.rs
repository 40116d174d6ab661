//! The `plan-parse` command.

fn main() -> std::process::ExitCode {
    plan_parse::main()
}
