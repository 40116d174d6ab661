//! What single records of the ledger say in their data, as far as a report needs it.
//!
//! Long texts are cut where they come in.

use crate::plain::clip;
use crate::record::{Record, Text};
use serde::Deserialize;
use std::borrow::Cow;
use wire::history::Ran;
use wire::order::{Halt, Owner, Worktree};
use wire::punch::Type;

/// The longest line of a tail that is kept.
pub(crate) const WIDE: usize = 2000;

/// What the record of a beginning says.
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
    /// Who has the claim.
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

/// What the record of an end says.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Ended {
    pub(crate) status: String,
    pub(crate) outcome: String,
    pub(crate) duration_ms: u64,
    pub(crate) changed_files: Vec<String>,
    pub(crate) cost: Option<f64>,
}

/// What the record of a check says.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Gated<'l> {
    #[serde(borrow)]
    pub(crate) gate: Gate<'l>,
}

/// What a report needs of a check that was run.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Gate<'l> {
    #[serde(borrow)]
    pub(crate) run_timestamp: Cow<'l, str>,
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

/// What the record of a refusal says.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Halted {
    pub(crate) halt: Option<Halt>,
    pub(crate) detail: Option<Detail>,
}

/// What stands beside a refusal.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Detail {
    pub(crate) mismatches: Vec<String>,
}

/// What the record of a decision says.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Decided {
    pub(crate) reason: Option<String>,
    pub(crate) criterion: Option<String>,
}

/// A check as the report tells it.
pub(crate) fn ran_alone(record: &Record<'_>) -> Ran {
    ran(record, &record.data::<Gated<'_>>().gate)
}

/// How a check ended.
pub(crate) fn status(kind: Type) -> &'static str {
    match kind {
        Type::GatePass => "pass",
        Type::GateFail => "fail",
        _ => "fault",
    }
}

/// A check whose record was read already.
pub(crate) fn ran(record: &Record<'_>, gate: &Gate<'_>) -> Ran {
    Ran {
        id: record.key.clone().into_owned(),
        status: status(record.kind).to_owned(),
        at: gate.run_timestamp.clone().into_owned(),
        ms: to_millis(gate.elapsed_seconds),
        command: clip(&gate.invocation, WIDE),
        expect: gate.expect.as_ref().map(|text| clip(&text.0, WIDE)),
        measured: gate.measured.as_ref().map(|text| clip(&text.0, WIDE)),
        tail: gate.last_output_lines.iter().map(|line| clip(&line.0, WIDE)).collect(),
        log: gate.log.clone(),
    }
}

/// Seconds as a record has them in milliseconds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float that is no length of time becomes the nearest that is"
)]
pub(crate) fn to_millis(seconds: f64) -> u64 {
    (seconds * 1000.0).round() as u64
}
