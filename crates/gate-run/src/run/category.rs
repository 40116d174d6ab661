//! Decides by rule whose fault a failed check is: the machine's, the work's, or unknown.

use checks::{fault_class, reports};
use wire::Gate;
use wire::gate::{Status, StopReason};
use wire::order::Category;

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
    !tests_ran && fault_class::is_machine(&text)
}
