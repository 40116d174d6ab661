//! Verification as a hook of an agent: its JSON in, an answer in its protocol out.
//!
//! Whatever comes in, an answer goes out, and exit 0 with it. Bad JSON, no criteria and "everything was skipped" are
//! a FAILED block, never silence. What is no worker's is answered with an empty object.

use crate::args::Args;
use crate::block::Block;
use crate::budget::Budget;
use crate::catalog::Catalog;
use crate::check::Check;
use crate::claims::{self, Claimed};
use crate::envelope::{self, Envelope, Event, Said};
use crate::set::Bench;
use crate::watch::Watch;
use toolkit::input::Input;
use toolkit::output::Output;
use toolkit::root::{self, Home};
use toolkit::{Exit, Fail};
use wire::Gate;
use wire::gate::Status;

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
    let criteria = match &envelope.said {
        Said::NoWorker => return None,
        Said::NotYet => {
            return Some(Block::because("the worker runs in the background: nothing to verify yet"));
        }
        Said::Text(text) => claims::read(text),
        Said::Nothing => Err("the worker said nothing that can be read"),
    };
    // At the end of a turn the gates speak for themselves; a report is welcome there, not asked for.
    let (criteria, block) = match criteria {
        Ok(criteria) => (criteria, Block::default()),
        Err(_) if envelope.event == Event::Stop => (Vec::new(), Block::default()),
        Err(reason) => return Some(Block::because(reason)),
    };
    let verified = verified(args, envelope, &criteria, block);
    Some(verified.unwrap_or_else(|fail| Block::because(format!("cannot verify: {fail}"))))
}

fn verified(args: &Args, envelope: &Envelope, criteria: &[Claimed], mut block: Block) -> Result<Block, Fail> {
    let root = root::find(&envelope.cwd)?;
    let catalog = Catalog::load(&args.config, &root)?;
    let watch = Watch::alone(args);
    let mut bench = Bench::new(args, &catalog, &Home::of(&root)?, &watch)?;
    bench.runner.place.cwd.clone_from(&envelope.cwd);
    let budget = Budget::of(&args.budget, None, &catalog.config, None);
    for claimed in criteria {
        let Some(command) = &claimed.command else {
            block.skip += 1;
            continue;
        };
        let gate = bench.one(&Check::of_line(claimed.id.clone(), command, budget), 0)?;
        // The command is the worker's own: on record as what it is, and never proof.
        bench.records.typed(&gate)?;
        count(&mut block, claimed, command, &gate);
    }
    if envelope.event == Event::Stop {
        gates(args, &catalog, &mut bench, &root, &mut block)?;
    }
    if block.pass == 0 && block.failed.is_empty() {
        block.reasons.push("nothing could be run: that is no pass".to_owned());
    }
    Ok(block)
}

fn count(block: &mut Block, claimed: &Claimed, command: &str, gate: &Gate) {
    if gate.status == Status::Pass {
        block.pass += 1;
        return;
    }
    block.failed.push(format!("{}:{}:{command}", claimed.id, claimed.category));
    if claimed.passed {
        let measured = gate.measured.as_deref().unwrap_or_default();
        block.mismatches.push(format!("{}: the worker said PASS, measured: {measured}", claimed.id));
    }
}

/// The gates that are set for the end.
fn gates(
    args: &Args,
    catalog: &Catalog,
    bench: &mut Bench<'_>,
    root: &std::path::Path,
    block: &mut Block,
) -> Result<(), Fail> {
    bench.runner.place.cwd = root.to_path_buf();
    for rule in catalog.config.gates.iter().filter(|gate| gate.runs_at("end")) {
        let rule = catalog.resolved(rule, &args.set.set)?;
        let budget = Budget::of(&args.budget, None, &catalog.config, Some(&rule));
        let gate = bench.one(&Check::of_gate(&rule, budget), 0)?;
        bench.records.gate(&gate, catalog.written(&rule.id))?;
        if gate.status == Status::Pass {
            block.pass += 1;
        } else {
            block.failed.push(format!("{}:gate:{}", rule.id, gate.invocation));
        }
    }
    Ok(())
}
