//! Runs a check again: after its fix, or to see whether it is flaky.
//!
//! Only a failure is run again. A fault is not a failure: it must be resolved first, see [`crate::restore`].

use crate::run::check::Check;
use crate::run::runner::Runner;
use toolkit::Fail;
use wire::gate::Status;
use wire::{Gate, TreeHash};

/// The last run of a check, with the number of runs.
pub(crate) fn run(
    runner: &Runner<'_>,
    check: &Check,
    retries: u32,
    tree: &dyn Fn() -> Result<Option<TreeHash>, Fail>,
) -> Result<Gate, Fail> {
    let mut gate = mended(runner, check, runner.run(check)?)?;
    let mut before = if retries > 0 && gate.status == Status::Fail { tree()? } else { None };
    for _ in 0..retries {
        if gate.status != Status::Fail || runner.watch.is_over() {
            break;
        }
        let mut again = runner.run(check)?;
        let after = tree()?;
        again.attempts = gate.attempts + 1;
        again.flaky = again.status == Status::Pass && before == after;
        again.fix = gate.fix;
        before = after;
        gate = again;
    }
    Ok(gate)
}

/// If a check failed and has a fix: runs the fix once, then the check again.
pub(crate) fn mended(runner: &Runner<'_>, check: &Check, gate: Gate) -> Result<Gate, Fail> {
    let Some(fix) = check.fix.as_ref().filter(|_| gate.status == Status::Fail && !runner.watch.is_over())
    else {
        return Ok(gate);
    };
    let fixed = runner.run(&Check::of_line(format!("{}-fix", check.id), fix, check.budget))?;
    let mut again = runner.run(check)?;
    again.attempts = gate.attempts + 1;
    again.fix = Some(format!("{} ({})", fixed.invocation, fixed.measured.unwrap_or_default()));
    Ok(again)
}
