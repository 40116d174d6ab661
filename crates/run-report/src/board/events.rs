//! Events, one plain line each: for logs and pipes.

use crate::plain_text::{count, plain, span};
use crate::survey::record::Record;
use serde::Deserialize;
use wire::order::Halt;
use wire::punch::Type;
use wire::report::Report;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Told {
    outcome: String,
    duration_ms: u64,
    halt: Option<Halt>,
    gate: Gate,
    reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Gate {
    measured: Option<String>,
}

/// The state of the plan when following begins.
pub(crate) fn begin(report: &Report) -> String {
    format!("following {}: {}", plain(&report.plan), counts(report))
}

/// The state of the plan at the end.
pub(crate) fn end(report: &Report) -> String {
    format!("done: {}", counts(report))
}

fn counts(report: &Report) -> String {
    let Some(numbers) = &report.numbers else { return String::new() };
    let some = numbers.stands.iter().filter(|(_, n)| **n > 0);
    let some: Vec<String> = some.map(|(stand, n)| format!("{n} {stand}")).collect();
    format!("{}: {}", count(numbers.tasks, "task"), some.join(", "))
}

/// An event as a line; `None` for records that are of no interest.
pub(crate) fn line(record: &Record<'_>, name: &str) -> Option<String> {
    let told = record.data::<Told>();
    let key = plain(&record.key);
    let attempt = record.attempt.unwrap_or(1);
    let what = match record.kind {
        Type::AttemptBegin => format!("▶ attempt {attempt} begins, worker {key}"),
        Type::AttemptEnd => {
            format!("· attempt {attempt} ended: {}, {}", plain(&told.outcome), span(told.duration_ms))
        }
        Type::GatePass => format!("· check {key} passed"),
        Type::GateFail => format!("✗ check {key} failed: {}", plain(&told.gate.measured.unwrap_or_default())),
        Type::GateFault => format!("✗ check {key} gave no verdict"),
        Type::Halt => {
            let halt = told.halt?;
            format!("✗ {} said no: {}", plain(&halt.stage), plain(&halt.message))
        }
        Type::Tick => "✓ ticked".to_owned(),
        Type::Untick => "· unticked".to_owned(),
        Type::Commit if record.key == "skipped" => return None,
        Type::Commit => format!("· commit {}", record.key.get(..8).unwrap_or(&record.key)),
        Type::Override | Type::Skip => {
            format!("! {} by decision: {}", record.kind.word(), plain(&told.reason.unwrap_or_default()))
        }
        Type::Escalation => format!("☞ handed on: {key}"),
        _ => return None,
    };
    Some(format!("{} {}: {what}", plain(&record.observed_at), plain(name)))
}
