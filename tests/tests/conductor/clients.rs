//! Clients as workers: what they are asked, what is read from their answers, and which one is asked next. Each client here
//! is a script that prints and exits as the real one does.

use pipeline_tests::{Bench, Got, bench};
use serde_json::Value;

const PLAN: &str = "# Two

## TODOs

### [ ] TODO 1: Make a

**Type**: work

**Must NOT do**:
- Do not modify `keep/**`

**Acceptance Criteria**:

*Functional:*
- [ ] It is there: `test -f a.txt`

### [ ] TODO 2: Make b

**Type**: work

**Acceptance Criteria**:

*Functional:*
- [ ] It is there: `test -f b.txt`
";

/// Makes both files and answers as Claude Code does, with its record where it keeps it.
const GOOD: &str = r#"
id=$(printf '%s\n' "$@" | grep -A1 -x -e --session-id | tail -1)
mkdir -p "$HOME/.claude/projects/-x"
printf '%s\n' '{"type":"user","sessionId":"'$id'","message":{"role":"user","content":"go"}}' \
  '{"type":"assistant","sessionId":"'$id'","message":{"id":"m","role":"assistant","model":"claude-sonnet-9","content":[{"type":"text","text":"ok"}]}}' \
  > "$HOME/.claude/projects/-x/$id.jsonl"
echo a >> a.txt; echo b >> b.txt
printf '%s\n' '{"type":"system","subtype":"init","session_id":"'$id'","model":"claude-sonnet-9"}' \
  '{"total_cost_usd":0.25,"is_error":false,"result":"Done.\n```json\n{\"status\":\"SUCCESS\"}\n```","session_id":"'$id'","type":"result"}'
"#;

fn bench_with(client: &str, script: &str, config: &str) -> Bench {
    let bench = bench!(empty);
    bench.write("PLAN.md", PLAN);
    bench.write("plantools.toml", config);
    bench.commit_all("plan");
    let before = "printf '%s\\n' \"$@\" > ../home/arguments; cat > ../home/prompt";
    bench.program(&format!("../home/{client}"), &format!("#!/usr/bin/env bash\n{before}\n{script}\n"));
    bench
}

fn claude(script: &str) -> Bench {
    bench_with("claude", script, "[workers.claude]\nprogram = \"../home/claude\"\n")
}

fn round(bench: &Bench) -> Got {
    bench.round("PLAN.md", "worker-run --grace-seconds 1 --worker claude")
}

/// The data of the last record of a type.
#[track_caller]
fn last(bench: &Bench, kind: &str) -> Value {
    let records = bench.records();
    let record = records.iter().rfind(|r| r["type"] == kind);
    record.map_or_else(|| panic!("no '{kind}' in {records:?}"), |r| r["data"].clone())
}

/// The saved result of the last attempt.
fn result(bench: &Bench) -> Value {
    let path = last(bench, "attempt_end")["result"]["path"].as_str().unwrap_or_default().to_owned();
    serde_json::from_str(&bench.text(&path)).unwrap_or_default()
}

fn ending(reply: &str) -> String {
    format!("cat <<'END'\n{reply}\nEND\nexit 1")
}

#[test]
fn a_client_is_asked_with_safe_defaults_and_its_record_is_found_by_the_sessions_name() {
    let bench = claude(GOOD);
    round(&bench).exits(0);
    let arguments = bench.text("../home/arguments");
    assert!(arguments.contains("--permission-mode\nacceptEdits\n"), "{arguments}");
    assert!(!arguments.contains("dangerously"), "{arguments}");
    assert!(bench.text("../home/prompt").contains("Make b"));
    let result = result(&bench);
    assert_eq!(result["outcome"], "done", "{result}");
    assert_eq!(result["runtime_model_reported"], "claude-sonnet-9");
    assert_eq!(result["cost"], 0.25);
    let transcript = result["transcript"].as_str().unwrap_or_default();
    let session = result["session_id"].as_str().unwrap_or_default();
    assert!(!session.is_empty() && transcript.ends_with(&format!("{session}.jsonl")), "{result}");
}

