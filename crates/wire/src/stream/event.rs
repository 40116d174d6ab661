//! `event/1`: one line for each thing that happens in a run, for programs that look on.
//!
//! [`Events`] is the only place that turns a record of the ledger into an event. Rounds and the end of a run are not
//! on record: the program that conducts the run writes those itself.

use crate::gate::Status;
use crate::order::{Category, Halt, Tokens};
use crate::punch::{Punch, Type};
use crate::{Answer, RunId, State, TaskId};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The name of this contract.
pub const SCHEMA: &str = "event/1";

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A run began: its first event in this stream.
    Run,
    /// A round began; only from the program that conducts the run.
    Round,
    /// A worker started or ended; `step` says which.
    Attempt,
    /// A check ran.
    Check,
    /// A box was ticked or cleared; `state` says which.
    Tick,
    /// A commit was made.
    Commit,
    /// A person decided about a task; `code` says what, `message` why.
    Decision,
    /// A stage refused to go on with a task.
    Halt,
    /// The run ended, or every task of the plan is done.
    End,
}

/// Which end of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The worker is about to start.
    Begin,
    /// The worker has ended.
    End,
}

/// One event. Fields that do not belong to its kind are absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Event {
    /// Always `event/1`.
    pub schema: String,
    /// What happened.
    pub event: What,
    /// When, in UTC.
    pub at: String,
    /// The plan's path as seen from the root.
    pub plan: String,
    /// The run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// The number of the ledger's line that says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The round, counted from 1 in each run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
    /// The task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The attempt at the task, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// Which end of the attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Step>,
    /// The worker's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// Whether the attempt is the Fix Task that follows the last ordinary one.
    #[serde(default, skip_serializing_if = "crate::is_false")]
    pub fix: bool,
    /// How the worker ended, see `worker.outcome` of an order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// How long a worker or a check took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    /// The cost of the attempt, where the worker reports one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// The tokens that the attempt used, where the worker reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// The check's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// The verdict of the check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// The command that was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The expected result, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
    /// The measured result, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<String>,
    /// The file with the output, relative to the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// `completed` for a tick, `pending` for a cleared box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// The commit's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The stage that refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// A stable word: of a halt, of a decision, or the reason why the run ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The same as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The kind of fault behind a halt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// Whether another attempt may help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<bool>,
    /// Whether the halt uses up an attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<bool>,
    /// The state of the whole plan at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// The exit code of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<u8>,
    /// The command to run next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Event {
    /// An event of a plan; the caller fills in the rest.
    pub fn new(event: What, plan: &str, at: &str) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            event,
            at: at.to_owned(),
            plan: plan.to_owned(),
            run: None,
            seq: None,
            round: None,
            task: None,
            attempt: None,
            step: None,
            worker: None,
            fix: false,
            outcome: None,
            ms: None,
            cost: None,
            tokens: None,
            check: None,
            status: None,
            command: None,
            expect: None,
            measured: None,
            log: None,
            state: None,
            commit: None,
            stage: None,
            code: None,
            message: None,
            category: None,
            retry: None,
            counts: None,
            answer: None,
            exit: None,
            next: None,
        }
    }
}

/// Turns the records of a ledger into events, in their order.
#[derive(Debug, Default)]
pub struct Events {
    runs: HashSet<RunId>,
}

impl Events {
    /// The events of the next record: none for a record that no one waits for, and one more for the first of a run.
    pub fn take(&mut self, record: &Punch) -> Vec<Event> {
        let Some(event) = of(record) else { return Vec::new() };
        if !self.runs.insert(record.run.clone()) {
            return vec![event];
        }
        let begun = Event::new(What::Run, &record.plan, &record.observed_at);
        vec![Event { run: event.run.clone(), seq: event.seq, ..begun }, event]
    }
}

/// The event of one record.
fn of(record: &Punch) -> Option<Event> {
    let told: Told = record.data.read().unwrap_or_default();
    let event = |what: What| Event {
        run: Some(record.run.clone()),
        seq: Some(record.seq),
        task: record.task.clone(),
        attempt: record.attempt,
        ..Event::new(what, &record.plan, &record.observed_at)
    };
    let key = || Some(record.key.clone());
    Some(match record.kind {
        Type::AttemptBegin => {
            Event { step: Some(Step::Begin), worker: key(), fix: told.fix, ..event(What::Attempt) }
        }
        Type::AttemptEnd => Event {
            step: Some(Step::End),
            worker: key(),
            outcome: told.outcome,
            ms: told.duration_ms,
            cost: told.cost,
            tokens: told.tokens,
            ..event(What::Attempt)
        },
        Type::GatePass => check(event(What::Check), record, Status::Pass, told.gate),
        Type::GateFail => check(event(What::Check), record, Status::Fail, told.gate),
        Type::GateFault => check(event(What::Check), record, Status::Fault, told.gate),
        Type::Tick => Event { state: Some(State::Completed), ..event(What::Tick) },
        Type::Untick => Event { state: Some(State::Pending), ..event(What::Tick) },
        Type::Commit if record.key == NO_COMMIT => return None,
        Type::Commit => Event { commit: key(), ..event(What::Commit) },
        Type::Override | Type::Skip => Event { code: key(), message: told.reason, ..event(What::Decision) },
        Type::Halt => {
            let halt = told.halt?;
            Event {
                stage: Some(halt.stage),
                code: Some(halt.code),
                message: Some(halt.message),
                category: Some(halt.category),
                retry: Some(halt.retry),
                counts: Some(halt.counts),
                ..event(What::Halt)
            }
        }
        _ => return None,
    })
}

