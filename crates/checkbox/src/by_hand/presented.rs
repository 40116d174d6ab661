//! `checkbox presented`: a person approves what was presented, and nothing that came after it.

use crate::args::PlanArgs;
use dialects::PlanSnapshot;
use ledger::{Entry, Ledger};
use repo::tree::Tree;
use toolkit::cli::clock::RunArgs;
use toolkit::cli::{env, tool};
use toolkit::files::root::{self, Home};
use toolkit::{Exit, Fail};
use wire::State;
use wire::punch::{Punch, Type};

/// The `key` of the record.
const PRESENTED: &str = "presented";

/// Whether the report that the task waits for was presented on the tree that is there now; with `record`, it is now.
pub(crate) fn say(id: &str, args: &PlanArgs, record: bool, run: &RunArgs) -> Result<Exit, Fail> {
    let path = args.path()?;
    let home = Home::of(&root::find(path)?)?;
    let field = PlanSnapshot::at(path, home.root(), args.dialect.as_deref())?;
    let task = super::find(&field.plan, id)?;
    if task.state == State::Completed {
        return Ok(Exit::Ok);
    }
    let plan = field.plan.source.path.clone();
    let tree = Tree::now(&home, &field.ground)?.map(|tree| tree.hash);
    let ledger = Ledger::new(home.clone());
    if record {
        if env::is_inside_attempt() {
            let message = "a worker or a check presents nothing to a person";
            return Err(Fail::new(Exit::No, "inside-attempt", message));
        }
        let clock = run.clock()?;
        ledger.append(Entry {
            plan,
            task: Some(task.id.clone()),
            fingerprint: Some(task.fingerprint.clone()),
            tree,
            ..Entry::new(run.run_id(&clock)?, Type::StepComplete, PRESENTED, clock.now())
        })?;
        return Ok(Exit::Ok);
    }
    let records = ledger.read_of(&plan)?;
    let is_it = |p: &&Punch| {
        p.kind == Type::StepComplete
            && p.key == PRESENTED
            && p.plan == plan
            && p.task.as_ref() == Some(&task.id)
    };
    let why = match records.iter().rev().find(is_it) {
        None => "no report was presented yet",
        Some(last) if last.tree != tree => "files have changed since the report was presented",
        Some(_) => return Ok(Exit::Ok),
    };
    tool::note(&format!("checkbox: {why}: read the report, then approve it"));
    Ok(Exit::Stuck)
}