#[test]
fn everything_is_allowed_only_where_the_configuration_says_so() {
    let config = "[workers.claude]\nprogram = \"../home/claude\"\npermissions = \"all\"\nmodel = \"opus\"\nmax_turns = 7\nargs = [\"--debug\"]\n";
    let bench = bench_with("claude", GOOD, config);
    round(&bench).exits(0);
    let arguments = bench.text("../home/arguments");
    for wanted in ["--dangerously-skip-permissions\n", "--model\nopus\n", "--max-turns\n7\n", "--debug\n"] {
        assert!(arguments.contains(wanted), "{wanted} in {arguments}");
    }
    assert_eq!(result(&bench)["model_match"], "other", "opus was asked for, sonnet answered");
}

#[test]
fn a_refused_key_is_for_a_person_and_the_next_order_does_not_try_it() {
    let bench = claude(&ending(
        r#"{"type":"result","is_error":true,"subtype":"success","api_error_status":401,"result":"Invalid API key"}"#,
    ));
    round(&bench).exits(1);
    assert_eq!(bench.halts(), ["worker-run auth-error", "worker-run worker-unavailable"]);
    assert_eq!(bench.count("attempt_begin"), 1);
    assert_eq!(last(&bench, "halt")["halt"]["counts"], false);
}

#[test]
fn a_rate_limit_makes_all_its_jobs_wait_and_spends_no_attempt() {
    let bench = claude(&ending(
        r#"{"type":"result","is_error":true,"subtype":"success","api_error_status":429,"result":"slow down"}"#,
    ));
    let line = "plan-parse --quiet PLAN.md | dag-next --now 2026-01-01T00:00:00Z | handoff |
        worker-run --now 2026-01-01T00:00:00Z --worker claude | run-report";
    bench.sh(line).run().exits(1);
    let halts: Vec<Value> = bench.records().into_iter().filter(|r| r["type"] == "halt").collect();
    assert_eq!(halts.len(), 2);
    for halt in &halts {
        let halt = &halt["data"]["halt"];
        assert_eq!((&halt["counts"], &halt["retry"]), (&false.into(), &true.into()), "{halt}");
        assert_eq!(halt["not_before"], "2026-01-01T00:00:15Z", "{halt}");
    }
    let status = |now: &str| {
        let line = format!("plan-parse --quiet PLAN.md | dag-next --status --now {now}");
        bench.sh(&line).run()
    };
    status("2026-01-01T00:00:14Z").exits(6);
    status("2026-01-01T00:00:15Z").exits(0);
}

#[test]
fn a_service_that_fails_again_and_again_is_not_waited_for_for_ever() {
    let bench = claude(&ending(
        r#"{"type":"result","is_error":true,"subtype":"success","api_error_status":529,"result":"Overloaded"}"#,
    ));
    for hour in 0..9 {
        let line = format!(
            "plan-parse --quiet PLAN.md | dag-next --only 1 --now 2026-01-01T0{hour}:00:00Z | handoff |
             worker-run --now 2026-01-01T0{hour}:00:00Z --worker claude --run same | run-report"
        );
        bench.sh(&line).run();
    }
    assert_eq!(last(&bench, "halt")["halt"]["retry"], false);
    assert_eq!(bench.halts().len(), 9);
}

#[test]
fn a_request_that_is_wrong_in_itself_is_not_sent_again() {
    let bench = claude(&ending(
        r#"{"type":"result","is_error":true,"subtype":"success","api_error_status":400,"result":"prompt is too long"}"#,
    ));
    round(&bench).exits(1);
    let halt = bench.records().into_iter().find(|r| r["type"] == "halt").unwrap_or_default();
    assert_eq!(halt["data"]["halt"]["code"], "api-error");
    assert_eq!(halt["data"]["halt"]["retry"], false);
}

