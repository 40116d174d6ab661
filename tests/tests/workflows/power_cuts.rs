//! Power cuts: `kill -9` of everything at random moments of each workflow, then running it again. `PLANTOOLS_KILLS` says
//! how many moments; two are enough for every day.

use crate::project::{is_tidy, left, orchestrate, project};
use pipeline_tests::{Bench, until};
use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::{Duration, Instant};

#[test]
fn execute_survives() {
    survives("execute", &["shop"], as_it_is);
}

#[test]
fn execute_with_four_jobs_survives() {
    survives("execute", &["--jobs", "4", "shop"], as_it_is);
}

#[test]
fn orchestrate_runbook_survives() {
    survives("orchestrate-runbook", &["tally"], as_it_is);
}

#[test]
fn orchestrate_runbook_with_four_jobs_survives() {
    survives("orchestrate-runbook", &["--jobs", "4", "tally"], |bench| {
        let list = "plans/tally/orchestrator-plan.md";
        bench
            .write(list, bench.text(list).replace("Execute steps sequentially", "Execute steps in parallel"));
        bench.sh("sed -i 's/^    1.2) echo/    1.2) tally; echo/' ../home/worker").run().exits(0);
        bench.commit_all("independent steps");
    });
}

#[test]
fn checklist_survives() {
    survives("checklist", &["PLAN.md"], as_it_is);
}

fn as_it_is(_: &Bench) {}

/// What an undisturbed run takes and leaves.
struct Calm {
    took: Duration,
    left: BTreeMap<String, String>,
    subjects: Vec<String>,
}

#[expect(clippy::disallowed_methods, reason = "how long the test runs is asked of whoever runs it")]
fn survives(profile: &str, args: &[&str], prepare: fn(&Bench)) {
    let bench = project(profile, "");
    prepare(&bench);
    let start = Instant::now();
    orchestrate(&bench, args).run().exits(0);
    let calm = Calm { took: start.elapsed(), left: kept(&bench, args), subjects: work(&bench) };
    let times = std::env::var("PLANTOOLS_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(2);
    for _ in 0..times {
        disturb(profile, args, prepare, &calm);
    }
}

fn disturb(profile: &str, args: &[&str], prepare: fn(&Bench), calm: &Calm) {
    let bench = project(profile, "");
    prepare(&bench);
    let thousandths = RandomState::new().hash_one("a moment") % 1000;
    let wait = calm.took * u32::try_from(thousandths).unwrap_or(0) / 1000;
    let what = format!("{profile} killed at {thousandths} thousandths of {:?}", calm.took);
    // The moment of the kill is the point here; a run that ends before it was simply not killed.
    drop(orchestrate(&bench, args).start().wait(wait));
    until(|| bench.processes().is_empty());
    let got = orchestrate(&bench, args).run();
    assert_eq!(got.status, 0, "{what}: {got:?}\n{}", story(&bench));
    assert_eq!(kept(&bench, args), calm.left, "{what}\n{}", story(&bench));
    assert_eq!(work(&bench), calm.subjects, "{what}\n{}", story(&bench));
    is_tidy(&bench);
}

/// What is left. Tasks that run at once end in any order, and so do the lines of files that all of them add to.
fn kept(bench: &Bench, args: &[&str]) -> BTreeMap<String, String> {
    let mut left = left(bench);
    if args.contains(&"--jobs") {
        for text in left.values_mut() {
            let mut lines: Vec<&str> = text.lines().collect();
            lines.sort_unstable();
            *text = lines.join("\n");
        }
    }
    left
}

/// The subjects of all commits of work, sorted: how often our own files were committed depends on where it was cut.
fn work(bench: &Bench) -> Vec<String> {
    let mut subjects = bench.subjects();
    subjects.retain(|subject| subject != "chore(tally): bookkeeping");
    subjects.sort();
    subjects
}

fn story(bench: &Bench) -> String {
    let ledger = bench.command("punch").args(["list", "--text"]).run().out();
    format!("{ledger}\n{}", bench.git(&["log", "--stat", "--oneline", "--reverse"]))
}
