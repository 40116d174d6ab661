//! `workflow-execute` carried out on its example: the last state exactly, in sequence and together, and every worker
//! that is not honest.

use pipeline_tests::{Bench, Got, until};
use serde_json::Value;

const ACTIVE: &str = ".workflow/active/WFS-shop";
const DONE: &str = ".workflow/archives/WFS-shop";

fn example() -> Bench {
    Bench::workflow(env!("CARGO_BIN_EXE_t-plantools"), "workflow-execute")
}

/// The marks of the list, in order.
fn marks(bench: &Bench, place: &str) -> String {
    let list = bench.text(&format!("{place}/TODO_LIST.md"));
    list.lines().filter(|l| l.contains("**IMPL-")).filter_map(|l| l.chars().nth(3)).collect()
}

/// The statuses of the task files, in order.
fn statuses(bench: &Bench, place: &str) -> Vec<String> {
    let status = |id: u8| {
        let text = bench.text(&format!("{place}/.task/IMPL-{id}.json"));
        let file: Value = serde_json::from_str(&text).unwrap_or_default();
        file["status"].as_str().unwrap_or("").to_owned()
    };
    [1, 2, 3].map(status).to_vec()
}

#[track_caller]
fn is_complete(bench: &Bench) {
    assert!(!bench.path(ACTIVE).exists());
    assert_eq!(marks(bench, DONE), "xxx");
    assert_eq!(statuses(bench, DONE), ["completed"; 3]);
    for id in 1..=3 {
        let summary = bench.text(&format!("{DONE}/.summaries/IMPL-{id}-summary.md"));
        assert!(summary.contains("## Status: ✅ Complete"), "{summary}");
    }
    let session: Value =
        serde_json::from_str(&bench.text(&format!("{DONE}/workflow-session.json"))).unwrap_or_default();
    assert_eq!(session["status"], "completed");
    let manifest: Value =
        serde_json::from_str(&bench.text(".workflow/archives/manifest.json")).unwrap_or_default();
    assert_eq!(manifest.as_array().map(Vec::len), Some(1), "{manifest}");
    assert_eq!(
        (&manifest[0]["session_id"], &manifest[0]["metrics"]["tasks_completed"]),
        (&"WFS-shop".into(), &3.into())
    );
    // Tasks of one batch end in any order.
    let mut subjects = bench.subjects();
    subjects.get_mut(1..4).into_iter().for_each(<[String]>::sort);
    let tasks = ["IMPL-1: Total of all prices", "IMPL-2: Labels for the shelf", "IMPL-3: Check both"];
    let book = "chore(wfs-shop): bookkeeping";
    assert_eq!(subjects, [&["start"][..], &tasks, &[book]].concat(), "a commit for each task");
    assert_eq!(bench.git(&["status", "--porcelain"]), "");
    bench.check("sh test.sh && punch verify", 0);
}

#[test]
fn a_session_is_found_carried_out_completed_and_archived() {
    let bench = example();
    let got = bench.carry_out(&["."]).run();
    got.exits(0);
    is_complete(&bench);
    assert!(got.out().contains("# Workflow Execution Summary: WFS-shop"), "{}", got.out());
    assert_eq!(
        bench.text("../trace"),
        "begin IMPL-1\nend IMPL-1\nbegin IMPL-2\nend IMPL-2\nbegin IMPL-3\nend IMPL-3\n"
    );
    assert!(bench.path(".plantools/snapshots/WFS-shop").exists());
    bench.carry_out(&["--resume-session", "WFS-shop"]).run().exits(0);
    is_complete(&bench);
}

