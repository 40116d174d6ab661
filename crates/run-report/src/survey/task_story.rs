//! The records of one task, added one by one.
//!
//! Only records of the task's present text come here. Long texts are cut on input, so that memory for a task does
//! not grow with its workers' output.

use crate::plain_text::clip;
use crate::survey::hosts::Hosts;
use crate::survey::record::Record;
use crate::survey::record_data::{
    Begun, Decided, Ended, Gated, GatedBefore, Halted, Ticked, WIDE, ran, status, to_millis,
};
use dialects::write::ESCALATED;
use ledger::level::REVIEW;
use ledger::pins::ADOPT;
use ledger::punch_files::Seal;
use ledger::task_history::TaskHistory;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use toolkit::cli::clock::millis;
use wire::gate::Status;
use wire::history::{Attempt, Before, Came, Review};
use wire::order::{Card, Halt, Owner};
use wire::plan::suggestion::Origin;
use wire::punch::Type;
use wire::{Level, State};

/// How much of each task is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The latest attempts with every check.
    Full,
    /// For a plan of many thousand tasks: the last attempt, with the checks that did not pass.
    Brief,
}

impl Depth {
    fn attempts(self) -> usize {
        if self == Depth::Full { 8 } else { 1 }
    }
}

/// The facts from the ledger about one task.
#[derive(Debug, Default)]
pub(crate) struct Story {
    pub(crate) standing: TaskHistory,
    /// Attempts that ended.
    pub(crate) attempts: u32,
    pub(crate) history: Vec<Attempt>,
    pub(crate) older: u32,
    pub(crate) worker_ms: u64,
    pub(crate) gate_ms: u64,
    pub(crate) begun_at: Option<String>,
    pub(crate) last_at: Option<String>,
    /// Start and end of each attempt, in milliseconds.
    pub(crate) spans: Vec<(i64, i64)>,
    /// The last result of each check.
    pub(crate) latest: BTreeMap<String, Latest>,
    /// Checks that no longer passed when they were run again after the tick.
    pub(crate) broken: BTreeSet<String>,
    /// A person's decision about the tick, with its reason.
    pub(crate) overridden: Option<String>,
    /// Criteria that a person decided.
    pub(crate) decided: BTreeMap<String, String>,
    pub(crate) skipped: Option<String>,
    pub(crate) commit: Option<String>,
    pub(crate) false_claims: BTreeSet<String>,
    pub(crate) files: BTreeSet<String>,
    pub(crate) card: Option<Card>,
    pub(crate) seals: BTreeMap<String, Seal>,
    /// The attempt whose proof ticked the box.
    pub(crate) ticked_by: Option<u32>,
    /// Why it was given up, or marked as failed by a person.
    pub(crate) given_up: Option<String>,
    /// Whether it was escalated to a person.
    pub(crate) escalated: bool,
    /// The process that owns the last attempt.
    pub(crate) owner: Owner,
    pub(crate) outdated: u32,
    /// The last result of each check before the work.
    pub(crate) before: BTreeMap<String, Before>,
    /// The level of evidence of the last tick.
    pub(crate) level: Option<Level>,
    /// The level of work that waits because the project accepts only stronger evidence.
    pub(crate) waits_at: Option<Level>,
    /// Ticked elsewhere, and every check passed on the current tree.
    pub(crate) reproved: bool,
    /// The reviews of the change, oldest first.
    pub(crate) reviews: Vec<Review>,
    /// Known failures that the task fixed.
    pub(crate) fixed: BTreeSet<String>,
    /// The commands of adopted checks, and where each comes from.
    pub(crate) adopted: BTreeMap<String, Origin>,
}

/// The last result of a check.
#[derive(Debug)]
pub(crate) struct Latest {
    /// `pass`, `fail` or `fault`.
    pub(crate) status: &'static str,
    /// The measured result, in a few words.
    pub(crate) measured: Option<String>,
}

impl Story {
    /// Adds the next record of the task.
    pub(crate) fn take(&mut self, record: &Record<'_>, depth: Depth, hosts: &mut Hosts) {
        match &mut self.last_at {
            Some(last) => record.observed_at.as_ref().clone_into(last),
            None => self.last_at = Some(record.observed_at.clone().into_owned()),
        }
        match record.kind {
            Type::GatePass | Type::GateFail | Type::GateFault => {
                self.gate(record, depth);
                return;
            }
            Type::AttemptBegin => self.begin(record, depth, hosts),
            Type::Takeover => self.take_over(record, hosts),
            Type::AttemptEnd => self.end(record),
            Type::Before => self.before(record),
            Type::Review if record.key == REVIEW => self.review(record),
            Type::Halt => self.halt(record),
            Type::Tick => self.tick(record),
            Type::Untick => {
                (self.ticked_by, self.overridden, self.level) = (None, None, None);
                self.broken.clear();
            }
            Type::Commit if record.key != "skipped" => self.commit = Some(record.key.clone().into_owned()),
            Type::Override if record.key == ADOPT => self.adopt(record),
            Type::Override => self.decide(record),
            Type::Skip => self.skipped = record.data::<Decided>().reason.or(Some(String::new())),
            Type::Checkpoint => self.judged(record),
            Type::Escalation => self.handed_on(record),
            Type::Seal => self.sealed(record),
            _ => {}
        }
        if is_state(record.kind) {
            self.standing.take(&record.punch());
        }
        self.touch(record);
    }

