//! Every client's ways to end, each with its outcome. The texts are short handmade ones in the shape that the real
//! clients print; if the folder of captured runs exists, all of them are read as well.

use serde_json::Value;
use std::path::{Path, PathBuf};
use wire::order::Outcome::{self, *};
use worker_run::classify;

struct Case {
    client: &'static str,
    trait_: &'static str,
    stdout: &'static str,
    stderr: &'static str,
    exit: i32,
    outcome: Outcome,
}

#[rustfmt::skip]
const CASES: [Case; 43] = [
    Case { client: "claude", trait_: "done", stdout: "{\"type\":\"system\",\"model\":\"m\"}\n{\"is_error\":false,\"result\":\"Done.\",\"type\":\"result\"}\n", stderr: "", exit: 0, outcome: Done },
    Case { client: "claude", trait_: "one document", stdout: "{\"is_error\":false,\"result\":\"Done.\",\"type\":\"result\"}", stderr: "", exit: 0, outcome: Done },
    Case { client: "claude", trait_: "the last result counts", stdout: "{\"type\":\"result\",\"is_error\":true,\"result\":\"x\"}\n{\"type\":\"result\",\"is_error\":false,\"result\":\"Done.\",\"result_index\":1}\n", stderr: "", exit: 0, outcome: Done },
    Case { client: "claude", trait_: "the beginning is lost", stdout: "ns\":{\"a\":1},\"is_error\":false,\"subtype\":\"success\",\"result\":\"Done.\",\"type\":\"result\"}\n", stderr: "", exit: 0, outcome: Done },
    Case { client: "claude", trait_: "the service refuses the key and the subtype is success", stdout: "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"api_error_status\":401,\"result\":\"Invalid API key\"}\n", stderr: "", exit: 1, outcome: AuthError },
    Case { client: "claude", trait_: "not logged in has no status", stdout: "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"api_error_status\":null,\"result\":\"Not logged in · Please run /login\"}\n", stderr: "", exit: 1, outcome: AuthError },
    Case { client: "claude", trait_: "rate limit", stdout: "{\"type\":\"result\",\"is_error\":true,\"api_error_status\":429,\"result\":\"Request rejected (429)\"}\n", stderr: "", exit: 1, outcome: RateLimited },
    Case { client: "claude", trait_: "overloaded", stdout: "{\"type\":\"result\",\"is_error\":true,\"api_error_status\":529,\"result\":\"Overloaded\"}\n", stderr: "", exit: 1, outcome: ApiError },
    Case { client: "claude", trait_: "turns used up", stdout: "{\"type\":\"result\",\"subtype\":\"error_max_turns\",\"is_error\":true,\"errors\":[\"Reached maximum number of turns (1)\"]}\n", stderr: "", exit: 1, outcome: MaxTurns },
    Case { client: "claude", trait_: "budget used up", stdout: "{\"type\":\"result\",\"subtype\":\"error_max_budget_usd\",\"is_error\":true,\"errors\":[\"Reached maximum budget\"]}\n", stderr: "", exit: 1, outcome: MaxTurns },
    Case { client: "claude", trait_: "every tool was denied and it exits with 0", stdout: "{\"type\":\"result\",\"is_error\":false,\"result\":\"Done two.\",\"permission_denials\":[{\"tool_name\":\"Bash\"}]}\n", stderr: "", exit: 0, outcome: Denied },
    Case { client: "claude", trait_: "interrupted in a tool", stdout: "{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,\"errors\":[\"stop\"]}\n", stderr: "", exit: 0, outcome: Interrupted },
    Case { client: "claude", trait_: "interrupted before the first turn ended", stdout: "", stderr: "", exit: 0, outcome: Interrupted },
    Case { client: "claude", trait_: "told to stop", stdout: "", stderr: "", exit: 143, outcome: Interrupted },
    Case { client: "claude", trait_: "killed", stdout: "", stderr: "", exit: 137, outcome: Crashed },
    Case { client: "claude", trait_: "a wrong flag", stdout: "", stderr: "error: unknown option '--x'\n", exit: 1, outcome: Crashed },
    Case { client: "codex", trait_: "done", stdout: "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}\n{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"Done.\"}}\n{\"type\":\"turn.completed\"}\n", stderr: "", exit: 0, outcome: Done },
    Case { client: "codex", trait_: "a warning is no failure", stdout: "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}\n{\"type\":\"item.completed\",\"item\":{\"type\":\"error\",\"message\":\"401 in a warning\"}}\n{\"type\":\"turn.completed\"}\n", stderr: "", exit: 0, outcome: Done },
    Case { client: "codex", trait_: "the service refuses the key", stdout: "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.failed\",\"error\":{\"message\":\"unexpected status 401 Unauthorized: no\"}}\n", stderr: "", exit: 1, outcome: AuthError },
    Case { client: "codex", trait_: "rate limit", stdout: "{\"type\":\"turn.failed\",\"error\":{\"message\":\"exceeded retry limit, last status: 429 Too Many Requests\"}}\n", stderr: "", exit: 1, outcome: RateLimited },
    Case { client: "codex", trait_: "no key in the environment", stdout: "{\"type\":\"turn.failed\",\"error\":{\"message\":\"Missing environment variable: `KEY`.\"}}\n", stderr: "", exit: 1, outcome: EnvMissing },
    Case { client: "codex", trait_: "interrupted", stdout: "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}\n", stderr: "", exit: 1, outcome: Interrupted },
    Case { client: "codex", trait_: "outside a repository", stdout: "", stderr: "Not inside a trusted directory\n", exit: 1, outcome: Crashed },
    Case { client: "opencode", trait_: "done", stdout: "{\"type\":\"step_start\",\"sessionID\":\"s\"}\n{\"type\":\"text\",\"sessionID\":\"s\",\"part\":{\"text\":\"Done.\"}}\n{\"type\":\"step_finish\",\"sessionID\":\"s\",\"part\":{\"reason\":\"stop\",\"cost\":0.5}}\n", stderr: "", exit: 0, outcome: Done },
    Case { client: "opencode", trait_: "the service refuses the key", stdout: "{\"type\":\"error\",\"sessionID\":\"s\",\"error\":{\"name\":\"APIError\",\"data\":{\"message\":\"no\",\"statusCode\":401}}}\n", stderr: "", exit: 1, outcome: AuthError },
    Case { client: "opencode", trait_: "told to stop while it tried again", stdout: "", stderr: "", exit: 143, outcome: Interrupted },
    Case { client: "opencode", trait_: "a tool of its own that is not offered", stdout: "{\"type\":\"tool_use\",\"sessionID\":\"s\",\"part\":{\"tool\":\"invalid\",\"state\":{\"status\":\"completed\",\"input\":{\"tool\":\"bash\"}}}}\n{\"type\":\"step_finish\",\"part\":{\"reason\":\"stop\"}}\n", stderr: "", exit: 0, outcome: Denied },
    Case { client: "opencode", trait_: "a call that a rule forbids", stdout: "{\"type\":\"tool_use\",\"sessionID\":\"s\",\"part\":{\"tool\":\"bash\",\"state\":{\"status\":\"error\",\"error\":\"The user has specified a rule which prevents you from using this specific tool call.\"}}}\n{\"type\":\"step_finish\",\"part\":{\"reason\":\"stop\"}}\n", stderr: "", exit: 0, outcome: Denied },
    Case { client: "kilo", trait_: "an error without a code", stdout: "{\"type\":\"error\",\"sessionID\":\"s\",\"error\":{\"name\":\"UnknownError\",\"data\":{\"message\":\"Unexpected server error.\"}}}\n", stderr: "", exit: 1, outcome: ApiError },
    Case { client: "gemini", trait_: "done", stdout: "{\"type\":\"init\",\"session_id\":\"s\",\"model\":\"m\"}\n{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"Do\",\"delta\":true}\n{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"ne.\",\"delta\":true}\n{\"type\":\"result\",\"status\":\"success\"}\n", stderr: "", exit: 0, outcome: Done },
    Case { client: "gemini", trait_: "the service refuses the key: JSON on stderr, code modulo 256", stdout: "", stderr: "words\n{\n  \"error\": {\n    \"message\": \"no\",\n    \"code\": 401\n  }\n}\n", exit: 145, outcome: AuthError },
    Case { client: "gemini", trait_: "told to stop: exit 0 and no result", stdout: "{\"type\":\"init\",\"session_id\":\"s\"}\n", stderr: "", exit: 0, outcome: Interrupted },
    Case { client: "gemini", trait_: "no way to log in", stdout: "", stderr: "{\n  \"error\": {\n    \"message\": \"Invalid auth method selected.\",\n    \"code\": 41\n  }\n}\n", exit: 41, outcome: AuthError },
    Case { client: "gemini", trait_: "a folder that nobody trusts", stdout: "", stderr: "Gemini CLI is not running in a trusted directory.\n", exit: 55, outcome: Denied },
    Case { client: "gemini", trait_: "a tool of its own that it does not offer here", stdout: "{\"type\":\"tool_use\",\"tool_name\":\"run_shell_command\",\"tool_id\":\"c1\"}\n{\"type\":\"tool_result\",\"tool_id\":\"c1\",\"status\":\"error\",\"error\":{\"type\":\"tool_not_registered\"}}\n{\"type\":\"result\",\"status\":\"success\"}\n", stderr: "", exit: 0, outcome: Denied },
    Case { client: "gemini", trait_: "a tool that a policy forbids", stdout: "{\"type\":\"tool_use\",\"tool_name\":\"mine\",\"tool_id\":\"c1\"}\n{\"type\":\"tool_result\",\"tool_id\":\"c1\",\"status\":\"error\",\"error\":{\"type\":\"policy_violation\"}}\n{\"type\":\"result\",\"status\":\"success\"}\n", stderr: "", exit: 0, outcome: Denied },
    Case { client: "gemini", trait_: "a tool that nobody has heard of is the model's mistake", stdout: "{\"type\":\"tool_use\",\"tool_name\":\"wish\",\"tool_id\":\"c1\"}\n{\"type\":\"tool_result\",\"tool_id\":\"c1\",\"status\":\"error\",\"error\":{\"type\":\"tool_not_registered\"}}\n{\"type\":\"result\",\"status\":\"success\"}\n", stderr: "", exit: 0, outcome: Done },
    Case { client: "goose", trait_: "done", stdout: "{\"type\":\"message\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Done.\"}]}}\n{\"type\":\"complete\"}\n", stderr: "", exit: 0, outcome: Done },
    Case { client: "goose", trait_: "the service refuses the key and it exits with 0", stdout: "{\"type\":\"message\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Ran into this error: Authentication failed. Status: 401 Unauthorized.\"}]}}\n{\"type\":\"complete\"}\n", stderr: "", exit: 0, outcome: AuthError },
    Case { client: "cline", trait_: "done", stdout: "{\"type\":\"run_result\",\"finishReason\":\"completed\",\"text\":\"Done.\"}\n", stderr: "", exit: 0, outcome: Done },
    Case { client: "cline", trait_: "too many mistakes", stdout: "{\"type\":\"error\",\"message\":\"Task failed: Too many consecutive mistakes (3).\"}\n", stderr: "", exit: 1, outcome: MaxTurns },
    Case { client: "aider", trait_: "the service refuses the key and it exits with 0", stdout: "Aider v0\n\nlitellm.AuthenticationError: OpenAIException - no\nCheck your key.\n", stderr: "", exit: 0, outcome: AuthError },
    Case { client: "aider", trait_: "an error that it got over", stdout: "litellm.APIError: Overloaded\nRetrying in 2.0 seconds...\nDone.\n\nTokens: 100 sent, 20 received.\n", stderr: "", exit: 0, outcome: Done },
];

