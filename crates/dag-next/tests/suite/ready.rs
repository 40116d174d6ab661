//! What may run now: strategies, files, resources, reasons.

use crate::ask::{ids, plan, run, run_text};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn a_task_is_offered_when_all_it_depends_on_is_done_and_1_is_not_10() {
    let folder = tempfile::tempdir().unwrap();
    let tasks = [
        json!({"id": "1", "state": "completed"}),
        json!({"id": "10"}),
        json!({"id": "2", "depends_on": ["1"]}),
        json!({"id": "3", "depends_on": ["10"]}),
        json!({"id": "4", "depends_on": ["1", "2"]}),
    ];
    let plan = plan(folder.path(), "plan-md", &tasks);
    assert_eq!(ids(&plan, &[]), ["10", "2", "more"]);
    assert_eq!(ids(&plan, &["--jobs", "1"]), ["10", "more"]);
    assert_eq!(ids(&plan, &["--strategy", "sequential"]), ["10", "more"]);
    assert_eq!(ids(&plan, &["--only", "2"]), ["2", "more"]);
    assert_eq!(ids(&plan, &["--only", "4"]), ["stuck"]);
    assert_eq!(ids(&plan, &["--only", "1"]), ["done"]);
    assert_eq!(run(&plan, &["--only", "100"]).0, 2);
}

#[test]
fn the_task_in_an_order_is_the_plans_own_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        plan(folder.path(), "plan-md", &[json!({"id": "1", "foreign": [1.50, {"a": null}]})]).to_string();
    let text = text.replace("1.5,", "1.50e0 ,");
    let mut child = Command::new(env!("CARGO_BIN_EXE_dag-next"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let out = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(out.contains(r#""foreign":[1.50e0 ,{"a":null}]"#), "{out}");
}

#[test]
fn phases_are_barriers_and_optional_and_human_tasks_are_nobodys_work() {
    let folder = tempfile::tempdir().unwrap();
    let tasks = [
        json!({"id": "a", "phase": "1"}),
        json!({"id": "b", "phase": "2"}),
        json!({"id": "c", "phase": "1", "optional": true}),
        json!({"id": "d", "phase": "1", "kind": "human"}),
    ];
    let plan = plan(folder.path(), "checklist", &tasks);
    assert_eq!(ids(&plan, &["--strategy", "phased"]), ["a", "more"]);
    assert_eq!(ids(&plan, &["--only", "c"]), ["c", "more"]);
    assert_eq!(run(&plan, &["--human"]).0, 0);
    let (_, status, _) = run(&plan, &["--status"]);
    assert_eq!(status[0]["human"], json!(["d"]));
}

#[test]
fn red_comes_before_green_before_refactor_of_one_cycle() {
    let folder = tempfile::tempdir().unwrap();
    let task = |id: &str, title: &str| json!({"id": id, "title": title, "group": "cycle"});
    let tasks = [task("3", "REFACTOR it"), task("2", "GREEN: make it pass"), task("1", "RED: a test")];
    let mut reversed = tasks.to_vec();
    reversed.reverse();
    let plan = plan(folder.path(), "workflow", &reversed);
    assert_eq!(ids(&plan, &["--strategy", "tdd"]), ["1", "more"]);
    let (_, rounds, _) = run(&plan, &["--strategy", "tdd", "--rounds"]);
    assert_eq!(rounds[0]["rounds"], json!([["1"], ["2"], ["3"]]));
}

#[test]
fn auto_takes_a_group_together_a_risky_task_alone_and_else_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let rule = |tasks: &[Value]| {
        let plan = plan(folder.path(), "workflow", tasks);
        let (_, lines, _) = run(&plan, &[]);
        (ids(&plan, &[]), lines[0]["why"]["rule"].as_str().unwrap_or_default().to_owned())
    };
    let (together, why) =
        rule(&[json!({"id": "1", "group": "g"}), json!({"id": "2", "group": "g"}), json!({"id": "3"})]);
    assert_eq!(together, ["1", "2", "more"]);
    assert!(why.contains("same group 'g'"), "{why}");
    let (alone, why) = rule(&[
        json!({"id": "1", "group": "g", "extra": {"risk": "HIGH"}}),
        json!({"id": "2", "group": "g"}),
    ]);
    assert_eq!(alone, ["1", "more"]);
    assert!(why.contains("high risk"), "{why}");
    assert_eq!(rule(&[json!({"id": "1"}), json!({"id": "2"})]).0, ["1", "more"]);
}

#[test]
fn tasks_that_declare_the_same_file_are_not_given_out_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let task =
        |id: &str, path: &str, action: &str| json!({"id": id, "files": [{"path": path, "action": action}]});
    let tasks = [
        task("1", "src/a.rs", "modify"),
        task("2", "./src/a.rs", "write"),
        task("3", "src", "create"),
        task("4", "src/a.rs", "read"),
    ];
    assert_eq!(ids(&plan(folder.path(), "plan-md", &tasks), &[]), ["1", "4", "more"]);
}

#[test]
fn a_resource_is_used_by_as_many_as_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let task = |id: &str| json!({"id": id, "resources": ["gpu"]});
    let plan = plan(folder.path(), "plan-md", &[task("1"), task("2"), task("3")]);
    assert_eq!(ids(&plan, &[]), ["1", "more"]);
    assert_eq!(ids(&plan, &["--resource", "gpu=2"]), ["1", "2", "more"]);
    assert_eq!(run(&plan, &["--resource", "gpu"]).0, 2);
}

