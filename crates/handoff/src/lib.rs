//! `handoff`: what exactly does the worker need to know?
//!
//! The input is orders, the output the same orders with `handoff`: a packet (everything as data) and a prompt
//! (everything as text), both files below `.plantools/work/`. Invariants: the plan's own words are quoted, never
//! paraphrased, and cannot leave their place; a reference that cannot be resolved is a halt, not a gap; pinned files
//! have not changed since the first attempt, unless a person accepted the change on record; no value reaches a shell.

mod args;
mod case;
mod packet;
mod prompt;
mod roles;
mod task_text;

use crate::args::Args;
use crate::case::Case;
use crate::packet::context_package;
use crate::packet::package_rules;
use crate::packet::package_rules::Verdict;
use crate::packet::pinned_changes;
use crate::packet::session_chain;
use crate::packet::session_chain::Chain;
use crate::prompt::Prompt;
use crate::roles::role::Role;
use config::profile::{Packet, stages};
use dialects::context::files::Shelf;
use ledger::recorder::Recorder;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use toolkit::cli::tool;
use toolkit::files::fs;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::stream::stage::{carry, order_of, set};
use toolkit::{Exit, Fail};
use wire::order::{Category, Halt, Handoff};
use wire::plan::Severity;
use wire::{Order, OrderLine, TaskId};

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>(revision::COMMIT)
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

const STAGE: &str = "handoff";

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let desk = Recorder::new(STAGE, &args.run)?;
    if args.prompt {
        return print_prompts(args, &desk, out);
    }
    carry(args.file.as_deref(), out, |line| hand_over(args, &desk, line))
}

/// `--prompt`: prints only the prompts, for people; writes nothing.
fn print_prompts(args: &Args, desk: &Recorder, out: &mut Output) -> Result<Exit, Fail> {
    let mut orders =
        toolkit::stream::orders::Orders::new(toolkit::stream::input::Input::open(args.file.as_deref())?);
    while let Some(toolkit::stream::orders::Item::Order(line)) = orders.read()? {
        let order = order_of(&line)?;
        let mut case = Case::of(args, &order, desk.clock.now())?;
        if let Chain::Last(session) = session_chain::last(&case)? {
            case.session = Some(session);
        }
        out.text(&prompt::compose(args.role, &case, most(args))?.text)?;
    }
    Ok(Exit::Ok)
}

fn hand_over(args: &Args, desk: &Recorder, line: &mut OrderLine) -> Result<(), Fail> {
    let order = order_of(line)?;
    let mut case = match Case::of(args, &order, desk.clock.now()) {
        Err(fail) if fail.code == "plan-changed" => {
            return desk.halt(line, &order, &halt("plan-changed", fail.message));
        }
        other => other?,
    };
    if args.role == Role::Check {
        // Whoever proposes a check needs neither the inputs of the task nor what it waits for.
        let prompt = prompt::compose(args.role, &case, most(args))?;
        return set(line, "handoff", &Handoff { unresolved: Vec::new(), ..write(&case, prompt)? });
    }
    if let Some(message) = pinned_changes::refuse(args, desk, &order, &case.sheet, case.profile.approval)? {
        return desk.halt(line, &order, &Halt { counts: false, ..halt("pin-changed", message) });
    }
    match session_chain::last(&case)? {
        Chain::None => {}
        Chain::Last(session) => case.session = Some(session),
        Chain::Broken(code, message) => {
            return desk.halt(line, &order, &Halt { counts: false, ..halt(code, message) });
        }
    }
    if let Some((halt, detail)) = not_ready(&case) {
        return desk.halt_with(line, &order, &halt, &detail);
    }
    let mut refused = rules(&mut case)?;
    for _ in 1..LOADS {
        if refused.is_none() {
            break;
        }
        // Somebody may be writing the files of the package: it is read again before the task is refused.
        let again = Case::of(args, &order, desk.clock.now())?;
        case = Case { session: case.session.take(), ..again };
        refused = rules(&mut case)?;
    }
    let prompt = match prompt::compose(args.role, &case, most(args)) {
        Err(fail) if matches!(fail.code, "no-fault" | "no-change") => {
            return desk.halt(line, &order, &Halt { counts: false, ..halt(fail.code, fail.message) });
        }
        other => other?,
    };
    // The first worker finds the context files there; a workflow that wants a clean tree gets them with its first result.
    let saves = |all: Vec<&str>| all.iter().any(|stage| stage.starts_with("context-save"));
    if stages(&case.profile.round).is_some_and(saves) && !case.profile.clean_tree {
        Shelf::of(&order.plan)?;
    }
    let handoff = write(&case, prompt)?;
    set(line, "handoff", &handoff)?;
    if let Some(message) = refused {
        let message = format!("{message} (read {LOADS} times)");
        // A file that is no JSON may be restored from its snapshot: then the task is handed out again.
        let (code, retry) =
            if has_broken_file(&case)? { (BROKEN_FILE, true) } else { ("bad-package", false) };
        return desk.halt(line, &order, &Halt { counts: false, retry, ..halt(code, message) });
    }
    stop_at_gaps(desk, line, &order, &handoff)
}

/// The `code` of the halt of a task whose own file is no JSON.
const BROKEN_FILE: &str = "broken-task-file";

