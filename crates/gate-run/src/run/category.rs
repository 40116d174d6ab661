//! Decides by rule whose fault a failed check is: the machine's, the work's, or unknown.

use checks::reports;
use wire::Gate;
use wire::gate::{Status, StopReason};
use wire::order::Category;

/// Words in the output that point to the machine, not the work.
const MACHINE: [&str; 12] = [
    "permission denied",
    "no space left on device",
    "connection refused",
    "connection timed out",
    "could not resolve host",
    "temporary failure in name resolution",
    "network is unreachable",
    "api key",
    "unauthorized",
    "command not found",
    "too many requests",
    "cannot allocate memory",
];

/// The category of a failure, from the checks that did not pass.
pub(crate) fn of<'a>(gates: impl Iterator<Item = &'a Gate>) -> Category {
    let failed: Vec<_> = gates.filter(|gate| gate.status == Status::Fail).collect();
    if failed.iter().any(|gate| is_machine(gate)) {
        Category::EnvError
    } else if failed.iter().all(|gate| gate.stop_reason == StopReason::Signalled) {
        // A crash or an external kill: the cause may be the work, the machine, or another process.
        Category::Unknown
    } else {
        Category::CodeError
    }
}

/// If tests ran, their output is about the work.
fn is_machine(gate: &Gate) -> bool {
    let text = gate.last_output_lines.join("\n");
    let tests_ran = reports::find(&text).is_some_and(|(_, counts)| counts.ran());
    let text = text.to_lowercase();
    !tests_ran && MACHINE.iter().any(|word| text.contains(word))
}
