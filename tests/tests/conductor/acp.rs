//! Agents that speak the Agent Client Protocol as workers: what they are allowed, what is recorded, and how each way to
//! misbehave ends. The agent is a script.

use pipeline_tests::{Bench, Got, bench};
use serde_json::Value;

const PLAN: &str = "# One

## TODOs

### [ ] TODO 1: Make a

**Type**: work

**Acceptance Criteria**:

*Functional:*
- [ ] It is there: `test -f a.txt`
";

/// An agent that greets, begins a session, and does its deed when it is asked.
fn agent(deed: &str, config: &str) -> Bench {
    let bench = bench!(empty);
    bench.write("PLAN.md", PLAN).write("plantools.toml", config).commit_all("plan");
    let script = format!(
        r#"#!/usr/bin/env bash
say() {{ printf '%s\n' "$1"; }}
update() {{ say '{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s-1","update":'"$1"'}}}}'; }}
ask() {{ say '{{"jsonrpc":"2.0","id":"p'$RANDOM'","method":"session/request_permission","params":{{"sessionId":"s-1","toolCall":'"$1"',"options":[{{"optionId":"y","kind":"allow_once"}},{{"optionId":"n","kind":"reject_once"}}]}}}}'; IFS= read -r reply; say "$reply" >> ../home/replies; }}
answer() {{ update '{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{{\"status\":\"SUCCESS\"}}"}}}}'; }}
end() {{ say '{{"jsonrpc":"2.0","id":'$id',"result":{{"stopReason":"'$1'"'"$2"'}}}}'; }}
say "starting up, this is no message"
while IFS= read -r line; do
  id=${{line#*\"id\":}}; id=${{id%%,*}}
  case $line in
    *'"method":"initialize"'*) say '{{"jsonrpc":"2.0","id":'$id',"result":{{"protocolVersion":1}}}}' ;;
    *'"method":"session/new"'*) say '{{"jsonrpc":"2.0","id":'$id',"result":{{"sessionId":"s-1"}}}}' ;;
    *'"method":"session/prompt"'*) {deed} ;;
    *'"method":"session/cancel"'*) say "$line" >> ../home/cancelled; end cancelled ;;
  esac
done
"#
    );
    bench.program("../home/agent", &script);
    bench
}

fn round(bench: &Bench, more: &str) -> Got {
    bench.round("PLAN.md", &format!("worker-run --grace-seconds 3 {more} --worker acp:../home/agent"))
}

/// The saved result of the last attempt.
#[track_caller]
fn result(bench: &Bench) -> Value {
    let records = bench.records();
    let end = records.iter().rfind(|record| record["type"] == "attempt_end");
    let path = end.and_then(|end| end["data"]["result"]["path"].as_str()).unwrap_or_default();
    serde_json::from_str(&bench.text(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

#[test]
fn an_honest_agent_does_its_task_and_its_calls_and_tokens_are_on_record() {
    let deed = r#"
      ask '{"toolCallId":"c1","kind":"edit","locations":[{"path":"a.txt"}]}'
      update '{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Edit a.txt","kind":"edit","locations":[{"path":"a.txt"}]}'
      echo a > a.txt
      update '{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}'
      answer
      end end_turn ',"usage":{"inputTokens":10,"cachedReadTokens":5,"outputTokens":4}'"#;
    let bench = agent(deed, "");
    round(&bench, "").exits(0);
    assert!(bench.text("../home/replies").contains(r#""optionId":"y""#));
    let result = result(&bench);
    assert_eq!(result["outcome"], "done", "{result}");
    assert_eq!(result["session_id"], "s-1");
    assert_eq!(result["tokens"], serde_json::json!({"input": 15, "output": 4, "cached": 5}));
    let path = result["transcript"].as_str().unwrap();
    bench.command("punch").args(["mint", "--task", "1", path]).run().exits(0);
    let minted = bench.command("punch").args(["list", "--minted", "--task", "1"]).run();
    assert!(minted.out().contains("kind:edit") || minted.out().contains("\"edit\""), "{}", minted.out());
    let report = bench.command("run-report").args(["--final", "--format", "json", "PLAN.md"]).run().json();
    assert_eq!(report["numbers"]["tokens"]["input"], 15);
}

#[test]
fn an_agent_gets_no_more_than_its_permissions() {
    let deed = r#"
      ask '{"toolCallId":"c1","kind":"execute","title":"rm -rf /","rawInput":{"command":"rm -rf /"}}'
      ask '{"toolCallId":"c2","kind":"edit","locations":[{"path":"/etc/passwd"}]}'
      ask '{"toolCallId":"c3","kind":"read","rawInput":{"command":"cat secrets"}}'
      answer; end end_turn"#;
    let bench = agent(deed, "");
    round(&bench, "");
    let replies = bench.text("../home/replies");
    assert_eq!((replies.matches(r#""optionId":"n""#).count(), replies.lines().count()), (3, 3), "{replies}");
    assert_eq!(result(&bench)["outcome"], "denied");
    let config = "[workers.mine]\ncommand = [\"../home/agent\"]\nresult = \"acp\"\npermissions = \"all\"\n";
    let bench = agent(deed, config);
    bench.round("PLAN.md", "worker-run --worker mine");
    assert_eq!(bench.text("../home/replies").matches(r#""optionId":"y""#).count(), 3);
}

#[test]
fn every_way_to_misbehave_ends_and_says_how() {
    let error = r#"say '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32603,"message":"MESSAGE"}}'"#;
    for (deed, outcome) in [
        ("exit 3", "crashed"),
        ("yes nonsense", "crashed"),
        ("head -c 20000000 /dev/zero | tr '\\0' x", "crashed"),
        ("end something_else", "crashed"),
        ("end refusal", "denied"),
        ("end max_tokens", "max_turns"),
        (&error.replace("MESSAGE", "429 rate limit reached"), "rate_limited"),
        (&error.replace("MESSAGE", "overloaded").replace("-32603", "529"), "api_error"),
        (&error.replace("-32603", "-32000").replace("MESSAGE", "Authentication required"), "auth_error"),
        (
            "say '{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"fs/write_text_file\",\"params\":{}}'; read -r no; answer; end end_turn",
            "no_change",
        ),
    ] {
        let bench = agent(deed, "");
        let got = round(&bench, "");
        assert_eq!(result(&bench)["outcome"], outcome, "{deed}: {got:?}");
        assert_eq!(bench.boxes("PLAN.md").0, 0, "{deed}: nothing is ticked");
    }
}

#[test]
fn a_silent_agent_is_told_to_cancel_and_then_ended() {
    let bench = agent("trap '' TERM", "");
    round(&bench, "--timeout-seconds 2");
    assert_eq!(result(&bench)["outcome"], "timeout");
    assert!(bench.text("../home/cancelled").contains("s-1"), "it was asked first");
    let stubborn = agent("trap '' TERM; while :; do sleep 1; done", "");
    round(&stubborn, "--timeout-seconds 2");
    assert_eq!(result(&stubborn)["outcome"], "timeout");
    assert_eq!(stubborn.processes(), Vec::<String>::new(), "nothing of it is left");
}

#[test]
fn an_agent_without_a_command_or_a_program_is_named() {
    let bench = agent("trap '' TERM", "");
    let got = bench.round("PLAN.md", "worker-run --worker acp");
    assert!(got.err().contains("acp:COMMAND"), "{got:?}");
    let got = bench.round("PLAN.md", "worker-run --worker acp:./not-there");
    assert!(got.err().contains("not-there") || result(&bench)["outcome"] == "env_missing", "{got:?}");
}