#[test]
fn a_client_that_may_not_use_its_tools_is_denied_although_it_exits_with_0() {
    let bench = claude(
        r#"echo '{"type":"result","is_error":false,"result":"{\"status\":\"SUCCESS\"}","permission_denials":[{"tool_name":"Bash"}]}'"#,
    );
    round(&bench).exits(1);
    assert_eq!(bench.halts()[0], "worker-run denied");
    let message = last(&bench, "halt")["halt"]["message"].to_string();
    assert!(message.contains("Bash") && message.contains("permissions"), "{message}");
}

#[test]
fn turns_that_are_used_up_spend_an_attempt() {
    let bench = claude(&ending(
        r#"{"type":"result","is_error":true,"subtype":"error_max_turns","errors":["Reached maximum number of turns"]}"#,
    ));
    round(&bench).exits(1);
    assert_eq!(bench.halts()[0], "worker-run max-turns");
    assert_eq!(last(&bench, "halt")["halt"]["counts"], true);
}

#[test]
fn a_client_without_an_answer_is_asked_once_more_in_the_same_session() {
    let script = r#"
if grep -q -x -e --resume ../home/arguments; then
  cp ../home/arguments ../home/again
  echo '{"type":"result","is_error":false,"session_id":"s-1","result":"{\"status\":\"SUCCESS\",\"summary\":\"late\"}"}'
else
  echo a >> a.txt; echo b >> b.txt
  echo '{"type":"result","is_error":false,"session_id":"s-1","result":"I made the file."}'
fi"#;
    let bench = claude(script);
    round(&bench).exits(0);
    assert!(bench.text("../home/again").contains("--resume\ns-1\n"));
    assert_eq!(bench.boxes("PLAN.md"), (2, 0));
    assert_eq!(result(&bench)["summary"], "late");
}

/// Answers as goose does, which never says a session's name, and leaves out the answer until it is asked again.
const GOOSE: &str = r#"
text='I made the files.'
if grep -q -x -e --resume ../home/arguments; then
  text='{\"status\":\"SUCCESS\",\"summary\":\"late\"}'
else
  cp ../home/arguments ../home/first
  echo a > a.txt; echo b > b.txt
fi
printf '%s\n' '{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"'"$text"'"}]}}' '{"type":"complete"}'
"#;

fn goose(script: &str) -> Bench {
    let bench = bench_with("goose", script, "[workers.goose]\nprogram = \"../home/goose\"\n");
    let line =
        "plan-parse --quiet PLAN.md | dag-next --only 1 | handoff | worker-run --worker goose | run-report";
    bench.sh(line).run();
    bench
}

#[test]
fn a_session_that_its_client_never_names_has_a_name_of_ours() {
    let bench = goose(GOOSE);
    let name = |file: &str| {
        let text = bench.text(file);
        let mut words = text.lines().skip_while(|word| *word != "--name");
        words.nth(1).map(str::to_owned)
    };
    let first = name("../home/first");
    assert!(first.as_ref().is_some_and(|name| name.len() == 36), "{first:?}");
    assert_eq!(name("../home/arguments"), first, "the same session is asked again");
    assert_eq!(result(&bench)["summary"], "late");
}

#[test]
fn a_record_that_cannot_be_read_is_said() {
    let script = format!(
        "mkdir -p ~/.local/share/goose/sessions; printf 'SQLite format 3\\0junk' > ~/.local/share/goose/sessions/sessions.db\n{GOOSE}"
    );
    let result = result(&goose(&script));
    let transcript = result["transcript"].as_str().unwrap_or_default();
    assert!(transcript.ends_with("/goose/sessions/sessions.db"), "{result}");
    assert!(result["problems"][0].to_string().contains("record cannot be read"), "{result}");
}

#[test]
fn gemini_is_told_that_the_folder_is_trusted() {
    let script =
        r#"echo "$GEMINI_CLI_TRUST_WORKSPACE" > ../home/trust; echo '{"type":"result","status":"success"}'"#;
    let bench = bench_with("gemini", script, "[workers.gemini]\nprogram = \"../home/gemini\"\n");
    let line =
        "plan-parse --quiet PLAN.md | dag-next --only 1 | handoff | worker-run --worker gemini | run-report";
    bench.sh(line).run();
    assert_eq!(bench.text("../home/trust"), "true\n");
    assert!(bench.text("../home/arguments").contains("--approval-mode\nauto_edit\n"));
}

