//! A worker's answer: the last JSON block that looks like one.
//!
//! It may be in a fence, bare, or a text inside the envelope of an agent's own output. Fields that do not fit are
//! reported one by one; nothing is guessed.

pub(crate) mod outcome;

use serde_json::{Map, Value};
use wire::Extra;
use wire::order::{Adaptation, Claim, WorkerError, WorkerStatus};

/// A parsed answer.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: WorkerStatus,
    pub(crate) summary: String,
    pub(crate) outputs: Extra,
    pub(crate) claims: Vec<Claim>,
    pub(crate) learnings: Vec<String>,
    pub(crate) issues: Vec<String>,
    pub(crate) decisions: Vec<String>,
    pub(crate) files_created: Vec<String>,
    pub(crate) files_modified: Vec<String>,
    pub(crate) fixes: Vec<String>,
    /// What it did not like about the quality of its own work.
    pub(crate) warnings: Vec<String>,
    pub(crate) tests: Value,
    pub(crate) error: Option<WorkerError>,
    pub(crate) adaptation: Option<Adaptation>,
    /// The verdict on the work, and whether the preparation is valid.
    pub(crate) verdict: Option<String>,
    pub(crate) validity: Option<String>,
    /// Whether the worker itself says that another attempt is useless.
    pub(crate) lasting: bool,
    /// The model and the mode that it claims to run in.
    pub(crate) model: Option<String>,
    pub(crate) mode: Option<String>,
    /// Fields that do not fit.
    pub(crate) problems: Vec<String>,
}

/// Reads the last answer in a worker's output.
pub(crate) fn read(text: &str) -> Option<Answer> {
    let map = last_object(text, 0)?;
    Some(Reader::default().answer(&map))
}

/// Reads an answer in one of the Markdown forms: `## Status` … `## Runtime Attestation`, or `## Subtask Result`.
pub(crate) fn read_markdown(text: &str) -> Option<Answer> {
    let result = sessions::result("", text, None).ok()?;
    let claim = |claimed: &wire::result::Claimed| Claim {
        id: String::new(),
        category: String::new(),
        description: claimed.name.clone(),
        command: String::new(),
        status: claimed.status.to_ascii_uppercase(),
        reason: claimed.evidence.clone(),
    };
    let status = match result.state.as_deref() {
        Some("SUCCESS") => WorkerStatus::Success,
        Some("ERROR") => WorkerStatus::Error,
        Some("PARTIAL") => WorkerStatus::Partial,
        _ => WorkerStatus::Unexpected,
    };
    let error = (status == WorkerStatus::Error).then(|| WorkerError {
        code: result.error_code.unwrap_or_default(),
        message: result.summary.clone(),
        retry_recommended: result.retry_recommended.unwrap_or(false),
        retry_hint: result.retry_hint.unwrap_or_default(),
    });
    Some(Answer {
        status,
        claims: result.criteria.iter().map(claim).collect(),
        lasting: result.retry_recommended == Some(false),
        summary: result.summary,
        issues: result.limitations,
        files_created: result.files_created,
        files_modified: result.files_modified,
        error,
        model: named(result.runtime_model_reported),
        mode: named(result.runtime_mode_reported),
        problems: result.problems,
        ..Answer::silence()
    })
}

/// `none` and `unknown` mean nothing.
fn named(text: Option<String>) -> Option<String> {
    text.filter(|text| !matches!(text.trim().to_ascii_lowercase().as_str(), "" | "none" | "unknown"))
}

impl Answer {
    /// The answer of a worker that gave none.
    pub(crate) fn silence() -> Self {
        Self {
            status: WorkerStatus::Unexpected,
            summary: String::new(),
            outputs: Extra::new(),
            claims: Vec::new(),
            learnings: Vec::new(),
            issues: Vec::new(),
            decisions: Vec::new(),
            files_created: Vec::new(),
            files_modified: Vec::new(),
            fixes: Vec::new(),
            warnings: Vec::new(),
            tests: Value::Null,
            error: None,
            adaptation: None,
            verdict: None,
            validity: None,
            lasting: false,
            model: None,
            mode: None,
            problems: Vec::new(),
        }
    }
}

/// Fields that only an answer has.
const KNOWN: [&str; 8] = [
    "status",
    "outputs",
    "acceptance_criteria",
    "learnings",
    "decisions",
    "files_modified",
    "summary",
    "mitigation_applied",
];

