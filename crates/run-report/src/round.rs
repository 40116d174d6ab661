//! The last stage of the pipe: a line for each order, the failed checks below a halted one, and the exit code of each
//! round.

use crate::args::{Args, Format};
use crate::plain_text::{clip, plain};
use crate::survey;
use config::profile::{Profile, ReportShape};
use ledger::Ledger;
use std::path::Path;
use toolkit::files::root::Home;
use toolkit::stream::input::Input;
use toolkit::stream::orders::{Item, Orders};
use toolkit::stream::output::Output;
use toolkit::stream::stage::order_of;
use toolkit::{Exit, Fail};
use wire::gate::Status;
use wire::order::{CriterionStatus, NOT_ACCEPTED, PlanRef, VerdictStatus};
use wire::plan::{Kind, State};
use wire::report::{Line, Proof, Report, SCHEMA, Stand};
use wire::{Answer, End, Gate, Order};

/// Reads the round to its end, or one after the other.
pub(crate) fn carry(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let mut orders = Orders::new(Input::open(args.file.as_deref())?);
    toolkit::cli::signals::outlive_the_first();
    loop {
        let report = round(args, &mut orders, out)?;
        let exit = exit_of(&report);
        if !args.each {
            return Ok(exit);
        }
        let Some(answer) = report.answer else { return Ok(Exit::Ok) };
        let end = End { exit: Some(exit.code()), ..End::new(answer, report.tasks.len() as u64) };
        out.document(&end, false)?;
    }
}

/// Reads one round; one that has no answer is the last.
fn round(args: &Args, orders: &mut Orders, out: &mut Output) -> Result<Report, Fail> {
    let mut report = Report { schema: SCHEMA.to_owned(), ..Report::default() };
    // Mostly all orders are of one plan, so that its profile is read once.
    let mut known: Option<(PlanRef, Profile)> = None;
    let mut approval = false;
    while let Some(item) = orders.read()? {
        match item {
            Item::Order(line) => {
                let order = order_of(&line)?;
                if args.format != Format::Json {
                    let PlanRef { root, dialect, .. } = &order.plan;
                    let profile = match known.take() {
                        Some((plan, profile)) if plan.root == *root && plan.dialect == *dialect => profile,
                        _ => survey::policy(Path::new(root), dialect)?,
                    };
                    out.line(&shown(&order, profile.report == ReportShape::Steps))?;
                    failed(&order).iter().try_for_each(|line| out.line(line))?;
                    if let Some(next) = escalation(&order, &profile)? {
                        out.line(&format!("Escalating to {}...", plain(&next)))?;
                    }
                    known = Some((order.plan.clone(), profile));
                }
                report.plan.clone_from(&order.plan.path);
                report.tasks.push(line_of(&order));
            }
            Item::End(end, _) => {
                report.answer = Some(end.answer);
                approval = end.approval;
                break;
            }
        }
    }
    match args.format {
        Format::Json => out.document(&report, false)?,
        _ => match (&args.only, report.answer) {
            (Some(id), Some(Answer::Done)) => {
                out.shown(&format!("done: task {id}; nothing else was asked for\n"))?;
            }
            _ if approval => out.text(APPROVAL)?,
            _ => out.text(close(report.answer))?,
        },
    }
    Ok(report)
}

/// The stream's answer about the whole plan decides; if there is more to do, a halted order means no.
fn exit_of(report: &Report) -> Exit {
    match report.answer {
        None | Some(Answer::More) if report.tasks.iter().any(|t| t.halt.is_some()) => Exit::No,
        None | Some(Answer::More) => Exit::Ok,
        Some(Answer::Done) => Exit::Done,
        Some(Answer::Stuck) => Exit::Stuck,
        Some(Answer::Wait) => Exit::Wait,
    }
}

/// The last line of a run that a person's approval completes.
const APPROVAL: &str = "done but for the approval: a person reads the report and approves it\n";

fn close(answer: Option<Answer>) -> &'static str {
    match answer {
        None | Some(Answer::More) => "",
        Some(Answer::Done) => "done: nothing is left to do\n",
        Some(Answer::Stuck) => "stuck: every open task is blocked, has failed or waits for a person\n",
        Some(Answer::Wait) => "wait: nothing may run now\n",
    }
}