#[test]
fn a_batch_runs_together_and_what_depends_on_it_waits() {
    let bench = example();
    bench.story("IMPL-1 1 slow\nIMPL-2 1 slow");
    let got = bench.carry_out(&["--jobs", "2", "--resume-session", "WFS-shop"]).run();
    got.exits(0);
    is_complete(&bench);
    let trace = bench.text("../trace");
    let first: Vec<&str> = trace.lines().take(2).collect();
    assert!(first.iter().all(|line| line.starts_with("begin")), "{trace}");
    assert!(trace.ends_with("begin IMPL-3\nend IMPL-3\n"), "{trace}");
    let lists: Vec<Value> = got
        .out()
        .lines()
        .filter(|l| l.starts_with("{\"todos\""))
        .filter_map(|l| serde_json::from_str(l).ok())
        .collect();
    let states = |list: &Value| {
        list["todos"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|t| t["status"].as_str().unwrap_or("").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(states(&lists[0]), ["in_progress", "in_progress", "pending"], "the whole batch begins");
    assert_eq!(states(&lists[1]), ["completed", "completed", "in_progress"]);
    let content = lists[1]["todos"][0]["content"].as_str().unwrap_or("").to_owned();
    assert!(
        content.starts_with("Execute IMPL-1: Total of all prices [code-developer] [FLOW_CONTROL]"),
        "{content}"
    );
}

#[test]
fn a_session_is_resumed_from_its_list_and_nothing_is_done_twice() {
    let bench = example();
    bench.carry_out(&["--budget-attempts", "1", "."]).run().exits(5);
    assert_eq!(marks(&bench, ACTIVE), "x  ");
    let got = bench.carry_out(&["--resume-session", "WFS-shop"]).run();
    got.exits(0);
    is_complete(&bench);
    let first = got.out().lines().find(|line| line.starts_with("{\"todos\"")).unwrap_or_default().to_owned();
    let first: Value = serde_json::from_str(&first).unwrap_or_default();
    let states: Vec<&str> =
        first["todos"].as_array().into_iter().flatten().filter_map(|t| t["status"].as_str()).collect();
    assert_eq!(
        states,
        ["completed", "in_progress", "pending"],
        "the list is made from the session's own state"
    );
    let trace = bench.text("../trace");
    assert_eq!(trace.matches("begin IMPL-1").count(), 1, "{trace}");
}

#[test]
fn a_dry_run_prints_the_prompt_and_leaves_the_session_as_it_is() {
    let bench = example();
    let got = bench.carry_out(&["--dry-run", "--resume-session", "WFS-shop"]).run();
    got.exits(0);
    assert!(got.out().contains("IMPL-1") && got.err().contains("profile: workflow-execute"), "{got:?}");
    assert_eq!(
        (bench.git(&["status", "--porcelain"]).as_str(), bench.path(".plantools").exists()),
        ("", false)
    );
}

#[test]
fn success_criteria_of_the_plan_are_checked_and_those_in_prose_hold_nothing_up() {
    let plan = format!("{ACTIVE}/IMPL_PLAN.md");
    let with = |criteria: &str| {
        let bench = example();
        bench.write(&plan, format!("{}\n## 6. Success Criteria\n\n{criteria}", bench.text(&plan)));
        bench.commit_all("criteria");
        bench
    };
    let bench = with("- [ ] The total is right: `sh src/total.sh` → 270\n- [ ] Customers are happy\n");
    let got = bench.carry_out(&["."]).run();
    got.exits(0);
    let done = bench.text(&format!("{DONE}/IMPL_PLAN.md"));
    assert!(
        done.contains("- [x] The total is right") && done.contains("- [ ] Customers are happy"),
        "{done}"
    );
    assert!(got.out().contains("note:2 is open: Customers are happy"), "{got:?}");
    let bench = with("- [ ] The total is right: `sh src/total.sh` → 271\n");
    let got = bench.carry_out(&["."]).run();
    got.exits(1);
    assert!(bench.path(ACTIVE).exists() && got.err().contains("the session stays active"), "{got:?}");
}

#[test]
fn the_file_of_a_task_that_nobody_was_handed_is_never_opened() {
    let bench = example();
    // Whoever opens a pipe without a writer waits for ever.
    let file = format!("{ACTIVE}/.task/IMPL-3.json");
    bench.write(".gitignore", format!("{file}\n"));
    bench.check(&format!("git rm -q --cached {file} && rm {file} && mkfifo {file} && git add -A && git commit -q -m 'a pipe'"), 0);
    let round = "plan-parse -q . | dag-next --jobs 2 | handoff | checkbox begin | worker-run | gate-run | context-save | checkbox | run-report";
    bench.sh(round).within(30).run().exits(0);
    assert_eq!(marks(&bench, ACTIVE), "xx ");
    let list = bench.sh("run-report --final --format todowrite .").within(30).run();
    assert!(list.out().contains("Execute IMPL-3"), "{list:?}");
    let opened = bench.sh("plan-parse -q .").within(30).run().json();
    let opened: Vec<_> =
        opened["source"]["files"].as_array().into_iter().flatten().map(|f| f["path"].clone()).collect();
    assert_eq!(opened.len(), 3, "list, plan and session: {opened:?}");
}

#[test]
fn without_a_session_or_with_several_it_says_so() {
    let bench = example();
    bench.check(&format!("cp -R {ACTIVE} .workflow/active/WFS-other"), 0);
    bench.commit_all("another session");
    let got = bench.carry_out(&["."]).run();
    got.exits(65);
    assert!(got.err().contains("WFS-other") && got.err().contains("WFS-shop"), "{got:?}");
    assert!(got.err().contains("name one with orchestrate --resume-session ID"), "{got:?}");
    bench.carry_out(&["--resume-session", "WFS-none"]).run().exits(66);
    let got = bench.carry_out(&["--resume-session", "WFS-shop"]).run();
    got.exits(0);
    assert!(bench.path(".workflow/active/WFS-other/TODO_LIST.md").exists());
    bench.check("rm -r .workflow/active", 0);
    assert_ne!(bench.carry_out(&["."]).run().status, 0);
}

#[test]
fn a_missing_list_is_said_and_a_missing_plan_falls_back_to_the_rule() {
    let bench = example();
    bench.check(&format!("git rm -q {ACTIVE}/IMPL_PLAN.md && git commit -q -m 'no plan'"), 0);
    let rounds = bench.check("plan-parse -q . | dag-next --rounds --text", 0).out();
    assert!(rounds.contains("IMPL-1"), "{rounds}");
    bench.carry_out(&["--jobs", "2", "."]).run().exits(0);
    assert_eq!(marks(&bench, DONE), "xxx");
    let bench = example();
    bench.check(&format!("rm {ACTIVE}/TODO_LIST.md"), 0);
    assert_eq!(bench.carry_out(&["--resume-session", "WFS-shop"]).run().status, 66);
}

#[test]
fn the_packet_is_the_context_package_in_its_order_with_its_rules() {
    let bench = example();
    bench.carry_out(&["."]).env("PLANTOOLS_RUN", "r1").run().exits(0);
    let text = bench.text(".plantools/work/r1/IMPL-3/1/packet.json");
    let packet: Value = serde_json::from_str(&text).unwrap_or_default();
    for member in ["task", "artifacts", "flow_context", "dependencies", "session", "inherited", "rules"] {
        assert!(packet.get(member).is_some(), "{member} is not in {text}");
    }
    assert_eq!(packet["dependencies"].as_array().map(Vec::len), Some(2));
    assert!(packet["dependencies"][0]["summary"].as_str().is_some_and(|s| s.contains("IMPL-1 is done")));
    assert_eq!(packet["session"]["task_json_path"], format!("{ACTIVE}/.task/IMPL-3.json"));
    assert_eq!(packet["rules"].as_array().map(Vec::len), Some(6), "{}", packet["rules"]);
    let prompt = bench.text(".plantools/work/r1/IMPL-1/1/prompt.md");
    assert!(
        prompt.contains("`load_synthesis`, output to `[synthesis]`, on error: skip_optional"),
        "{prompt}"
    );
    assert!(prompt.contains("Do not write the task's status, `TODO_LIST.md` or a summary file"), "{prompt}");
}

#[test]
fn the_agent_is_the_one_that_is_named_or_the_one_of_the_type() {
    let bench = example();
    bench.write(
        "plantools.toml",
        bench
            .text("plantools.toml")
            .replace("code-developer = \"scripted\"", "code-developer = \"developer\"")
            + "\n[workers.developer]\ncommand = [\"../bin/scripted-worker\"]\n",
    );
    bench.commit_all("another worker");
    bench.carry_out(&["."]).run().exits(0);
    let by: Vec<String> = bench.keys("attempt_end");
    assert_eq!(by, ["IMPL-1 developer", "IMPL-2 developer", "IMPL-3 developer"]);
}

#[test]
fn an_agent_that_fails_is_tried_twice_more_with_a_simpler_context() {
    let bench = example();
    bench.story("IMPL-1 1 crash\nIMPL-1 2 crash");
    bench.carry_out(&["."]).env("PLANTOOLS_RUN", "r1").run().exits(0);
    is_complete(&bench);
    assert_eq!(bench.halts(), ["worker-run crashed", "worker-run crashed"]);
    let first = bench.text(".plantools/work/r1/IMPL-1/1/prompt.md");
    let third = bench.text(".plantools/work/r1/IMPL-1/3/prompt.md");
    assert!(third.contains("attempt 3") && third.contains("left out"), "{third}");
    assert!(!first.contains("left out"), "{first}");
}

#[test]
fn a_task_that_cannot_be_done_stays_in_progress_and_the_rest_goes_on() {
    // Two failures with the same tree and the same failed checks are enough.
    for (deed, halt, times) in [
        ("lie", "gate-run checks-failed", 2),
        ("error", "worker-run worker-error", 3),
        ("idle", "gate-run checks-failed", 2),
    ] {
        let bench = example();
        bench.story(&format!("IMPL-1 * {deed}"));
        bench.carry_out(&["."]).run().exits(5);
        assert_eq!(bench.halts(), vec![halt; times], "{deed}");
        assert_eq!(marks(&bench, ACTIVE), "-x ", "{deed}: independent work goes on, what depends waits");
        assert_eq!(statuses(&bench, ACTIVE)[1..], ["completed", "pending"], "{deed}");
        assert!(!bench.path(DONE).exists(), "{deed}: a session that is not done is not archived");
    }
}

#[test]
fn a_worker_keeps_its_hands_off_the_list_the_status_and_the_history() {
    for (deed, halt) in [
        ("tick", "worker-run plan-touched"),
        ("status", "worker-run plan-touched"),
        ("nothing", "worker-run malformed"),
    ] {
        let bench = example();
        bench.story(&format!("IMPL-1 * {deed}"));
        bench.carry_out(&["--on-halt", "stop", "."]).run().exits(5);
        assert_eq!(bench.halts().first().map(String::as_str), Some(halt), "{deed}");
        assert!(marks(&bench, ACTIVE).starts_with('-'), "{deed}: {}", marks(&bench, ACTIVE));
        assert_ne!(statuses(&bench, ACTIVE)[0], "completed", "{deed}");
    }
}

#[test]
fn a_worker_that_hangs_is_ended_and_one_that_leaves_things_about_is_named() {
    let bench = example();
    bench.story("IMPL-1 1 hang\nIMPL-2 1 stray");
    bench.write(
        "plantools.toml",
        bench.text("plantools.toml").replace("timeout_seconds = 20", "timeout_seconds = 2"),
    );
    bench.commit_all("less time");
    bench.carry_out(&["."]).env("PLANTOOLS_RUN", "r1").run().exits(0);
    assert_eq!(bench.halts(), ["worker-run timeout"]);
    assert_eq!(marks(&bench, DONE), "xxx");
    let result = bench.text(".plantools/work/r1/IMPL-2/1/result.json");
    assert!(result.contains("\"undeclared_files\":[\"scratch.tmp\"]"), "{result}");
    until(|| bench.processes().is_empty());
}

#[test]
fn a_task_file_that_is_no_json_is_put_back_from_the_snapshot_once() {
    let bench = example();
    bench.story("IMPL-2 * error");
    bench.carry_out(&["--on-halt", "stop", "."]).run().exits(5);
    bench.write(&format!("{ACTIVE}/.task/IMPL-3.json"), "{\"id\": ");
    bench.check(&format!("context-save repair {ACTIVE}"), 0);
    bench.check(&format!("plan-parse -q --load IMPL-3 {ACTIVE} > /dev/null && grep -q 'Check both' {ACTIVE}/.task/IMPL-3.json"), 0);
    bench.check(&format!("rm {ACTIVE}/workflow-session.json && context-save repair {ACTIVE} && grep -q WFS-shop {ACTIVE}/workflow-session.json"), 0);
}

#[test]
fn the_embedded_worker_runs_the_steps_of_the_task_s_own_file() {
    let run = |steps: &str, code: i32| {
        let bench = example();
        let file = format!("{ACTIVE}/.task/IMPL-1.json");
        let mut task: Value = serde_json::from_str(&bench.text(&file)).unwrap_or_default();
        task["flow_control"] = serde_json::from_str(steps).unwrap_or_default();
        bench.write(&file, task.to_string());
        bench.commit_all("steps");
        let args = ["--worker", "shell", "--only", "IMPL-1", "--max-attempts", "1", "."];
        let got = bench.carry_out(&args).env("PLANTOOLS_RUN", "r1").run();
        got.exits(code);
        (bench, got)
    };
    let steps = |on_error: &str| {
        format!(
            r#"{{"pre_analysis": [
                {{"step": "prices", "command": "Read(prices.txt)", "output_to": "prices", "on_error": "fail"}},
                {{"step": "synthesis", "commands": ["Extract(a.b)"], "output_to": "none", "on_error": "skip_optional"}},
                {{"step": "second time", "command": "bash(test -e ../again || {{ touch ../again; exit 1; }})", "on_error": "{on_error}"}},
                {{"step": "lines", "command": "bash(printf '%s' \"[prices]\" | wc -l)", "output_to": "lines"}}],
              "implementation_approach": [{{"step": 1, "command": "bash(mkdir -p src && cp ../answers/IMPL-1/src/total.sh src/ && echo [lines] > ../lines)"}}]}}"#
        )
    };
    let (bench, _) = run(&steps("retry_once"), 0);
    assert_eq!((marks(&bench, ACTIVE).as_str(), bench.text("../lines").trim()), ("x  ", "2"));
    let said = bench.text(".plantools/work/r1/IMPL-1/1/stderr.log");
    assert!(said.contains("step 'synthesis' failed with 3 and is left out"), "{said}");
    let (bench, _) = run(&steps("fail"), 5);
    assert!(!bench.path("src/total.sh").exists());
    assert!(
        bench.text(".plantools/work/r1/IMPL-1/1/stderr.log").contains("step 'second time' failed with 1")
    );
}

