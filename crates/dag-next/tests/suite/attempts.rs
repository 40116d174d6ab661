//! What the ledger says about attempts: used, interrupted, running, done before.

#![expect(clippy::unwrap_used, reason = "a test may end where something is missing")]

use crate::ask::{ids, plan, run, run_text};
use ledger::{Entry, Ledger};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use toolkit::files::root::Home;
use wire::punch::{SourceKind, Trust, Type};

/// Appends records of task `1`, each of a kind and with its data; attempts are counted by the records that begin one.
fn record(root: &Path, records: &[(Type, Value)]) {
    let mut attempt = 0;
    let ledger = Ledger::new(Home::of(root).unwrap());
    for (kind, data) in records {
        attempt += u32::from(*kind == Type::AttemptBegin);
        let entry = Entry {
            plan: "P.md".to_owned(),
            task: Some("1".into()),
            fingerprint: Some("fp1:x".into()),
            attempt: Some(attempt),
            run: "earlier".into(),
            kind: *kind,
            key: "1".to_owned(),
            observed_at: "2026-01-01T00:00:00Z".to_owned(),
            tree: None,
            source: SourceKind::Tool,
            source_path: None,
            trust: Trust::Observed,
            data: data.clone(),
            source_hash: None,
        };
        ledger.append(entry).unwrap();
    }
}

/// A refusal that counts or not.
fn halt(category: &str, counts: bool) -> (Type, Value) {
    let halt = json!({
        "stage": "worker-run", "code": "x", "category": category, "message": "it broke", "retry": true,
        "counts": counts,
    });
    (Type::Halt, json!({ "halt": halt }))
}

fn begun() -> (Type, Value) {
    (Type::AttemptBegin, json!({}))
}

/// Task `1`, and `2` which depends on it, and `3` which does not.
fn three(root: &Path) -> Value {
    plan(root, "plan-md", &[json!({"id": "1"}), json!({"id": "2", "depends_on": ["1"]}), json!({"id": "3"})])
}

#[test]
fn used_up_attempts_hold_back_the_task_and_its_dependants_only() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), &[begun(), halt("env_error", true), begun(), halt("env_error", true)]);
    let plan = three(folder.path());
    assert_eq!(ids(&plan, &["--max-attempts", "2"]), ["3", "more"]);
    let (code, status, _) = run(&plan, &["--max-attempts", "2", "--why", "2"]);
    assert_eq!((code, &status[0]["exhausted"]), (0, &json!(["1"])));
    let waiting = &status[0]["waiting"][0];
    assert_eq!(
        (&waiting["chain"], &waiting["cause"]),
        (&json!(["1"]), &json!("2 of 2 attempts used: it broke"))
    );
    let (_, lines, _) = run(&plan, &["--max-attempts", "3"]);
    assert_eq!((&lines[0]["task"]["id"], &lines[0]["attempt"]), (&json!("1"), &json!(3)));
    assert_eq!(lines[0]["last_failure"]["halt"]["message"], "it broke");
}

#[test]
fn a_rate_limit_or_an_interruption_spends_no_attempt() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), &[begun(), halt("env_error", false), begun()]);
    let (_, lines, _) = run(&three(folder.path()), &["--max-attempts", "1"]);
    assert_eq!((&lines[0]["task"]["id"], &lines[0]["attempt"]), (&json!("1"), &json!(3)));
    assert_eq!(lines[0]["resume"]["step"], "work");
    assert!(lines[0]["why"]["rule"].as_str().unwrap().ends_with("its worker was interrupted: tried again"));
}

