//! Many at once, and one that is killed: no thought is lost, and a file is the old one or the new one, whole.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![expect(clippy::disallowed_methods, reason = "a test lays out its own files")]

use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const TOOL: &str = env!("CARGO_BIN_EXE_session-export");
const AT_ONCE: usize = 10;
const EACH: usize = 3;

fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(TOOL);
    command.args(args).current_dir(dir).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(dir: &Path, args: &[&str]) -> Output {
    let out = command(dir, args).output().unwrap();
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    out
}

fn thoughts(path: &Path) -> BTreeSet<String> {
    let value: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    value["thoughts"].as_array().unwrap().iter().map(|t| t["thought"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn ten_at_work_on_one_live_session_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let workers: Vec<_> = (0..AT_ONCE)
        .map(|worker| {
            let dir = dir.path().to_path_buf();
            std::thread::spawn(move || {
                for turn in 0..EACH {
                    run(&dir, &["think", "--stage", "research", &format!("{worker}-{turn}")]);
                    run(&dir, &["export", "--to", "shared.json"]);
                }
            })
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
    // The last export was made after the last thought, under the same lock, so that it holds them all.
    assert_eq!(thoughts(&dir.path().join("shared.json")).len(), AT_ONCE * EACH);
    let summary = run(dir.path(), &["summary", ".plantools/sessions/current.jsonl"]);
    let summary: Value = serde_json::from_slice(&summary.stdout).unwrap();
    let numbers: Vec<u64> =
        summary["timeline"].as_array().unwrap().iter().map(|m| m["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=(AT_ONCE * EACH) as u64).collect::<Vec<_>>());
}

#[test]
fn ten_that_import_over_each_other_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), &["think", "--stage", "research", "base"]);
    run(dir.path(), &["export", "--to", "base.json"]);
    let workers: Vec<_> = (0..AT_ONCE)
        .map(|worker| {
            let dir = dir.path().to_path_buf();
            std::thread::spawn(move || {
                run(&dir, &["import", "base.json"]);
                run(&dir, &["think", "--stage", "research", &format!("own {worker}")]);
                let out = format!("out-{worker}.json");
                run(&dir, &["export", "--to", &out]);
            })
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
    // Whoever replaced the live session put aside what stood there: every thought is in a file.
    let mut found: BTreeSet<String> = BTreeSet::new();
    let mut look = |text: &str| {
        for line in text.lines() {
            let value: Value = serde_json::from_str(line).unwrap();
            found.extend(value["thought"].as_str().map(str::to_owned));
        }
    };
    look(&fs::read_to_string(dir.path().join(".plantools/sessions/current.jsonl")).unwrap());
    if let Ok(kept) = fs::read_dir(dir.path().join(".plantools/sessions/kept")) {
        kept.for_each(|entry| look(&fs::read_to_string(entry.unwrap().path()).unwrap()));
    }
    for worker in 0..AT_ONCE {
        assert!(found.contains(&format!("own {worker}")), "{worker}: {found:?}");
        assert!(thoughts(&dir.path().join(format!("out-{worker}.json"))).contains("base"));
    }
}

#[test]
fn a_killed_export_leaves_the_old_file_or_the_new_one() {
    let dir = tempfile::tempdir().unwrap();
    let filler = "x".repeat(2_000);
    run(dir.path(), &["think", "--stage", "research", "first"]);
    run(dir.path(), &["export", "--to", "s.json"]);
    let live = dir.path().join(".plantools/sessions/current.jsonl");
    let mut text = fs::read_to_string(&live).unwrap();
    for number in 2..=500 {
        writeln!(text, "{{\"type\":\"thought\",\"thought\":\"{number} {filler}\",\"thoughtNumber\":{number},\"totalThoughts\":500,\"stage\":\"Research\"}}").unwrap();
    }
    fs::write(&live, text).unwrap();
    let file = dir.path().join("s.json");
    let old = fs::read(&file).unwrap();
    for after in 0..40_u64 {
        fs::write(&file, &old).unwrap();
        let mut child = command(dir.path(), &["export", "--to", "s.json"]).spawn().unwrap();
        // Not a wait for anything: each round is killed a little later than the one before.
        std::thread::sleep(std::time::Duration::from_micros(after * 500));
        child.kill().unwrap();
        child.wait().unwrap();
        let whole = fs::read(&file).unwrap() == old || thoughts(&file).len() == 500;
        assert!(whole, "neither the old file nor the new one after {after}");
    }
    // The files that a kill left do not stop the next export.
    run(dir.path(), &["export", "--to", "s.json"]);
    assert_eq!(thoughts(&dir.path().join("s.json")).len(), 500);
}

#[test]
fn a_thought_that_was_cut_off_is_put_aside_and_the_next_one_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), &["think", "--stage", "research", "one"]);
    let live = dir.path().join(".plantools/sessions/current.jsonl");
    let mut text = fs::read_to_string(&live).unwrap();
    text.push_str("{\"type\":\"thought\",\"thought\":\"cut o");
    fs::write(&live, text).unwrap();
    let out = run(dir.path(), &["think", "--stage", "research", "two"]);
    let after: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(after["thoughts"], 2);
    let kept = fs::read_dir(dir.path().join(".plantools/sessions/kept")).unwrap().next().unwrap().unwrap();
    assert!(fs::read_to_string(kept.path()).unwrap().ends_with("cut o"));
}
