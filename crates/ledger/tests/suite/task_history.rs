//! The next round: every row of the table of crashes, and attempts that count or do not.

use ledger::task_history::{Over, RETRY, TaskHistory, Try, of_plan, of_plan_since};
use serde_json::{Value, json};
use wire::Punch;
use wire::order::Category;
use wire::punch::{SCHEMA, Source, SourceKind, Trust, Type};

fn record(kind: Type, attempt: u32, run: &str, data: Value) -> Punch {
    Punch {
        schema: SCHEMA.into(),
        seq: 1,
        plan: "P".into(),
        task: Some("1".into()),
        fingerprint: Some("fp1:a".into()),
        attempt: Some(attempt),
        run: run.into(),
        kind,
        key: String::new(),
        observed_at: String::new(),
        tree: None,
        source: Source { kind: SourceKind::Tool, path: None, line: None },
        trust: Trust::Observed,
        data: data.into(),
        source_hash: None,
        prev: String::new(),
        hash: String::new(),
    }
}

fn begin(attempt: u32) -> Punch {
    record(Type::AttemptBegin, attempt, "r1", json!({ "pid": 1, "start_time": 2 }))
}

fn end(attempt: u32) -> Punch {
    record(Type::AttemptEnd, attempt, "r1", json!({ "result": { "path": "p", "sha256": "s" } }))
}

fn halt(attempt: u32, stage: &str, retry: bool, counts: bool, category: Category) -> Punch {
    let halt = json!({ "stage": stage, "code": "c", "category": category, "message": "m", "retry": retry, "counts": counts });
    record(Type::Halt, attempt, "r1", json!({ "halt": halt }))
}

fn standing(records: &[Punch]) -> TaskHistory {
    let (id, fingerprint) = ("1".into(), "fp1:a".into());
    of_plan(records, "P", std::iter::once((&id, &fingerprint))).remove("1").unwrap_or_default()
}

#[test]
fn begun_and_not_ended_does_not_count() {
    let standing = standing(&[begin(1)]);
    let owner = &standing.held().unwrap().owner;
    assert_eq!((owner.pid, owner.start_time), (1, Some(2)));
    assert_eq!((standing.spent, standing.last_attempt), (0, 1));
}

#[test]
fn ended_without_a_verdict_is_checked_from_its_saved_result() {
    let standing = standing(&[begin(1), end(1)]);
    assert!(standing.open.is_none());
    assert_eq!(standing.ended.unwrap().result.unwrap().path, "p");
}

#[test]
fn a_refused_attempt_counts_and_a_refused_tick_is_only_checked_again() {
    let refused = standing(&[begin(1), end(1), halt(1, "gate-run", true, true, Category::CodeError)]);
    assert_eq!((refused.spent, refused.ended.is_some()), (1, false));
    let ticked = standing(&[begin(1), end(1), halt(1, "checkbox", true, true, Category::Unknown)]);
    assert_eq!((ticked.spent, ticked.ended.is_some()), (1, true));
}

#[test]
fn a_rate_limit_does_not_count() {
    let standing = standing(&[begin(1), end(1), halt(1, "worker-run", true, false, Category::EnvError)]);
    assert_eq!((standing.spent, standing.may_try(&"r1".into(), None, 1)), (0, Try::Yes));
}

#[test]
fn after_the_attempts_a_code_error_gets_one_fix_and_others_none() {
    let code = halt(1, "gate-run", true, true, Category::CodeError);
    let mut records = vec![begin(1), end(1), code.clone()];
    assert_eq!(standing(&records).may_try(&"r1".into(), None, 1), Try::Fix);
    records.extend([record(Type::AttemptBegin, 2, "r1", json!({ "fix": true })), end(2), code]);
    assert_eq!(standing(&records).may_try(&"r1".into(), None, 1), Try::No(Over::Used));
    let machine = standing(&[begin(1), end(1), halt(1, "gate-run", true, true, Category::EnvError)]);
    assert_eq!(machine.may_try(&"r1".into(), None, 1), Try::No(Over::Used));
}

