//! Verification as a hook of an agent: its JSON in, an answer in its protocol out.
//!
//! Whatever comes in, an answer goes out, and exit 0 with it. Bad JSON, no criteria and "everything was skipped" are
//! a FAILED block, never silence. What is no worker's is answered with an empty object.

use crate::args::Args;
use crate::block::Block;
use crate::catalog::Catalog;
use crate::claims::{self, Claimed};
use crate::envelope::{self, Envelope, Event, Said};
use crate::hearing::Hearing;
use crate::set::Bench;
use crate::subject;
use crate::watch::Watch;
use toolkit::input::Input;
use toolkit::output::Output;
use toolkit::root::{self, Home};
use toolkit::{Exit, Fail};

/// Said where commands that only the worker reports would have been all there is.
const NOT_RUN: &str = "commands that only the worker reports are not run: name the plan with --plan, or set [defaults] \
                       accept = \"worker-commands\" in plantools.toml";

/// Answers one event.
pub(crate) fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let bytes = Input::open(args.file.as_deref())?.bytes()?;
    let Some(envelope) = envelope::read(&bytes, &args.agent) else {
        let block = Block::because("the hook's input is no JSON object");
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

/// What was verified; `None` where there is no worker to verify.
fn block(args: &Args, envelope: &Envelope) -> Option<Block> {
    let report = match &envelope.said {
        Said::NoWorker => return None,
        Said::NotYet => {
            return Some(Block::because("the worker runs in the background: nothing to verify yet"));
        }
        Said::Text(text) => claims::read(text),
        Said::Nothing => Err("the worker said nothing that can be read"),
    };
    let verified = verified(args, envelope, report);
    Some(verified.unwrap_or_else(|fail| Block::because(format!("cannot verify: {fail}"))))
}

fn verified(args: &Args, envelope: &Envelope, report: Report) -> Result<Block, Fail> {
    let root = root::find(&envelope.cwd)?;
    let home = Home::of(&root)?;
    let catalog = Catalog::load(&args.config, &root)?;
    let watch = Watch::alone(args);
    let subject = subject::of(args, envelope, &home)?;
    let bench = Bench::new(args, &catalog, &home, &watch)?;
    let mut hearing = Hearing { args, catalog: &catalog, bench, subject, block: Block::default() };
    let claimed = match report {
        Ok(claimed) => claimed,
        // The plan's criteria need no report, and at the end of a turn the gates speak for themselves.
        Err(_) if hearing.subject.is_some() || envelope.event == Event::Stop => Vec::new(),
        Err(reason) => return Ok(Block::because(reason)),
    };
    hearing.of_plan(&claimed)?;
    hearing.of_worker(&claimed, &envelope.cwd)?;
    hearing.gates(envelope.event)?;
    let mut block = hearing.block;
    if block.pass == 0 && block.failed.is_empty() {
        block.reasons.push("nothing could be run: that is no pass".to_owned());
        if !catalog.takes_commands() && claimed.iter().any(|claim| claim.command.is_some()) {
            block.reasons.push(NOT_RUN.to_owned());
        }
    }
    Ok(block)
}

/// The criteria in a worker's report, or why there are none.
type Report = Result<Vec<Claimed>, &'static str>;
