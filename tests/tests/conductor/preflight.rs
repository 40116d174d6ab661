//! What can be known before the first worker is said before it, by a run and by `orchestrate doctor` alike.

use pipeline_tests::{Bench, Got, bench};

const CONFIG: &str = "[defaults]\nworker = \"w\"\n\n[workers.w]\ncommand = [\"../home/w.sh\"]\n";

const PLAN: &str = "# Todo\n\n- [ ] Make a\n  Verify: `test -f a` → exit 0\n";

/// A plan and a worker that makes `a` and `b`.
fn repository(plan: &str, more: &str) -> Bench {
    let bench = bench!(empty);
    bench.write("TODO.md", plan).write("plantools.toml", format!("{CONFIG}{more}")).commit_all("plan");
    bench.set_worker("echo a > a; echo b > b; echo '{\"status\":\"SUCCESS\"}'");
    bench
}

fn run(bench: &Bench, args: &[&str]) -> Got {
    bench.command("orchestrate").args(args).args(["TODO.md"]).within(60).run()
}

fn doctor(bench: &Bench) -> Got {
    bench.command("orchestrate").args(["doctor"]).within(60).run()
}

/// Both say it; the run ends with this code and starts no worker.
#[track_caller]
fn is_refused(bench: &Bench, args: &[&str], code: i32, said: &str) {
    let got = run(bench, args);
    got.exits(code);
    assert!(got.err().contains(said), "{got:?}");
    assert_eq!(bench.count("attempt_begin"), 0, "{got:?}");
    let got = doctor(bench);
    assert!(got.exits(1).out().contains(said), "{got:?}");
    let row = got.out().lines().any(|line| line.starts_with("fail ") && line.contains(said));
    assert!(row, "{got:?}");
}

#[test]
fn a_gate_with_an_unresolved_token_is_found_before_the_first_worker() {
    let gates = "\n[[gates]]\nid = \"types\"\ninvocation = \"mypy {{TARGET}}\"\nwhen = [\"end\"]\n";
    is_refused(&repository(PLAN, gates), &[], 78, "gate 'types' has an unresolved '{{TARGET}}'");
}

#[test]
fn a_gate_that_calls_another_python_is_found_before_the_first_worker() {
    let config = CONFIG.replace("worker = \"w\"\n", "worker = \"w\"\npython_runner = \"uv run python\"\n");
    let gates = "\n[[gates]]\nid = \"unit\"\ninvocation = \"python3 -m unittest\"\nwhen = [\"end\"]\n";
    let bench = repository(PLAN, "");
    bench.write("plantools.toml", format!("{config}{gates}")).commit_all("a runner");
    is_refused(&bench, &[], 78, "calls 'python3'");
}

#[test]
fn an_agent_that_only_the_last_task_names_is_found_before_the_first_worker() {
    let bench = repository(PLAN, "");
    let plan = "# Tally\n\n## Step 1: One\n\n**Execution Model**: haiku\n\nMake a.\n\n## Step 2: Two\n\n\
                **Execution Model**: haiku\n\n**Agent**: nobody-knows\n\nMake b.\n";
    bench.write("runbook.md", plan).write("TODO.md", "none\n").commit_all("a runbook");
    bench.write("plantools.toml", format!("{CONFIG}model = \"haiku\"\n")).commit_all("a model");
    let got = bench.command("orchestrate").args(["runbook.md"]).within(60).run();
    got.exits(78);
    assert!(got.err().contains("asks for the agent 'nobody-knows'"), "{got:?}");
    assert!(got.err().contains("[agents]\nnobody-knows = \"w\""), "the row to add: {got:?}");
    assert_eq!(bench.count("attempt_begin"), 0);
    let got = doctor(&bench);
    assert!(got.exits(1).out().contains("asks for the agent 'nobody-knows'"), "{got:?}");
}

#[test]
fn a_program_of_a_check_that_is_not_installed_is_named() {
    let plan = format!("{PLAN}\n- [ ] Make b\n  Verify: `no-such-program-here --all` → exit 0\n");
    let bench = repository(&plan, "");
    let said = "checks of open tasks start programs that are not installed: no-such-program-here";
    let got = run(&bench, &[]);
    assert!(got.exits(5).err().contains(said), "{got:?}");
    let got = doctor(&bench);
    assert!(got.out().contains(&format!("warn  TODO.md: {said}")), "{got:?}");
}

#[test]
fn the_shell_s_own_commands_are_no_missing_programs() {
    let plan = "# Todo\n\n- [ ] Make a\n  Verify: `cd . && test -f a && ! grep -q x a` → exit 0\n";
    let got = run(&repository(plan, ""), &[]);
    assert!(!got.exits(0).err().contains("not installed"), "{got:?}");
}

