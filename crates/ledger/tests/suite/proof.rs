//! Levels of evidence: every part of a record must be equal, the latest record counts, and before and after decide.

use config::profile::Profile;
use config::{self, Config};
use ledger::changed::TreeView;
use ledger::level::{self, Evidence, Lack};
use ledger::proof::{ProofContext, digest, digest_of};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use wire::plan::{Criterion, Kind};
use wire::punch::{Punch, SCHEMA, Source, SourceKind, Trust, Type};
use wire::{Level, RunId, Task, TreeHash};

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

/// Why a task is unproved.
fn proved(
    records: &[Punch],
    plan: &str,
    task: &Task,
    run: &RunId,
    tree: Option<TreeView<'_>>,
    ground: ProofContext<'_>,
) -> Result<(), Lack> {
    level::of(records, plan, task, run, tree, ground).lack.map_or(Ok(()), Err)
}

fn evidence(records: &[Punch]) -> Evidence {
    let ground = ProofContext { config: &Config::default(), profile: profile(), steps: false };
    level::of(records, "P", &task(), &"r".into(), Some(tree()), ground)
}

fn holds(records: &[Punch]) -> bool {
    evidence(records).lack.is_none()
}

/// The result of the check before the work, on a tree.
fn before(status: &str, tree: &str) -> Punch {
    let data = serde_json::json!({ "gate": { "status": status } }).into();
    Punch { kind: Type::Before, tree: Some(tree.into()), run: "earlier".into(), data, ..pass() }
}

#[test]
fn before_and_after_decide_about_the_level() {
    let level = |records: &[Punch]| evidence(records).level;
    assert_eq!(level(&[]), Level::Unproved);
    assert_eq!(level(&[pass()]), Level::Passes);
    assert_eq!(level(&[before("fail", "t1:old"), pass()]), Level::Proved);
    assert_eq!(level(&[before("pass", "t1:old"), pass()]), Level::AlreadyTrue);
    assert_eq!(level(&[before("fault", "t1:old"), pass()]), Level::Passes);
    // The latest result counts, also one that could not look; the same tree with another result says nothing.
    assert_eq!(level(&[before("fail", "t1:old"), before("pass", "t1:o"), pass()]), Level::AlreadyTrue);
    assert_eq!(level(&[before("fail", "t1:old"), before("fault", "t1:o"), pass()]), Level::Passes);
    assert_eq!(level(&[before("fail", "t1:x"), pass()]), Level::Passes);
    // A result of another command, or one that was typed, does not count.
    let other = Punch { source_hash: Some("other".into()), ..before("fail", "t1:old") };
    let typed = Punch { trust: Trust::Typed, ..before("fail", "t1:old") };
    assert_eq!(level(&[other, typed, pass()]), Level::Passes);
}

#[test]
fn a_level_ticks_where_the_project_accepts_it() {
    use config::proof::Accept;
    let allows = |records: &[Punch], accept| {
        let found = evidence(records);
        found.allows(records, "P", &task(), &"r".into(), accept).map(|allowed| allowed.level)
    };
    let proved = [before("fail", "t1:old"), pass()];
    assert_eq!(allows(&proved, Accept::Proved), Ok(Level::Proved));
    let why = allows(&[pass()], Accept::Proved).unwrap_err();
    assert!(
        why.starts_with("passes: check 1:1 passes, and nothing shows that the work made it true"),
        "{why}"
    );
    assert_eq!(allows(&[pass()], Accept::Passes), Ok(Level::Passes));
    let worked = [attempt(Type::AttemptBegin, "t1:old", &[]), attempt(Type::AttemptEnd, "t1:x", &["a"])];
    let already = [before("pass", "t1:old"), pass()];
    let changed = [&worked[..], &already].concat();
    assert!(allows(&changed, Accept::Passes).unwrap_err().contains("accept = \"already-true\""));
    assert_eq!(allows(&changed, Accept::AlreadyTrue), Ok(Level::AlreadyTrue));
    // With an unchanged tree it ticks only tasks of kind verification.
    assert!(allows(&already, Accept::Gates).unwrap_err().contains("the worker changed nothing"));
    let looks = Task { kind: Kind::Verification, ..task() };
    let found = evidence(&already);
    assert!(found.allows(&already, "P", &looks, &"r".into(), Accept::Gates).is_ok());
    // A person's word for the run is a record, and the tick says so.
    let data = serde_json::json!({ "level": "already-true", "reason": "I looked" }).into();
    let word = Punch { kind: Type::Override, key: level::ACCEPT.into(), task: None, data, ..pass() };
    assert_eq!(allows(&[changed, vec![word]].concat(), Accept::Passes), Ok(Level::Accepted));
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
