//! The Model Context Protocol, spoken line by line, and by the official client where it is installed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![expect(clippy::disallowed_methods, reason = "a test lays out its own files, and asks which python")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const TOOL: &str = env!("CARGO_BIN_EXE_session-export");
const PREP: &str = ".kilocode/thinking/task-core-1-prep-2026-01-31.json";

/// A server with a client's two ends.
struct Server {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    asked: u64,
}

impl Server {
    fn start(dir: &Path) -> Self {
        let mut child = Command::new(TOOL)
            .args(["serve", "--now", "2026-01-31T12:00:00Z"])
            .current_dir(dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let from = BufReader::new(child.stdout.take().unwrap());
        Self { to: child.stdin.take(), child, from, asked: 0 }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.to.as_mut().unwrap(), "{line}").unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        let answer = self.receive();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(id)), "{answer}");
        answer
    }

    /// Calls a tool; its answer, and whether it failed.
    fn call(&mut self, name: &str, arguments: &Value) -> (Value, bool) {
        let answer = self.ask("tools/call", &json!({ "name": name, "arguments": arguments }));
        let result = &answer["result"];
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"]);
        (text, result["isError"].as_bool().unwrap())
    }

    fn think(&mut self, number: u64, stage: &str, tag: &str) -> (Value, bool) {
        let arguments = json!({
            "thought": format!("thought {number}"), "thought_number": number, "total_thoughts": 6,
            "next_thought_needed": number < 6, "stage": stage, "tags": [tag],
        });
        self.call("process_thought", &arguments)
    }

    /// Closes its input; it ends by itself.
    fn end(mut self) -> Option<i32> {
        self.to = None;
        self.child.wait().unwrap().code()
    }
}

fn run(dir: &Path, args: &[&str]) -> (Option<i32>, String) {
    let out = Command::new(TOOL).args(args).current_dir(dir).stdin(Stdio::null()).output().unwrap();
    (out.status.code(), String::from_utf8(out.stdout).unwrap())
}

#[test]
fn a_preparation_over_the_protocol_passes_the_gate() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server::start(dir.path());
    let hello = server.ask("initialize", &json!({ "protocolVersion": "2025-06-18", "capabilities": {} }));
    assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
    server.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let tools = server.ask("tools/list", &json!({}));
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 5);

    let stages = [
        ("Problem Definition", "interpretation"),
        ("problem definition", "interpretation"),
        ("Analysis", "approach-candidate"),
        ("Analysis", "approach-candidate"),
        ("Synthesis", "comparison"),
        ("Conclusion", "decision"),
    ];
    for (number, (stage, tag)) in (1..).zip(stages) {
        let (answer, failed) = server.think(number, stage, tag);
        assert!(!failed, "{answer}");
        assert_eq!(answer["thoughtAnalysis"]["context"]["thoughtHistoryLength"], number);
    }
    let (summary, _) = server.call("generate_summary", &json!({}));
    assert_eq!(summary["summary"]["currentStage"], "Conclusion");
    let (_, failed) = server.call("export_session", &json!({ "file_path": PREP }));
    assert!(!failed);
    let (imported, failed) = server.call("import_session", &json!({ "file_path": PREP }));
    assert_eq!((failed, &imported["thoughts"]), (false, &json!(6)));
    assert_eq!(server.end(), Some(0));
    let (code, verdict) = run(dir.path(), &["verify", "--now", "2026-01-31T12:00:00Z", PREP]);
    assert_eq!(code, Some(0), "{verdict}");
}

#[test]
fn errors_are_errors_and_leave_the_session_alone() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("broken.json"), "{\"thoughts\": [").unwrap();
    let mut server = Server::start(dir.path());
    assert!(!server.think(1, "Research", "x").1);
    let cases = [
        ("import_session", json!({ "file_path": "missing.json" }), "not-found"),
        ("import_session", json!({ "file_path": "broken.json" }), "not-a-session"),
        ("import_session", json!({ "file_path": "/etc/passwd" }), "path-outside"),
        ("export_session", json!({ "file_path": "../x.json" }), "path-outside"),
        ("export_session", json!({ "file_path": ".git/hooks/pre-commit" }), "path-outside"),
        ("export_session", json!({ "file_path": ".plantools/ledger.ndjson" }), "path-outside"),
        (
            "export_session",
            json!({ "file_path": ".kilocode/thinking/execution-a-tests-2026-01-31.json" }),
            "not-found",
        ),
        ("export_session", json!({}), "bad-arguments"),
        ("process_thought", json!({ "thought": "x" }), "bad-arguments"),
        ("clear_history", json!({ "really": true }), "bad-arguments"),
    ];
    for (tool, arguments, code) in cases {
        let (answer, failed) = server.call(tool, &arguments);
        assert_eq!(
            (failed, &answer["code"], &answer["status"]),
            (true, &json!(code), &json!("failed")),
            "{tool}: {answer}"
        );
    }
    for (number, stage) in [(1, "Research"), (3, "Research"), (2, "Dreaming")] {
        let (answer, failed) = server.think(number, stage, "x");
        assert_eq!((failed, &answer["code"]), (true, &json!("bad-thought")), "{answer}");
    }
    let (summary, _) = server.call("generate_summary", &json!({}));
    assert_eq!(summary["summary"]["totalThoughts"], 1);
    assert_eq!(std::fs::read_to_string(dir.path().join("broken.json")).unwrap(), "{\"thoughts\": [");
    assert_eq!(server.end(), Some(0));
}

#[test]
fn what_is_no_request_is_an_error_of_the_protocol() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server::start(dir.path());
    for (line, code) in [
        ("{", -32700),
        ("7", -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}"#, -32602),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01"}}}"#,
            -32022,
        ),
    ] {
        server.send(line);
        assert_eq!(server.receive()["error"]["code"], code, "{line}");
    }
    server.send("\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}\n");
    server.send(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"}]"#);
    assert_eq!(server.receive(), json!([{ "jsonrpc": "2.0", "id": 1, "result": {} }]));
    let found = server.ask(
        "server/discover",
        &json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } }),
    );
    assert_eq!(found["result"]["resultType"], "complete");
    assert!(found["result"]["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")));
    assert_eq!(server.end(), Some(0));
}

/// The official client, from `$PLANTOOLS_PYTHON` or the usual python3; without its package this says so and is done.
#[test]
fn the_official_client_runs_a_whole_preparation() {
    let python = std::env::var("PLANTOOLS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let there = Command::new(&python).args(["-c", "import mcp"]).stderr(Stdio::null()).status();
    if !there.is_ok_and(|status| status.success()) {
        let _ =
            writeln!(std::io::stderr(), "the package 'mcp' is not installed for {python}: nothing was tried");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/mcp/client.py");
    let out =
        Command::new(python).arg(client).args([TOOL, "serve"]).current_dir(dir.path()).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let (code, verdict) = run(dir.path(), &["verify", "--text", PREP]);
    assert_eq!(code, Some(0), "{verdict}");
    assert_eq!(run(dir.path(), &["chain", ".kilocode/thinking", "core-1"]).0, Some(0));
}
