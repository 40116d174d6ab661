//! The history of a plan as traces in OTLP-JSON, which collectors of OpenTelemetry take.
//!
//! One trace for each run; its spans are the run, its rounds, the tasks of a round, their attempts and checks. Ticks,
//! commits and halts are events of their task's span. Names and times come from the ledger alone, and so do the ids:
//! the same ledger gives the same bytes.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use toolkit::cli::clock::millis;
use toolkit::files::sha;
use wire::event::{Event, Events, Step, What};
use wire::gate::Status;
use wire::{Punch, State};

/// `SPAN_KIND_INTERNAL` of the protocol.
const INTERNAL: u8 = 1;
/// `STATUS_CODE_OK` and `STATUS_CODE_ERROR`.
const OK: u8 = 1;
const ERROR: u8 = 2;

/// A span while its end is not known yet.
#[derive(Default)]
struct Span {
    parent: Option<String>,
    name: String,
    start: i64,
    end: i64,
    attributes: Map<String, Value>,
    events: Vec<Value>,
    /// Whether it went well, where that is known.
    status: Option<(u8, String)>,
}

/// The spans of one run, by what they are about; a span's place in the run is its id.
#[derive(Default)]
struct Trace {
    run: String,
    spans: BTreeMap<String, Span>,
    /// The round and the attempt that a task is in.
    rounds: BTreeMap<String, u64>,
    attempts: BTreeMap<String, String>,
}

/// The document.
pub(crate) fn write(plan: &str, title: &str, records: &[Punch]) -> Value {
    let mut traces: Vec<Trace> = Vec::new();
    let mut events = Events::default();
    for record in records {
        let known = traces.iter().position(|trace| trace.run == record.run.as_str());
        let at = known.unwrap_or(traces.len());
        if known.is_none() {
            traces.push(Trace { run: record.run.to_string(), ..Trace::default() });
        }
        for event in events.take(record) {
            if let Some(trace) = traces.get_mut(at) {
                trace.take(&event, record, plan);
            }
        }
    }
    let spans: Vec<Value> = traces.into_iter().flat_map(|trace| trace.spans(plan)).collect();
    let service = attributes(&[("service.name", json!("plantools")), ("plantools.plan.title", json!(title))]);
    json!({ "resourceSpans": [{
        "resource": { "attributes": service },
        "scopeSpans": [{
            "scope": { "name": "plantools", "version": env!("CARGO_PKG_VERSION") },
            "spans": spans,
        }],
    }] })
}

impl Trace {
    fn take(&mut self, event: &Event, record: &Punch, plan: &str) {
        let Some(at) = millis(&event.at) else { return };
        let run = "run".to_owned();
        let named = [("plantools.plan", json!(plan)), ("plantools.run", json!(self.run))];
        self.span(&run, None, "run", at, &named);
        let Some(task) = event.task.as_ref().map(ToString::to_string) else {
            if event.event == What::Check {
                self.check(&run, event, at);
            }
            return;
        };
        if event.event == What::Attempt && event.step == Some(Step::Begin) {
            // A round is a batch of workers.
            let round = record.data.get("batch").and_then(Value::as_u64).unwrap_or(0);
            self.rounds.insert(task.clone(), round);
        }
        let round = self.rounds.get(&task).copied().unwrap_or(0);
        let round_key = format!("run/{round}");
        self.span(&round_key, Some(&run), "round", at, &[("plantools.round", json!(round))]);
        let task_key = format!("{round_key}/{task}");
        self.span(
            &task_key,
            Some(&round_key),
            &format!("task {task}"),
            at,
            &[("plantools.task", json!(task))],
        );
        match event.event {
            What::Attempt => self.attempt(&task_key, &task, event, record, at),
            What::Check => {
                let parent = self.attempts.get(&task).cloned().unwrap_or(task_key);
                self.check(&parent, event, at);
            }
            What::Tick | What::Commit | What::Halt | What::Decision => {
                let done = (event.event == What::Tick).then_some(event.state == Some(State::Completed));
                self.happened(&task_key, event, at, done);
            }
            _ => {}
        }
    }

    /// Opens a span where there is none, and stretches it and those above it to this moment.
    fn span(
        &mut self,
        key: &str,
        parent: Option<&str>,
        name: &str,
        at: i64,
        named: &[(&str, Value)],
    ) -> &mut Span {
        let mut above = parent.map(str::to_owned);
        while let Some(span) = above.as_deref().and_then(|key| self.spans.get_mut(key)) {
            span.end = span.end.max(at);
            above.clone_from(&span.parent);
        }
        let span = self.spans.entry(key.to_owned()).or_insert_with(|| Span {
            parent: parent.map(str::to_owned),
            name: name.to_owned(),
            start: at,
            ..Span::default()
        });
        span.end = span.end.max(at);
        for (name, value) in named {
            span.attributes.insert((*name).to_owned(), value.clone());
        }
        span
    }

