//! Parts that the shapes share: signs, sentences, and the figures that no source has a section for.

use crate::plain_text::{clip, count, percent, plain, span};
use crate::survey::hosts::decisive;
use std::collections::BTreeMap;
use std::fmt::Write;
use wire::Level;
use wire::history::{Check, Ran, Review};
use wire::plan::suggestion::Origin;
use wire::report::{Host, Line, Numbers, Report, Stand};

/// The sign before a task.
pub(crate) fn sign(stand: Stand) -> &'static str {
    match stand {
        Stand::Done => "✓",
        Stand::Unverified | Stand::Overridden => "?",
        Stand::Skipped => "-",
        Stand::Running => "▶",
        Stand::Failed | Stand::Blocked => "✗",
        Stand::Human | Stand::Waiting => "☞",
        Stand::Pending => "·",
    }
}

/// How many tasks have this state.
pub(crate) fn standing(numbers: &Numbers, stand: Stand) -> u32 {
    numbers.stands.get(stand.word()).copied().unwrap_or(0)
}

/// Whether every task is settled, by evidence or by a person's decision.
pub(crate) fn is_complete(report: &Report) -> bool {
    all_settled(report) && report.goals.iter().all(|goal| !goal.open)
}

/// Whether every task is settled, whatever the plan's other goals.
pub(crate) fn all_settled(report: &Report) -> bool {
    report.tasks.iter().all(|line| line.stand.is_settled())
}

/// The checks of the whole plan that did not pass, without those that a person settled.
pub(crate) fn failing(report: &Report) -> impl Iterator<Item = &Ran> {
    let is_settled = |ran: &Ran| {
        report.goals.iter().any(|goal| goal.id == ran.id && (goal.checked || goal.deferred.is_some()))
    };
    report.gates.iter().filter(move |ran| ran.status != "pass" && !is_settled(ran))
}

/// How many ticks stand on which level of evidence, and at which level work waits; empty where none is known.
pub(crate) fn evidence(numbers: &Numbers) -> String {
    let told = |counts: &BTreeMap<String, u32>| {
        let known = Level::ALL.iter().filter_map(|level| Some((counts.get(level.word())?, level)));
        known.map(|(n, level)| format!("{n} {}", level.shown())).collect::<Vec<_>>().join(", ")
    };
    let waits = !numbers.waiting.is_empty();
    let waiting = if waits { format!("waiting: {}", told(&numbers.waiting)) } else { String::new() };
    [told(&numbers.levels), waiting]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("; ")
}

/// The checks that the work made true, each with its result before and after.
pub(crate) fn made_true(line: &Line) -> Vec<String> {
    let is_made = |check: &&Check| {
        check.status == "pass" && check.before.as_ref().is_some_and(|before| before.status == "fail")
    };
    let made = line.checks.iter().filter(is_made).filter(|_| line.level == Some(Level::Proved));
    made.map(|check| {
        let before = check.before.as_ref();
        let was = before.and_then(|before| before.measured.as_deref()).unwrap_or("failed");
        // Two streams may come in either order, so that only a single line is shown; `--why` has them all.
        let mut lines = before.iter().flat_map(|before| &before.tail).filter(|line| !line.trim().is_empty());
        let said = lines.next().filter(|_| lines.next().is_none());
        let said = said.map(|said| format!(" ({})", clip(&plain(said), WIDE))).unwrap_or_default();
        let command = check.command.as_deref().map(|text| format!(" `{}`", clip(&plain(text), WIDE)));
        format!(
            "{}{}: before {}{said}, after {}",
            plain(&check.id),
            command.unwrap_or_default(),
            clip(&plain(was), WIDE),
            clip(&plain(check.measured.as_deref().unwrap_or("passed")), WIDE)
        )
    })
    .collect()
}

/// The longest command or result in a sentence.
const WIDE: usize = 100;

/// How many machines a figure names.
const MANY: usize = 20;

/// Where the check comes from that proves a task, if no person wrote it into the plan.
pub(crate) fn adopted(line: &Line) -> Option<&'static str> {
    let by = |origin: Origin| line.checks.iter().any(|check| check.origin == Some(origin));
    let own = line.checks.iter().any(|check| check.command.is_some() && check.origin.is_none());
    match () {
        () if own || !matches!(line.level, Some(Level::Proved | Level::Passes)) => None,
        () if by(Origin::Proposed) => Some("by a proposed check"),
        () if by(Origin::Suggested) => Some("by a suggested check"),
        () => None,
    }
}

/// The facts about a task, in a few words.
pub(crate) fn words(report: &Report, line: &Line) -> String {
    let mut words = Vec::new();
    if line.stand != Stand::Done {
        words.push(line.stand.word().to_owned());
    }
    words.extend(line.level.map(|level| level.shown().to_owned()));
    words.extend(adopted(line).map(str::to_owned));
    words.extend(line.reviews.last().map(reviewed));
    if !line.fixed.is_empty() {
        let fixed: Vec<String> = line.fixed.iter().map(|name| plain(name)).collect();
        words.push(format!("known failures fixed: {}", fixed.join(", ")));
    }
    if line.criteria > 0 {
        words.push(format!("{}/{} checks", line.passed, line.criteria));
    }
    if line.manual > 0 {
        words.push(format!("{} left to a person", line.manual));
    }
    if line.attempts > 0 {
        words.push(count(line.attempts, "attempt"));
    }
    if let Some(commit) = &line.commit {
        words.push(short(commit));
    }
    words.extend(place(report, line));
    if !line.false_claims.is_empty() {
        let claims: Vec<String> = line.false_claims.iter().map(|claim| plain(claim)).collect();
        words.push(format!("falsely claimed: {}", claims.join(", ")));
    }
    if let Some(reason) = &line.reason {
        words.push(format!("because: {}", plain(reason)));
    }
    words.join(", ")
}