    fn begin(&mut self, record: &Record<'_>, depth: Depth, hosts: &mut Hosts) {
        let begun = record.data::<Begun>();
        self.owner = begun.owner();
        hosts.begin(&self.owner);
        (self.escalated, self.given_up) = (false, None);
        self.begun_at.get_or_insert_with(|| record.observed_at.clone().into_owned());
        self.open(record, begun, depth);
        if let Some(at) = millis(&record.observed_at) {
            self.spans.push((at, at));
        }
    }

    /// Adds an attempt; removes the oldest if there are too many.
    fn open(&mut self, record: &Record<'_>, begun: Begun, depth: Depth) {
        if self.history.len() >= depth.attempts() {
            self.history.remove(0);
            self.older += 1;
        }
        self.history.push(Attempt {
            number: record.attempt.unwrap_or(1),
            run: record.run.clone().into_owned(),
            worker: record.key.clone().into_owned(),
            host: self.owner.host.clone(),
            worktree: clip(&begun.worktree.unwrap_or_default().path, WIDE),
            begun_at: Some(record.observed_at.clone().into_owned()),
            tree_before: record.tree(),
            ..Attempt::default()
        });
    }

    /// Another run checks the result of an attempt whose own run is gone.
    fn take_over(&mut self, record: &Record<'_>, hosts: &mut Hosts) {
        self.owner = record.data::<Begun>().owner();
        hosts.take_over(&self.owner);
        let host = self.owner.host.clone();
        if let Some(attempt) = self.attempt(record) {
            attempt.taken_over_by = host;
        }
    }

    fn end(&mut self, record: &Record<'_>) {
        let ended = record.data::<Ended>();
        self.attempts += 1;
        self.worker_ms += ended.duration_ms;
        self.files.extend(ended.changed_files.iter().map(|file| clip(file, WIDE)));
        let Some(attempt) = self.attempt(record) else { return };
        attempt.ended_at = Some(record.observed_at.clone().into_owned());
        attempt.worker_ms = ended.duration_ms;
        attempt.result = Came::Ended;
        (attempt.said, attempt.outcome) = (ended.status, ended.outcome);
        attempt.tree_after = record.tree();
        attempt.changed_files = ended.changed_files;
        attempt.cost = ended.cost;
        attempt.tokens = ended.tokens;
    }

    fn gate(&mut self, record: &Record<'_>, depth: Depth) {
        let passed = record.kind == Type::GatePass;
        let Gated { gate, fixed } = record.data::<Gated<'_>>();
        self.fixed.extend(fixed.iter().map(|name| clip(name, WIDE)));
        let ms = to_millis(gate.elapsed_seconds);
        self.gate_ms += ms;
        if self.standing.standing_tick().is_some() && !passed {
            self.broken.insert(record.key.clone().into_owned());
        } else {
            self.broken.remove(record.key.as_ref());
        }
        // A check that is run again at the end of the plan belongs to no attempt.
        if record.attempt.is_some()
            && let Some(attempt) = self.attempt(record)
        {
            attempt.gate_ms += ms;
            if depth == Depth::Full || !passed {
                attempt.gates.push(ran(record, &gate));
            }
        }
        let measured = gate.measured.as_ref().map(|text| clip(&text.0, WIDE));
        let result = Latest { status: status(record.kind), measured };
        match self.latest.get_mut(record.key.as_ref()) {
            Some(latest) => *latest = result,
            None => drop(self.latest.insert(record.key.clone().into_owned(), result)),
        }
        self.touch(record);
    }

    fn before(&mut self, record: &Record<'_>) {
        let GatedBefore { gate, on } = record.data::<GatedBefore<'_>>();
        let Some(status) = gate.status else { return };
        let status = match status {
            Status::Pass => "pass",
            Status::Fail => "fail",
            Status::Fault => "fault",
        };
        let found = Before {
            status: status.to_owned(),
            measured: gate.measured.as_ref().map(|text| clip(&text.0, WIDE)),
            tail: gate.last_output_lines.iter().map(|line| clip(&line.0, WIDE)).collect(),
            on: clip(&on, WIDE),
            tree: record.tree(),
        };
        self.before.insert(record.key.clone().into_owned(), found);
    }

