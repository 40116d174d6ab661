//! workflow-session.json: the session's own metadata.

pub(crate) mod compare;
pub(crate) mod folders;
pub(crate) mod impl_plan;
pub(crate) mod order_words;
pub(crate) mod phases;
pub(crate) mod reconcile;
pub(crate) mod strategy;

use crate::formats::workflows::workflow::files::json;
use crate::{Folder, Plan};
use serde_json::Value;
use toolkit::Fail;
use wire::plan::{Diagnostic, Severity};

/// The name of the file.
pub(crate) const FILE: &str = "workflow-session.json";

/// Reads the file into the plan's `extra`, and compares it with the tasks.
pub(crate) fn read(folder: &Folder, plan: &mut Plan) -> Result<(), Fail> {
    let Some(bytes) = folder.read(FILE)? else {
        let message = format!("no '{FILE}': the session's own status is not known");
        plan.diagnostics.push(note(folder, Severity::Hint, "no-session-file", message, 1));
        return Ok(());
    };
    match json::read(&bytes) {
        Ok(json) => {
            if let Some(status) = disagreement(&json.value, plan) {
                let message = format!("every task is done, but the session's status is '{status}'");
                plan.diagnostics.push(note(folder, Severity::Hint, "session-status", message, 1));
            }
            plan.extra.insert("session".to_owned(), json.value);
        }
        Err(broken) => {
            let message =
                format!("'{FILE}' is no JSON: {}; the session's own status is not known", broken.message);
            plan.diagnostics.push(note(folder, Severity::Warning, "broken-json", message, broken.line));
        }
    }
    Ok(())
}

/// The session's status, if it contradicts the tasks.
fn disagreement<'v>(value: &'v Value, plan: &Plan) -> Option<&'v str> {
    let all = plan.tasks.iter().all(|task| task.state.is_settled());
    status(value).filter(|status| all && !plan.tasks.is_empty() && *status != "completed")
}

/// The status in a session file.
pub(crate) fn status(value: &Value) -> Option<&str> {
    value.get("status").and_then(Value::as_str)
}

fn note(folder: &Folder, severity: Severity, code: &'static str, message: String, line: u64) -> Diagnostic {
    Diagnostic {
        severity,
        code: code.to_owned(),
        message,
        path: folder.seen(FILE).into(),
        line,
        column: None,
        task: None,
        offer: None,
    }
}