/// Everything that was printed.
fn both(got: &Got) -> String {
    got.out() + &got.err()
}

/// Changes the file of a task.
fn with_file(bench: &Bench, id: &str, change: impl Fn(&mut Value)) {
    let file = format!("{ACTIVE}/.task/{id}.json");
    let mut task: Value = serde_json::from_str(&bench.text(&file)).unwrap_or_default();
    change(&mut task);
    bench.write(&file, task.to_string());
}

#[test]
fn a_task_file_without_a_required_field_is_refused_by_name() {
    for field in ["id", "title", "status", "meta", "context", "flow_control"] {
        let bench = example();
        with_file(&bench, "IMPL-1", |task| {
            task.as_object_mut().map(|map| map.remove(field));
        });
        bench.commit_all("less");
        let got = bench.carry_out(&["--on-halt", "stop", "."]).run();
        got.exits(5);
        assert_eq!(
            bench.halts().first().map(String::as_str),
            Some("handoff bad-package"),
            "{field}: {got:?}"
        );
        assert!(both(&got).contains(&format!("no '{field}'")), "{field}: {got:?}");
        assert!(both(&got).contains("read 3 times"), "{field}: {got:?}");
        assert!(!bench.path("../trace").exists(), "{field}: no worker starts");
    }
}

#[test]
fn a_dependency_that_only_a_task_file_states_counts() {
    let bench = example();
    with_file(&bench, "IMPL-1", |task| task["context"]["depends_on"] = serde_json::json!(["IMPL-2"]));
    bench.commit_all("a hidden dependency");
    let got = bench.carry_out(&["."]).run();
    got.exits(0);
    let trace = bench.text("../trace");
    assert!(trace.starts_with("begin IMPL-2\nend IMPL-2\nbegin IMPL-1\n"), "{trace}");
    assert!(got.out().contains("its own file waits for IMPL-2"), "{got:?}");
    assert_eq!(bench.count("attempt_begin"), 3, "no attempt is spent on waiting");
    // One on a task that is not there.
    let bench = example();
    with_file(&bench, "IMPL-1", |task| task["context"]["depends_on"] = serde_json::json!(["IMPL-9"]));
    bench.commit_all("a dependency on nothing");
    let got = bench.carry_out(&["."]).run();
    assert_ne!(got.status, 0, "{got:?}");
    assert!(both(&got).contains("IMPL-9"), "{got:?}");
}