#[test]
fn a_round_that_started_no_worker_and_ticked_nothing_is_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(folder.path(), "checklist", &[json!({"id": "1"})]);
    let own = ["--run", "earlier"];
    record(folder.path(), &[begun(), (Type::AttemptEnd, json!({})), halt("unknown", false)]);
    assert_eq!(ids(&plan, &own), ["1", "more"]);
    record(folder.path(), &[halt("unknown", false)]);
    assert_eq!(ids(&plan, &own), ["stuck"]);
    let (code, status, _) = run(&plan, &["--run", "earlier", "--status"]);
    let why = "refused twice, and no worker started: it broke";
    assert_eq!((code, &status[0]["waiting"][0]["cause"]), (5, &json!(why)));
    assert_eq!((&status[0]["needs_you"], &status[0]["exhausted"]), (&json!(["1"]), &Value::Null));
    assert_eq!(status[0]["given_up"][0]["code"], "no-progress");
    // Another run may find things changed, and so may this one after a worker.
    assert_eq!(ids(&plan, &["--run", "later"]), ["1", "more"]);
    record(folder.path(), &[begun(), halt("unknown", false)]);
    assert_eq!(ids(&plan, &own), ["1", "more"]);
}

#[test]
fn a_ticked_task_whose_box_was_cleared_is_checked_and_worked_again_once_that_fails() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(folder.path(), "checklist", &[json!({"id": "1"})]);
    let first = [begun(), halt("code_error", true), begun()];
    record(folder.path(), &first);
    record(folder.path(), &[(Type::AttemptEnd, json!({})), (Type::Tick, json!({}))]);
    let (_, lines, _) = run(&plan, &[]);
    assert_eq!((&lines[0]["attempt"], &lines[0]["resume"]["step"]), (&json!(2), &json!("check")));
    record(folder.path(), &[halt("code_error", true)]);
    // The check spent no attempt, and the ones that led to the tick are not counted either.
    let (_, lines, _) = run(&plan, &["--max-attempts", "1"]);
    assert_eq!((&lines[0]["attempt"], &lines[0]["resume"]), (&json!(3), &Value::Null), "{lines:?}");
    assert_eq!(lines[0]["last_failure"]["halt"]["message"], "it broke");
}

#[test]
fn a_fault_of_the_work_gets_one_fix_order_and_no_second() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..4 {
        record(folder.path(), &[begun(), halt("code_error", true)]);
    }
    let (_, lines, _) = run(&three(folder.path()), &[]);
    assert_eq!((&lines[0]["task"]["id"], &lines[0]["why"]["fix"]), (&json!("1"), &json!(true)));
    assert!(lines[0]["why"]["rule"].as_str().unwrap().ends_with("the Fix Task"), "{lines:?}");
    record(folder.path(), &[(Type::AttemptBegin, json!({"fix": true})), halt("code_error", true)]);
    assert_eq!(ids(&three(folder.path()), &[]), ["3", "more"]);
    let used =
        "1\t4 of 4 attempts and the Fix Task used: it broke\tattempts-used\torchestrate --retry=1 P.md\n";
    assert_eq!(given_up(&three(folder.path()), &[]), used);
}

#[test]
fn a_number_of_attempts_that_somebody_sets_is_the_number_of_calls() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), &[begun(), halt("code_error", true)]);
    assert_eq!(ids(&three(folder.path()), &["--max-attempts", "1"]), ["3", "more"]);
    for text in ["[defaults]\nmax_attempts = 1\n", "[workflow.execute]\nattempts = 1\n"] {
        toolkit::files::fs::create(&folder.path().join("plantools.toml"), text.as_bytes()).unwrap();
        assert_eq!(ids(&three(folder.path()), &[]), ["3", "more"], "{text}");
    }
    let text = b"[workflow.execute]\nattempts = 1\nfix_order = true\n";
    toolkit::files::fs::create(&folder.path().join("plantools.toml"), text).unwrap();
    assert_eq!(ids(&three(folder.path()), &[]), ["1", "3", "more"], "a fix order is asked for by name");
}