/// How much of the end to search, which bounds the cost of hostile output.
const LOOKED_AT: usize = 4 << 20;

/// The last object that looks like an answer. Objects inside an object are not candidates: an answer over several
/// lines contains rows that look like answers.
fn last_object(text: &str, depth: u8) -> Option<Map<String, Value>> {
    let text =
        &text[(text.len().saturating_sub(LOOKED_AT)..=text.len()).find(|at| text.is_char_boundary(*at))?..];
    let mut found = None;
    let mut from = 0;
    for (start, _) in text.match_indices('{') {
        if start < from {
            continue;
        }
        let mut stream = values(&text[start..]);
        let Some(Ok(Value::Object(map))) = stream.next() else { continue };
        from = start + stream.byte_offset();
        if map.values().any(|value| is_deeper(value, DEEPEST)) {
            continue;
        }
        if KNOWN.iter().any(|key| map.contains_key(*key)) {
            found = Some(map);
        } else if depth < 2 {
            let inner = ["result", "response", "text", "content"].iter().find_map(|k| map.get(*k)?.as_str());
            found = inner.and_then(|inner| last_object(inner, depth + 1)).or(found);
        }
    }
    found
}

/// The maximum depth of an answer: it becomes part of an order, which must be readable too.
const DEEPEST: u8 = 64;

fn is_deeper(value: &Value, depth: u8) -> bool {
    let deeper = |value: &Value| depth == 0 || is_deeper(value, depth - 1);
    match value {
        Value::Array(values) => values.iter().any(deeper),
        Value::Object(map) => map.values().any(deeper),
        _ => false,
    }
}

fn values(text: &str) -> serde_json::StreamDeserializer<'_, serde_json::de::StrRead<'_>, Value> {
    serde_json::Deserializer::from_str(text).into_iter::<Value>()
}

#[derive(Default)]
struct Reader {
    problems: Vec<String>,
}

impl Reader {
    fn answer(mut self, map: &Map<String, Value>) -> Answer {
        let status = self.status(map);
        Answer {
            status,
            summary: text(map, "summary").unwrap_or_default(),
            outputs: self.outputs(map),
            claims: self.claims(map),
            learnings: self.texts(map, "learnings"),
            issues: self.texts(map, "issues"),
            decisions: self.texts(map, "decisions"),
            files_created: self.texts(map, "files_created"),
            files_modified: self.texts(map, "files_modified"),
            fixes: self.texts(map, "fixes"),
            warnings: self.warnings(map),
            tests: map.get("tests").cloned().unwrap_or_default(),
            error: error(map),
            adaptation: self.adaptation(map),
            verdict: stated(map, &["verdict"]).or_else(|| stopped(map)),
            validity: stated(map, &["validity", "session_validity"]),
            lasting: map.get("error").and_then(|e| e.get("retry_recommended")?.as_bool()) == Some(false),
            model: named(text(map, "runtime_model_reported")),
            mode: named(text(map, "runtime_mode_reported")),
            problems: self.problems,
        }
    }

    fn status(&mut self, map: &Map<String, Value>) -> WorkerStatus {
        let Some(value) = map.get("status") else { return WorkerStatus::Success };
        let word = value.as_str().unwrap_or_default();
        match word.to_ascii_uppercase().as_str() {
            "SUCCESS" | "DONE" | "COMPLETED" | "PASS" => WorkerStatus::Success,
            "ERROR" | "FAILED" | "FAIL" | "BLOCKED" => WorkerStatus::Error,
            "PARTIAL" => WorkerStatus::Partial,
            _ => {
                self.problems.push(format!("status {value} is not one of SUCCESS, PARTIAL, ERROR"));
                WorkerStatus::Unexpected
            }
        }
    }

    fn outputs(&mut self, map: &Map<String, Value>) -> Extra {
        // The Fitter's whole answer is its contract.
        if map.contains_key("mitigation_applied") {
            return Extra::from([("restoration".to_owned(), Value::Object(map.clone()))]);
        }
        match map.get("outputs") {
            Some(Value::Object(fields)) => fields.iter().map(|(k, v)| (k.clone(), v.clone())).collect(),
            None | Some(Value::Null) => Extra::new(),
            Some(_) => {
                self.problems.push("outputs is no object".to_owned());
                Extra::new()
            }
        }
    }