fn line_of(order: &Order) -> Line {
    let verdict = order.verdict.as_ref();
    let count = |wanted: CriterionStatus| {
        let n = verdict.map_or(0, |v| v.criteria.iter().filter(|c| c.status == wanted).count());
        u32::try_from(n).unwrap_or(u32::MAX)
    };
    let ticked = order.tick.as_ref().is_some_and(|t| t.skipped.is_none());
    let verified = verdict.is_some_and(|v| v.status == VerdictStatus::Verified);
    Line {
        id: order.task.id.clone(),
        title: order.task.title.clone(),
        state: if ticked { State::Completed } else { order.task.state },
        proof: if verified { Proof::Verified } else { Proof::None },
        level: order.tick.as_ref().and_then(|tick| tick.level).or_else(|| order.verdict_level()),
        attempts: order.attempt,
        criteria: u32::try_from(order.task.criteria.len()).unwrap_or(u32::MAX),
        passed: count(CriterionStatus::Pass),
        manual: count(CriterionStatus::Manual),
        commit: order.commit.as_ref().and_then(|c| c.hash.clone()),
        false_claims: verdict.map(|v| v.mismatches.clone()).unwrap_or_default(),
        halt: order.halt.clone(),
        in_round: true,
        kind: order.task.kind,
        stand: match (ticked, &order.halt) {
            (true, _) if verified => Stand::Done,
            (true, _) => Stand::Overridden,
            (false, Some(halt)) if ledger::leases::is_elsewhere(&halt.code) => Stand::Running,
            (false, Some(halt)) if halt.code == NOT_ACCEPTED => Stand::Waiting,
            (false, Some(_)) => Stand::Failed,
            (false, None) => Stand::Pending,
        },
        worker_ms: order.worker.as_ref().map_or(0, |worker| worker.duration_ms),
        ..Line::default()
    }
}

/// Who takes over a failed step, if it is no person, and the same error did not come twice.
fn escalation(order: &Order, profile: &Profile) -> Result<Option<String>, Fail> {
    let next = order.worker.as_ref().and_then(|worker| worker.escalates_to.clone());
    let goes_on =
        order.halt.as_ref().is_some_and(|halt| halt.retry && halt.counts) && order.mended().is_none();
    let Some(next) = next.filter(|next| goes_on && next != "user") else { return Ok(None) };
    if !profile.same_error_stops {
        return Ok(Some(next));
    }
    let records = Ledger::new(Home::of(Path::new(&order.plan.root))?).read_of(&order.plan.path)?;
    let mine = records.iter().filter(|record| record.run == order.run);
    Ok(Some(next).filter(|_| ledger::same_error::twice(mine).is_none()))
}

/// How many failed checks are listed below their order.
const NAMED: usize = 10;
/// The longest command or measured result that is shown there.
const WIDE: usize = 160;
/// How many of the last lines of output are shown below a failed check.
const LAST: usize = 3;

/// Why an order was halted: each check with its expected and its actual result, and the end of its output.
fn failed(order: &Order) -> Vec<String> {
    // What a diagnosis mended was the cause; the step itself is still to be done.
    let is_failed = order.halt.is_some() && order.mended().is_none();
    let Some(verdict) = order.verdict.as_ref().filter(|_| is_failed) else { return Vec::new() };
    let wrong = |status| matches!(status, CriterionStatus::Fail | CriterionStatus::Fault);
    let criteria = verdict.criteria.iter().filter(|c| wrong(c.status)).map(|c| {
        let said = check(&c.id, c.command.as_deref(), c.reason.as_deref(), c.expect.as_deref());
        (said, verdict.gates.iter().find(|gate| gate.gate_id == c.id))
    });
    let own = |gate: &&Gate| verdict.criteria.iter().any(|criterion| criterion.id == gate.gate_id);
    let others = verdict.gates.iter().filter(|gate| gate.status != Status::Pass && !own(gate)).map(|gate| {
        let (came, wanted) = (gate.measured.as_deref(), gate.expect.as_deref());
        (check(&gate.gate_id, Some(&gate.invocation), came, wanted), Some(gate))
    });
    let told = criteria.chain(others).take(NAMED);
    told.flat_map(|(said, gate)| std::iter::once(said).chain(gate.map(printed).unwrap_or_default())).collect()
}

/// One failed check as a line.
fn check(id: &str, command: Option<&str>, came: Option<&str>, wanted: Option<&str>) -> String {
    let short = |text: &str| clip(&plain(text), WIDE);
    let command = command.map(|text| format!(" `{}`", short(text))).unwrap_or_default();
    let wanted = wanted.map(|text| format!(", wanted {}", short(text))).unwrap_or_default();
    let came = came.map_or_else(|| "failed".to_owned(), short);
    format!("    {}{command}: {came}{wanted}", plain(id))
}

