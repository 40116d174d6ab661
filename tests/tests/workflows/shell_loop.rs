//! `scripts/loop` and `scripts/round`: the workflows with nothing but a shell and the tools end as with `orchestrate`.

use crate::project::{left, orchestrate, project, sorted_subjects};
use pipeline_tests::{Bench, Got, workspace};

/// `scripts/loop` with these arguments.
fn run_loop(bench: &Bench, args: &[&str]) -> Got {
    let script = workspace().join("scripts/loop");
    let run = bench.command("sh").args([script.to_string_lossy().as_ref()]).args(args);
    run.env("PLANTOOLS_NOW", "2026-01-31T12:00:00Z").env("PLANTOOLS_RUN", "r1").within(120).run()
}

/// What was decided about each check and task, without times and names of runs.
fn verdicts(bench: &Bench) -> Vec<String> {
    let verdict =
        |kind: &str| ["gate_pass", "gate_fail", "tick", "halt", "commit", "escalation"].contains(&kind);
    let records =
        bench.records().into_iter().filter(|record| verdict(record["type"].as_str().unwrap_or_default()));
    let hash = |key: &str| key.len() == 40 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut found: Vec<String> = records
        .map(|record| {
            let key = record["key"].as_str().unwrap_or_default();
            format!("{} {} {}", record["type"], record["task"], if hash(key) { "HASH" } else { key })
        })
        .collect();
    found.sort();
    found
}

#[track_caller]
fn same(one: &Bench, other: &Bench) {
    let (of_one, of_other) = (left(one), left(other));
    let names: Vec<&String> = of_one.keys().chain(of_other.keys()).collect();
    for name in names {
        assert_eq!(of_one.get(name), of_other.get(name), "{name}");
    }
    assert_eq!(sorted_subjects(one), sorted_subjects(other));
    assert_eq!(verdicts(one), verdicts(other));
    other.command("punch").args(["verify"]).run().exits(0);
}

#[test]
fn the_three_workflows_with_a_scripted_worker_end_the_same() {
    for (profile, script, plan, named) in [
        ("execute", "", "shop", ".dev/specs/shop/PLAN.md"),
        ("execute", "2 1 fail\n3 1 nothing\n", "shop", ".dev/specs/shop/PLAN.md"),
        ("orchestrate-runbook", "", "tally", "plans/tally"),
        ("orchestrate-runbook", "1.1 1 fail\n1.1 2 blocked\n", "tally", "plans/tally"),
        ("checklist", "", "PLAN.md", "PLAN.md"),
    ] {
        let (one, other) = (project(profile, script), project(profile, script));
        let first = orchestrate(&one, &[plan]).env("PLANTOOLS_NOW", "2026-01-31T12:00:00Z").run();
        let second = run_loop(&other, &[named]);
        assert_eq!(first.status, second.status, "{profile} {script:?}: {first:?}\n{second:?}");
        same(&one, &other);
    }
}

#[test]
fn a_prepared_task_waits_for_approval_and_is_closed_the_same() {
    let [one, other] = [(); 2].map(|()| Bench::workflow(env!("CARGO_BIN_EXE_t-plantools"), "execute-task"));
    let packet = ".kilocode/handoff/shelf-7.json";
    one.carry_out(&["shelf-7"]).env("PLANTOOLS_RUN", "r1").run().exits(5);
    run_loop(&other, &[packet]).exits(5);
    same(&one, &other);
    for bench in [&one, &other] {
        bench.check("checkbox criterion plan:2 --reason 'I read them' .kilocode/todo/shelf-7.md", 0);
    }
    one.carry_out(&["--approve", "shelf-7"]).env("PLANTOOLS_RUN", "r1").run().exits(0);
    run_loop(&other, &["-a", packet]).exits(0);
    same(&one, &other);
    assert_eq!(one.text("../calls"), other.text("../calls"));
}

#[test]
fn a_session_is_completed_and_archived_the_same() {
    let [one, other] =
        [(); 2].map(|()| Bench::workflow(env!("CARGO_BIN_EXE_t-plantools"), "workflow-execute"));
    let session = ".workflow/active/WFS-shop";
    one.carry_out(&[session]).run().exits(0);
    run_loop(&other, &[session]).exits(0);
    same(&one, &other);
}

#[test]
fn several_tasks_at_once_end_the_same() {
    let (one, other) = (project("execute", ""), project("execute", ""));
    orchestrate(&one, &["--jobs", "2", "shop"]).run().exits(0);
    run_loop(&other, &["-j", "2", ".dev/specs/shop/PLAN.md"]).exits(0);
    assert_eq!(sorted_subjects(&one), sorted_subjects(&other));
    assert_eq!(one.text(".dev/specs/shop/PLAN.md"), other.text(".dev/specs/shop/PLAN.md"));
}

#[test]
fn the_pipe_that_is_printed_runs_one_round() {
    for (profile, plan) in [("execute", "shop"), ("orchestrate-runbook", "tally"), ("checklist", "PLAN.md")] {
        let (one, other) = (project(profile, ""), project(profile, ""));
        let script = workspace().join("scripts/round");
        let named = if profile == "execute" { ".dev/specs/shop/PLAN.md" } else { plan };
        let named = if profile == "orchestrate-runbook" { "plans/tally" } else { named };
        one.sh(&format!("orchestrate --print-pipe {plan} | sh")).run().exits(0);
        other.command("sh").args([script.to_string_lossy().as_ref(), named]).run().exits(0);
        for bench in [&one, &other] {
            assert_eq!(bench.text("../home/calls").lines().count(), 1, "{profile}: one task");
            assert_eq!(bench.count("tick"), 1, "{profile}");
        }
        let printed = orchestrate(&one, &["--print-pipe", plan]).run();
        assert!(printed.exits(0).out().starts_with("plan-parse --quiet "), "{printed:?}");
        assert_eq!(printed.out().lines().count(), 1, "{printed:?}");
    }
}

#[test]
fn the_pipe_of_a_workflow_with_an_agent_runs_one_round_when_it_is_printed() {
    for (profile, plan) in [("execute-task", "shelf-7"), ("workflow-execute", ".workflow/active/WFS-shop")] {
        let bench = Bench::workflow(env!("CARGO_BIN_EXE_t-plantools"), profile);
        if profile == "execute-task" {
            // The packet becomes a list once, which a printed pipe does not do.
            bench.check("checkbox unfold .kilocode/handoff/shelf-7.json", 0);
            bench.check("checkbox tick runtime-report --reason none .kilocode/todo/shelf-7.md", 0);
        }
        let before = bench.count("attempt_begin");
        bench.sh(&format!("orchestrate --print-pipe {plan} | sh")).within(120).run().exits(0);
        assert_eq!(bench.count("attempt_begin"), before + 1, "{profile}: one task");
        assert!(bench.count("tick") >= 1, "{profile}");
    }
}

#[test]
fn values_of_the_command_line_are_words_of_the_pipe_and_never_its_text() {
    let bench = project("checklist", "");
    let args =
        ["--only", "a 'b'; touch pwned", "--accept-change", "$(touch pwned)", "--print-pipe", "PLAN.md"];
    let got = orchestrate(&bench, &args).run();
    let line = got.exits(0).out();
    assert!(
        line.contains(r"--only 'a '\''b'\''; touch pwned'") && line.contains("'$(touch pwned)'"),
        "{line}"
    );
    bench.sh(&line).run();
    assert!(!bench.path("pwned").exists());
}
