//! Verification as a hook of an agent: reads its JSON, and answers in its protocol.
//!
//! Every input gets an answer and exit 0. Bad JSON, no criteria and "everything was skipped" give a FAILED block,
//! never silence. An event that is not a worker's gets an empty object.

pub(crate) mod checks;
pub(crate) mod claims;
pub(crate) mod envelope;
pub(crate) mod result_block;
pub(crate) mod subject;

use crate::args::Args;
use crate::gates::catalog::Catalog;
use crate::gates::configured::Bench;
use crate::hook::checks::Hearing;
use crate::hook::claims::Claimed;
use crate::hook::envelope::{Envelope, Event, WorkerWords};
use crate::hook::result_block::ResultBlock;

use crate::run::progress::Progress;
use toolkit::files::root::{self, Home};
use toolkit::stream::input::Input;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};

/// The reason if all commands come only from the worker.
const NOT_RUN: &str = "commands that only the worker reports are not run: name the plan with --plan, or set [defaults] \
                       accept = \"worker-commands\" in plantools.toml";

/// Answers one event.
pub(crate) fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let bytes = Input::open(args.file.as_deref())?.bytes()?;
    let Some(envelope) = envelope::read(&bytes, &args.agent) else {
        let block = ResultBlock::because("the hook's input is no JSON object");
        out.document(&block.answer(Event::PostToolUse, false), args.show.pretty)?;
        return Ok(Exit::Ok);
    };
    let answer = match block(args, &envelope) {
        None => serde_json::json!({}),
        Some(block) => block.answer(envelope.event, envelope.stop_hook_active),
    };
    out.document(&answer, args.show.pretty)?;
    Ok(Exit::Ok)
}

/// The result of the verification; `None` if there is no worker to verify.
fn block(args: &Args, envelope: &Envelope) -> Option<ResultBlock> {
    let report = match &envelope.said {
        WorkerWords::NoWorker => return None,
        WorkerWords::NotYet => {
            return Some(ResultBlock::because("the worker runs in the background: nothing to verify yet"));
        }
        WorkerWords::Text(text) => claims::read(text),
        WorkerWords::Nothing => Err("the worker said nothing that can be read"),
    };
    verified(args, envelope, report)
        .unwrap_or_else(|fail| Some(ResultBlock::because(format!("cannot verify: {fail}"))))
}

fn verified(args: &Args, envelope: &Envelope, report: Report) -> Result<Option<ResultBlock>, Fail> {
    let root = root::find(&envelope.cwd)?;
    let home = Home::of(&root)?;
    let catalog = Catalog::load(&args.config, &root)?;
    let watch = Progress::alone(args);
    let subject = subject::of(args, envelope, &home)?;
    let event = envelope.event;
    // A client's own list has entries that are no task of the plan.
    let judged = !args.taken && !matches!(event, Event::TaskCompleted | Event::TeammateIdle);
    if subject.is_none() && !judged {
        return Ok(None);
    }
    let taken = subject.as_ref().filter(|_| args.taken && matches!(event, Event::Stop | Event::TeammateIdle));
    let owed = taken.map(|subject| owed(subject.task.id.as_str()));
    let bench = Bench::new(args, &catalog, &home, &watch)?;
    let mut hearing =
        Hearing { args, catalog: &catalog, bench, subject, block: ResultBlock::default(), own: 0 };
    let claimed = match report {
        Ok(claimed) => claimed,
        // The plan's criteria need no report, and at the end of a turn the gates are enough.
        Err(_) if hearing.subject.is_some() || envelope.event == Event::Stop => Vec::new(),
        Err(reason) => return Ok(Some(ResultBlock::because(reason))),
    };
    hearing.of_plan(&claimed)?;
    hearing.of_worker(&claimed, &envelope.cwd)?;
    hearing.gates(envelope.event)?;
    let level = hearing.level();
    let mut block = hearing.block;
    block.level = level;
    if block.pass == 0 && block.failed.is_empty() {
        block.reasons.push("nothing could be run: that is no pass".to_owned());
        if !catalog.takes_commands() && claimed.iter().any(|claim| claim.command.is_some()) {
            block.reasons.push(NOT_RUN.to_owned());
        }
    }
    block.reasons.extend(owed);
    Ok(Some(block))
}

/// Why a session may not end its turn while it has a task.
fn owed(id: &str) -> String {
    format!("task {id} is handed out: call plan_done, or plan_done with 'blocked' if it cannot be done")
}

/// The criteria in a worker's report, or why there are none.
type Report = Result<Vec<Claimed>, &'static str>;