    fn attempt(&mut self, task_key: &str, task: &str, event: &Event, record: &Punch, at: i64) {
        let key = format!("{task_key}/attempt {}", event.attempt.unwrap_or_default());
        let worker = event.worker.clone().unwrap_or_default();
        let number = event.attempt.unwrap_or_default();
        let span = self.span(
            &key,
            Some(task_key),
            &format!("invoke_agent {worker}"),
            at,
            &[
                ("gen_ai.operation.name", json!("invoke_agent")),
                ("gen_ai.agent.name", json!(worker)),
                ("plantools.attempt", json!(number)),
            ],
        );
        let mut note = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                span.attributes.insert(name.to_owned(), value);
            }
        };
        let said =
            |name: &str| record.data.get(name).and_then(|value| value.as_str()).map(|text| json!(text));
        let is_end = event.step == Some(Step::End);
        note(if is_end { "gen_ai.response.model" } else { "gen_ai.request.model" }, said("model"));
        note("plantools.outcome", event.outcome.clone().map(Value::from));
        note("plantools.cost_usd", event.cost.map(Value::from));
        let tokens = event.tokens;
        note("gen_ai.usage.input_tokens", tokens.map(|tokens| tokens.input.into()));
        note("gen_ai.usage.output_tokens", tokens.map(|tokens| tokens.output.into()));
        note("gen_ai.usage.cache_read.input_tokens", tokens.map(|tokens| tokens.cached.into()));
        if is_end {
            let outcome = event.outcome.clone().unwrap_or_default();
            let code = if matches!(outcome.as_str(), "" | "done" | "no_change") { OK } else { ERROR };
            span.status = Some((code, outcome));
        }
        self.attempts.insert(task.to_owned(), key);
    }

    fn check(&mut self, parent: &str, event: &Event, at: i64) {
        let id = event.check.clone().unwrap_or_default();
        let key = format!("{parent}/check {id}/{}", event.seq.unwrap_or_default());
        let took = i64::try_from(event.ms.unwrap_or_default()).unwrap_or(0);
        let status = event.status.unwrap_or(Status::Fault);
        let span = self.span(
            &key,
            Some(parent),
            &format!("check {id}"),
            at,
            &[
                ("plantools.check", json!(id)),
                ("plantools.command", json!(event.command)),
                ("plantools.wanted", json!(event.expect)),
                ("plantools.came", json!(event.measured)),
                ("plantools.status", json!(status)),
            ],
        );
        span.start = at.saturating_sub(took);
        let code = if status == Status::Pass { OK } else { ERROR };
        span.status = Some((code, event.measured.clone().unwrap_or_default()));
    }

    /// Something that happened to a task; `done` where that says how the task came out.
    fn happened(&mut self, task_key: &str, event: &Event, at: i64, done: Option<bool>) {
        let Some(span) = self.spans.get_mut(task_key) else { return };
        let name = serde_json::to_value(event.event).unwrap_or_default();
        let said = attributes(&[
            ("plantools.code", json!(event.code)),
            ("plantools.message", json!(event.message)),
            ("plantools.commit", json!(event.commit)),
        ]);
        span.events.push(json!({ "timeUnixNano": nanos(at), "name": name, "attributes": said }));
        match (event.event, done) {
            (_, Some(true)) => span.status = Some((OK, String::new())),
            (What::Halt, _) => span.status = Some((ERROR, event.message.clone().unwrap_or_default())),
            _ => {}
        }
    }

    fn spans(self, plan: &str) -> Vec<Value> {
        let run = format!("{plan}\n{}", self.run);
        let trace = id(&run, 32);
        let of = |key: &str| id(&format!("{run}\n{key}"), 16);
        let mut spans: Vec<(i64, Value)> = Vec::new();
        for (key, span) in &self.spans {
            let named: Vec<(&str, Value)> =
                span.attributes.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
            let mut value = json!({
                "traceId": trace,
                "spanId": of(key),
                "name": span.name,
                "kind": INTERNAL,
                "startTimeUnixNano": nanos(span.start),
                "endTimeUnixNano": nanos(span.end),
                "attributes": attributes(&named),
                "events": span.events,
            });
            if let Some(parent) = &span.parent {
                value["parentSpanId"] = json!(of(parent));
            }
            if let Some((code, message)) = &span.status {
                let message = if *code == ERROR { message.as_str() } else { "" };
                value["status"] = json!({ "code": code, "message": message });
            }
            spans.push((span.start, value));
        }
        spans.sort_by_key(|(start, _)| *start);
        spans.into_iter().map(|(_, span)| span).collect()
    }
}

/// An id of so many hexadecimal digits; the protocol wants one that is not zero.
fn id(text: &str, digits: usize) -> String {
    sha::hex(text.as_bytes()).chars().take(digits).collect()
}

/// 64-bit numbers are texts in the JSON of the protocol.
fn nanos(millis: i64) -> String {
    millis.max(0).saturating_mul(1_000_000).to_string()
}

/// Attributes as the protocol writes them; those without a value are left out.
fn attributes(named: &[(&str, Value)]) -> Vec<Value> {
    let written = |(name, value): &(&str, Value)| {
        let value = match value {
            Value::String(text) => json!({ "stringValue": text }),
            Value::Bool(so) => json!({ "boolValue": so }),
            Value::Number(number) if number.is_f64() => json!({ "doubleValue": number }),
            Value::Number(number) => json!({ "intValue": number.to_string() }),
            _ => return None,
        };
        Some(json!({ "key": name, "value": value }))
    };
    named.iter().filter_map(written).collect()
}
