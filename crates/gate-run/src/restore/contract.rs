//! The Restoration Contract: a Fitter's statement of what it did about a fault.
//!
//! Its keys are those of the source workflow. All errors are reported at once, so that one round can fix them.

use serde_json::{Map, Value};
use toolkit::Fail;

/// A well-formed contract.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Contract {
    pub(crate) gate_id: String,
    pub(crate) mitigation_applied: Vec<String>,
    pub(crate) timeout_seconds: Option<u64>,
    pub(crate) stall_seconds: Option<u64>,
    pub(crate) tail_lines: Option<usize>,
    /// The Fitter's own statement that nothing can be done.
    pub(crate) red: bool,
}

/// Reads a contract, or reports all its errors.
pub(crate) fn read(bytes: &[u8]) -> Result<Contract, Fail> {
    let value: Value =
        serde_json::from_slice(bytes).map_err(|e| Fail::data("bad-json", format!("no JSON object: {e}")))?;
    let mut reader = Reader { wrong: Vec::new() };
    let contract = reader.contract(value.as_object().unwrap_or(&Map::new()));
    if reader.wrong.is_empty() {
        return Ok(contract);
    }
    let message = format!("no valid Restoration Contract: {}", reader.wrong.join("; "));
    Err(Fail::data("bad-contract", message))
}

struct Reader {
    wrong: Vec<String>,
}

impl Reader {
    fn contract(&mut self, map: &Map<String, Value>) -> Contract {
        let gate_id = self.text(map, "gate_id", "gate_id");
        let outcome = map.get("outcome").and_then(Value::as_str).unwrap_or_default();
        let red = outcome.eq_ignore_ascii_case("red");
        let mitigation_applied = self.mitigations(map, red);
        let run = self.object(map, "verification_run");
        self.text(&run, "invocation", "verification_run.invocation");
        let status = self.text(&run, "status", "verification_run.status");
        self.note(!is_status(&status), "verification_run.status is not one of PASS, FAIL, FAULT");
        let elapsed = run.get("elapsed_seconds").and_then(Value::as_f64);
        self.note(
            elapsed.is_none_or(|e| e < 0.0),
            "verification_run.elapsed_seconds is no number of seconds",
        );
        let profile = self.object(map, "updated_fit_profile");
        let timeout_seconds = self.number(&profile, "timeout_seconds");
        let stall_seconds = self.number(&profile, "stall_seconds");
        let tail_lines = self.number(&profile, "tail_lines").and_then(|n| usize::try_from(n).ok());
        Contract { gate_id, mitigation_applied, timeout_seconds, stall_seconds, tail_lines, red }
    }

    fn note(&mut self, wrong: bool, what: &str) {
        if wrong {
            self.wrong.push(what.to_owned());
        }
    }

    fn text(&mut self, map: &Map<String, Value>, key: &str, shown: &str) -> String {
        let text = map.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        self.note(text.is_empty(), &format!("{shown} is not there"));
        self.note(text.contains("{{"), &format!("{shown} has an unresolved token"));
        text
    }

    fn object(&mut self, map: &Map<String, Value>, key: &str) -> Map<String, Value> {
        let object = map.get(key).and_then(Value::as_object).cloned();
        self.note(object.is_none(), &format!("{key} is no object"));
        object.unwrap_or_default()
    }

    /// What was done about the fault; a Fitter that gives up may have done nothing.
    fn mitigations(&mut self, map: &Map<String, Value>, red: bool) -> Vec<String> {
        let list = map.get("mitigation_applied").and_then(Value::as_array);
        let texts = list.into_iter().flatten().filter_map(Value::as_str).map(str::trim);
        let texts: Vec<_> = texts.filter(|text| !text.is_empty()).map(str::to_owned).collect();
        let whole = list.is_some_and(|list| list.len() == texts.len() && (red || !texts.is_empty()));
        self.note(!whole, "mitigation_applied is no list of sentences");
        texts
    }

    /// An optional integer above 0.
    fn number(&mut self, map: &Map<String, Value>, key: &str) -> Option<u64> {
        let value = map.get(key)?;
        let number = value.as_u64().filter(|n| *n > 0);
        self.note(number.is_none(), &format!("updated_fit_profile.{key} is no number above 0"));
        number
    }
}

fn is_status(status: &str) -> bool {
    ["pass", "fail", "fault"].iter().any(|known| status.eq_ignore_ascii_case(known))
}

/// Whether one list of mitigations has an entry that the other lacks. A different number is still the same
/// mitigation.
pub(crate) fn differs(new: &[String], old: &[String]) -> bool {
    let old: Vec<_> = old.iter().map(|text| essence(text)).collect();
    new.iter().any(|text| !old.contains(&essence(text)))
}

/// A sentence without numbers, case, punctuation and spacing.
fn essence(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| word.chars().count() > 1);
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{differs, read};

    #[test]
    fn everything_wrong_is_said_at_once() {
        let fail = read(
            br#"{"gate_id": "", "mitigation_applied": [], "updated_fit_profile": {"timeout_seconds": -1}}"#,
        );
        let message = fail.unwrap_err().message;
        for part in ["gate_id", "mitigation_applied", "verification_run", "timeout_seconds"] {
            assert!(message.contains(part), "{part}: {message}");
        }
    }

    #[test]
    fn a_fitter_that_gives_up_may_have_changed_nothing() {
        let contract = |outcome: &str| {
            let run =
                r#""verification_run": {"invocation": "lint", "status": "FAULT", "elapsed_seconds": 1}"#;
            let rest = r#""mitigation_applied": [], "updated_fit_profile": {}"#;
            read(format!(r#"{{"gate_id": "lint", {rest}, {run}, "outcome": "{outcome}"}}"#).as_bytes())
        };
        assert!(contract("RED").unwrap().red);
        assert!(contract("GREEN").unwrap_err().message.contains("mitigation_applied"));
    }

    #[test]
    fn a_larger_number_is_the_same_mitigation() {
        let one = ["Raise the stall budget from 30s to 60s".to_owned()];
        let more = ["raise the stall budget from 60s to 90s".to_owned()];
        let other = ["Add -vv so that progress is shown".to_owned()];
        assert!(!differs(&more, &one));
        assert!(differs(&other, &one));
    }
}