#[test]
fn a_branch_without_an_upstream_is_found_before_the_first_worker_if_the_run_pushes() {
    let bench = repository(PLAN, "");
    let got = run(&bench, &["--push"]);
    got.exits(65);
    assert!(
        got.err().contains("has no upstream") && got.err().contains("git push --set-upstream origin main")
    );
    assert_eq!(bench.count("attempt_begin"), 0);
}

#[test]
fn tasks_without_a_check_and_unclear_ones_wait_while_the_others_run() {
    let unclear = "- [ ] Make c\n  Verify: `cat c` prints roughly what one expects\n";
    let plan = format!("{PLAN}\n- [ ] Think about it\n\n{unclear}");
    let bench = repository(&plan, "");
    let got = run(&bench, &[]);
    got.exits(5);
    assert!(got.err().contains("no check, and so no tick, for task"), "{got:?}");
    assert!(got.err().contains("checkbox fix TODO.md"), "{got:?}");
    let text = bench.text("TODO.md");
    assert!(text.contains("- [x] Make a") && text.contains("- [ ] Make c"), "{text}");
    let out = doctor(&bench).out();
    assert!(out.contains("no check, and so no tick") && out.contains("fix: checkbox fix TODO.md"), "{out}");
}

#[test]
fn a_task_whose_worker_never_started_has_used_no_attempts() {
    let bench = repository(PLAN, "");
    run(&bench, &[]).exits(0);
    bench.write("TODO.md", PLAN).write("plantools.toml", "").commit_all("another configuration");
    bench.sh("rm a").run().exits(0);
    let got = run(&bench, &["--worker", "shell"]);
    got.exits(5);
    let said = format!("{}{}", got.out(), got.err());
    assert!(!said.contains("attempts used") && !said.contains("no attempts left"), "{got:?}");
    let status = bench.sh("plan-parse -q TODO.md | dag-next --status").run().json();
    assert_eq!(
        (&status["exhausted"], status["given_up"][0]["id"].as_str()),
        (&serde_json::Value::Null, None),
        "{status}"
    );
}

#[test]
fn the_first_line_of_a_run_says_which_evidence_ticks() {
    for (more, args, level) in [
        ("", &[][..], "passes"),
        ("\n[proof]\naccept = \"proved\"\n", &[], "proved"),
        ("", &["--accept", "gates", "--reason", "a trial"], "gates"),
    ] {
        let bench = repository(PLAN, more);
        let got = run(&bench, args);
        let out = got.exits(0).out();
        let wanted = format!("TODO.md: workflow checklist; ticks on the level '{level}' or better");
        assert_eq!(out.lines().next(), Some(wanted.as_str()), "{got:?}");
    }
}

#[test]
fn a_check_that_acts_runs_with_a_reason_alone() {
    let plan = "# Todo\n\n- [ ] Publish a\n  Verify: `git push ../there HEAD:refs/heads/out && test -f a` → exit 0\n";
    let bench = repository(plan, "");
    bench.git(&["init", "--quiet", "--bare", "../there"]);
    let got = run(&bench, &[]);
    assert!(got.exits(5).err().contains("--allow-acts"), "{got:?}");
    assert_eq!(bench.count("attempt_begin"), 0);
    let got = run(&bench, &["--allow-acts", "the copy is ours"]);
    got.exits(0);
    let because = bench.records().into_iter().find(|record| record["key"] == "allow-acts").expect("a record");
    assert_eq!(because["data"]["reason"], "the copy is ours", "{because}");
}

#[test]
fn init_writes_the_level_that_is_named() {
    let bench = bench!(empty);
    bench.command("orchestrate").args(["init", "--accept", "gates"]).run().exits(0);
    assert!(bench.text("plantools.toml").contains("\n[proof]\naccept = \"gates\"\n"));
    let printed = bench.command("orchestrate").args(["init", "--dry-run"]).run();
    assert!(printed.exits(0).out().contains("\n[proof]\n# accept = \"passes\"\n"), "{printed:?}");
    bench.command("orchestrate").args(["init", "--accept", "most"]).run().exits(2);
}

#[test]
fn a_name_that_is_nearly_that_of_a_plan_is_answered_with_it() {
    let bench = repository(PLAN, "");
    bench.write(".dev/specs/alpha/PLAN.md", "## TODOs\n\n### [ ] TODO 1: a\n");
    let got = bench.command("orchestrate").args(["alph"]).run();
    assert!(got.exits(66).err().contains("a similar plan exists: 'alpha'"), "{got:?}");
}