#[test]
fn phases_and_order_of_the_plan_are_followed_and_what_is_not_understood_is_named() {
    let plan = format!("{ACTIVE}/IMPL_PLAN.md");
    let bench = example();
    let text = bench.text(&plan);
    let strategy = "**Execution Model**: Phased\n\n- **Phase 1**: IMPL-2\n- **Phase 2**: IMPL-1, IMPL-3\n";
    bench.write(&plan, text.replace("**Execution Model**: Parallel\n", strategy));
    bench.commit_all("phases");
    bench.carry_out(&["--jobs", "2", "."]).run().exits(0);
    let trace = bench.text("../trace");
    assert!(trace.starts_with("begin IMPL-2\nend IMPL-2\nbegin IMPL-1\n"), "{trace}");
    let bench = example();
    let order =
        "**Serialization Requirements**:\n- IMPL-1 must run after IMPL-2\n- IMPL-3 is somehow like IMPL-1\n";
    bench.write(&plan, text.replace("**Serialization Requirements**:\n", order));
    bench.commit_all("order");
    let said = bench.check("plan-parse . 2>&1 >/dev/null", 0).out();
    let line = text.lines().position(|l| l.starts_with("**Serialization")).unwrap_or_default() + 3;
    assert!(
        said.contains(&format!("IMPL_PLAN.md:{line}")) && said.contains("[order-not-understood]"),
        "{said}"
    );
    bench.carry_out(&["--jobs", "2", "."]).run().exits(0);
    assert!(bench.text("../trace").starts_with("begin IMPL-2\nend IMPL-2\nbegin IMPL-1\n"));
}

#[test]
fn a_task_in_progress_is_active_in_its_file_and_a_failed_one_has_its_error_in_the_list() {
    let bench = example();
    bench.story("IMPL-1 * error");
    bench.carry_out(&["--on-halt", "stop", "."]).run().exits(5);
    assert_eq!(statuses(&bench, ACTIVE)[0], "active");
    let list = bench.text(&format!("{ACTIVE}/TODO_LIST.md"));
    let line = list.lines().find(|line| line.contains("**IMPL-1**")).unwrap_or_default();
    assert!(
        line.starts_with("- [-] **IMPL-1**")
            && line.ends_with("⚠ error: the worker gave up: the step failed (attempt 3)"),
        "{list}"
    );
    // The note is no part of the task, and goes with the tick.
    let before = bench.check("plan-parse -q .", 0).json();
    assert_eq!(before["tasks"][0]["title"], "Total of all prices");
    bench.story("");
    bench.carry_out(&["--max-attempts", "9", "."]).run().exits(0);
    is_complete(&bench);
    assert!(!bench.text(&format!("{DONE}/TODO_LIST.md")).contains("error:"));
}

#[test]
fn the_simpler_context_is_smaller_than_the_first() {
    let bench = example();
    bench.story("IMPL-1 1 crash");
    bench.carry_out(&["."]).env("PLANTOOLS_RUN", "r1").run().exits(0);
    let size = |attempt: u32| bench.text(&format!(".plantools/work/r1/IMPL-1/{attempt}/prompt.md")).len();
    assert!(size(2) < size(1) / 2, "{} → {}", size(1), size(2));
    let second = bench.text(".plantools/work/r1/IMPL-1/2/prompt.md");
    for needed in ["IMPL-1.json", "Acceptance criteria", "src/total.sh", "packet.json"] {
        assert!(second.contains(needed), "{needed}: {second}");
    }
}

#[test]
fn a_step_that_must_not_fail_is_run_once() {
    let bench = example();
    with_file(&bench, "IMPL-1", |task| {
        task["flow_control"] = serde_json::json!({"pre_analysis": [
            {"step": "look", "command": "bash(echo x >> ../runs; exit 1)", "on_error": "fail"}]});
    });
    bench.commit_all("a step");
    bench.carry_out(&["--worker", "shell", "--only", "IMPL-1", "."]).run().exits(5);
    assert_eq!(bench.text("../runs"), "x\n");
}

