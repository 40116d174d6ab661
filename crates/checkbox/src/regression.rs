//! `checkbox regressions`: a task whose check fails after its tick is open again.
//!
//! A task that was ticked on evidence is reopened if the latest result of one of its own checks, observed by
//! `gate-run` after the tick, is a failure. A check without a verdict proves nothing either way and reopens
//! nothing.

use crate::args::PlanArgs;
use crate::plan_file::PlanFile;
use crate::tick::issue_tracker;
use config::ConfigArgs;
use dialects::write::{self, Change};
use ledger::proof::{self, ProofContext};
use ledger::verdict::{self, Scope};
use ledger::{Entry, Ledger};
use serde_json::json;
use toolkit::cli::clock::RunArgs;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::punch::{Punch, Type};
use wire::tick::{SCHEMA, TickDoc};
use wire::{State, Task};

/// Opens every task that is broken, and says which.
pub(crate) fn reopen(
    args: &PlanArgs,
    config: &ConfigArgs,
    run: &RunArgs,
    out: &mut Output,
) -> Result<Exit, Fail> {
    let path = args.path()?;
    let root = root::find(path)?;
    let home = Home::of(&root)?;
    let config = config.load(&root)?;
    let clock = run.clock()?;
    let ledger = Ledger::new(home.clone());
    loop {
        // One at a time: a mark of another length moves the text after it.
        let mut file = PlanFile::lock(&home, path, args.dialect.as_deref())?;
        let plan = file.field.plan.source.path.clone();
        let records = ledger.read_of(&plan)?;
        let done = file.field.plan.tasks.iter().filter(|task| task.state == State::Completed);
        let profile = config.profile(&file.field.plan.source.dialect)?;
        let ground = ProofContext::new(&config, &profile, &root);
        let broken =
            done.filter_map(|task| Some((task.clone(), failed_since(&records, &plan, task, ground)?)));
        let Some((task, failure)) = broken.into_iter().next() else { return Ok(Exit::Ok) };
        let reason = format!("check '{}' failed after the tick, record {}", failure.key, failure.seq);
        let now = clock.now();
        let change = Change { task: &task, state: State::Pending, criteria: &[], now: &now, reason: &reason };
        let edits = write::edits(&file.field, &change)?;
        ledger.append(Entry {
            plan: plan.clone(),
            task: Some(task.id.clone()),
            fingerprint: Some(task.fingerprint.clone()),
            tree: failure.tree.clone(),
            data: json!({ "reason": reason, "record": failure.seq }),
            ..Entry::new(run.run_id(&clock)?, Type::Untick, "untick-on-fail", now.clone())
        })?;
        let changed = if issue_tracker::owns(&file.field) {
            issue_tracker::tell(&file.field, &change)?
        } else {
            file.set(&edits)?
        };
        let document = TickDoc {
            schema: SCHEMA.to_owned(),
            plan,
            task: task.id.clone(),
            title: task.title.clone(),
            state: State::Pending,
            changed,
            criterion: Some(failure.key.clone()),
            line: None,
            level: None,
            commit: None,
        };
        out.document(&document, args.pretty)?;
        if !changed {
            return Ok(Exit::Ok);
        }
    }
}

/// The failure that is the latest result of one of the task's checks since its tick.
fn failed_since<'r>(
    records: &'r [Punch],
    plan: &str,
    task: &Task,
    ground: ProofContext<'_>,
) -> Option<&'r Punch> {
    let scope = Scope::of_task(plan, task);
    let ticked =
        records.iter().rposition(|p| scope.holds(p) && matches!(p.kind, Type::Tick | Type::Untick))?;
    if records.get(ticked)?.kind != Type::Tick {
        return None;
    }
    let since = records.get(ticked..).unwrap_or_default();
    let checks = proof::checks(task, ground);
    let judged = || since.iter().filter(|p| p.kind != Type::GateFault);
    let mut last = checks.iter().filter_map(|check| {
        let scope = Scope { key: Some(&check.key), digest: Some(&check.digest), ..scope };
        verdict::latest_observed(judged(), &scope)
    });
    last.find(|p| p.kind == Type::GateFail)
}