#[test]
fn a_client_that_is_told_to_stop_once_is_tried_again_and_twice_it_counts() {
    let bench = claude("exit 143");
    for counts in [false, true] {
        bench.sh("plan-parse --quiet PLAN.md | dag-next --only 1 | handoff | worker-run --worker claude | run-report").run();
        assert_eq!(bench.halts().last().map(String::as_str), Some("worker-run interrupted"));
        assert_eq!(last(&bench, "halt")["halt"]["counts"], counts);
    }
}

#[test]
fn a_route_leads_to_the_next_model_and_then_to_a_person() {
    let config = "[workers.claude]\nprogram = \"../home/claude\"\n[agents]\nhaiku = [\"claude:haiku\", \"claude:sonnet\", \"user\"]\n";
    let script =
        ending(r#"{"type":"result","is_error":false,"result":"{\"status\":\"ERROR\",\"error\":\"no\"}"}"#);
    let bench = bench_with("claude", &script.replace("exit 1", "exit 0"), config);
    // As if the plan named a model for the task.
    let line = r#"plan-parse --quiet PLAN.md | dag-next --only 1 |
        sed 's/"title":"Make a"/"title":"Make a","model":"haiku"/' | handoff | worker-run | run-report"#;
    for model in ["haiku", "sonnet"] {
        bench.sh(line).run();
        assert!(bench.text("../home/arguments").contains(&format!("--model\n{model}\n")));
    }
    bench.sh(line).run();
    assert_eq!(bench.halts().last().map(String::as_str), Some("worker-run escalated"));
    assert_eq!(bench.count("escalation"), 1);
    assert_eq!(bench.count("attempt_begin"), 2);
}

#[test]
fn what_the_task_forbids_to_touch_is_a_violation() {
    let bench = bench!(empty);
    bench.write("PLAN.md", PLAN).write("keep/x.txt", "x").commit_all("plan");
    bench.program(
        "../home/w.sh",
        "#!/bin/sh\necho a > a.txt; echo y > keep/x.txt\necho '{\"status\":\"SUCCESS\"}'\n",
    );
    bench.sh("plan-parse --quiet PLAN.md | dag-next --only 1 | handoff | worker-run -- ../home/w.sh | gate-run | context-save | checkbox | run-report").run().exits(1);
    assert_eq!(bench.halts(), ["worker-run must-not"]);
    assert_eq!(bench.boxes("PLAN.md").0, 0);
}

#[test]
fn a_dry_run_prints_the_exact_command_line_and_does_nothing() {
    let bench = claude(GOOD);
    let line = "plan-parse --quiet PLAN.md | dag-next --only 1 | handoff | worker-run --worker claude --worker-dry-run";
    let printed = bench.sh(line).run().exits(0).out();
    assert!(printed.contains(" ../home/claude --print --output-format stream-json --verbose "), "{printed}");
    assert!(printed.contains("DISABLE_TELEMETRY=1") && printed.contains(" < "), "{printed}");
    assert_eq!(bench.count("attempt_begin"), 0);
    // What is printed can be pasted.
    bench.sh(printed.trim()).run().exits(0);
    assert_eq!(bench.text("a.txt"), "a\n");
}

#[test]
fn in_a_namespace_of_its_own_a_daemon_ends_with_its_worker() {
    let bench = bench!(empty);
    bench.write("PLAN.md", PLAN).commit_all("plan");
    let script = "#!/bin/sh\nsetsid sh -c 'sleep 60; echo late > late.txt' > /dev/null 2>&1 &\necho a > a.txt\necho '{\"status\":\"SUCCESS\"}'\n";
    bench.program("../home/w.sh", script);
    bench.sh("plan-parse --quiet PLAN.md | dag-next --only 1 | handoff | worker-run --contain auto -- ../home/w.sh | gate-run | run-report").run();
    assert_eq!(result(&bench)["outcome"], "done");
    assert_eq!(bench.processes(), Vec::<String>::new());
}
