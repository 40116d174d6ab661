//! Who steers a run: arguments, signals, files, budgets, and what happens when a task is given up.

use crate::execute::{PLAN, PROFILE};
use crate::project::{calls, carried, is_tidy, orchestrate, project};
use pipeline_tests::{Bench, Live, bench, until};
use std::time::Duration;

#[test]
fn a_plan_is_found_by_path_and_by_name_and_listed_where_none_is_named() {
    let bench = project(PROFILE, "");
    for (args, status) in
        [(&["--dry-run", PLAN][..], 0), (&["--dry-run", "shop"], 0), (&["--dry-run", "shops"], 66)]
    {
        assert_eq!(orchestrate(&bench, args).run().status, status, "{args:?}");
    }
    let got = carried(&bench, &[], 2);
    assert!(got.err().contains(".dev/specs/shop/PLAN.md"), "{got:?}");
    bench.git(&["checkout", "-q", "-b", "feat/shop"]);
    let got = carried(&bench, &["--dry-run"], 0);
    assert!(got.out().starts_with("# Task 1: Prices"), "{got:?}");
}

#[test]
fn a_task_without_a_preparation_is_66() {
    let got = carried(&project(PROFILE, ""), &["core-82w"], 66);
    assert!(got.err().contains("no preparation for core-82w: run start-task first"), "{got:?}");
}

#[test]
fn wrong_command_lines_are_2() {
    let bench = project(PROFILE, "");
    for args in [
        &["--on-halt", "think", "shop"][..],
        &["--budget-time", "soon", "shop"],
        &["--budget-time", "5x", "shop"],
        &["--budget-attempts", "-1", "shop"],
        &["--profile", "../execute", "shop"],
        &["--profile", "none", "shop"],
        &["--profile"],
        &["one", "two"],
    ] {
        let status = orchestrate(&bench, args).run().status;
        assert_eq!(status, 2, "{args:?}");
    }
    assert!(!bench.path("../home/calls").exists());
}

#[test]
fn a_dry_run_of_every_profile_writes_nothing() {
    for (profile, plan) in [("execute", "shop"), ("orchestrate-runbook", "tally"), ("checklist", "PLAN.md")] {
        let bench = project(profile, "");
        let got = carried(&bench, &["--dry-run", plan], 0);
        assert!(
            got.err().contains(&format!("profile: {profile}, pipe: plan-parse | dag-next | handoff | "))
                && !got.out().is_empty(),
            "{got:?}"
        );
        assert!(!bench.path(".plantools").exists() && !bench.path("../home/calls").exists(), "{profile}");
    }
}

#[test]
fn another_profile_can_be_asked_for() {
    let bench = project(PROFILE, "1 1 fumble\n1 2 fumble\n1 3 fumble\n");
    carried(&bench, &["--profile", "checklist", "--on-halt", "stop", PLAN], 0);
    assert_eq!(
        calls(&bench),
        "1 1\n1 2\n1 3\n1 4\n2 1\n3 1\nFinal 1\n",
        "a fix order after its three attempts"
    );
}

#[test]
fn budgets_are_kept() {
    let bench = project(PROFILE, "");
    let got = carried(&bench, &["--budget-time", "0", "shop"], 5);
    assert!(got.err().contains("the time is used up"), "{got:?}");
    assert!(!bench.path("../home/calls").exists());
    let got = carried(&bench, &["--budget-attempts", "2", "shop"], 5);
    assert!(got.err().contains("  3: the budget is used up: 2 of 2 attempts\n"), "{got:?}");
    assert_eq!(calls(&bench), "1 1\n2 1\n");
    carried(&bench, &["shop"], 0);
    is_tidy(&bench);
}

