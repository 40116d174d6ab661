//! Proof: every part of it must be equal, and the latest word counts.

use toolkit::config::{self, Config};
use toolkit::proof::{Ground, Lack, digest_of, proved};
use wire::plan::Criterion;
use wire::punch::{Punch, SCHEMA, Source, SourceKind, Trust, Type};
use wire::{Task, TreeHash};

fn task() -> Task {
    let criterion =
        Criterion { id: "1:1".into(), command: Some("true".into()), runnable: true, ..Criterion::default() };
    Task { id: "1".into(), fingerprint: "fp1:a".into(), criteria: vec![criterion], ..Task::default() }
}

fn pass() -> Punch {
    Punch {
        schema: SCHEMA.into(),
        seq: 1,
        plan: "P".into(),
        task: Some("1".into()),
        fingerprint: Some("fp1:a".into()),
        attempt: Some(1),
        run: "r".into(),
        kind: Type::GatePass,
        key: "1:1".into(),
        observed_at: String::new(),
        tree: Some("t1:x".into()),
        source: Source { kind: SourceKind::Gate, path: None, line: None },
        trust: Trust::Observed,
        data: wire::Data::default(),
        source_hash: Some(digest_of(&task().criteria[0])),
        prev: String::new(),
        hash: String::new(),
    }
}

fn holds(records: &[Punch]) -> bool {
    proved(
        records,
        "P",
        &task(),
        &"r".into(),
        Some(&TreeHash("t1:x".into())),
        Ground { config: &Config::default(), steps: false },
    )
    .is_ok()
}

#[test]
fn a_pass_on_this_tree_in_this_run_is_proof() {
    assert!(holds(&[pass()]));
}

#[test]
fn no_part_may_differ() {
    let change: [fn(&mut Punch); 9] = [
        |p| p.plan = "Q".into(),
        |p| p.task = Some("10".into()),
        |p| p.fingerprint = Some("fp1:b".into()),
        |p| p.run = "old".into(),
        |p| p.key = "1:10".into(),
        |p| p.tree = Some("t1:y".into()),
        |p| p.source.kind = SourceKind::Human,
        |p| p.trust = Trust::Typed,
        |p| p.source_hash = Some("another command".into()),
    ];
    for change in change {
        let mut punch = pass();
        change(&mut punch);
        assert!(!holds(&[punch.clone()]), "{punch:?}");
    }
}

#[test]
fn a_later_fail_revokes_an_earlier_pass() {
    let mut fail = pass();
    fail.kind = Type::GateFail;
    assert!(!holds(&[pass(), fail.clone()]) && holds(&[fail, pass()]));
}

#[test]
fn nothing_to_run_is_no_proof() {
    let lack = proved(
        &[],
        "P",
        &Task::default(),
        &"r".into(),
        None,
        Ground { config: &Config::default(), steps: false },
    );
    assert_eq!(lack, Err(Lack::NothingToRun));
}

#[test]
fn a_gate_set_for_tasks_is_part_of_the_proof() {
    let config = config::parse(b"[[gates]]\nid = 'lint'\ninvocation = 'true'\nwhen = ['task']\n").unwrap();
    let tree = TreeHash("t1:x".into());
    let lack =
        proved(&[pass()], "P", &task(), &"r".into(), Some(&tree), Ground { config: &config, steps: false });
    assert_eq!(lack, Err(Lack::Missing(vec!["gate:lint".into()])));
}

#[test]
fn a_wrong_configuration_is_refused_with_its_line() {
    let unknown = config::parse(b"[defaults]\nworkr = 'x'\n").unwrap_err();
    assert_eq!((unknown.exit.code(), unknown.line), (78, Some(2)));
    for text in ["[[gates]]\nid='a'\ninvocation='x'\nwhen=['soon']", "[workers.a]\ncommand=[]"] {
        assert_eq!(config::parse(text.as_bytes()).unwrap_err().exit.code(), 78, "{text}");
    }
}
