//! Proof: every part of it must be equal, and the latest record counts.

use config::profile::Profile;
use config::{self, Config};
use ledger::changed::TreeView;
use ledger::proof::{Lack, ProofContext, digest, digest_of, proved};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use wire::plan::{Criterion, Kind};
use wire::punch::{Punch, SCHEMA, Source, SourceKind, Trust, Type};
use wire::{Task, TreeHash};

fn profile() -> &'static Profile {
    Profile::of_dialect("plan-md").unwrap()
}

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

fn tree() -> TreeView<'static> {
    static HASH: LazyLock<TreeHash> = LazyLock::new(|| TreeHash("t1:x".into()));
    static ENTRIES: BTreeMap<String, String> = BTreeMap::new();
    TreeView { hash: &HASH, entries: &ENTRIES }
}

fn holds(records: &[Punch]) -> bool {
    proved(
        records,
        "P",
        &task(),
        &"r".into(),
        Some(tree()),
        ProofContext { config: &Config::default(), profile: profile(), steps: false },
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
        ProofContext { config: &Config::default(), profile: profile(), steps: false },
    );
    assert_eq!(lack, Err(Lack::NothingToRun));
}

#[test]
fn a_gate_set_for_tasks_is_part_of_the_proof() {
    let config = config::parse(b"[[gates]]\nid = 'lint'\ninvocation = 'true'\nwhen = ['task']\n").unwrap();
    let lack = proved(
        &[pass()],
        "P",
        &task(),
        &"r".into(),
        Some(tree()),
        ProofContext { config: &config, profile: profile(), steps: false },
    );
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

/// A record of an attempt at the task, with the tree it found or the files it changed.
fn attempt(kind: Type, tree: &str, changed: &[&str]) -> Punch {
    let data = serde_json::json!({ "changed_files": changed }).into();
    let source = Source { kind: SourceKind::Supervisor, path: None, line: None };
    Punch { kind, key: "w".into(), tree: Some(tree.into()), source, source_hash: None, data, ..pass() }
}

#[test]
fn a_gate_alone_is_no_proof_where_nothing_changed() {
    let config = config::parse(b"[[gates]]\nid = 'lint'\ninvocation = 'true'\nwhen = ['task']\n").unwrap();
    let task = Task { criteria: Vec::new(), ..task() };
    let lint = Punch { key: "gate:lint".into(), source_hash: Some(digest("true", "")), ..pass() };
    let asked = |records: &[Punch], task: &Task| {
        let ground = ProofContext { config: &config, profile: profile(), steps: false };
        proved(&[records, std::slice::from_ref(&lint)].concat(), "P", task, &"r".into(), Some(tree()), ground)
    };
    let (begin, end) = (Type::AttemptBegin, Type::AttemptEnd);
    let (idle, worked) = (
        [attempt(begin, "t1:x", &[]), attempt(end, "t1:x", &[])],
        [attempt(begin, "t1:old", &[]), attempt(end, "t1:x", &["a"])],
    );
    assert_eq!(asked(&[], &task), Err(Lack::Unchanged));
    assert_eq!(asked(&idle, &task), Err(Lack::Unchanged));
    assert_eq!(asked(&worked, &task), Ok(()));
    // The first of several attempts did the work; or the last one reverted it.
    assert_eq!(asked(&[worked.clone(), idle.clone()].concat(), &task), Ok(()));
    let back = [attempt(begin, "t1:x", &[]), attempt(end, "t1:y", &["a"]), attempt(end, "t1:x", &["a"])];
    assert_eq!(asked(&back, &task), Err(Lack::Unchanged));
    // The work behind a tick that no longer holds does not count.
    let tick = Punch { kind: Type::Tick, ..attempt(end, "t1:x", &[]) };
    assert_eq!(asked(&[worked.to_vec(), vec![tick], idle.to_vec()].concat(), &task), Err(Lack::Unchanged));
    // A task of kind verification is no exception.
    let looks = Task { kind: Kind::Verification, ..task.clone() };
    assert_eq!(asked(&idle, &looks), Err(Lack::Unchanged));
    // A gate for the end of a phase is a checkpoint's own.
    let phase = config::parse(b"[[gates]]\nid = 'lint'\ninvocation = 'true'\nwhen = ['phase']\n").unwrap();
    let checkpoint = Task { kind: Kind::Checkpoint, ..task };
    let ground = ProofContext { config: &phase, profile: profile(), steps: false };
    assert_eq!(
        proved(std::slice::from_ref(&lint), "P", &checkpoint, &"r".into(), Some(tree()), ground),
        Ok(())
    );
}