#[test]
fn what_no_attempt_can_mend_holds_for_its_own_run() {
    let standing = standing(&[halt(1, "handoff", false, true, Category::PlanError)]);
    assert_eq!(standing.may_try(&"r1".into(), None, 4), Try::No(Over::Refused));
    assert_eq!(standing.spent, 0, "no worker started");
    assert_eq!(standing.may_try(&"r2".into(), None, 4), Try::Yes);
}

/// An attempt whose checks fail on a tree.
fn failed(attempt: u32, tree: &str, checks: &[&str]) -> Vec<Punch> {
    let mut records = vec![begin(attempt), end(attempt)];
    for key in checks {
        let fail = record(Type::GateFail, attempt, "r1", Value::Null);
        records.push(Punch { key: (*key).to_owned(), tree: Some(tree.into()), ..fail });
    }
    records.push(halt(attempt, "gate-run", true, true, Category::CodeError));
    records
}

#[test]
fn two_attempts_with_the_same_tree_and_the_same_failed_checks_are_the_last() {
    let of = |second: Vec<Punch>| standing(&[failed(1, "t1", &["1:1"]), second].concat());
    let same = of(failed(2, "t1", &["1:1"]));
    // A failure of the code may have one fix order more, where the workflow has that.
    assert_eq!((same.spent, same.over(), same.may_try(&"r1".into(), None, 9)), (2, Over::Repeated, Try::Fix));
    assert_eq!(same.may_try(&"r2".into(), None, 9), Try::Fix, "in every run");
    for other in [failed(2, "t2", &["1:1"]), failed(2, "t1", &["1:1", "1:2"]), failed(2, "t1", &["1:2"])] {
        assert_eq!(of(other).may_try(&"r1".into(), None, 9), Try::Yes);
    }
    // Without git no tree is known, and nothing is the same.
    let without: Vec<Punch> = [failed(1, "", &["1:1"]), failed(2, "", &["1:1"])].concat();
    let without: Vec<Punch> = without.into_iter().map(|punch| Punch { tree: None, ..punch }).collect();
    assert_eq!(standing(&without).may_try(&"r1".into(), None, 9), Try::Yes);
}

#[test]
fn checks_that_failed_before_this_run_are_run_again_and_spend_nothing() {
    let mut records = failed(1, "t1", &["1:1"]);
    let (own, other, third) = ("r1".into(), "r2".into(), "r3".into());
    assert!(standing(&records).recheck(&own, true).is_none(), "they failed in this run");
    assert_eq!(standing(&records).recheck(&other, true).unwrap().attempt, 1);
    let again = failed(1, "t1", &["1:1"]).split_off(2);
    records.extend(again.into_iter().map(|punch| Punch { run: "r2".into(), ..punch }));
    let now = standing(&records);
    assert_eq!((now.spent, now.repeated, now.recheck(&other, true)), (1, false, None));
    assert!(now.recheck(&third, true).is_none(), "a worker is next");
    assert!(now.recheck(&third, false).is_some(), "only a change outside can help");
    // After a worker that failed before any check ran, another worker is next.
    let refused = standing(&[begin(1), end(1), halt(1, "worker-run", true, true, Category::EnvError)]);
    assert!(refused.recheck(&other, true).is_none() && refused.recheck(&other, false).is_none());
    let crash = json!({ "stage": "worker-run", "code": "crashed", "category": "unknown", "message": "m", "retry": true, "counts": true });
    let crash = record(Type::Halt, 1, "r1", json!({ "halt": crash }));
    let crashed = standing(&[begin(1), end(1), crash]);
    assert!(crashed.recheck(&other, true).is_none());
    assert!(crashed.recheck(&other, false).is_some(), "without attempts what it left is checked");
}

