//! Plans to ask about, and the answers.
#![expect(clippy::unwrap_used, reason = "a test may end where something is missing")]

use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// A plan of tasks, each given by what matters to the test.
pub(crate) fn plan(root: &Path, dialect: &str, tasks: &[Value]) -> Value {
    let tasks: Vec<Value> = tasks
        .iter()
        .map(|task| {
            let mut full = json!({
                "key": task["id"], "title": task["id"], "state": "pending", "fingerprint": "fp1:x",
                "span": {"path": "P.md", "line": 1, "start": 0, "end": 1},
            });
            for (name, value) in task.as_object().unwrap() {
                full[name] = value.clone();
            }
            full
        })
        .collect();
    let source = json!({"path": "P.md", "dialect": dialect, "sha256": "", "root": root});
    json!({"schema": "plan/1", "source": source, "tasks": tasks})
}

/// What `dag-next` answers to a plan: exit code, lines of JSON, and what it says to people.
pub(crate) fn run(plan: &Value, args: &[&str]) -> (i32, Vec<Value>, String) {
    run_text(&plan.to_string(), args)
}

/// The same for a document as it is.
pub(crate) fn run_text(plan: &str, args: &[&str]) -> (i32, Vec<Value>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dag-next"))
        .args(args)
        .env_remove("PLANTOOLS_RUN")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(plan.as_bytes()).unwrap();
    let got = child.wait_with_output().unwrap();
    let text = String::from_utf8(got.stdout).unwrap();
    let lines = text.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
    (got.status.code().unwrap(), lines, String::from_utf8(got.stderr).unwrap())
}

/// The ids handed out, then the answer.
pub(crate) fn ids(plan: &Value, args: &[&str]) -> Vec<String> {
    let (code, lines, error) = run(plan, args);
    assert_eq!(code, 0, "{error}");
    lines.iter().map(|l| l["task"]["id"].as_str().or(l["answer"].as_str()).unwrap().to_owned()).collect()
}
