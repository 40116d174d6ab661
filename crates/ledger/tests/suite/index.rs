//! The index of a long ledger: what it saves, and what it must not hide.

#![expect(clippy::unwrap_used, reason = "a test may end where something is missing")]

use ledger::{Entry, Ledger};
use serde_json::json;
use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use toolkit::files::root::Home;
use wire::punch::Type;

const LONG: &str = "long enough that a few thousand of them make a block";

/// A ledger of several blocks: a few records of `PLAN.md`, then thousands of `OLD.md`, then one of each.
fn long(folder: &Path) -> Ledger {
    let ledger = Ledger::new(Home::of(folder).unwrap());
    let of = |plan: &str, key: String| Entry {
        plan: plan.to_owned(),
        task: Some("1".into()),
        data: json!({ "text": LONG.repeat(20) }),
        ..Entry::new("r".into(), Type::GatePass, key, "2026-01-01T00:00:00Z".to_owned())
    };
    let mut entries = vec![of("PLAN.md", "first".to_owned())];
    entries.extend((0..9000).map(|n| of("OLD.md", n.to_string())));
    entries.push(of("PLAN.md", "in between".to_owned()));
    entries.extend((0..2000).map(|n| of("OLD.md", n.to_string())));
    entries.push(of("PLAN.md", "last".to_owned()));
    ledger.append_all(entries).unwrap();
    ledger
}

/// The index.
fn written(ledger: &Ledger) -> String {
    let path = ledger.path().with_extension("index");
    fs::read_to_string(path).unwrap()
}

#[test]
fn it_names_the_places_of_a_plan_and_covers_whole_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = long(folder.path());
    ledger.keep_index().unwrap();
    let index: serde_json::Value = serde_json::from_str(&written(&ledger)).unwrap();
    let blocks = index["blocks"].as_array().unwrap();
    let mut text = Vec::new();
    fs::File::open(ledger.path()).unwrap().read_to_end(&mut text).unwrap();
    let mut from = 0;
    for block in blocks {
        let end = usize::try_from(block["end"].as_u64().unwrap()).unwrap();
        assert_eq!(toolkit::files::sha::hex(&text[from..end]), block["sha256"].as_str().unwrap());
        assert_eq!(text[end - 1], b'\n');
        from = end;
    }
    assert!(blocks.len() >= 2 && text.len() - from < 1 << 20, "{} blocks of {}", blocks.len(), text.len());
    let places = index["places"]["PLAN.md"].as_array().unwrap();
    assert_eq!(places.len(), 2, "{places:?}");
    let read: u64 = places.iter().map(|place| place[1].as_u64().unwrap() - place[0].as_u64().unwrap()).sum();
    assert!(read < 10_000, "{read} bytes for two records");
}

#[test]
fn a_broken_chain_gets_no_index() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = long(folder.path());
    let mut file = fs::File::options().write(true).open(ledger.path()).unwrap();
    file.seek(SeekFrom::Start(400)).unwrap();
    file.write_all(b"X").unwrap();
    ledger.keep_index().unwrap();
    assert!(!ledger.path().with_extension("index").exists());
}

#[test]
fn one_that_was_written_since_the_run_began_hides_nothing_and_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = long(folder.path());
    ledger.keep_index().unwrap();
    let path = ledger.path().with_extension("index");
    let text = fs::read_to_string(&path).unwrap().replace("PLAN.md", "NONE.md");
    toolkit::files::fs::create(&path, text.as_bytes()).unwrap();
    let keys: Vec<String> =
        ledger.read_of("PLAN.md").unwrap().iter().map(|record| record.key.clone()).collect();
    assert_eq!(keys, ["first", "in between", "last"]);
    assert!(ledger.old_part().is_none());
    ledger.drop_young_index().unwrap();
    assert!(!path.exists());
}

#[test]
fn a_short_ledger_has_none() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::new(Home::of(folder.path()).unwrap());
    ledger.append(Entry::new("r".into(), Type::GatePass, "k", "2026-01-01T00:00:00Z".to_owned())).unwrap();
    ledger.keep_index().unwrap();
    assert!(!ledger.path().with_extension("index").exists());
}