/// Whether the task has a file of its own that is there and no JSON.
fn has_broken_file(case: &Case<'_>) -> Result<bool, Fail> {
    let Some(detail) = &case.sheet.task.detail else { return Ok(false) };
    let bytes = fs::read_if_there(&root::inside(case.root, &detail.path)?)?;
    Ok(bytes.is_some_and(|bytes| {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        serde_json::from_slice::<Value>(bytes).is_err()
    }))
}

/// How often the context of a task is loaded before it is refused.
const LOADS: u32 = 3;

/// The halt of a task whose own file waits for a task that is open, or for one that is not in the plan; neither the list
/// nor the plan says so, and the file is opened only here.
fn not_ready(case: &Case<'_>) -> Option<(Halt, Value)> {
    let (sheet, id) = (&case.sheet, &case.order.task.id);
    let dangling = sheet.plan.diagnostics.iter().find(|found| {
        found.severity == Severity::Error
            && found.code == "dangling-dependency"
            && found.task.as_ref() == Some(id)
    });
    if let Some(found) = dangling {
        let halt = Halt { counts: false, ..halt("dangling-dependency", found.message.clone()) };
        return Some((halt, Value::Null));
    }
    let is_open =
        |other: &&TaskId| sheet.plan.tasks.iter().any(|task| task.id == **other && !task.state.is_settled());
    let known = &case.order.task.depends_on;
    let open: Vec<&TaskId> =
        sheet.task.depends_on.iter().filter(|other| !known.contains(other)).filter(is_open).collect();
    if open.is_empty() {
        return None;
    }
    let names: Vec<&str> = open.iter().map(|id| id.as_str()).collect();
    let message = format!("its own file waits for {}, which the list does not say", names.join(", "));
    let halt = Halt { counts: false, retry: true, ..halt(wire::order::WAITS_FOR, message) };
    Some((halt, json!({ "for": names })))
}

/// The rules of a context package: missing parts become warnings, a package that no worker can follow is the returned
/// message.
fn rules(case: &mut Case<'_>) -> Result<Option<String>, Fail> {
    if case.profile.packet != Packet::ContextPackage {
        return Ok(None);
    }
    let package = context_package::Package::of(case)?;
    let ruled = package_rules::check(case, &package);
    let said = |verdict: Verdict| {
        let rows = ruled.iter().filter(move |ruled| ruled.verdict == verdict);
        rows.map(|ruled| format!("{}: {}", ruled.rule, ruled.missing.join("; "))).collect::<Vec<_>>()
    };
    let failed = said(Verdict::Fail);
    case.warnings.extend(said(Verdict::Warn));
    Ok((!failed.is_empty()).then(|| format!("the context package is not complete: {}", failed.join("; "))))
}

/// A worker must not guess: a reference without a value halts the order.
fn stop_at_gaps(desk: &Recorder, line: &mut OrderLine, order: &Order, handoff: &Handoff) -> Result<(), Fail> {
    let Some(first) = handoff.unresolved.first() else { return Ok(()) };
    let more = match handoff.unresolved.len() - 1 {
        0 => String::new(),
        n => format!(" (and {n} more)"),
    };
    let message = format!("'{}' cannot be resolved: {}{more}", first.reference, first.reason);
    let detail = json!({ "unresolved": handoff.unresolved });
    // No worker was called: the attempt is not spent.
    desk.halt_with(line, order, &Halt { counts: false, ..halt("unresolved-input", message) }, &detail)
}

fn halt(code: &str, message: String) -> Halt {
    Halt {
        stage: STAGE.into(),
        code: code.into(),
        category: Category::PlanError,
        message,
        retry: false,
        counts: true,
        not_before: None,
    }
}

fn most(args: &Args) -> usize {
    usize::try_from(args.max_bytes).unwrap_or(usize::MAX)
}

/// Writes packet and prompt, with secrets masked. The next attempt makes them anew, so they are not synced.
fn write(case: &Case<'_>, prompt: Prompt) -> Result<Handoff, Fail> {
    let home = Home::of(case.root)?;
    let folder = home.folder(&case.folder())?;
    let packet = packet::compose(case, &prompt)?;
    let packet =
        serde_json::to_string_pretty(&packet).map_err(|e| Fail::data("bad-packet", e.to_string()))?;
    let mut left_out: Vec<String> = Vec::new();
    for left in prompt.left_out {
        if !left_out.contains(&left.path) {
            left_out.push(left.path);
        }
    }
    Ok(Handoff {
        packet: fs::seal_unsynced(case.root, &folder.join("packet.json"), packet.as_bytes())?,
        prompt: fs::seal_unsynced(case.root, &folder.join("prompt.md"), prompt.text.as_bytes())?,
        template: prompt.name.to_owned(),
        session: case.session.clone(),
        inputs: carried(case, &folder)?,
        unresolved: case.resolved.unresolved.clone(),
        left_out,
        warnings: case.warnings.clone(),
    })
}

/// The maximum size of a value in the order itself.
const LARGEST_VALUE: usize = 64 << 10;

/// The inputs in the order: masked, and large values as files.
fn carried(case: &Case<'_>, folder: &std::path::Path) -> Result<BTreeMap<String, Value>, Fail> {
    let mut out = BTreeMap::new();
    for (name, value) in &case.resolved.values {
        let value = packet::masked(case, value.clone());
        let text = value.to_string();
        let value = if text.len() > LARGEST_VALUE {
            let file = folder.join(format!("input-{}.json", wire::ids::key_of(name)));
            json!(fs::seal_unsynced(case.root, &file, text.as_bytes())?)
        } else {
            value
        };
        out.insert(name.clone(), value);
    }
    Ok(out)
}
