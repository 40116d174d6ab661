//! The data of single records of the ledger, as far as a report needs it.
//!
//! Long texts are cut on input.

use crate::plain_text::clip;
use crate::survey::record::{Record, Text};
use serde::Deserialize;
use std::borrow::Cow;
use wire::Level;
use wire::gate::{Status, StopReason};
use wire::history::Ran;
use wire::order::{Halt, Owner, Tick, Tokens, Worktree};
use wire::punch::Type;

/// The longest line of a tail that is kept.
pub(crate) const WIDE: usize = 2000;

/// The data of a record that begins an attempt.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Begun {
    pub(crate) host: String,
    pub(crate) place: String,
    pub(crate) pid: u32,
    pub(crate) start_time: Option<u64>,
    pub(crate) lease_seconds: Option<u64>,
    pub(crate) worktree: Option<Worktree>,
}

impl Begun {
    /// The owner of the claim.
    pub(crate) fn owner(&self) -> Owner {
        let Self { place, pid, start_time, lease_seconds, .. } = self;
        Owner {
            host: clip(&self.host, WIDE),
            place: place.clone(),
            pid: *pid,
            start_time: *start_time,
            lease_seconds: *lease_seconds,
        }
    }
}

/// The data of a record that ends an attempt.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Ended {
    pub(crate) status: String,
    pub(crate) outcome: String,
    pub(crate) duration_ms: u64,
    pub(crate) changed_files: Vec<String>,
    pub(crate) cost: Option<f64>,
    pub(crate) tokens: Option<Tokens>,
}

/// The data of a record of a check.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Gated<'l> {
    #[serde(borrow)]
    pub(crate) gate: Gate<'l>,
    /// Known failures that are fixed.
    pub(crate) fixed: Vec<String>,
}

/// The part of a check's result that a report needs.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Gate<'l> {
    #[serde(borrow)]
    pub(crate) run_timestamp: Cow<'l, str>,
    #[serde(default)]
    pub(crate) status: Option<Status>,
    pub(crate) stop_reason: Option<StopReason>,
    pub(crate) elapsed_seconds: f64,
    #[serde(borrow)]
    pub(crate) invocation: Cow<'l, str>,
    #[serde(borrow)]
    pub(crate) expect: Option<Text<'l>>,
    #[serde(borrow)]
    pub(crate) measured: Option<Text<'l>>,
    #[serde(borrow)]
    pub(crate) last_output_lines: Vec<Text<'l>>,
    pub(crate) log: Option<String>,
}

/// The data of a check before the work.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct GatedBefore<'l> {
    #[serde(borrow)]
    pub(crate) gate: Gate<'l>,
    pub(crate) on: String,
}

/// The data of a tick.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Ticked {
    pub(crate) tick: Tick,
    pub(crate) evidence: TickEvidence,
}

/// The evidence of a tick.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct TickEvidence {
    pub(crate) accepted_because: Option<String>,
}

/// The data of a halt.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Halted {
    pub(crate) halt: Option<Halt>,
    pub(crate) detail: Option<Detail>,
}

/// The details of a halt.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Detail {
    pub(crate) mismatches: Vec<String>,
    pub(crate) level: Option<Level>,
}

/// The data of a decision.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Decided {
    pub(crate) reason: Option<String>,
    pub(crate) criterion: Option<String>,
    pub(crate) state: Option<String>,
}

/// A check for the report.
pub(crate) fn ran_alone(record: &Record<'_>) -> Ran {
    ran(record, &record.data::<Gated<'_>>().gate)
}

/// The result of a check, as a word.
pub(crate) fn status(kind: Type) -> &'static str {
    match kind {
        Type::GatePass => "pass",
        Type::GateFail => "fail",
        _ => "fault",
    }
}

/// The same for data that was parsed already.
pub(crate) fn ran(record: &Record<'_>, gate: &Gate<'_>) -> Ran {
    Ran {
        id: record.key.clone().into_owned(),
        status: status(record.kind).to_owned(),
        at: gate.run_timestamp.clone().into_owned(),
        ms: to_millis(gate.elapsed_seconds),
        command: clip(&gate.invocation, WIDE),
        expect: gate.expect.as_ref().map(|text| clip(&text.0, WIDE)),
        measured: gate.measured.as_ref().map(|text| clip(&text.0, WIDE)),
        env_missing: gate.stop_reason == Some(StopReason::EnvMissing),
        tail: gate.last_output_lines.iter().map(|line| clip(&line.0, WIDE)).collect(),
        log: gate.log.clone(),
        tree: record.tree(),
        before: None,
    }
}

/// A record's seconds in milliseconds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float that is no length of time becomes the nearest that is"
)]
pub(crate) fn to_millis(seconds: f64) -> u64 {
    (seconds * 1000.0).round() as u64
}