#[test]
fn with_fewer_jobs_than_tasks_the_longest_chain_goes_first() {
    let folder = tempfile::tempdir().unwrap();
    let tasks = [
        json!({"id": "a"}),
        json!({"id": "b"}),
        json!({"id": "c"}),
        json!({"id": "d", "depends_on": ["c"]}),
        json!({"id": "e", "depends_on": ["d"]}),
    ];
    assert_eq!(ids(&plan(folder.path(), "plan-md", &tasks), &["--jobs", "2"]), ["a", "c", "more"]);
}

#[test]
fn why_names_the_chain_down_to_the_root_cause() {
    let folder = tempfile::tempdir().unwrap();
    let tasks = [
        json!({"id": "1", "kind": "human"}),
        json!({"id": "2", "depends_on": ["1"]}),
        json!({"id": "3", "depends_on": ["2"]}),
    ];
    let plan = plan(folder.path(), "plan-md", &tasks);
    let (code, status, _) = run(&plan, &["--why", "3"]);
    assert_eq!(code, 5, "stuck: what is left waits for a person");
    let waiting = &status[0]["waiting"][0];
    assert_eq!((&waiting["chain"], &waiting["cause"]), (&json!(["2", "1"]), &json!("for a person")));
}

#[test]
fn cycles_and_unknown_dependencies_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |line: u32| json!({"path": "P.md", "line": line, "start": 0, "end": 1});
    let cycle = [
        json!({"id": "a", "depends_on": ["b"], "span": at(3)}),
        json!({"id": "b", "depends_on": ["a"], "span": at(9)}),
    ];
    let (code, _, error) = run(&plan(folder.path(), "plan-md", &cycle), &[]);
    assert_eq!(code, 65);
    assert!(
        error.contains("P.md:3: tasks wait for each other: a (line 3) -> b (line 9) -> a (line 3)"),
        "{error}"
    );
    let (code, _, error) =
        run(&plan(folder.path(), "plan-md", &[json!({"id": "a", "depends_on": ["zz"]})]), &[]);
    assert_eq!(code, 65);
    assert!(error.contains("P.md:1: \"a\" depends on \"zz\", which is no task"), "{error}");
}

#[test]
fn in_progress_and_blocked_tasks_without_a_live_attempt_are_offered_and_said_so() {
    let folder = tempfile::tempdir().unwrap();
    let tasks = [json!({"id": "1", "state": "in_progress"}), json!({"id": "2", "state": "blocked"})];
    let (_, lines, _) = run(&plan(folder.path(), "plan-md", &tasks), &[]);
    let rules: Vec<_> = lines.iter().filter_map(|l| l["why"]["rule"].as_str()).collect();
    assert!(rules[0].contains("in progress with no live attempt"), "{rules:?}");
    assert!(rules[1].contains("blocked, and its dependencies are now completed"), "{rules:?}");
}

#[test]
fn a_checkpoint_is_a_barrier_whatever_the_strategy() {
    let folder = tempfile::tempdir().unwrap();
    let mut tasks = [
        json!({"id": "1"}),
        json!({"id": "2", "optional": true}),
        json!({"id": "3", "kind": "checkpoint"}),
        json!({"id": "4"}),
    ];
    assert_eq!(ids(&plan(folder.path(), "plan-md", &tasks), &[]), ["1", "more"]);
    tasks[0]["state"] = json!("completed");
    assert_eq!(
        ids(&plan(folder.path(), "plan-md", &tasks), &[]),
        ["3", "more"],
        "nobody needs an optional task"
    );
    tasks[2]["state"] = json!("completed");
    assert_eq!(ids(&plan(folder.path(), "plan-md", &tasks), &[]), ["4", "more"]);
}