#[test]
fn the_embedded_worker_extracts_what_a_step_names() {
    let bench = example();
    with_file(&bench, "IMPL-1", |task| {
        task["flow_control"]["pre_analysis"] = serde_json::json!([{"step": "load", "commands": [
            format!("Read({ACTIVE}/.process/context-package.json)"),
            "Extract(brainstorm_artifacts.synthesis_output.path)",
            "Read(extracted path)"], "output_to": "synthesis", "on_error": "fail"}]);
        task["flow_control"]["implementation_approach"] = serde_json::json!([{"step": 1, "command": "bash(printf '%s' \"[synthesis]\" > ../synthesis; cp -R ../answers/IMPL-1/. .)"}]);
    });
    bench.commit_all("steps");
    bench.carry_out(&["--worker", "shell", "--only", "IMPL-1", "."]).run().exits(0);
    let wanted = bench.text(&format!("{ACTIVE}/.process/synthesis.md"));
    assert!(bench.text("../synthesis").contains(wanted.trim()), "{}", bench.text("../synthesis"));
}

#[test]
fn groups_of_task_files_make_the_batches_where_the_plan_states_none() {
    let bench = example();
    bench.check(&format!("git rm -q {ACTIVE}/IMPL_PLAN.md"), 0);
    for id in ["IMPL-1", "IMPL-2"] {
        with_file(&bench, id, |task| task["meta"]["execution_group"] = "first".into());
    }
    bench.commit_all("groups");
    bench.story("IMPL-1 1 slow\nIMPL-2 1 slow");
    bench.carry_out(&["--jobs", "2", "."]).run().exits(0);
    let trace = bench.text("../trace");
    assert!(trace.lines().take(2).all(|line| line.starts_with("begin")), "one batch: {trace}");
    // Only the files of the next batch are opened.
    let bench = example();
    bench.check(&format!("git rm -q {ACTIVE}/IMPL_PLAN.md"), 0);
    with_file(&bench, "IMPL-1", |task| {
        task["meta"].as_object_mut().map(|meta| meta.remove("execution_group"));
    });
    bench.commit_all("no plan and no group");
    let plan = bench.check("plan-parse -q .", 0).json();
    let opened = plan["source"]["files"].as_array().into_iter().flatten();
    let opened =
        opened.filter(|file| file["path"].as_str().is_some_and(|path| path.contains(".task/"))).count();
    assert_eq!(opened, 1, "the first task names no group, so nothing else is looked at");
}

#[test]
fn a_snapshot_leaves_task_files_closed_that_git_has() {
    let bench = example();
    bench.check(
        &format!("context-save snapshot {ACTIVE} > ../place && ! ls \"$(cat ../place)\"/.task/* 2>/dev/null"),
        0,
    );
    bench.write(&format!("{ACTIVE}/.task/IMPL-3.json"), "{\"id\": ");
    bench.check(
        &format!("context-save repair {ACTIVE} && grep -q 'Check both' {ACTIVE}/.task/IMPL-3.json"),
        0,
    );
}

#[test]
fn a_task_in_progress_is_shown_so_in_the_list_of_a_resumed_session() {
    let bench = example();
    let list = format!("{ACTIVE}/TODO_LIST.md");
    bench.write(&list, bench.text(&list).replacen("- [ ] **IMPL-1**", "- [-] **IMPL-1**", 1));
    let shown = bench.check("run-report --final --format todowrite .", 0).json();
    assert_eq!(shown["todos"][0]["status"], "in_progress", "{shown}");
    assert_eq!(shown["todos"][1]["status"], "pending", "{shown}");
}

#[test]
fn the_only_active_session_is_taken_without_a_name() {
    let bench = Bench::workflow(env!("CARGO_BIN_EXE_t-plantools"), "workflow-execute");
    let got = bench.carry_out(&[]).run();
    got.exits(0);
    assert!(got.out().starts_with(".workflow/active/WFS-shop: workflow workflow-execute; "), "{got:?}");
}

#[test]
fn a_run_opens_no_file_of_a_task_that_nobody_was_handed() {
    let bench = example();
    // Opening a pipe without a writer waits for ever.
    let file = format!("{ACTIVE}/.task/IMPL-3.json");
    bench.write(".gitignore", format!("{file}\n"));
    bench.check(&format!("git rm -q --cached {file} && rm {file} && mkfifo {file} && git add -A && git commit -q -m 'a pipe'"), 0);
    let got = bench.carry_out(&["--only", "IMPL-1", "."]).within(60).run();
    got.exits(0);
    assert_eq!(marks(&bench, ACTIVE), "x  ", "{got:?}");
}

#[test]
fn on_a_terminal_nobody_is_asked_about_a_task_that_is_given_up() {
    let bench = example();
    bench.story("IMPL-1 1 nothing\nIMPL-1 2 nothing\nIMPL-1 3 nothing");
    let line = "printf 's\\n' | script -qec 'orchestrate . | cat; exit ${PIPESTATUS[0]}' /dev/null";
    let got = bench.sh(line).env("SHELL", "/bin/bash").within(60).run();
    got.exits(5);
    assert!(got.out().contains("task IMPL-1 is given up"), "{got:?}");
    assert!(!got.out().contains("[r]etry"), "{got:?}");
}

#[test]
fn a_broken_session_file_is_restored_or_named_before_the_first_worker() {
    let file = format!("{ACTIVE}/workflow-session.json");
    let bench = example();
    bench.write(&file, "{\"session_id\": ");
    bench.check("git rm -q --cached -r .workflow && git commit -q -m 'no session in git'", 0);
    let got = bench.carry_out(&["."]).run();
    got.exits(5);
    assert!(got.err().contains(&format!("{file} is broken: correct it, then run it again")), "{got:?}");
    assert_eq!(bench.count("attempt_begin"), 0, "{got:?}");
    let bench = example();
    bench.check(&format!("context-save snapshot {ACTIVE}"), 0);
    bench.write(&file, "{\"session_id\": ");
    let got = bench.carry_out(&["."]).run();
    got.exits(0);
    assert!(got.err().contains(&format!("restored {file}")), "{got:?}");
}

