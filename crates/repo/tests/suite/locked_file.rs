//! Two programs change a user's file at once: one of the two versions stays, whole, and the other program gets an error.

#![expect(clippy::unwrap_used, reason = "a test may end where something is missing")]

use ledger::{Entry, Head, Ledger};
use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use toolkit::Exit;
use toolkit::files::locked_file::{LockedFile, Written};
use toolkit::files::root::Home;
use wire::punch::{SourceKind, Trust, Type};

fn file(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.md");
    put(&path, text);
    (folder, path)
}

/// Writes in place, as a careless editor does.
fn put(path: &Path, text: &str) {
    fs::File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}

/// Writes as a careful editor does: renames another file over it.
fn put_anew(path: &Path, text: &str) {
    let other = path.with_extension("new");
    put(&other, text);
    fs::rename(&other, path).unwrap();
}

const CHANGES: [(&str, &str); 2] = [("[ ] one\n", "[x] one\n"), ("[] one\n", "[x] one\n")];

#[test]
fn what_an_editor_saves_after_the_reading_is_never_lost() {
    for (old, new) in CHANGES {
        for save in [put, put_anew] {
            let (folder, path) = file(old);
            let mut held = LockedFile::open(&path).unwrap();
            save(&path, "somebody's own text\n");
            let fail = held.write(new.as_bytes(), folder.path()).unwrap_err();
            assert_eq!((fail.exit, fail.code), (Exit::Busy, "file-changed"));
            assert_eq!(fs::read_to_string(&path).unwrap(), "somebody's own text\n");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
        }
    }
}

#[test]
fn a_file_that_is_removed_or_becomes_a_folder_is_not_made_again() {
    for (old, new) in CHANGES {
        let (folder, path) = file(old);
        let mut held = LockedFile::open(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert_eq!(held.write(new.as_bytes(), folder.path()).unwrap_err().code, "file-changed");
        assert!(!path.exists());
        fs::create_dir(&path).unwrap();
        assert_eq!(held.write(new.as_bytes(), folder.path()).unwrap_err().code, "file-changed");
        assert!(path.is_dir());
        assert_eq!(LockedFile::open(&path).unwrap_err().code, "is-a-folder");
    }
}

#[test]
fn one_byte_stays_in_its_file_and_more_is_a_new_one() {
    let (folder, path) = file("[ ] one\n[ ] two\n");
    let inode = || path.metadata().unwrap().ino();
    let first = inode();
    let mut held = LockedFile::open(&path).unwrap();
    assert_eq!(held.write(b"[ ] one\n[ ] two\n", folder.path()).unwrap(), Written::Nothing);
    assert_eq!(held.write(b"[x] one\n[ ] two\n", folder.path()).unwrap(), Written::InPlace);
    assert_eq!(inode(), first);
    assert_eq!(
        held.write(b"[ ] one\n[x] two\n", folder.path()).unwrap(),
        Written::Whole,
        "two bytes can be torn"
    );
    assert_ne!(inode(), first);
    assert_eq!(held.write(b"[x] one\n[x] two\n", folder.path()).unwrap(), Written::InPlace, "held on");
    assert_eq!(fs::read(&path).unwrap(), b"[x] one\n[x] two\n");
}

#[test]
fn a_named_pipe_in_a_files_place_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert!(LockedFile::open(&path).unwrap_err().message.contains("is no file"));
}

#[test]
fn a_ledger_is_followed_and_read_anew_when_it_is_another() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::new(Home::of(folder.path()).unwrap());
    assert!(ledger.read().unwrap().is_empty());
    for n in 1..=3 {
        ledger.append(entry(&n.to_string())).unwrap();
        let keys: Vec<_> = ledger.read().unwrap().iter().map(|p| p.key.clone()).collect();
        assert_eq!(keys.len(), n);
    }
    let last = ledger.head().unwrap().unwrap();
    assert!(ledger.has(std::slice::from_ref(&last)).unwrap());
    let another = Head { hash: "another".into(), ..last };
    assert!(!ledger.has(&[another]).unwrap());
    assert_eq!(ledger.read_of("PLAN.md").unwrap().len(), 3);
    assert!(ledger.read_of("PLAN").unwrap().is_empty(), "another plan");
    // A line without its newline is not read until it is complete.
    let text = fs::read_to_string(ledger.path()).unwrap();
    let mut file = fs::OpenOptions::new().append(true).open(ledger.path()).unwrap();
    file.write_all(b"{\"schema\":\"punch/1\",").unwrap();
    assert_eq!(ledger.read().unwrap().len(), 3);
    put(&ledger.path(), text.lines().next().unwrap());
    assert_eq!(ledger.read().unwrap().len(), 0, "one line, not ended");
    put(&ledger.path(), &text);
    assert_eq!(ledger.read().unwrap().len(), 3);
    fs::remove_file(ledger.path()).unwrap();
    assert!(ledger.read().unwrap().is_empty());
}

fn entry(key: &str) -> Entry {
    Entry {
        plan: "PLAN.md".into(),
        task: None,
        fingerprint: None,
        attempt: None,
        run: "r".into(),
        kind: Type::Seal,
        key: key.into(),
        observed_at: "2026-01-01T00:00:00Z".into(),
        tree: None,
        source: SourceKind::Tool,
        source_path: None,
        trust: Trust::Observed,
        data: serde_json::Value::Null,
        source_hash: None,
    }
}