#[test]
fn a_refusal_before_the_worker_starts_uses_up_no_attempt_and_needs_a_person() {
    let folder = tempfile::tempdir().unwrap();
    let refusal = json!({
        "stage": "handoff", "code": "pin-changed", "category": "plan_error", "message": "plantools.toml changed",
        "retry": false, "counts": true,
    });
    record(folder.path(), &[(Type::Halt, json!({ "halt": refusal }))]);
    let (_, status, _) = run(&three(folder.path()), &["--run", "earlier", "--max-attempts", "1", "--status"]);
    assert_eq!((&status[0]["needs_you"], &status[0]["exhausted"]), (&json!(["1"]), &Value::Null));
    assert_eq!(
        status[0]["given_up"][0],
        json!({
            "id": "1", "title": "1", "code": "refused", "message": "plantools.toml changed", "halt": "pin-changed",
            "attempts": 0, "max_attempts": 1, "next": "orchestrate --accept-change REASON P.md",
        })
    );
    assert_eq!(
        ids(&three(folder.path()), &["--max-attempts", "1"]),
        ["1", "3", "more"],
        "the next run tries it"
    );
}

#[test]
fn what_failed_in_an_earlier_run_is_checked_before_a_worker_starts() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(folder.path(), "checklist", &[json!({"id": "1"})]);
    let result = json!({ "result": { "path": "r.json", "sha256": "s" } });
    record(folder.path(), &[begun(), (Type::AttemptEnd, result)]);
    record(folder.path(), &[(Type::GateFail, json!({})), halt("env_error", true)]);
    // No attempt is left, and still the checks run again, once a run.
    let (_, lines, _) = run(&plan, &["--run", "later", "--max-attempts", "1"]);
    assert_eq!(
        (&lines[0]["resume"]["step"], &lines[0]["attempt"]),
        (&json!("recheck"), &json!(1)),
        "{lines:?}"
    );
    assert_eq!(lines[0]["resume"]["result"]["path"], "r.json");
    assert_eq!(ids(&plan, &["--run", "earlier", "--max-attempts", "1"]), ["stuck"]);
    let (_, lines, _) = run(&plan, &["--run", "earlier", "--max-attempts", "2"]);
    assert_eq!((&lines[0]["resume"], &lines[0]["attempt"]), (&Value::Null, &json!(2)), "{lines:?}");
}

#[test]
fn a_person_gives_fresh_attempts_on_record() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), &[begun(), halt("env_error", true)]);
    let once = ["--max-attempts", "1"];
    assert_eq!(ids(&three(folder.path()), &once), ["3", "more"]);
    let text = three(folder.path()).to_string();
    let (code, _, error) = run_text(&text, &["--retry=9"]);
    assert!(code == 2 && error.contains("there is no task '9'"), "{code}: {error}");
    assert_eq!(ids(&three(folder.path()), &once), ["3", "more"]);
    for args in [&["--retry"][..], &["--retry=1"]] {
        assert_eq!(run_text(&text, args).0, 0);
        assert_eq!(ids(&three(folder.path()), &once), ["1", "3", "more"], "{args:?}");
        record(folder.path(), &[begun(), halt("env_error", true)]);
        assert_eq!(ids(&three(folder.path()), &once), ["3", "more"], "{args:?}");
    }
    let ledger = Ledger::new(Home::of(folder.path()).unwrap()).read().unwrap();
    let decided = ledger.iter().filter(|p| p.kind == Type::Override && p.source.kind == SourceKind::Human);
    assert_eq!(decided.map(|p| p.key.as_str()).collect::<Vec<_>>(), ["retry", "retry"]);
}

#[test]
fn what_a_live_process_works_on_is_not_handed_out_and_keeps_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let own = std::process::id();
    let owner = json!({"pid": own, "start_time": supervise::processes::start_time(own).unwrap()});
    record(folder.path(), &[(Type::AttemptBegin, owner)]);
    let file = json!([{"path": "a.rs", "action": "modify"}]);
    let tasks = [json!({"id": "1", "files": file}), json!({"id": "2", "files": file}), json!({"id": "3"})];
    let open = plan(folder.path(), "plan-md", &tasks);
    assert_eq!(ids(&open, &[]), ["3", "more"]);
    let (_, status, _) = run(&open, &["--status"]);
    assert_eq!(status[0]["running"], json!(["1"]));
    assert_eq!(status[0]["waiting"][1]["cause"], "declares 'a.rs', like task '1', which runs now");
    // One at a time means that nothing else is begun meanwhile.
    assert_eq!(ids(&open, &["--strategy", "sequential"]), ["wait"]);
    assert_eq!(run_text(&open.to_string(), &["--strategy", "auto", "--status"]).0, 6);
}