#[test]
fn a_failed_task_stops_its_dependants_only_except_where_the_dialect_goes_step_by_step() {
    let folder = tempfile::tempdir().unwrap();
    let tasks =
        [json!({"id": "1", "state": "failed"}), json!({"id": "2", "depends_on": ["1"]}), json!({"id": "3"})];
    assert_eq!(ids(&plan(folder.path(), "plan-md", &tasks), &[]), ["3", "more"]);
    assert_eq!(ids(&plan(folder.path(), "checklist", &tasks), &[]), ["3", "more"]);
    let steps = plan(folder.path(), "runbook", &tasks);
    assert_eq!(ids(&steps, &[]), ["1", "more"], "no run on record gave it up: it comes first");
    let (_, status, _) = run(&steps, &["--why", "3"]);
    let cause = json!("sequential: one after the other, in the order of the list");
    assert_eq!(status[0]["waiting"][0]["cause"], cause);
}

#[test]
fn a_plan_that_was_indented_for_people_gives_whole_lines() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(folder.path(), "plan-md", &[json!({"id": "1", "title": "a\nb"}), json!({"id": "2"})]);
    let pretty = serde_json::to_string_pretty(&plan).unwrap();
    let (code, lines, error) = run_text(&pretty, &[]);
    assert_eq!((code, lines.len()), (0, 3), "{error}");
    assert_eq!(lines[0]["task"], plan["tasks"][0]);
}

#[test]
fn an_order_longer_than_a_line_may_be_is_refused_before_anything_is_handed_out() {
    let folder = tempfile::tempdir().unwrap();
    let tasks = [json!({"id": "1"}), json!({"id": "big", "body": "x".repeat(4 << 20)})];
    let (code, lines, error) = run(&plan(folder.path(), "plan-md", &tasks), &[]);
    assert_eq!((code, lines.len()), (65, 0));
    assert!(error.contains("the order of task 'big' would be a line longer than 4 MiB"), "{error}");
}

#[test]
fn a_task_that_frees_twenty_thousand_names_the_first_thousand() {
    let folder = tempfile::tempdir().unwrap();
    let mut tasks = vec![json!({"id": "first"})];
    tasks.extend((0..20_000).map(|i| json!({"id": format!("t{i}"), "depends_on": ["first"]})));
    let (code, lines, error) = run(&plan(folder.path(), "plan-md", &tasks), &[]);
    assert_eq!(code, 0, "{error}");
    assert_eq!(lines[0]["why"]["unblocks"].as_array().unwrap().len(), 1000);
}

#[test]
fn keys_may_be_written_with_escapes_and_text_may_have_them_too() {
    let text = r#"{"schema":"plan/1","source":{"path":"","dialect":"plan-md","sha256":"","root":""},
        "tasks":[ { "\u0069d":"a\u0031","state":"completed"}, {"state":"pending","id":"b","depends_on":["\u00611"]}]}"#;
    let (code, lines, error) = run_text(text, &[]);
    assert_eq!(code, 0, "{error}");
    assert_eq!(lines[0]["task"], json!({"state": "pending", "id": "b", "depends_on": ["a1"]}));
    assert_eq!(lines[0]["why"]["ready"], "a1 done");
}

#[test]
fn a_plan_that_was_not_parsed_is_told_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my plan.md");
    toolkit::files::fs::create(&path, b"# Plan\n\n- [ ] One\n").unwrap();
    for named in [path.as_path(), folder.path()] {
        let got = Command::new(env!("CARGO_BIN_EXE_dag-next")).arg(named).output().unwrap();
        let said = String::from_utf8(got.stderr).unwrap();
        assert_eq!(got.status.code(), Some(65), "{said}");
        let wanted = toolkit::cli::shell_word::path(&named.to_string_lossy());
        assert!(said.contains(&format!("run: plan-parse {wanted} | dag-next\n")), "{said}");
    }
}

#[test]
fn a_task_with_an_unclear_check_waits_and_the_others_run() {
    let root = tempfile::tempdir().unwrap();
    let span = json!({"path": "P.md", "line": 7, "start": 0, "end": 1});
    let unclear = json!({"code": "unclear-clause", "message": "not understood", "rewrite": "`make` → exit 0", "span": span});
    let check = json!({"id": "1:1", "text": "x", "command": "make", "unclear": unclear, "runnable": false, "span": span});
    let plan = plan(root.path(), "checklist", &[json!({"id": "1", "criteria": [check]}), json!({"id": "2"})]);
    let (code, lines, _) = run(&plan, &[]);
    assert_eq!((code, &lines[0]["task"]["id"]), (0, &json!("2")));
    let (code, lines, _) = run(&plan, &["--only", "1", "--status"]);
    assert_eq!(code, 5, "{lines:?}");
    assert!(lines[0].to_string().contains("unclear-check: line 7: not understood; write: `make` → exit 0"));
    let (_, lines, _) = run(&plan, &["--only", "1", "--unclear-note", "seen"]);
    assert_eq!(lines[0]["task"]["id"], json!("1"));
}