#[test]
fn every_way_to_end_is_told_apart() {
    for case in CASES {
        let (outcome, message) =
            classify(case.client, case.stdout, case.stderr, Some(case.exit), false).unwrap();
        assert_eq!(outcome, case.outcome, "{}: {} ({message})", case.client, case.trait_);
    }
}

/// Captured runs with an error, a signal or a faulty hook.
#[rustfmt::skip]
const ERRORS: [(&str, Outcome); 58] = [
    ("ae401", AuthError), ("ae529", ApiError), ("c7-badjson", Done), ("c7-cont", Done), ("c7-exit1", Done),
    ("c7-json2", Done), ("c7-slow", Done), ("cbadflag", Crashed), ("cbudget", MaxTurns), ("ccut", Done),
    ("cdupsid", Crashed), ("ce400", ApiError), ("ce401", AuthError), ("ce429", RateLimited), ("ce529", ApiError),
    ("cint", Interrupted), ("clongint", Interrupted), ("clongkill", Crashed), ("clongterm", Interrupted),
    ("cmaxturns", MaxTurns), ("cnested", Done), ("cnoauth", AuthError), ("cnoprompt", Crashed),
    ("cnoverbose", Crashed), ("cresume", Crashed), ("cterm", Interrupted), ("g3-block", Interrupted),
    ("gbad", Crashed), ("gcut", ApiError), ("ge400", ApiError), ("ge401", AuthError), ("ge529", ApiError),
    ("gint", Interrupted), ("gtrust", AuthError), ("ke401", AuthError), ("obadmodel", ApiError),
    ("ocut", Interrupted), ("oe400", ApiError), ("oe401", AuthError), ("oe529", Interrupted), ("oint", Interrupted),
    ("p-claude", Interrupted), ("p-codex", Interrupted), ("p-gemini", Interrupted), ("p-opencode", Interrupted),
    ("scut", Done), ("se401", AuthError), ("se529", ApiError), ("x3-block", Interrupted), ("x4-notrust", Done),
    ("xbadflag", Crashed), ("xcut", ApiError), ("xe400", ApiError), ("xe401", AuthError), ("xe429", RateLimited),
    ("xe529", ApiError), ("xint", Interrupted), ("xnokey", EnvMissing),
];

