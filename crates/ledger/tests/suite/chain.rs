//! The ledger: a chain that survives concurrent writers and a crash in the middle of a line.

#![expect(clippy::unwrap_used, reason = "a test may end where something is missing")]

use ledger::{Entry, Ledger, NO_HASH, hash_of, split_hash};
use std::io::Write;
use toolkit::files::root::Home;
use wire::punch::{SourceKind, Trust, Type};

fn entry(key: &str) -> Entry {
    Entry {
        plan: "PLAN.md".into(),
        task: Some("1".into()),
        fingerprint: Some("fp1:x".into()),
        attempt: Some(1),
        run: "r".into(),
        kind: Type::GatePass,
        key: key.into(),
        observed_at: "2026-01-01T00:00:00Z".into(),
        tree: None,
        source: SourceKind::Gate,
        source_path: None,
        trust: Trust::Observed,
        data: serde_json::json!({ "text": "ends with \",\"hash\":\"" }),
        source_hash: None,
    }
}

fn chain_holds(text: &str) {
    let mut before = NO_HASH.to_owned();
    for line in text.lines().filter(|l| split_hash(l).is_some()) {
        let (body, hash) = split_hash(line).unwrap();
        assert_eq!(hash_of(body), hash);
        assert!(body.contains(&format!("\"prev\":\"{before}\"")), "{line}");
        hash.clone_into(&mut before);
    }
}

#[test]
fn each_line_carries_the_hash_of_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::new(Home::of(folder.path()).unwrap());
    assert!(ledger.read().unwrap().is_empty() && ledger.head().unwrap().is_none());
    ledger.append(entry("a")).unwrap();
    let head = ledger.append_all(vec![entry("b"), entry("c")]).unwrap();
    assert_eq!((head.seq, ledger.head().unwrap()), (3, Some(head.clone())));
    assert_eq!(ledger.read().unwrap().iter().map(|p| p.key.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    chain_holds(&std::fs::read_to_string(ledger.path()).unwrap());
}

#[test]
fn a_torn_last_line_is_kept_and_followed_by_a_torn_record() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::new(Home::of(folder.path()).unwrap());
    ledger.append(entry("a")).unwrap();
    let torn = "{\"schema\":\"punch/1\",\"seq\":2,\"pl";
    std::fs::OpenOptions::new().append(true).open(ledger.path()).unwrap().write_all(torn.as_bytes()).unwrap();
    ledger.append(entry("b")).unwrap();
    let text = std::fs::read_to_string(ledger.path()).unwrap();
    assert!(text.contains(torn));
    let kinds: Vec<_> = ledger.read().unwrap().iter().map(|p| (p.seq, p.kind)).collect();
    assert_eq!(kinds, [(1, Type::GatePass), (2, Type::Torn), (3, Type::GatePass)]);
    chain_holds(&text);
}

#[test]
fn a_ledger_that_is_only_a_torn_line_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::of(folder.path()).unwrap();
    home.folder("").unwrap();
    let ledger = Ledger::new(home);
    std::fs::File::create(ledger.path()).unwrap().write_all(&vec![b'x'; 100_000]).unwrap();
    assert_eq!(ledger.append(entry("a")).unwrap().seq, 2);
}

#[test]
fn writers_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::new(Home::of(folder.path()).unwrap());
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let ledger = ledger.clone();
            scope.spawn(move || {
                for n in 0..20 {
                    ledger.append(entry(&format!("{writer}-{n}"))).unwrap();
                }
            });
        }
    });
    let records = ledger.read().unwrap();
    assert_eq!(records.len(), 160);
    assert!(records.iter().enumerate().all(|(i, p)| p.seq == i as u64 + 1));
    chain_holds(&std::fs::read_to_string(ledger.path()).unwrap());
}