    fn claims(&mut self, map: &Map<String, Value>) -> Vec<Claim> {
        let rows = match map.get("acceptance_criteria") {
            Some(Value::Array(rows)) => rows.as_slice(),
            None | Some(Value::Null) => &[],
            Some(_) => {
                self.problems.push("acceptance_criteria is no list".to_owned());
                &[]
            }
        };
        let text =
            |row: &Value, name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let claim = |row: &Value| Claim {
            id: text(row, "id"),
            category: text(row, "category"),
            description: text(row, "description"),
            command: text(row, "command"),
            status: text(row, "status").to_ascii_uppercase(),
            reason: text(row, "reason"),
        };
        rows.iter().map(claim).collect()
    }

    /// The task that it reports as missing. If it names neither the task's own scope nor a box of the definition of
    /// done, it is outside of both.
    fn adaptation(&mut self, map: &Map<String, Value>) -> Option<Adaptation> {
        let asked = map.get("suggested_adaptation").filter(|value| !value.is_null())?;
        let Some(todo) = asked.get("suggested_todo").and_then(Value::as_object) else {
            self.problems.push("suggested_adaptation has no suggested_todo".to_owned());
            return None;
        };
        let signals = asked.get("scope_signals");
        let within = signals.and_then(|s| s.get("within_todo_scope")?.as_bool()).unwrap_or(false);
        let goals =
            signals.and_then(|s| s.get("dod_related")?.as_array()).is_some_and(|list| !list.is_empty());
        let blockage = asked.get("blockage_type").and_then(Value::as_str).unwrap_or_default();
        Some(Adaptation {
            blockage_type: blockage.to_owned(),
            title: text(todo, "title").unwrap_or_default(),
            reason: text(todo, "reason").unwrap_or_default(),
            steps: self.texts(todo, "steps"),
            within_scope: (within || goals) && blockage != "scope_violation",
        })
    }

    /// Quality warnings; a list of nothing but `none` is empty.
    fn warnings(&mut self, map: &Map<String, Value>) -> Vec<String> {
        let mut all = self.texts(map, "warnings");
        all.extend(self.texts(map, "quality_warnings"));
        all.retain(|text| !matches!(text.trim().to_ascii_lowercase().as_str(), "" | "none" | "none."));
        all
    }

    fn texts(&mut self, map: &Map<String, Value>, name: &str) -> Vec<String> {
        match map.get(name) {
            Some(Value::Array(items)) => {
                items.iter().map(|i| i.as_str().map_or_else(|| i.to_string(), str::to_owned)).collect()
            }
            Some(Value::String(text)) if !text.is_empty() => vec![text.clone()],
            None | Some(Value::Null | Value::String(_)) => Vec::new(),
            Some(_) => {
                self.problems.push(format!("{name} is no list"));
                Vec::new()
            }
        }
    }
}

/// The value of a field that the prompt asks for, as text; it may be among the outputs.
fn stated(map: &Map<String, Value>, names: &[&str]) -> Option<String> {
    let outputs = map.get("outputs").and_then(Value::as_object);
    let mut found =
        [Some(map), outputs].into_iter().flatten().flat_map(|map| names.iter().filter_map(|n| map.get(*n)));
    let value = found.find(|value| !value.is_null())?;
    Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        .filter(|text| !text.trim().is_empty())
}

/// A status that is a verdict: another attempt would not change it.
fn stopped(map: &Map<String, Value>) -> Option<String> {
    let status = text(map, "status")?;
    ["blocked", "unfixable"].iter().any(|word| word.eq_ignore_ascii_case(status.trim())).then_some(status)
}

fn text(map: &Map<String, Value>, name: &str) -> Option<String> {
    map.get(name)?.as_str().map(str::to_owned)
}