#[test]
fn what_another_machine_has_claimed_waits_for_its_lease() {
    let folder = tempfile::tempdir().unwrap();
    let claims = folder.path().join(".plantools/claims");
    let owner = json!({"pid": 1, "start_time": 2, "host": "far", "place": "elsewhere", "lease_seconds": 60});
    record(folder.path(), &[(Type::AttemptBegin, owner.clone())]);
    let open = plan(folder.path(), "plan-md", &[json!({"id": "1"})]);
    // It gave no sign of life.
    assert_eq!(ids(&open, &[]), ["1", "more"]);
    let owner: wire::order::Owner = serde_json::from_value(owner).unwrap();
    let home = Home::of(folder.path()).unwrap();
    let beat = ledger::leases::Beat::begin(&home, &owner).unwrap();
    assert_eq!(ids(&open, &[]), ["wait"]);
    let (code, status, _) = run(&open, &["--status"]);
    assert_eq!((code, &status[0]["running"]), (6, &json!(["1"])));
    let file = std::fs::read_dir(&claims).unwrap().next().unwrap().unwrap().path();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(61);
    std::fs::File::options().write(true).open(file).unwrap().set_modified(old).unwrap();
    assert_eq!(ids(&open, &[]), ["1", "more"]);
    drop(beat);
}

#[test]
fn a_task_that_changed_since_it_was_done_is_reopened_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), &[begun(), (Type::AttemptEnd, json!({})), (Type::Tick, json!({}))]);
    let done = |fingerprint: &str| json!({"id": "1", "state": "completed", "fingerprint": fingerprint});
    let ask = |task: Value| {
        let plan = plan(folder.path(), "plan-md", &[task, json!({"id": "2", "state": "completed"})]);
        let (code, mut status, _) = run(&plan, &["--status"]);
        (code, status.remove(0)["reopened"].take())
    };
    assert_eq!(ask(done("fp1:x")), (4, Value::Null));
    assert_eq!(ask(done("fp1:y")), (4, json!(["1"])));
}