    fn review(&mut self, record: &Record<'_>) {
        let review = record.data::<Review>();
        let clipped = |texts: &[String]| texts.iter().map(|text| clip(text, WIDE)).collect();
        self.reviews.push(Review {
            worker: clip(&review.worker, WIDE),
            agree: review.agree,
            reasons: clipped(&review.reasons),
            places: clipped(&review.places),
        });
    }

    fn halt(&mut self, record: &Record<'_>) {
        let halted = record.data::<Halted>();
        let detail = halted.detail.unwrap_or_default();
        self.waits_at = detail.level.filter(|level| *level != Level::Unproved);
        let claims: Vec<String> = detail.mismatches.iter().map(|claim| clip(claim, WIDE)).collect();
        self.false_claims.extend(claims.iter().cloned());
        let Some(attempt) = self.attempt(record) else { return };
        attempt.result = Came::Halted;
        attempt.false_claims.extend(claims);
        attempt.halt = halted.halt.map(|halt| Halt { message: clip(&halt.message, WIDE), ..halt });
    }

    fn tick(&mut self, record: &Record<'_>) {
        let ticked = record.data::<Ticked>();
        (self.level, self.waits_at) = (ticked.tick.level, None);
        if self.level == Some(Level::Accepted) && self.overridden.is_none() {
            self.overridden = Some(clip(&ticked.evidence.accepted_because.unwrap_or_default(), WIDE));
        }
        self.broken.clear();
        self.ticked_by = record.attempt.or(Some(0));
        if let Some(attempt) = self.attempt(record) {
            attempt.result = Came::Ticked;
        }
    }

    fn decide(&mut self, record: &Record<'_>) {
        let decided = record.data::<Decided>();
        let reason = clip(&decided.reason.unwrap_or_default(), WIDE);
        match decided.criterion {
            Some(criterion) => {
                self.broken.remove(&criterion);
                self.decided.insert(criterion, reason);
            }
            None if record.key == "tick" || record.key == "accept-unproved" => {
                self.broken.clear();
                (self.overridden, self.level, self.waits_at) = (Some(reason), Some(Level::Accepted), None);
            }
            None if decided.state.as_deref() == Some(State::Failed.word()) => {
                let why = reason.split(ESCALATED).next().unwrap_or_default();
                self.given_up = Some(why.to_owned()).filter(|why| !why.is_empty());
            }
            None => {}
        }
    }

    fn adopt(&mut self, record: &Record<'_>) {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Adopted {
            checks: Vec<AdoptedCheck>,
        }
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct AdoptedCheck {
            command: String,
            origin: Origin,
        }
        let checks = record.data::<Adopted>().checks.into_iter();
        self.adopted.extend(checks.map(|check| (check.command, check.origin)));
    }

    fn judged(&mut self, record: &Record<'_>) {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Judged {
            card: Option<Card>,
        }
        self.card = record.data::<Judged>().card.or(self.card.take());
    }

    fn handed_on(&mut self, record: &Record<'_>) {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Handed {
            contradicted: Vec<String>,
        }
        self.escalated |= record.key == "user";
        let claims = record.data::<Handed>().contradicted;
        self.false_claims.extend(claims.iter().map(|claim| clip(claim, WIDE)));
    }

    fn sealed(&mut self, record: &Record<'_>) {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Sealed {
            punches: Option<Seal>,
        }
        if let Some(seal) = record.data::<Sealed>().punches {
            self.seals.insert(seal.path.clone(), seal);
        }
    }

    /// The attempt of a record, if it is still kept. A run that continues another run's attempt has not begun one
    /// of that number itself.
    fn attempt(&mut self, record: &Record<'_>) -> Option<&mut Attempt> {
        let number = record.attempt.unwrap_or(1);
        let own = self.history.iter().rposition(|a| a.number == number && a.run == record.run);
        let at = own.or_else(|| self.history.iter().rposition(|a| a.number == number))?;
        self.history.get_mut(at)
    }

    /// The last attempt lasts as long as there are records about it.
    fn touch(&mut self, record: &Record<'_>) {
        if record.attempt.is_some()
            && let (Some(span), Some(at)) = (self.spans.last_mut(), millis(&record.observed_at))
        {
            span.1 = span.1.max(at);
        }
    }
}

/// Whether the record affects the task's state.
fn is_state(kind: Type) -> bool {
    matches!(
        kind,
        Type::AttemptBegin
            | Type::AttemptEnd
            | Type::Takeover
            | Type::Halt
            | Type::Tick
            | Type::Untick
            | Type::Commit
            | Type::Override
    )
}