#[test]
fn fresh_attempts_come_with_a_decision_or_after_a_line() {
    let both = [failed(1, "t1", &["1:1"]), failed(2, "t1", &["1:1"])].concat();
    let decided = Punch { key: RETRY.into(), ..record(Type::Override, 2, "r1", Value::Null) };
    let now = standing(&[both.clone(), vec![decided]].concat());
    assert_eq!((now.spent, now.may_try(&"r1".into(), None, 1)), (0, Try::Yes));
    assert!(now.failure.is_some(), "the next worker is told of the failure");
    let numbered: Vec<Punch> = (1..).zip(both).map(|(seq, punch)| Punch { seq, ..punch }).collect();
    let since = |line: u64| {
        let (id, fingerprint) = ("1".into(), "fp1:a".into());
        let tasks = std::iter::once((&id, &fingerprint));
        of_plan_since(&numbered, "P", tasks, Some(line)).remove("1").unwrap()
    };
    assert_eq!((since(4).spent, since(4).repeated), (1, false));
    assert_eq!(since(99).spent, 0);
}

#[test]
fn a_tick_owes_a_commit_until_one_is_recorded_and_an_untick_begins_anew() {
    let mut records = vec![begin(1), end(1), record(Type::Tick, 1, "r1", Value::Null)];
    let ticked = standing(&records);
    assert!(ticked.tick.is_some() && !ticked.committed);
    records.push(record(Type::Commit, 1, "r1", Value::Null));
    assert!(standing(&records).committed);
    records.push(record(Type::Untick, 1, "r1", Value::Null));
    let anew = standing(&records);
    assert!(anew.tick.is_none() && anew.ended.is_none() && anew.last_attempt == 1);
}

#[test]
fn nothing_is_matched_by_id_alone() {
    let mut other = begin(1);
    other.fingerprint = Some("fp1:b".into());
    let mut plan = begin(1);
    plan.plan = "Q".into();
    assert_eq!(standing(&[other, plan]).last_attempt, 0);
}

/// A record of another run, with the number of its line.
fn of(run: &str, seq: u64, record: Punch) -> Punch {
    Punch { run: run.into(), seq, ..record }
}

fn claim(run: &str, seq: u64, attempt: u32) -> Punch {
    let data = json!({ "pid": 1, "start_time": 2, "host": "a", "place": "b", "lease_seconds": 60 });
    of(run, seq, record(Type::AttemptBegin, attempt, run, data))
}

#[test]
fn whoever_takes_a_task_over_has_the_higher_number_and_what_the_other_still_records_tells_nothing() {
    let late = [of("a", 7, end(1)), of("a", 8, halt(1, "gate-run", false, true, Category::CodeError))];
    let taken = [claim("a", 5, 1), claim("b", 6, 2)];
    let records = [&taken[..], &late[..]].concat();
    let now = standing(&records);
    assert_eq!(now.held().map(|hold| hold.number), Some(6));
    assert_eq!((now.spent, now.ended, now.halt), (0, None, None));
    // The same records from the run that holds the task all count.
    let records =
        [&taken[..], &late.map(|punch| Punch { run: "b".into(), attempt: Some(2), ..punch })[..]].concat();
    let now = standing(&records);
    assert_eq!((now.spent, now.held()), (1, None));
    assert_eq!(
        now.may_try(&"c".into(), Some(4), 9),
        Try::No(Over::Refused),
        "for a run that began before it"
    );
    assert_eq!(now.may_try(&"c".into(), Some(8), 9), Try::Yes);
}

#[test]
fn a_shared_hold_lasts_until_the_commit_and_a_result_that_is_taken_over_stays() {
    let mut records = vec![claim("a", 5, 1), of("a", 6, end(1))];
    assert!(standing(&records).held().is_some(), "its checks are under way");
    records.push(of("b", 7, Punch { kind: Type::Takeover, ..claim("b", 7, 1) }));
    let now = standing(&records);
    assert_eq!((now.held().map(|hold| hold.number), now.ended.is_some()), (Some(7), true));
    records.push(of("b", 8, record(Type::Tick, 1, "b", Value::Null)));
    assert!(standing(&records).held().is_some());
    records.push(of("b", 9, record(Type::Commit, 1, "b", Value::Null)));
    assert!(standing(&records).held().is_none());
}