/// A review: the reviewer, whether it agrees, and why.
pub(crate) fn reviewed(review: &Review) -> String {
    let reasons: Vec<String> = review.reasons.iter().map(|reason| clip(&plain(reason), WIDE)).collect();
    let says = if review.agree { "agrees" } else { "does not agree" };
    format!("{} {says}: {}", plain(&review.worker), reasons.join("; "))
}

/// The machine and the tree of a task's work, if the report names machines.
pub(crate) fn place(report: &Report, line: &Line) -> Option<String> {
    let attempt = decisive(line).filter(|attempt| !report.hosts.is_empty() && !attempt.host.is_empty())?;
    let mut place = format!("on {}", plain(&attempt.host));
    if !attempt.worktree.is_empty() {
        let _ = write!(place, " in {}", plain(&attempt.worktree));
    }
    if !attempt.taken_over_by.is_empty() {
        let _ = write!(place, ", taken over by {}", plain(&attempt.taken_over_by));
    }
    Some(place)
}

/// One machine's share of the work.
fn part(host: &Host) -> String {
    let mut part = format!("{} ({}, {} done", plain(&host.name), count(host.attempts, "attempt"), host.done);
    if host.takeovers > 0 {
        let _ = write!(part, ", {} taken over", host.takeovers);
    }
    part + ")"
}

/// A commit, shortened for people.
pub(crate) fn short(commit: &str) -> String {
    commit.get(..8).unwrap_or(commit).to_owned()
}

/// `PASS`, `FAIL` or `FAULT`.
pub(crate) fn verdict(ran: &Ran) -> String {
    ran.status.to_uppercase()
}

/// The figures, one sentence per line.
pub(crate) fn figures(report: &Report) -> Vec<String> {
    let Some(numbers) = &report.numbers else { return Vec::new() };
    let stands: Vec<String> = Stand::ALL
        .iter()
        .filter(|&&stand| standing(numbers, stand) > 0)
        .map(|&stand| format!("{} {}", standing(numbers, stand), stand.word()))
        .collect();
    let mut out = vec![format!("{}: {}", count(numbers.tasks, "task"), stands.join(", "))];
    if let Some(rate) = numbers.first_pass_rate {
        let (passed, tried) = (numbers.first_pass, numbers.tried);
        out.push(format!("Ticked at the first attempt: {passed} of {tried} ({})", percent(rate)));
        out.push(format!("Attempts: {}, false claims: {}", numbers.attempts, numbers.false_claims));
        out.push(format!("Time: workers {}, checks {}", span(numbers.worker_ms), span(numbers.gate_ms)));
    }
    let cost = numbers.cost.map(|cost| format!("cost {cost:.2}"));
    let tokens = numbers
        .tokens
        .map(|used| format!("tokens {} in ({} cached), {} out", used.input, used.cached, used.output));
    let spent: Vec<String> = tokens.into_iter().chain(cost).collect();
    if !spent.is_empty() {
        out.push(format!("Used: {}", spent.join(", ")));
    }
    if let (Some(efficiency), Some(speedup), Some(bound)) =
        (numbers.efficiency, numbers.speedup, numbers.speedup_bound)
    {
        let (wall, critical) = (span(numbers.wall_ms), span(numbers.critical_ms));
        out.push(format!(
            "Elapsed {wall}, critical path {critical} ({} of it); {speedup:.1} at once, {bound:.1} possible",
            percent(efficiency)
        ));
    }
    if !report.hosts.is_empty() {
        let named = report.hosts.iter().take(MANY).map(part).collect::<Vec<_>>().join(", ");
        let more = report.hosts.len().saturating_sub(MANY);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        out.push(format!("Hosts: {named}{more}"));
    }
    if let Some(ledger) = &report.ledger {
        let state =
            if ledger.ok { "whole".to_owned() } else { count(ledger.problems.len() as u64, "problem") };
        let elsewhere = match ledger.elsewhere {
            0 => String::new(),
            commits => format!("; {} of another ledger", count(commits, "commit")),
        };
        out.push(format!("Ledger: {}, {state}{elsewhere}", count(ledger.records, "record")));
    }
    out
}

/// Every claim that checks contradicted, with its task.
pub(crate) fn false_claims(report: &Report) -> Vec<String> {
    let of = |line: &Line| {
        let id = plain(line.id.as_str());
        line.false_claims.iter().map(move |claim| format!("{id}: {}", plain(claim))).collect::<Vec<_>>()
    };
    report.tasks.iter().flat_map(of).collect()
}

/// A list, or a note that it is empty.
pub(crate) fn bullets(out: &mut String, items: &[String]) {
    if items.is_empty() {
        out.push_str("- (none)\n");
    }
    for item in items {
        let _ = writeln!(out, "- {}", plain(item));
    }
}