#[test]
fn a_task_file_that_is_broken_in_mid_run_is_restored_once() {
    let file = ".workflow/active/WFS-shop/.task/IMPL-3.json";
    // Broken before the first run: the last commit has it whole.
    let bench = example();
    bench.write(file, "{bro");
    let got = bench.carry_out(&["."]).run();
    got.exits(0);
    assert!(got.err().contains(&format!("restored {file}")), "{got:?}");
    // Broken by a check after the first task.
    let bench = example();
    let gate = format!(
        "\n[[gates]]\nid = \"breaks\"\ninvocation = \"[ -e ../broken ] || {{ printf broken > {file}; touch ../broken; }}\"\nwhen = [\"task\"]\n"
    );
    bench.write("plantools.toml", bench.text("plantools.toml") + &gate);
    bench.commit_all("a gate");
    let got = bench.carry_out(&["."]).run();
    got.exits(0);
    assert!(got.err().contains(&format!("restored {file}")), "{got:?}");
}

/// Changes the file of a task.
fn set(bench: &Bench, id: &str, change: impl Fn(&mut Value)) {
    let file = format!(".workflow/active/WFS-shop/.task/{id}.json");
    let mut task: Value = serde_json::from_str(&bench.text(&file)).unwrap_or_default();
    change(&mut task);
    bench.write(&file, task.to_string());
}

const PLAN: &str = ".workflow/active/WFS-shop/IMPL_PLAN.md";

#[test]
fn critical_tasks_and_those_of_high_risk_run_alone_in_the_fallback() {
    for (at, key, word) in
        [("meta", "risk", "high"), ("context", "risk_level", "High"), ("meta", "priority", "critical")]
    {
        let bench = example();
        bench.write(PLAN, "# Implementation Plan: Shop\n\n## 1. Requirements\n\nA total and labels.\n");
        for id in ["IMPL-1", "IMPL-2"] {
            set(&bench, id, |task| {
                task["meta"]["execution_group"] = "g".into();
                task[at][key] = word.into();
            });
        }
        bench.commit_all("groups");
        bench.story("IMPL-1 1 slow\nIMPL-2 1 slow");
        bench.carry_out(&["--jobs", "3", "."]).run().exits(0);
        let trace = bench.text("../trace");
        let running: Vec<bool> = trace.lines().map(|line| line.starts_with("begin")).collect();
        assert!(running.chunks(2).all(|pair| pair == [true, false]), "{key}: one at a time: {trace}");
    }
}

#[test]
fn a_stated_critical_path_goes_first() {
    for path in ["IMPL-3", "IMPL-3 is the longest"] {
        let bench = example();
        let plan = format!(
            "# Implementation Plan: Shop\n\n## 4. Implementation Strategy\n\n### Execution Strategy\n\n\
             **Execution Model**: Parallel\n\n**Critical Path**: {path}\n"
        );
        bench.write(PLAN, plan);
        let list = ".workflow/active/WFS-shop/TODO_LIST.md";
        bench.write(list, bench.text(list).replace("depends_on: IMPL-1, IMPL-2", "depends_on: none"));
        set(&bench, "IMPL-3", |task| task["context"]["depends_on"] = serde_json::json!([]));
        bench.commit_all("a path");
        let next = bench.check("plan-parse -q . | dag-next --jobs 2", 0).out();
        let ids: Vec<String> = next
            .lines()
            .filter_map(|line| {
                serde_json::from_str::<Value>(line).ok()?["task"]["id"].as_str().map(str::to_owned)
            })
            .collect();
        assert_eq!(ids, ["IMPL-1", "IMPL-3"], "{path}: {next}");
    }
}

#[test]
fn the_agent_of_every_task_file_is_known_before_the_first_worker() {
    let bench = example();
    let file = format!("{ACTIVE}/.task/IMPL-3.json");
    let named = "s/\"type\": \"test-gen\"/\"type\": \"test-gen\", \"agent\": \"@wizard\"/";
    bench.check(&format!("sed -i '{named}' {file} && git commit -qam wizard"), 0);
    let got = bench.carry_out(&["."]).run();
    got.exits(78);
    assert!(got.err().contains("task 'IMPL-3' asks for the agent 'wizard'"), "{got:?}");
    assert!(bench.keys("attempt_begin").is_empty(), "no worker was called");
    // Nothing else of the file is read: what it states beside the agent is unknown until its turn.
    let plan = bench.check("plan-parse -q --agents .", 0).json();
    let task = &plan["tasks"][2];
    assert_eq!((&task["agent"], &task["criteria"]), (&"@wizard".into(), &Value::Null), "{task}");
    bench.check("plan-parse -q . | worker-run --preflight", 0);
    // A file that is broken is for its own turn.
    bench.write(&file, "{ broken");
    bench.check("plan-parse -q --agents . > /dev/null", 0);
}

#[test]
fn a_task_file_that_is_still_closed_has_no_warning_about_its_checks() {
    let bench = example();
    let got = bench.carry_out(&["."]).run();
    got.exits(0);
    assert!(!got.err().contains("no check"), "{got:?}");
}

#[test]
fn the_session_file_follows_the_run() {
    for before in ["planning", "paused", "active"] {
        let bench = example();
        let file = format!("{ACTIVE}/workflow-session.json");
        let progress = "\"progress\": { \"completed_count\": 0, \"total\": 9 }";
        let text = bench.text(&file).replace("\"active\"", &format!("\"{before}\",\n  {progress}"));
        bench.write(&file, text);
        bench.commit_all("another status");
        bench.story("IMPL-3 * nothing");
        bench.carry_out(&["."]).run().exits(5);
        let session: Value = serde_json::from_str(&bench.text(&file)).unwrap_or_default();
        assert_eq!(session["status"], "active", "{before}: {session}");
        assert_eq!(session["progress"], serde_json::json!({"completed_count": 2, "total": 3}), "{before}");
        assert_eq!(session["project"], "A price list with a total and a label");
    }
}

#[test]
fn the_task_of_retry_may_stand_behind_a_blank() {
    let bench = example();
    bench.story("IMPL-1 1 nothing");
    bench.carry_out(&["."]).run().exits(5);
    let got = bench.carry_out(&["--retry", "IMPL-1"]).run();
    got.exits(66);
    assert!(got.err().contains("orchestrate --retry=IMPL-1 PLAN"), "{got:?}");
    bench.carry_out(&["--retry", "IMPL-9", "."]).run().exits(2);
    bench.carry_out(&["--retry", "IMPL-1", "."]).run().exits(0);
    is_complete(&bench);
}

