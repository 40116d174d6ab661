//! An example project on a bench, and what is looked at when it was carried out.

use pipeline_tests::{Bench, Got, Run, bench, snapshot, workspace};
use std::collections::BTreeMap;

/// The example project of a profile, committed, with its scripted worker at home and this script for it.
pub(crate) fn project(profile: &str, script: &str) -> Bench {
    let bench = bench!(bare);
    let from = workspace().join("tests/workflows").join(profile);
    let line = "cp -a \"$0/project/.\" . && cp \"$0/worker\" ../home/ && git init -q -b main \
                && git config user.name Test && git config user.email test@example.invalid";
    bench.command("bash").args(["-c", line, &from.to_string_lossy()]).run().exits(0);
    bench.write("../home/script", script);
    bench.commit_all("start");
    bench
}

/// `orchestrate` with these arguments.
pub(crate) fn orchestrate(bench: &Bench, args: &[&str]) -> Run {
    // Whoever runs the tests in the background ignores SIGINT, and a shell cannot undo that.
    bench.command("env").args(["--default-signal=INT", "orchestrate"]).args(args).within(120)
}

/// Carries it out.
#[track_caller]
pub(crate) fn carried(bench: &Bench, args: &[&str], status: i32) -> Got {
    let got = orchestrate(bench, args).run();
    assert_eq!(
        got.status,
        status,
        "{got:?}\n{}",
        bench.command("punch").args(["list", "--text"]).run().out()
    );
    got
}

/// Who was called for what, one call a line.
pub(crate) fn calls(bench: &Bench) -> String {
    bench.text("../home/calls")
}

/// Everything that is left, with digits masked: times and run ids differ from run to run. The audit tells of attempts,
/// which an interruption adds to.
pub(crate) fn left(bench: &Bench) -> BTreeMap<String, String> {
    let mut files = snapshot(&bench.repo());
    files.retain(|path, _| {
        !path.starts_with(".git") && !path.starts_with(".plantools") && !path.ends_with("audit.md")
    });
    let masked = |bytes: &Vec<u8>| {
        String::from_utf8_lossy(bytes).chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect()
    };
    files.iter().map(|(path, bytes)| (path.display().to_string(), masked(bytes))).collect()
}

/// The subjects of all commits, sorted.
pub(crate) fn sorted_subjects(bench: &Bench) -> Vec<String> {
    let mut subjects = bench.subjects();
    subjects.sort();
    subjects
}

/// The tree is clean, the ledger whole, and nothing runs any more.
#[track_caller]
pub(crate) fn is_tidy(bench: &Bench) {
    assert_eq!(bench.git(&["status", "--porcelain"]), "");
    bench.command("punch").args(["verify"]).run().exits(0);
    assert_eq!(bench.processes(), Vec::<String>::new());
}