/// The key of a `commit` record that says why no commit was made.
const NO_COMMIT: &str = "skipped";

fn check(event: Event, record: &Punch, status: Status, gate: Gate) -> Event {
    Event {
        check: Some(record.key.clone()),
        status: Some(status),
        command: gate.invocation,
        expect: gate.expect,
        measured: gate.measured,
        log: gate.log,
        ms: gate.elapsed_seconds.map(millis),
        ..event
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float that is no length of time becomes the nearest that is"
)]
fn millis(seconds: f64) -> u64 {
    (seconds * 1000.0).round() as u64
}

/// The data of a record, as far as an event has it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Told {
    fix: bool,
    outcome: Option<String>,
    duration_ms: Option<u64>,
    cost: Option<f64>,
    tokens: Option<Tokens>,
    gate: Gate,
    halt: Option<Halt>,
    reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Gate {
    invocation: Option<String>,
    expect: Option<String>,
    measured: Option<String>,
    log: Option<String>,
    elapsed_seconds: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn punch(kind: &str, key: &str, data: &Value) -> Punch {
        let record = json!({
            "schema": "punch/1", "seq": 7, "plan": "PLAN.md", "task": "2", "attempt": 1, "run": "r1", "type": kind,
            "key": key, "observed_at": "2026-01-01T00:00:00Z", "source": { "kind": "tool" }, "trust": "observed",
            "data": data, "prev": "", "hash": "",
        });
        serde_json::from_value(record).expect("a record")
    }

    fn told(events: &[Event]) -> Value {
        serde_json::to_value(events.last().expect("an event")).expect("JSON")
    }

    #[test]
    fn the_first_record_of_a_run_tells_of_the_run_too() {
        let mut events = Events::default();
        let first = events.take(&punch("attempt_begin", "shell", &json!({ "fix": false })));
        let kinds: Vec<What> = first.iter().map(|event| event.event).collect();
        assert_eq!(kinds, [What::Run, What::Attempt]);
        assert_eq!(first[0].task, None);
        assert_eq!(first[1].step, Some(Step::Begin));
        assert_eq!(events.take(&punch("tick", "2", &Value::Null)).len(), 1);
    }

    #[test]
    fn an_event_has_the_fields_of_its_kind_and_no_others() {
        let mut events = Events::default();
        let gate = json!({ "gate": {
            "invocation": "make test", "measured": "exit 1", "elapsed_seconds": 1.5, "log": ".plantools/logs/x",
        } });
        assert_eq!(
            told(&events.take(&punch("gate_fail", "c1", &gate))),
            json!({
                "schema": "event/1", "event": "check", "at": "2026-01-01T00:00:00Z", "plan": "PLAN.md", "run": "r1",
                "seq": 7, "task": "2", "attempt": 1, "check": "c1", "status": "fail", "command": "make test",
                "measured": "exit 1", "log": ".plantools/logs/x", "ms": 1500,
            })
        );
        let halt = json!({ "halt": {
            "stage": "gate-run", "code": "checks-failed", "category": "code_error", "message": "c1 failed",
            "retry": true, "counts": true,
        } });
        let halted = told(&events.take(&punch("halt", "checks-failed", &halt)));
        assert_eq!(halted["event"], "halt");
        assert_eq!(halted["code"], "checks-failed");
        assert_eq!(halted["counts"], true);
        assert_eq!(told(&events.take(&punch("untick", "2", &Value::Null)))["state"], "pending");
    }

    #[test]
    fn a_record_without_interest_is_no_event_and_begins_no_run() {
        let mut events = Events::default();
        for (kind, key) in [("message", "x"), ("seal", "x"), ("commit", "skipped"), ("halt", "without data")]
        {
            assert_eq!(events.take(&punch(kind, key, &Value::Null)), []);
        }
        assert_eq!(events.take(&punch("commit", "abc", &Value::Null)).len(), 2);
    }
}