/// A gate that every task passes, so that tasks with prose alone can be ticked.
fn with_prose_and_a_gate(bench: &Bench) {
    for id in ["IMPL-1", "IMPL-2"] {
        with_file(bench, id, |task| task["context"]["acceptance"] = serde_json::json!(["It reads well"]));
    }
    let gate = "\n[[gates]]\nid = \"ok\"\ninvocation = \"true\"\nwhen = [\"task\"]\n";
    bench.write("plantools.toml", bench.text("plantools.toml") + gate);
    bench.commit_all("prose");
}

#[test]
fn in_a_batch_no_task_is_ticked_on_the_change_of_its_neighbour() {
    let bench = example();
    with_prose_and_a_gate(&bench);
    bench.story("IMPL-1 1 slow\nIMPL-2 * idle");
    let got = bench.carry_out(&["--jobs", "2", "."]).run();
    got.exits(5);
    assert_eq!(marks(&bench, ACTIVE), "x- ", "{got:?}");
    assert!(bench.halts().iter().all(|halt| halt == "gate-run unchanged"), "{:?}", bench.halts());
    assert!(!bench.path(&format!("{ACTIVE}/.summaries/IMPL-2-summary.md")).exists());
    // Each summary names the files of its own task.
    let bench = example();
    with_prose_and_a_gate(&bench);
    bench.story("IMPL-1 1 slow\nIMPL-2 1 slow");
    bench.carry_out(&["--jobs", "2", "."]).run().exits(0);
    let summary = |id: u8| bench.text(&format!("{DONE}/.summaries/IMPL-{id}-summary.md"));
    for (id, own, other) in [(1, "src/total.sh", "src/label.sh"), (2, "src/label.sh", "src/total.sh")] {
        assert!(summary(id).contains(own) && !summary(id).contains(other), "{}", summary(id));
    }
}

#[test]
fn an_attempt_that_fails_in_a_batch_is_an_attempt() {
    let bench = example();
    bench.story("IMPL-1 * lie\nIMPL-2 1 slow");
    let got = bench.carry_out(&["--jobs", "2", "--max-attempts", "1", "."]).run();
    got.exits(5);
    assert_eq!(bench.text("../trace").matches("begin IMPL-1").count(), 1, "{got:?}");
    let list = bench.text(&format!("{ACTIVE}/TODO_LIST.md"));
    let line = list.lines().find(|line| line.contains("**IMPL-1**")).unwrap_or_default();
    assert!(line.starts_with("- [-]") && line.contains("⚠ error: checks failed"), "{list}");
    assert!(!got.out().contains("- [ ] **IMPL-1**"), "{got:?}");
}

/// The order in which workers began and ended, where IMPL-1 and IMPL-2 are slow.
fn trace_of(strategy: &str, list: impl Fn(String) -> String) -> (String, Got) {
    let bench = example();
    let plan = format!("# Plan\n\n## 4. Implementation Strategy\n\n### Execution Strategy\n\n{strategy}\n");
    bench.write(PLAN, plan);
    let file = format!("{ACTIVE}/TODO_LIST.md");
    bench.write(&file, list(bench.text(&file)));
    bench.commit_all("an order");
    bench.story("IMPL-1 1 slow\nIMPL-2 1 slow");
    let got = bench.carry_out(&["--jobs", "3", "."]).run();
    got.exits(0);
    (bench.text("../trace"), got)
}

#[test]
fn the_tasks_of_a_sequential_phase_run_one_after_the_other() {
    let one_by_one = "begin IMPL-1\nend IMPL-1\nbegin IMPL-2\nend IMPL-2\n";
    let same = |list: String| list;
    for phases in [
        "**Execution Model**: Phased\n\n#### Phase 1: Base (Sequential)\n- IMPL-1\n- IMPL-2\n\n#### Phase 2: Rest (Parallel)\n- IMPL-3\n",
        "**Execution Model**: Phased\n\n**Phase 1 (Sequential)**: IMPL-1, IMPL-2\n**Phase 2**: IMPL-3\n",
        "**Execution Model**: Phased\n\nPhase 1: IMPL-1 → IMPL-2 (sequential)\nPhase 2: IMPL-3\n",
        "**Execution Model**: Phased Sequential\n\n- Phase 1: IMPL-1, IMPL-2\n- Phase 2: IMPL-3\n",
        "### Execution Strategy: **Group-Parallel with Sequential Groups**\n\n```\nGroup 1 (Sequential): IMPL-1, IMPL-2\nGroup 2 (Parallel - After Group 1): IMPL-3\n```\n",
    ] {
        let (trace, got) = trace_of(phases, same);
        assert!(trace.starts_with(one_by_one), "{phases}: {trace}\n{got:?}");
    }
    // The headings of the list say it too.
    let headed = |list: String| {
        let list = list.replacen("- [ ] **IMPL-1**", "### Phase 1: Base (Sequential)\n\n- [ ] **IMPL-1**", 1);
        list.replacen("- [ ] **IMPL-3**", "### Phase 2: Rest\n\n- [ ] **IMPL-3**", 1)
    };
    let (trace, _) = trace_of("**Execution Model**: Phased\n", headed);
    assert!(trace.starts_with(one_by_one), "{trace}");
    // What is parallel runs together.
    let groups = "**Execution Model**: Phased\n\n| Group | Tasks |\n|---|---|\n| 1 | IMPL-1, IMPL-2 |\n| 2 | IMPL-3 |\n";
    let (trace, _) = trace_of(groups, same);
    assert!(trace.lines().take(2).all(|line| line.starts_with("begin")), "{trace}");
}

#[test]
fn phases_that_are_not_recognised_are_a_warning_and_run_one_after_the_other() {
    let (trace, got) =
        trace_of("**Execution Model**: Phased\n\nFirst the base, then the rest.\n", |list| list);
    assert!(trace.starts_with("begin IMPL-1\nend IMPL-1\nbegin IMPL-2\n"), "{trace}");
    assert!(got.err().contains("names the tasks of two phases"), "{got:?}");
}