/// Captured runs that are not clearly done.
const RUNS: [(&str, Outcome); 4] = [
    ("permission-denied", Denied),
    ("sigterm-in-tool", Interrupted),
    ("sigint-in-tool", Interrupted),
    ("json-mistakes", MaxTurns),
];

#[test]
fn captured_runs_are_told_apart_where_they_are_there() {
    let Some(folder) = corpus() else { return };
    for (name, outcome) in ERRORS.into_iter().chain([("xnogit", Crashed)]) {
        let text = std::fs::read_to_string(folder.join(format!("errors/{name}.json"))).unwrap();
        let run: Value = serde_json::from_str(&text).unwrap();
        let field = |field: &str| run[field].as_str().unwrap();
        let exit = i32::try_from(run["exit_code"].as_i64().unwrap()).unwrap();
        let found =
            classify(client(name), field("stdout_tail"), field("stderr_tail"), Some(exit), false).unwrap();
        assert_eq!(found.0, outcome, "{name}: {}", found.1);
    }
    let list = std::fs::read_to_string(folder.join("MANIFEST.json")).unwrap();
    let list: Value = serde_json::from_str(&list).unwrap();
    let runs = list["runs"].as_array().unwrap();
    assert!(runs.len() > 20);
    for run in runs {
        let name = run["folder"].as_str().unwrap();
        let place = folder.join(name);
        let read = |stem: &str| {
            let files = ["txt", "json", "jsonl"].map(|end| place.join(format!("{stem}.{end}")));
            let file = files.iter().find(|file| file.is_file()).unwrap();
            String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned()
        };
        let exit = i32::try_from(run["exit_code"].as_i64().unwrap()).unwrap();
        let cli = run["cli"].as_str().unwrap().trim_end_matches(char::is_numeric);
        let found =
            classify(cli, &read("stdout"), &read("stderr"), Some(exit), !name.contains("denied")).unwrap();
        let wanted = RUNS.iter().find(|(end, _)| name.ends_with(end)).map_or(Done, |(_, outcome)| *outcome);
        assert_eq!(found.0, wanted, "{name}: {}", found.1);
    }
}

/// The client of a captured error, by the first letter of its name.
fn client(name: &str) -> &'static str {
    let name = name.strip_prefix("p-").unwrap_or(name);
    match name.as_bytes()[0] {
        b'a' => "aider",
        b'g' => "gemini",
        b'k' => "kilo",
        b'o' => "opencode",
        b's' => "goose",
        b'x' => "codex",
        b'c' if name == "codex" => "codex",
        _ => "claude",
    }
}

fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("PLANTOOLS_CORPUS").map_or(beside, PathBuf::from).join("agents");
    folder.is_dir().then_some(folder)
}