#[test]
fn a_run_that_has_cost_enough_begins_nothing_more() {
    let bench = bench!(demo);
    let answer = "{\\\"status\\\":\\\"ERROR\\\",\\\"error\\\":\\\"no\\\"}";
    let result = format!(
        "{{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"total_cost_usd\":0.4,\"result\":\"{answer}\"}}"
    );
    bench.program("../home/claude", &format!("#!/bin/sh\necho '{result}'\n"));
    bench.write("plantools.toml", "[workers.claude]\nprogram = \"../home/claude\"\n");
    let got = carried(&bench, &["--worker", "claude", "--budget-cost", "1", pipeline_tests::DEMO_PLAN], 5);
    assert_eq!(bench.count("attempt_end"), 3, "0.4 each, and one more after 0.8: {got:?}");
    assert!(got.err().contains("  1: the budget is used up: 1.2"), "{got:?}");
}

/// A stand-in for codex: it reports a million tokens in its rollout, and no cost.
fn codex(bench: &Bench, config: &str) {
    const SCRIPT: &str = r#"#!/bin/sh
cat > /dev/null
say() { printf '%s\n' "$1"; }
say '{"type":"thread.started","thread_id":"'$$'"}'
say '{"type":"item.completed","item":{"type":"agent_message","text":"{\"status\":\"ERROR\",\"error\":\"no\"}"}}'
say '{"type":"turn.completed"}'
mkdir -p ~/.codex/sessions/1/1/1
used='{"input_tokens":900000,"cached_input_tokens":0,"output_tokens":100000}'
say '{"timestamp":"t","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":'$used'}}}' \
  > ~/.codex/sessions/1/1/1/rollout-1-$$.jsonl
"#;
    bench.program("../home/codex", SCRIPT);
    bench.write("plantools.toml", format!("[workers.codex]\nprogram = \"../home/codex\"\n{config}"));
}

#[test]
fn a_run_that_has_used_its_tokens_begins_nothing_more() {
    let bench = bench!(demo);
    codex(&bench, "");
    let got =
        carried(&bench, &["--worker", "codex", "--budget-tokens", "1500000", pipeline_tests::DEMO_PLAN], 5);
    assert_eq!(bench.count("attempt_end"), 2, "a million each: {got:?}");
    assert!(got.err().contains("the budget is used up: 2000000 of 1500000 tokens"), "{got:?}");
}

#[test]
fn a_budget_of_cost_needs_a_worker_that_tells_it_or_a_price() {
    let bench = bench!(demo);
    codex(&bench, "");
    let args = ["--worker", "codex", "--budget-cost", "3", pipeline_tests::DEMO_PLAN];
    let got = carried(&bench, &args, 65);
    assert!(got.err().contains("the worker 'codex' reports no cost"), "{got:?}");
    assert!(got.err().contains("[prices.codex]"), "{got:?}");
    assert_eq!(bench.count("attempt_begin"), 0, "it is refused before the first worker");
    codex(&bench, "[prices.codex]\ninput = 1.0\noutput = 6.0\n");
    let got = carried(&bench, &args, 5);
    assert_eq!(bench.count("attempt_end"), 2, "1.50 each: {got:?}");
    assert!(got.err().contains("the budget is used up: 3.00 of 3.00"), "{got:?}");
    bench.write("plantools.toml", "");
    let got = carried(&bench, &["--budget-tokens", "3", pipeline_tests::DEMO_PLAN, "--", "true"], 65);
    assert!(got.err().contains("reports no tokens"), "{got:?}");
}