/// The end of a check's output; gate-run has masked it.
fn printed(gate: &Gate) -> Vec<String> {
    let said = gate.last_output_lines.iter().rev().filter(|line| !line.trim().is_empty());
    let mut last: Vec<_> =
        said.take(LAST).map(|line| format!("      | {}", clip(&plain(line), WIDE))).collect();
    last.reverse();
    last
}

/// One order in one line, in the words of a runbook where it is a `step`; what a plan or a worker wrote cannot break it or colour it.
fn shown(order: &Order, step: bool) -> String {
    let line = line_of(order);
    let name = match order.task.kind {
        Kind::Checkpoint if step => plain(&line.title),
        _ if step => format!("Step {}: {}", plain(line.id.as_str()), plain(&line.title)),
        _ => format!("{} {}", plain(line.id.as_str()), plain(&line.title)),
    };
    if let Some(halt) = &line.halt {
        if ledger::leases::is_elsewhere(&halt.code) {
            return format!("· {name}: another run has it: {}", plain(&halt.message));
        }
        // The work is proved and ticked; its commit follows.
        if halt.code == "hook-formatted" {
            return format!("✓ {name}: ticked; {}", plain(&halt.message));
        }
        if order.is_recheck() {
            return format!("✗ {name}: failed before, and still: {}", plain(&halt.message));
        }
        if let Some(mended) = order.mended().filter(|_| step) {
            let worker = order.worker.as_ref().map_or("", |worker| worker.name.as_str());
            return format!("· {name} - diagnosed by {}: {}; trying it again", plain(worker), plain(mended));
        }
        if step {
            return format!("✗ {name} - failed: {}", plain(&halt.message));
        }
        let adapted = order.tick.as_ref().and_then(|tick| tick.adapted.as_ref());
        let adapted = adapted.map_or_else(String::new, |adapted| match (&adapted.task, &adapted.refused) {
            (Some(task), _) => format!("; TODO {} was added, which it waits for", plain(task.as_str())),
            (None, why) => {
                format!("; no task was added: {}", plain(why.as_deref().unwrap_or("none is known")))
            }
        });
        let fix = if order.why.fix { " (the Fix Task)" } else { "" };
        return format!(
            "✗ {name}: attempt {}{fix}, {} said no: {}{adapted}",
            order.attempt,
            halt.stage,
            plain(&halt.message)
        );
    }
    if order.is_review() && line.state != State::Completed {
        let worker = order.worker.as_ref().map_or("the reviewer", |worker| worker.name.as_str());
        return format!("· {name}: reviewed by {}, which agrees", plain(worker));
    }
    let mut words: Vec<String> = line.level.iter().map(|level| level.shown().to_owned()).collect();
    match order.verdict.as_ref() {
        Some(verdict) if verdict.status == VerdictStatus::Verified => {
            let ran = verdict.coverage.ran;
            words.push(format!("{ran} check{} passed", if ran == 1 { "" } else { "s" }));
            if verdict.coverage.manual > 0 {
                words.push(format!("{} left to a person", verdict.coverage.manual));
            }
        }
        Some(_) => words.push("accepted without proof".to_owned()),
        None => words.push("not checked".to_owned()),
    }
    if order.is_recheck() {
        words.push("no worker was needed".to_owned());
    }
    if order.tick.as_ref().is_some_and(|t| t.skipped.is_none()) {
        words.push("ticked".to_owned());
        let unclear = order.tick.as_ref().and_then(|tick| tick.unclear.as_deref());
        words.extend(unclear.map(|reason| format!("unclear checks judged by a person: {reason}")));
    }
    if step && line.state == State::Completed && order.last_failure.is_some() {
        words.push("retry successful".to_owned());
    }
    if let Some(context) = order.context.as_ref().filter(|context| !context.missing.is_empty()) {
        words.push(format!("declared outputs missing: {}", plain(&context.missing.join(", "))));
    }
    if let Some(commit) = &line.commit {
        words.push(format!("commit {}", commit.get(..8).unwrap_or(commit)));
    }
    let owed = order.task.commit.is_some() && line.commit.is_none();
    if let Some(reason) = order.commit.as_ref().and_then(|c| c.skipped.as_ref()).filter(|_| owed) {
        words.push(format!("no commit: {}", plain(reason)));
    }
    let sign = if line.state == State::Completed { "✓" } else { "·" };
    if step && line.state == State::Completed {
        return format!("{sign} {name} - completed ({})", words.join(", "));
    }
    format!("{sign} {name}: {}", words.join(", "))
}
