//! Minting agents' own records into sealed punches.

use crate::bench::{Bench, events, shown};
use serde_json::json;
use wire::punch::Type;

#[test]
fn what_was_done_is_minted_with_git_s_word_and_listed() {
    let bench = Bench::new();
    bench.attempt(&["src/a.rs", "tests/t.rs"]);
    let calls = [("Edit", "src/a.rs", None), ("Bash", "make test", Some(1)), ("Task", "code", Some(0))];
    let record = events(&bench, "record.ndjson", &calls);
    let seal = bench.punch(&["mint", "--task", "1", shown(&record)]).exits(0).json();
    assert_eq!((&seal["type"], &seal["data"]["calls"]), (&json!("seal"), &json!(3)));
    assert_eq!(seal["data"]["punches"]["path"], ".plantools/punches/r1-1.ndjson");
    let listed = bench.punch(&["list", "--minted", "--text"]).exits(0).out.clone();
    let kinds: Vec<_> = listed.lines().map(|line| line.split_whitespace().nth(2).unwrap()).collect();
    let minted = [
        "tool_call",
        "command_exec",
        "child_spawn",
        "child_complete",
        "session_lifecycle",
        "file_change",
        "file_change",
    ];
    assert_eq!(kinds[2], "seal");
    assert_eq!(kinds[3..], minted);
    let commands = bench.punch(&["list", "--type", "command_exec"]).exits(0).json();
    assert_eq!((&commands["key"], &commands["data"]["exit_code"]), (&json!("make test"), &json!(1)));
    assert_eq!((&commands["source"]["kind"], &commands["source"]["line"]), (&json!("transcript"), &json!(2)));
    assert_eq!((&commands["trust"], &commands["attempt"]), (&json!("projected"), &json!(1)));
}

#[test]
fn nothing_minted_is_exit_3_and_leaves_no_record() {
    let bench = Bench::new();
    bench.attempt(&[]);
    bench.punch(&["mint", "--task", "1", "not-there.jsonl"]).exits(3).says("nothing was minted");
    let empty = bench.write("empty.txt", "just some text\n");
    bench.punch(&["mint", "--task", "1", shown(&empty)]).exits(3).says("is no transcript");
    assert_eq!(bench.text().lines().count(), 2);
}

#[test]
fn secrets_are_masked_where_they_are_first_written() {
    let bench = Bench::new();
    bench.attempt(&[]);
    let calls = [("Bash", "curl -H 'Authorization: a-secret-value-of-the-environment' x", Some(0))];
    let record = events(&bench, "record.ndjson", &calls);
    bench.punch(&["mint", "--task", "1", shown(&record)]).exits(0);
    let text = std::fs::read_to_string(bench.path(".plantools/punches/r1-1.ndjson")).unwrap();
    assert!(text.contains("[masked]") && !text.contains("a-secret-value"), "{text}");
}

#[test]
fn a_second_attempt_and_a_second_minting_keep_what_was_there() {
    let bench = Bench::new();
    bench.attempt(&[]);
    let record = events(&bench, "record.ndjson", &[("Edit", "a", None)]);
    bench.punch(&["mint", "--task", "1", shown(&record)]).exits(0);
    bench.punch(&["mint", "--task", "1", shown(&record)]).exits(0);
    bench.punch(&["verify"]).exits(0).says("4 records, 1 seal, 0 problems");
    let mut begin = bench.entry(Type::AttemptBegin, "shell");
    begin.attempt = Some(2);
    bench.append(begin);
    let seal = bench.punch(&["mint", "--task", "1", shown(&record)]).exits(0).json();
    assert_eq!(seal["data"]["punches"]["path"], ".plantools/punches/r1-1.2.ndjson");
    bench.punch(&["verify"]).exits(0).says("6 records, 2 seals, 0 problems");
}

#[test]
fn a_name_of_the_user_s_own_has_the_kind_that_the_user_says() {
    let bench = Bench::new();
    bench.write(
        "plantools.toml",
        "[kinds]\nscribble = 'edit'\n'acme_*' = 'mcp'\n[cards.c]\nforbidden = ['kind:edit']\nrequired = ['mcp_call:*find']\n",
    );
    let record = events(&bench, "record.ndjson", &[("scribble", "a", None), ("acme_find", "x", None)]);
    let card = bench.punch(&["evaluate", "x", "c", shown(&record)]).exits(1).json();
    assert_eq!(card["card"]["violations"], json!(["kind:edit"]));
    assert_eq!(card["card"].get("missing"), None);
}

#[test]
fn logs_of_the_other_gate_runner_count_for_their_bead_and_their_batch() {
    let bench = Bench::new();
    bench.write("plantools.toml", "[cards.c]\nrequired = ['gate_pass:lint', 'gate_pass:test']\n");
    let row = |at: &str, gate: &str, code: i32| {
        let status = if code == 0 { "pass" } else { "fail" };
        json!({ "schema_version": "gate_run.v1", "bead_id": "b.1", "run_timestamp": at, "gate_id": gate,
                "exit_code": code, "status": status })
        .to_string()
            + "\n"
    };
    let (old, new) = ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
    let log = bench
        .write("gate_runs.jsonl", &[row(old, "lint", 0), row(new, "lint", 1), row(new, "test", 0)].concat());
    let got = bench.punch(&["evaluate", "b.1", "c", "--text", shown(&log)]);
    got.exits(1);
    got.says("❌ gate_pass:lint MISSING").says("✅ gate_pass:test (1 hit)");
    bench.punch(&["evaluate", "b.1", "c", "--run-timestamp", old, shown(&log)]).exits(1);
    bench.punch(&["evaluate", "b.2", "c", shown(&log)]).exits(3);
}

#[test]
fn a_session_is_found_by_its_id_and_never_by_its_age() {
    let bench = Bench::new();
    let (one, two) = ("11111111-2222-4333-8444-555555555555", "66666666-2222-4333-8444-555555555555");
    let line = |tool: &str| {
        json!({ "type": "assistant", "sessionId": "s", "uuid": "u", "message": { "role": "assistant", "content": [
            { "type": "tool_use", "id": "t1", "name": tool, "input": { "file_path": "a" } }] } })
        .to_string()
    };
    bench.write(&format!("home/.claude/projects/p/{one}.jsonl"), &line("Edit"));
    bench.write(&format!("home/.claude/projects/p/{two}.jsonl"), &line("Read"));
    bench.write("plantools.toml", "[cards.c]\nforbidden = ['kind:edit']\n");
    let asked = |id: &str| bench.punch(&["evaluate", "x", "c", &format!("session:{id}")]);
    asked(one).exits(1);
    asked(two).exits(0);
    asked("77777777-2222-4333-8444-555555555555").exits(3);
    asked("../../etc").exits(3);
    bench.write(&format!("home/.claude/projects/q/{one}.jsonl"), &line("Edit"));
    asked(one).exits(65).says("several records bear the id");
}