fn error(map: &Map<String, Value>) -> Option<WorkerError> {
    match map.get("error")? {
        Value::String(message) if !message.is_empty() => {
            Some(WorkerError { message: message.clone(), ..WorkerError::default() })
        }
        value @ Value::Object(_) => {
            let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            Some(WorkerError {
                code: text("code"),
                message: text("message"),
                retry_recommended: value.get("retry_recommended").and_then(Value::as_bool).unwrap_or(false),
                retry_hint: text("retry_hint"),
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{read, read_markdown};
    use wire::order::WorkerStatus;

    #[test]
    fn the_last_block_wins() {
        let text = "```json\n{\"status\":\"ERROR\"}\n```\nthen\n```json\n{\"status\":\"SUCCESS\",\"outputs\":{\"a\":{\"b\":1}}}\n```\n";
        let answer = read(text).unwrap();
        assert_eq!(answer.status, WorkerStatus::Success);
        assert_eq!(answer.outputs["a"]["b"], 1);
    }

    #[test]
    fn an_answer_over_several_lines_is_taken_whole() {
        let text = "{\n  \"outputs\": {\n    \"status\": \"x\"\n  },\n  \"learnings\": []\n}\n";
        assert!(read(text).unwrap().outputs.contains_key("status"));
    }

    #[test]
    fn rows_that_look_like_answers_are_none() {
        let text = "{\n \"status\": \"SUCCESS\",\n \"acceptance_criteria\": [\n  {\n \"id\": \"1\", \"status\": \"FAIL\"}\n ]\n}\n";
        let answer = read(text).unwrap();
        assert_eq!((answer.status, answer.claims.len()), (WorkerStatus::Success, 1));
    }

    #[test]
    fn an_envelope_is_opened() {
        let inner = "words\n```json\n{\"status\":\"PARTIAL\"}\n```";
        let text = serde_json::json!({"type": "result", "result": inner}).to_string();
        assert_eq!(read(&text).unwrap().status, WorkerStatus::Partial);
    }

    #[test]
    fn words_and_foreign_objects_are_no_answer() {
        assert!(read("Done: {\"status\":\"SUCCESS\"} and out").is_some());
        assert!(read("all done!").is_none());
        assert!(read("{\"x\":1}\n").is_none());
        assert!(read("{\"status\": \"SUCC").is_none());
        assert!(read(&"{\n".repeat(100_000)).is_none());
    }

    #[test]
    fn a_markdown_result_is_an_answer_too() {
        let text = "## Status\n\nstate: ERROR\nsummary: no compiler\nerror_code: env\nretry_recommended: no\n\n## Deliverables\n\n- (none)\n\n## Evidence\n\n- log\n\n## Runtime Attestation\n\nruntime_model_reported: m-1\nruntime_mode_reported: none\nfiles_created:\n- (none)\nfiles_modified:\n- a.rs\n";
        assert!(read(text).is_none());
        let answer = read_markdown(text).unwrap();
        assert_eq!((answer.status, answer.lasting), (WorkerStatus::Error, true));
        assert_eq!(answer.error.unwrap().message, "no compiler");
        assert_eq!((answer.model.as_deref(), answer.mode), (Some("m-1"), None));
        assert_eq!(answer.files_modified, ["a.rs"]);
        assert!(read_markdown("## Status of things").is_none());
    }

    #[test]
    fn a_restoration_contract_is_the_whole_answer_of_a_fitter() {
        let answer = read("{\"gate_id\":\"t\",\"mitigation_applied\":[\"x\"]}").unwrap();
        assert_eq!(answer.outputs["restoration"]["gate_id"], "t");
    }

    #[test]
    fn a_task_that_is_missing_is_asked_for() {
        let asked = |signals: &str| {
            read(&format!("{{\"status\":\"ERROR\",\"suggested_adaptation\":{{\"blockage_type\":\"dependency_missing\",\"suggested_todo\":{{\"title\":\"A parser\",\"steps\":[\"write it\"]}},\"scope_signals\":{signals}}}}}"))
                .and_then(|answer| answer.adaptation)
                .unwrap()
        };
        let found = asked("{\"within_todo_scope\":true}");
        assert_eq!((found.title.as_str(), found.steps.len(), found.within_scope), ("A parser", 1, true));
        assert!(asked("{\"dod_related\":[\"it parses\"]}").within_scope);
        assert!(!asked("{}").within_scope);
        let answer = read("{\"status\":\"ERROR\",\"suggested_adaptation\":{}}").unwrap();
        assert_eq!((answer.adaptation.is_none(), answer.problems.len()), (true, 1));
    }

    #[test]
    fn an_unknown_status_is_said() {
        let answer = read("{\"status\":\"great\"}").unwrap();
        assert_eq!(answer.status, WorkerStatus::Unexpected);
        assert_eq!(answer.problems.len(), 1);
    }
}