#[test]
fn on_a_terminal_a_person_is_asked_whether_to_go_on() {
    for (reply, called) in [
        ("n", "1 1\n"),
        ("?\\nstop", "1 1\n"),
        ("s", "1 1\n3 1\n"),
        ("l\\nr\\ns", "1 1\n1 2\n2 1\n3 1\nFinal 1\n"),
    ] {
        let bench = project(PROFILE, "1 1 nothing\n");
        // Only standard output is not a terminal, so that no board takes the key.
        let line = format!(
            "printf '{reply}\\n' | script -qec 'orchestrate shop | cat; exit ${{PIPESTATUS[0]}}' /dev/null"
        );
        let got = bench.sh(&line).env("SHELL", "/bin/bash").within(60).run();
        assert_eq!(calls(&bench), called, "{got:?}");
        // The reason and what failed stand above the question.
        let above = got.out();
        let (above, _) = above.split_once("task 1: [r]etry, [s]kip").unwrap_or_else(|| panic!("{got:?}"));
        assert!(above.contains("task 1 is given up: ") && above.contains("✗ 1 Prices: attempt 1"), "{got:?}");
        assert_eq!(reply.starts_with('?'), got.out().contains("leave the task and go on"), "{got:?}");
        got.exits(if called.ends_with("Final 1\n") { 0 } else { 5 });
        // The decision is on record, with its task.
        let wanted = match reply {
            "s" => "skip",
            "n" | "?\\nstop" => "stop",
            _ => "retry",
        };
        let is_it = |r: &serde_json::Value| {
            let task = if wanted == "retry" { &r["task"] } else { &r["data"]["task"] };
            r["type"] == "override" && r["key"] == wanted && *task == "1" && r["source"]["kind"] == "human"
        };
        assert!(bench.records().iter().any(is_it), "{wanted}: {:?}", bench.records());
    }
}

#[test]
fn a_change_is_accepted_only_with_a_reason() {
    let bench = project(PROFILE, "1 1 fail\n");
    carried(&bench, &["--budget-attempts", "1", "shop"], 5);
    bench.write(PLAN, bench.text(PLAN).replace("- [ ] Write the prices", "- [ ] Write all the prices"));
    bench.commit_all("another wording");
    let got = carried(&bench, &["--on-halt", "stop", "shop"], 5);
    assert!(got.err().contains("changed") && calls(&bench) == "1 1\n", "{got:?}");
    carried(&bench, &["--accept-change", "only the wording", "shop"], 0);
    let reasons = bench.command("punch").args(["list", "--type", "override"]).run().out();
    assert!(reasons.contains("only the wording"), "{reasons}");
}

#[test]
fn the_first_signal_lets_what_runs_be_finished() {
    let bench = project(PROFILE, "1 1 slow\n");
    let live = orchestrate(&bench, &["shop"]).start();
    until(|| bench.path("../home/calls").exists());
    signal(&bench);
    let got = live.wait(Duration::from_secs(60)).unwrap_or_else(|got| panic!("{got:?}"));
    assert_eq!((got.status, calls(&bench).as_str()), (130, "1 1\n"), "{got:?}");
    assert_eq!(bench.boxes(PLAN), (1, 3), "what ran was finished: {got:?}");
    carried(&bench, &["shop"], 0);
    is_tidy(&bench);
}

#[test]
fn an_interrupt_of_all_of_its_processes_lets_what_runs_be_finished_too() {
    let bench = project(PROFILE, "1 1 slow\n");
    let live = orchestrate(&bench, &["shop"]).start();
    until(|| bench.path("../home/calls").exists());
    live.interrupt();
    let got = live.wait(Duration::from_secs(60)).unwrap_or_else(|got| panic!("{got:?}"));
    assert_eq!((got.status, calls(&bench).as_str()), (130, "1 1\n"), "{got:?}");
    assert_eq!(bench.processes(), Vec::<String>::new(), "{got:?}");
    assert_eq!(bench.boxes(PLAN), (1, 3), "what ran was finished: {got:?}");
    carried(&bench, &["shop"], 0);
    is_tidy(&bench);
}

#[test]
fn one_task_that_was_asked_for_is_not_the_whole() {
    let bench = project(PROFILE, "");
    let got = carried(&bench, &["--only", "1", "shop"], 0);
    assert!(got.out().contains("done: task 1; nothing else was asked for"), "{got:?}");
    assert!(!got.out().contains("nothing is left to do"), "{got:?}");
}