#[test]
fn asking_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for args in [&[][..], &["--status"], &["--why", "2"], &["--rounds"], &["--human"]] {
        run(&three(folder.path()), args);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_run_that_has_spent_its_budget_hands_out_nothing_more() {
    let folder = tempfile::tempdir().unwrap();
    let end = |cost: f64| (Type::AttemptEnd, json!({ "cost": cost }));
    record(
        folder.path(),
        &[begun(), end(0.5), halt("env_error", true), begun(), end(0.7), halt("env_error", true)],
    );
    let of = |budget: &[&str]| ids(&three(folder.path()), &[&["--run", "earlier"], budget].concat());
    assert_eq!(of(&["--budget-attempts", "3"]), ["1", "3", "more"]);
    assert_eq!(of(&["--budget-attempts", "2"]), ["stuck"]);
    assert_eq!(of(&["--budget-cost", "1.3"]), ["1", "3", "more"]);
    assert_eq!(of(&["--budget-cost", "1.2"]), ["stuck"]);
    let another = ids(&three(folder.path()), &["--run", "later", "--budget-attempts", "2"]);
    assert_eq!(another, ["1", "3", "more"], "a budget is of one run");
}

#[test]
fn tokens_and_days_are_budgets_too() {
    let folder = tempfile::tempdir().unwrap();
    let used =
        json!({"tokens": {"input": 900, "output": 100, "cached": 500}, "cost": 0.5, "outcome": "done"});
    let end = || (Type::AttemptEnd, used.clone());
    let no = || halt("env_error", true);
    record(folder.path(), &[begun(), end(), no(), begun(), end(), no()]);
    let of = |args: &[&str]| ids(&three(folder.path()), args);
    let mine = ["--run", "earlier"];
    assert_eq!(of(&[&mine[..], &["--budget-tokens", "2001"]].concat()), ["1", "3", "more"]);
    assert_eq!(of(&[&mine[..], &["--budget-tokens", "2000"]].concat()), ["stuck"]);
    let today = ["--run", "later", "--now", "2026-01-01T23:00:00Z"];
    assert_eq!(of(&[&today[..], &["--budget-per-day", "1.01"]].concat()), ["1", "3", "more"]);
    assert_eq!(of(&[&today[..], &["--budget-per-day", "1"]].concat()), ["stuck"]);
    assert_eq!(of(&[&today[..], &["--budget-per-day", "2000tokens"]].concat()), ["stuck"]);
    let tomorrow = ["--run", "later", "--now", "2026-01-02T00:00:00Z", "--budget-per-day", "1"];
    assert_eq!(of(&tomorrow), ["1", "3", "more"], "each day has its own");
    let (_, status, _) =
        run(&three(folder.path()), &[&today[..], &["--budget-per-day", "1", "--why", "3"]].concat());
    assert_eq!(
        status[0]["waiting"][0]["cause"],
        "the budget of the day is used up: 1.00 of 1.00 in 1 run on 2026-01-01"
    );
}

#[test]
fn a_budget_that_nobody_reports_against_is_not_kept_by_hope() {
    let folder = tempfile::tempdir().unwrap();
    let silent = json!({"outcome": "done"});
    record(folder.path(), &[begun(), (Type::AttemptEnd, silent), halt("env_error", true)]);
    let mine = ["--run", "earlier"];
    for (budget, what) in [("--budget-tokens", "tokens"), ("--budget-cost", "cost")] {
        let args = [&mine[..], &[budget, "1000000"]].concat();
        assert_eq!(ids(&three(folder.path()), &args), ["stuck"], "{budget}");
        let (_, status, _) = run(&three(folder.path()), &[&args[..], &["--why", "3"]].concat());
        let cause = status[0]["waiting"][0]["cause"].as_str().unwrap();
        assert_eq!(cause, format!("the budget cannot be kept: the worker '1' reports no {what}"));
    }
    let crashed = tempfile::tempdir().unwrap();
    let end = (Type::AttemptEnd, json!({"outcome": "crashed"}));
    record(crashed.path(), &[begun(), end, halt("env_error", true)]);
    let args = [&mine[..], &["--budget-tokens", "10"]].concat();
    assert_eq!(ids(&three(crashed.path()), &args), ["1", "3", "more"], "it may have used nothing");
}

#[test]
fn what_is_given_up_is_listed_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), &[begun(), halt("env_error", true)]);
    let of = |attempts| given_up(&three(folder.path()), &["--usual-attempts", attempts]);
    assert_eq!(
        (of("1").as_str(), of("2").as_str()),
        ("1\t1 of 1 attempts used: it broke\tattempts-used\torchestrate --retry=1 P.md\n", "")
    );
}

#[test]
fn the_profile_says_how_often_a_task_may_be_tried() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), &[begun(), halt("env_error", true), begun(), halt("env_error", true)]);
    let of = |args: &[&str]| given_up(&three(folder.path()), args);
    assert_eq!(of(&[]), "");
    assert_eq!(
        of(&["--profile", "execute-task"]),
        "1\t2 of 2 attempts used: it broke\tattempts-used\torchestrate --retry=1 P.md\n"
    );
    let config = folder.path().join("plantools.toml");
    let text = b"[defaults]\nmax_attempts = 9\n[workflow.execute]\nattempts = 2\n";
    toolkit::files::fs::create(&config, text).unwrap();
    assert_eq!(
        of(&[]),
        "1\t2 of 2 attempts used: it broke\tattempts-used\torchestrate --retry=1 P.md\n",
        "plan-md is carried out by execute"
    );
    assert_eq!(of(&["--max-attempts", "3"]), "", "the command line wins");
}

