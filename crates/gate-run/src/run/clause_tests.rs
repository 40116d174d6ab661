//! Checks by their clauses, on real processes: each text with a script for which it holds and one for which it does not.

use crate::run::missing::Markers;
use crate::run::outcome::{self, Outcome};
use crate::run::script;
use checks::judge::Output;
use checks::{Check, Located, Reading, Synonyms, read};
use markdown::{Extent, Outline, Text};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use supervise::{Ended, Stop};
use toolkit::files::fs;
use wire::gate::Status;

/// The one check of a text.
fn check(text: &str) -> Check {
    let outline = Outline::new(&Text { path: "PLAN.md", bytes: text.as_bytes() });
    match read(&Located::range(&outline, Extent { start: 0, end: text.len() }, &[]), Synonyms::builtin()) {
        Reading::Check(check) => check,
        other => panic!("{text}: {other:?}"),
    }
}

/// Runs a check in a folder.
fn run(folder: &Path, check: &Check, truncated: bool) -> Outcome {
    let left = folder.join("stages");
    let argv = script::argv(&check.command, Some(&left));
    let began = Instant::now();
    let got = Command::new(&argv[0]).args(&argv[1..]).current_dir(folder).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&got.stdout), String::from_utf8_lossy(&got.stderr));
    let both = format!("{stdout}{stderr}");
    let exit = got.status.code().unwrap();
    let ended: Ended = serde_json::from_value(serde_json::json!({
        "stop": Stop::Exited, "exit_code": exit, "elapsed_ms": 1, "tail": both, "bytes": 0, "sha256": "", "truncated": truncated,
        "leaked": 0, "killed": false, "survivors": 0,
    }))
    .unwrap();
    let output = Output {
        stdout: &stdout,
        stderr: &stderr,
        both: &both,
        exit,
        stages: script::stages(&check.command, Some(&left)).unwrap(),
        elapsed: began.elapsed().max(Duration::from_millis(1)),
    };
    outcome::by_clauses(&check.command, &check.clauses, &ended, &output, &Markers::new(&[]).unwrap())
}

fn with(text: &str, script: &str) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    for name in ["t.sh", "test.sh"] {
        fs::create(&folder.path().join(name), format!("{script}\n").as_bytes()).unwrap();
    }
    run(folder.path(), &check(text), false)
}

#[test]
fn a_check_passes_where_it_holds_and_nowhere_else() {
    for (text, holds, not) in [
        ("`sh t.sh` → `x`", "echo x", "echo y"),
        ("`sh t.sh` → exit 2", "exit 2", "exit 1"),
        ("`sh t.sh` → fails", "exit 1", "exit 0"),
        ("`sh t.sh` → empty", "echo note >&2", "echo x"),
        ("`sh t.sh` → contains \"2.0.0\"", "echo v 2.0.0", "echo v 12.0.0"),
        ("`sh t.sh` → >= 80%", "echo 81%", "echo 79%"),
        ("`sh t.sh` → stderr contains `bad`", "echo bad >&2", "echo bad"),
        ("`sh t.sh` → json /a == 1", "echo '{\"a\":1}'", "echo '{\"a\":2}'"),
        ("`sh t.sh | head -1` → `1`", "seq 1 100000", "seq 2 100000"),
        ("`sh t.sh | grep -c x` → 0", "echo y", "echo x"),
        ("`! sh t.sh | grep -q x`", "echo y", "echo x"),
        ("`sh t.sh | tail -1` → exit 0", "echo a", "echo a; exit 3"),
        ("`grep -q x t.sh` → no matches", "echo y", "echo x"),
        ("`grep -rn TODO .` → no matches", "echo y", "# TODO"),
        ("`test ! -f t.sh` → fails", "x", ""),
        (
            "`sh test.sh` → 2 passed, no skips",
            "echo 'test result: ok. 2 passed; 0 failed; 0 ignored'",
            "echo 'test result: ok. 2 passed; 0 failed; 1 ignored'",
        ),
        ("```console\n$ sh t.sh\na [..]\n...\n```", "echo a 1; echo b", "echo b"),
        ("```console\n$ sh t.sh\n? 2\nbad\n```", "echo bad >&2; exit 2", "echo bad >&2; exit 1"),
        ("`sh t.sh` → within 5s", "exit 0", "exit 1"),
    ] {
        let outcome = with(text, holds);
        assert_eq!(outcome.status, Status::Pass, "{text} with {holds}: {outcome:?}");
        if !not.is_empty() {
            let outcome = with(text, not);
            assert_ne!(outcome.status, Status::Pass, "{text} with {not}: {outcome:?}");
        }
    }
}

#[test]
fn a_command_that_could_not_look_has_no_verdict() {
    for text in [
        "`! grep -q x nowhere.txt`",
        "`grep -rn x nowhere/` → no matches",
        "`grep -c x nowhere.txt` → 0",
        "`cat nowhere.txt | wc -l` → 0",
        "`test \"$(cat nowhere.txt | wc -l)\" = 0`",
        "`sh nowhere.sh` → fails",
        "`nosuchprogram -x | cat` → empty",
        "`nosuchprogram -x` → fails",
    ] {
        let outcome = with(text, "true");
        assert_eq!(outcome.status, Status::Fault, "{text}: {outcome:?}");
    }
}

#[test]
fn the_rest_of_an_output_that_was_not_kept_may_change_the_verdict() {
    let folder = tempfile::tempdir().unwrap();
    for (text, wanted) in [
        ("`echo first` → `first`", Status::Pass),
        ("`echo first` → `never`", Status::Fault),
        ("`echo first` → 0 errors", Status::Fault),
        ("`echo first` → json", Status::Fault),
        ("`echo first` → exit 0", Status::Pass),
        ("`echo first` → exit 1", Status::Fail),
    ] {
        let outcome = run(folder.path(), &check(text), true);
        assert_eq!(outcome.status, wanted, "{text}: {outcome:?}");
    }
}
