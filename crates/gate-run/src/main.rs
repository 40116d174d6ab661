//! The `gate-run` command.

fn main() -> std::process::ExitCode {
    gate_run::main()
}