#[test]
fn in_a_runbook_the_same_error_twice_in_one_run_stops_everything() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), &[begun(), halt("code_error", true), begun(), halt("code_error", true)]);
    let runbook = plan(folder.path(), "runbook", &[json!({"id": "1"}), json!({"id": "2"})]);
    assert_eq!(ids(&runbook, &["--run", "earlier"]), ["stuck"]);
    assert_eq!(
        given_up(&runbook, &["--run", "earlier"]),
        "1\tthe same error twice: it broke\tsame-error\torchestrate --retry=1 P.md\n"
    );
    assert_eq!(ids(&runbook, &["--run", "later"]), ["1", "more"], "the next run begins anew");
}

/// What `--given-up` prints.
fn given_up(plan: &Value, args: &[&str]) -> String {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(plan.to_string().as_bytes()).unwrap();
    let got = Command::new(env!("CARGO_BIN_EXE_dag-next"))
        .args(args)
        .arg("--given-up")
        .arg(file.path())
        .env_remove("PLANTOOLS_RUN")
        .output()
        .unwrap();
    assert!(got.status.success(), "{got:?}");
    String::from_utf8(got.stdout).unwrap()
}

#[test]
fn what_depends_on_a_task_whose_commit_was_refused_waits_until_it_is_made() {
    let refused = |with: &[&str]| {
        let halt = json!({
            "stage": "commit-run", "code": "commit-refused", "category": "unknown", "message": "git refused the commit: no",
            "retry": false, "counts": false,
        });
        (Type::Halt, json!({ "halt": halt, "detail": { "with": with } }))
    };
    let plan = |root: &Path| {
        let (done, open) = (json!("completed"), json!("pending"));
        plan(
            root,
            "plan-md",
            &[
                json!({"id": "1", "state": done}),
                json!({"id": "0", "state": done}),
                json!({"id": "C", "kind": "container", "state": done}),
                json!({"id": "C1", "parent": "C", "state": done, "depends_on": ["1"]}),
                json!({"id": "2", "state": open, "depends_on": ["1"]}),
                json!({"id": "3", "state": open}),
                json!({"id": "4", "state": open, "depends_on": ["C"]}),
                json!({"id": "5", "state": open, "depends_on": ["0"]}),
            ],
        )
    };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    record(root, &[begun(), (Type::AttemptEnd, json!({})), (Type::Tick, json!({}))]);
    assert_eq!(ids(&plan(root), &[]), ["2", "3", "4", "5", "more"]);
    record(root, &[refused(&[])]);
    assert_eq!(ids(&plan(root), &[]), ["3", "5", "more"]);
    let (code, status, _) = run(&plan(root), &["--only", "4", "--why", "4"]);
    let cause = "waits for the commit of task 1: git refused the commit: no; mend that and run it again, or commit its \
                 files by hand";
    assert_eq!((code, &status[0]["waiting"][0]["cause"]), (5, &json!(cause)));
    assert_eq!(ids(&plan(root), &["--only", "2"]), ["stuck"]);
    // A commit, or the word that none is due any more, ends the wait; so does a box that was cleared.
    record(
        root,
        &[(Type::Commit, json!({ "commit": { "skipped": "nothing to commit that the row names" } }))],
    );
    assert_eq!(ids(&plan(root), &[]), ["2", "3", "4", "5", "more"]);
    record(root, &[(Type::Tick, json!({})), refused(&[])]);
    assert_eq!(ids(&plan(root), &[]), ["3", "5", "more"]);
    record(root, &[(Type::Untick, json!({}))]);
    assert_eq!(ids(&plan(root), &[]), ["2", "3", "4", "5", "more"]);
}
