//! An agent that speaks the Agent Client Protocol, as `worker-run --drive-acp` prints its session.

use crate::adapters::adapter::events;
use crate::adapters::reading::{ClientOutput, Fault, Reading};
use crate::adapters::service_fault;
use serde_json::Value;
use wire::order::Outcome;

pub(crate) fn read(said: &ClientOutput<'_>) -> Reading {
    let mut reading = Reading::default();
    let mut end = None;
    for event in events(said.stdout) {
        let text = |name: &str| event.get(name).and_then(Value::as_str).map(str::to_owned);
        reading.session = text("session").or(reading.session);
        reading.model = text("model").or(reading.model);
        reading.cost = event.get("cost").and_then(Value::as_f64).or(reading.cost);
        match event.get("type").and_then(Value::as_str) {
            Some("denied") => reading.denied.extend(text("tool")),
            Some("end") => end = Some(event),
            _ => {}
        }
    }
    let Some(end) = end else {
        reading.fault = Some(said.without_end());
        return reading;
    };
    let text = end.get("text").and_then(Value::as_str).unwrap_or_default();
    match end.get("reason").and_then(Value::as_str) {
        None => text.clone_into(&mut reading.text),
        Some(reason) => reading.fault = Some(fault(reason, text)),
    }
    reading
}

/// The meaning of the reason for which a session came to no good end.
fn fault(reason: &str, text: &str) -> Fault {
    let outcome = match reason {
        "missing" => Outcome::EnvMissing,
        "login" => Outcome::AuthError,
        "cancelled" => Outcome::Interrupted,
        "max-turns" => Outcome::MaxTurns,
        "refusal" => Outcome::Denied,
        "died" | "flood" | "nonsense" => Outcome::Crashed,
        _ => return service_fault::of(None, text),
    };
    Fault::new(outcome, text)
}
