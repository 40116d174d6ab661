//! Double of `plan-parse` for the tests.

fn main() -> std::process::ExitCode {
    plan_parse::main()
}