#[test]
fn no_statement_about_the_order_is_dropped_without_a_word() {
    let bench = example();
    for line in
        ["- Database work is serialized", "- the database must be careful", "None of the tasks may overlap"]
    {
        let plan =
            format!("# Plan\n\n**Execution Model**: Parallel\n\n**Serialization Requirements**:\n{line}\n");
        bench.write(PLAN, plan);
        let said = bench.check("plan-parse . 2>&1 >/dev/null", 0).out();
        assert!(said.contains("[order-not-understood]") && said.contains("IMPL_PLAN.md:6"), "{line}: {said}");
    }
    for none in ["- None", "None required", "- N/A (all independent)", "- IMPL-1 → IMPL-2"] {
        let plan =
            format!("# Plan\n\n**Execution Model**: Parallel\n\n**Serialization Requirements**:\n{none}\n");
        bench.write(PLAN, plan);
        let said = bench.check("plan-parse . 2>&1 >/dev/null", 0).out();
        assert!(!said.contains("[order-not-understood]"), "{none}: {said}");
    }
    // What comes after a phase waits for it, whatever the model is.
    let plan = "# Plan\n\n**Execution Model**: Parallel\n\n**Parallelization Opportunities**:\n- Phase 1: IMPL-1\n- Phase 2: IMPL-2, after phase 1\n";
    bench.write(PLAN, plan);
    let chains = bench.check("plan-parse -q .", 0).json()["strategy"]["serial"].clone();
    assert_eq!(chains, serde_json::json!([["IMPL-1", "IMPL-2"]]));
}

#[test]
fn a_task_file_with_a_field_that_holds_something_else_is_refused() {
    for (field, value, words) in [
        ("meta", serde_json::json!("feature"), "'meta' is no object"),
        ("status", serde_json::json!("weird"), "'status' is no status"),
    ] {
        let bench = example();
        with_file(&bench, "IMPL-1", |task| task[field] = value.clone());
        bench.commit_all("odd");
        let got = bench.carry_out(&["--on-halt", "stop", "."]).run();
        got.exits(5);
        assert!(both(&got).contains(words), "{got:?}");
        // The task stays in progress, with the error behind it.
        let list = bench.text(&format!("{ACTIVE}/TODO_LIST.md"));
        let line = list.lines().find(|line| line.contains("**IMPL-1**")).unwrap_or_default();
        assert!(line.starts_with("- [-]") && line.contains("⚠ error: the context package"), "{list}");
    }
    let bench = example();
    with_file(&bench, "IMPL-1", |task| {
        task["context"].as_object_mut().map(|context| context.remove("artifacts"));
    });
    bench.commit_all("no artifacts");
    bench.carry_out(&["--only", "IMPL-1", "."]).env("PLANTOOLS_RUN", "r1").run().exits(0);
    let packet = bench.text(".plantools/work/r1/IMPL-1/1/packet.json");
    assert!(packet.contains("no 'context.artifacts'"), "{packet}");
}

#[test]
fn the_list_of_a_running_batch_has_agents_flow_control_and_groups() {
    let bench = example();
    let got = bench.carry_out(&["--jobs", "2", "."]).run();
    got.exits(0);
    let first = got.out().lines().find(|line| line.starts_with("{\"todos\"")).unwrap_or_default().to_owned();
    let first: Value = serde_json::from_str(&first).unwrap_or_default();
    let content = first["todos"][0]["content"].as_str().unwrap_or_default();
    let wanted =
        "Execute IMPL-1: Total of all prices [code-developer] [FLOW_CONTROL] [execution_group: scripts]";
    assert_eq!((content, first["todos"][0]["status"].as_str()), (wanted, Some("in_progress")));
}

#[test]
fn behind_a_task_that_was_begun_the_next_group_is_a_batch() {
    let bench = example();
    bench.check(&format!("git rm -q {ACTIVE}/IMPL_PLAN.md"), 0);
    let list = format!("{ACTIVE}/TODO_LIST.md");
    bench.write(
        &list,
        bench
            .text(&list)
            .replacen("- [ ] **IMPL-1**", "- [-] **IMPL-1**", 1)
            .replace("depends_on: IMPL-1, IMPL-2", "depends_on: none"),
    );
    for (id, group) in [("IMPL-1", "a"), ("IMPL-2", "b"), ("IMPL-3", "b")] {
        with_file(&bench, id, |task| {
            task["meta"]["execution_group"] = group.into();
            task["context"]["depends_on"] = serde_json::json!([]);
        });
    }
    let plan = bench.check("plan-parse -q .", 0).json();
    let groups: Vec<&str> = [1, 2].map(|at| plan["tasks"][at]["group"].as_str().unwrap_or_default()).to_vec();
    assert_eq!(groups, ["b", "b"]);
}

#[test]
fn a_session_whose_archive_cannot_take_it_stays_active() {
    let bench = example();
    bench.write(".workflow/archives/manifest.json", "{ broken");
    bench.commit_all("a broken manifest");
    let got = bench.carry_out(&["."]).run();
    got.exits(1);
    assert!(bench.path(ACTIVE).exists() && !bench.path(DONE).exists(), "{got:?}");
    assert!(got.err().contains("manifest.json"), "{got:?}");
    bench.write(".workflow/archives/manifest.json", "[]\n");
    bench.carry_out(&[]).run().exits(0);
    is_complete_session(&bench);
}

fn is_complete_session(bench: &Bench) {
    assert_eq!((marks(bench, DONE).as_str(), bench.path(ACTIVE).exists()), ("xxx", false));
}

#[test]
fn without_any_plan_the_places_are_named() {
    let bench = example();
    bench.check("rm -r .workflow/active/* && rm -f README.md", 0);
    let got = bench.carry_out(&[]).run();
    got.exits(66);
    assert!(got.err().contains(".workflow/active/*/"), "{got:?}");
    let advice =
        "create one with /workflow:plan \"PROJECT\", or resume one with orchestrate --resume-session ID";
    assert!(got.err().contains(&format!("no session is active: {advice}")), "{got:?}");
    let got = bench.carry_out(&["--resume-session=WFS-none"]).run();
    assert!(got.exits(66).err().contains(advice), "{got:?}");
}