#[test]
fn the_second_signal_stops_at_once_and_costs_no_attempt() {
    let bench = project(PROFILE, "1 1 hang\n");
    bench.sh("sed -i 's/timeout_seconds = 2/timeout_seconds = 60/' plantools.toml").run().exits(0);
    bench.commit_all("patience");
    let mut live = orchestrate(&bench, &["shop"]).start();
    until(|| bench.path("../home/calls").exists());
    signal(&bench);
    said(&mut live, "finishing the running task, then stopping; Ctrl-C again stops now");
    signal(&bench);
    let got = live.wait(Duration::from_secs(30)).unwrap_or_else(|got| panic!("{got:?}"));
    assert_eq!(got.status, 130, "{got:?}");
    assert_eq!(got.err().lines().count(), 2, "one line for each signal, none for each stage: {got:?}");
    until(|| bench.processes().is_empty());
    carried(&bench, &["--max-attempts", "1", "shop"], 0);
    is_tidy(&bench);
}

#[test]
fn an_end_from_outside_stops_at_once_and_costs_no_attempt() {
    for how in ["TERM", "HUP"] {
        let bench = project(PROFILE, "1 1 hang\n");
        bench.sh("sed -i 's/timeout_seconds = 2/timeout_seconds = 60/' plantools.toml").run().exits(0);
        bench.commit_all("patience");
        let live = orchestrate(&bench, &["shop"]).start();
        until(|| bench.path("../home/calls").exists());
        live.signal_by_name(how);
        let got = live.wait(Duration::from_secs(30)).unwrap_or_else(|got| panic!("{how}: {got:?}"));
        assert_eq!(
            (got.status, got.err().as_str()),
            (130, "orchestrate: stopped; run it again to go on\n"),
            "{how}"
        );
        until(|| bench.processes().is_empty());
        carried(&bench, &["--max-attempts", "1", "shop"], 0);
        is_tidy(&bench);
    }
}

#[test]
fn a_run_pauses_and_stops_when_it_is_asked_to() {
    let bench = project(PROFILE, "");
    carried(&bench, &["--pause", "shop"], 0);
    let mut live = orchestrate(&bench, &["shop"]).start();
    said(&mut live, "paused");
    assert!(!bench.path("../home/calls").exists());
    carried(&bench, &["--stop", "shop"], 0);
    carried(&bench, &["--unpause", "shop"], 0);
    let got = live.wait(Duration::from_secs(30)).unwrap_or_else(|got| panic!("{got:?}"));
    assert_eq!(got.status, 5, "{got:?}");
    assert!(got.err().contains("stopped as asked") && !bench.path("../home/calls").exists(), "{got:?}");
    carried(&bench, &["shop"], 0);
}

#[test]
fn what_is_printed_stands_in_the_log_too() {
    let bench = project(PROFILE, "");
    let got = carried(&bench, &["shop"], 0);
    let log = bench.sh("cat .plantools/logs/run-*.log").run().out();
    let (first, rest) = log.split_once('\n').unwrap();
    assert!(first.contains(" run ") && first.ends_with("shop/PLAN.md, profile execute"), "{first}");
    assert_eq!(rest, got.out());
}

#[test]
fn a_rate_limit_waits_and_spends_no_attempt() {
    let bench = bench!(demo);
    bench.program("../home/claude", "#!/bin/sh\necho '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"result\":\"API Error: 429 rate_limit\"}'\n");
    bench.write("plantools.toml", "[workers.claude]\nprogram = \"../home/claude\"\n");
    let plan = pipeline_tests::DEMO_PLAN;
    let got = orchestrate(&bench, &["--worker", "claude", "--budget-time", "3s", plan]).run();
    got.exits(5);
    assert!(got.err().contains("the time is used up"), "{got:?}");
    let status = bench.sh(&format!("plan-parse -q {plan} | dag-next --status --text")).run();
    status.exits(6);
    assert!(status.out().contains("not before"), "{status:?}");
}

/// Sends SIGINT to orchestrate alone, as `kill -INT PID` does.
fn signal(bench: &Bench) {
    let line = "kill -INT \"$(sed -n 's/^orchestrate.*, process \\([0-9]*\\) on .*/\\1/p' .plantools/locks/run-????????????????)\"";
    bench.sh(line).run().exits(0);
}

/// Waits until it says so.
fn said(live: &mut Live, words: &str) {
    until(|| live.stderr().contains(words));
}
