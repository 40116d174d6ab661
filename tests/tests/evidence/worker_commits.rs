//! Workers that commit by themselves: their commits are taken back into the tree, their files are judged like any work,
//! and the commit is ours.

use pipeline_tests::{Bench, Got, SMALL_PLAN, SUCCESS, bench};

/// A repository with a plan whose commit takes what the worker changed.
fn small(deed: &str) -> Bench {
    let bench = bench!(small, &format!("{deed}\n{SUCCESS}"));
    let plan = SMALL_PLAN.replace("| `made.txt` | always", "| | always");
    bench.write("PLAN.md", plan).write("kept.txt", "committed\n").commit_all("a plan for all files");
    bench
}

fn orchestrate(bench: &Bench, more: &str) -> Got {
    bench.sh(&format!("orchestrate --worker ../home/w.sh {more} PLAN.md")).within(60).run()
}

/// The subjects of the commits that the ends of attempts have on record as taken back.
fn taken_back(bench: &Bench) -> Vec<String> {
    let mut out = Vec::new();
    for record in bench.records().iter().filter(|record| record["type"] == "attempt_end") {
        let commits = record.pointer("/data/taken_back").and_then(|list| list.as_array()).cloned();
        let subjects = commits.into_iter().flatten().filter_map(|c| c["subject"].as_str().map(str::to_owned));
        out.extend(subjects);
    }
    out
}

/// The plan is done by one attempt, with the plan's own commit, and nothing of the worker's is in the history.
#[track_caller]
fn is_done(bench: &Bench, got: &Got, files: &str, subjects: &[&str]) {
    got.exits(0);
    assert_eq!(bench.boxes("PLAN.md"), (1, 0), "{got:?}");
    assert_eq!((bench.halts(), bench.count("attempt_begin")), (Vec::new(), 1), "{got:?}");
    let history = bench.subjects();
    assert_eq!(history[..4], ["start", "plan", "a plan for all files", "feat: make it"], "{history:?}");
    assert_eq!(
        bench.git(&["show", "--name-only", "--no-renames", "--format=", "HEAD~1"]).trim(),
        files,
        "{got:?}"
    );
    assert_eq!(bench.git(&["status", "--porcelain"]), "", "{got:?}");
    assert_eq!(taken_back(bench), subjects);
    for subject in subjects {
        assert!(!history.contains(&(*subject).to_owned()), "{history:?}");
        assert!(got.err().contains(subject), "{subject} is not named: {got:?}");
    }
    bench.command("punch").args(["verify"]).run().exits(0);
}

#[test]
fn one_commit_of_a_worker_is_taken_back_and_made_by_us() {
    let commit = "git add made.txt && git commit --quiet -m 'mine: one'";
    let bench = small(&format!("echo done > made.txt; {commit}"));
    let got = orchestrate(&bench, "");
    is_done(&bench, &got, "made.txt", &["mine: one"]);
    assert!(got.err().contains("task 1: took back 1 commit of the worker"), "{got:?}");
}

#[test]
fn several_commits_and_commits_of_every_kind_are_taken_back() {
    let bench = small(
        "echo half > made.txt; git add -A; git commit -qm 'mine: one'; echo done > made.txt; echo more >> kept.txt; git commit -qam 'mine: two'",
    );
    let got = orchestrate(&bench, "");
    is_done(&bench, &got, "kept.txt\nmade.txt", &["mine: one", "mine: two"]);
    // What it moved and removed is work as well, and so is what it did not commit.
    let bench = small("git mv kept.txt moved.txt; git commit -qm 'mine: moved'; echo done > made.txt");
    let got = orchestrate(&bench, "");
    is_done(&bench, &got, "kept.txt\nmade.txt\nmoved.txt", &["mine: moved"]);
}

#[test]
fn a_commit_in_a_tree_of_its_own_is_taken_back_before_it_lands() {
    let bench = small("echo done > made.txt; git add -A; git commit -qm 'mine: apart'");
    let got = orchestrate(&bench, "--jobs 2");
    is_done(&bench, &got, "made.txt", &["mine: apart"]);
}

#[test]
fn a_branch_of_its_own_that_a_worker_merged_is_taken_back() {
    let merge = "base=$(git rev-parse HEAD); echo done > made.txt; git add -A; git commit -qm 'mine: side'; side=$(git rev-parse HEAD)
git reset -q --hard $base; echo x >> kept.txt; git commit -qam 'mine: main'; git merge -q -m 'mine: joined' $side";
    let bench = small(merge);
    let got = orchestrate(&bench, "");
    // A hard reset to where it began rewrites nothing from before.
    is_done(&bench, &got, "kept.txt\nmade.txt", &["mine: main", "mine: side", "mine: joined"]);
}

#[test]
fn a_merge_of_what_others_committed_is_refused() {
    let bench = small("echo done > made.txt; git merge -q -m joined theirs");
    bench.git(&["checkout", "--quiet", "-b", "theirs", "HEAD~1"]);
    bench.write("theirs.txt", "theirs\n").commit_all("theirs");
    bench.git(&["checkout", "--quiet", "main"]);
    let got = bench.worker_round();
    got.exits(1);
    assert_eq!(bench.halts(), ["worker-run worker-committed"], "{got:?}");
    assert_eq!(bench.subjects().last().map(String::as_str), Some("a plan for all files"), "{got:?}");
    assert_eq!(bench.boxes("PLAN.md"), (0, 1));
}

#[test]
fn what_a_person_had_staged_is_staged_again() {
    let bench = small("echo done > made.txt; git commit -qam 'mine: all'");
    bench.write("kept.txt", "picked\n").git(&["add", "kept.txt"]);
    bench.write("kept.txt", "edited on\n").write("notes.txt", "mine\n");
    let got = orchestrate(&bench, "");
    got.exits(0);
    assert_eq!(bench.git(&["status", "--porcelain"]), "MM kept.txt\n?? notes.txt\n", "{got:?}");
    assert_eq!(bench.git(&["show", ":kept.txt"]), "picked\n");
    assert_eq!(bench.git(&["show", "--name-only", "--format=", "HEAD~1"]).trim(), "made.txt");
}

#[test]
fn rewritten_history_and_another_branch_are_refused() {
    for (deed, halt) in [
        ("git add -A; git commit -q --amend -m 'mine: amended'", "worker-run history-rewritten"),
        (
            "git reset -q --soft HEAD~1; git add -A; git commit -qm 'mine: squashed'",
            "worker-run history-rewritten",
        ),
        (
            "git checkout -q -b mine; git add -A; git commit -qm 'mine: elsewhere'",
            "worker-run worker-changed-branch",
        ),
        (
            "git config core.abbrev 9; git add -A; git commit -qm 'mine: configured'",
            "worker-run pins-touched",
        ),
    ] {
        let bench = small(&format!("echo done > made.txt; {deed}"));
        let got = orchestrate(&bench, "--max-attempts 1");
        got.exits(5);
        assert_eq!(bench.halts().first().map(String::as_str), Some(halt), "{deed}: {got:?}");
        assert_eq!((bench.boxes("PLAN.md"), bench.count("tick")), ((0, 1), 0), "{deed}");
    }
}

#[test]
fn a_tag_of_a_worker_is_no_matter_and_its_commit_is_taken_back() {
    let bench = small("echo done > made.txt; git add -A; git commit -qm 'mine: tagged'; git tag v1");
    let got = orchestrate(&bench, "");
    is_done(&bench, &got, "made.txt", &["mine: tagged"]);
    assert_eq!(
        bench.git(&["log", "-1", "--format=%s", "v1"]),
        "mine: tagged\n",
        "what it tagged is not lost"
    );
}

#[test]
fn the_configuration_can_refuse_commits_of_workers() {
    let bench = small("echo done > made.txt; git add -A; git diff --cached --quiet || git commit -qm mine");
    bench.write("plantools.toml", "[commit]\nby_worker = \"refuse\"\n").commit_all("configuration");
    let got = orchestrate(&bench, "--max-attempts 2");
    got.exits(5);
    assert_eq!(bench.halts().first().map(String::as_str), Some("worker-run worker-committed"), "{got:?}");
    assert_eq!(bench.subjects().last().map(String::as_str), Some("configuration"));
    bench.write("plantools.toml", "[commit]\nby_worker = \"rebase\"\n");
    let got = orchestrate(&bench, "");
    got.exits(78);
    assert!(got.err().contains("plantools.toml:2:"), "{got:?}");
    assert!(
        got.err().contains("`take-back`") && got.err().contains("`refuse`") && got.err().contains('^'),
        "{got:?}"
    );
}

#[test]
fn boxes_that_a_worker_ticked_and_committed_are_not_in_the_history() {
    let bench = small(
        "echo done > made.txt; sed -i 's/\\[ \\]/[x]/' PLAN.md; git add -A; git commit -qm 'mine: ticked'",
    );
    let got = bench.worker_round();
    got.exits(1);
    assert_eq!(bench.halts(), ["worker-run plan-touched"], "{got:?}");
    assert_eq!(bench.subjects().last().map(String::as_str), Some("a plan for all files"), "{got:?}");
    assert!(!bench.text("PLAN.md").contains("[x]"));
}

/// Ends those who watch over the worker, so that its commits are still there when the next run begins.
const ALONE: &str = r#"q=$PPID; k=; while [ "$q" -gt 1 ]; do
case $(cat /proc/$q/comm) in supervise|worker-run|t-worker-run) k="$k $q";; esac
q=$(sed 's/.*) //' /proc/$q/stat | cut -d' ' -f2); done; kill -STOP $k; kill -9 $k; sleep 1"#;

#[test]
fn a_commit_of_a_worker_that_was_killed_is_taken_back_by_the_next_run() {
    for jobs in ["", "--jobs 2"] {
        let bench =
            small(&format!("echo done > made.txt; git add -A; git commit -qm 'mine: killed'; {ALONE}"));
        bench.write("kept.txt", "picked\n").git(&["add", "kept.txt"]);
        orchestrate(&bench, jobs);
        assert_eq!(bench.count("attempt_end"), 0, "{jobs}");
        bench.set_worker(&format!("echo done > made.txt; {SUCCESS}"));
        let got = orchestrate(&bench, jobs);
        got.exits(0);
        let subjects = bench.subjects();
        assert_eq!(
            subjects[..4],
            ["start", "plan", "a plan for all files", "feat: make it"],
            "{jobs}: {subjects:?}"
        );
        assert_eq!(
            bench.git(&["show", "--name-only", "--format=", "HEAD~1"]).trim(),
            "made.txt",
            "{jobs}: {got:?}"
        );
        assert_eq!(bench.git(&["status", "--porcelain"]), "M  kept.txt\n", "{jobs}: {got:?}");
        assert_eq!(got.err().contains("mine: killed"), jobs.is_empty(), "{got:?}");
    }
}

#[test]
fn a_commit_that_a_person_made_after_a_crash_stays() {
    let bench = small(&format!("echo done > made.txt; {ALONE}"));
    orchestrate(&bench, "");
    bench.write("theirs.txt", "theirs\n").git(&["add", "theirs.txt"]);
    bench.git(&["commit", "--quiet", "--message=by hand"]);
    bench.set_worker(&format!("echo done > made.txt; {SUCCESS}"));
    let got = orchestrate(&bench, "");
    got.exits(0);
    assert!(bench.subjects().contains(&"by hand".to_owned()), "{got:?}");
}

#[test]
fn a_first_commit_is_taken_back_as_well() {
    let bench = bench!(bare);
    bench.git(&["init", "--quiet", "--initial-branch=main"]);
    bench.git(&["config", "user.name", "Test"]);
    bench.git(&["config", "user.email", "test@example.invalid"]);
    bench.write("PLAN.md", SMALL_PLAN);
    bench.set_worker(&format!(
        "echo done > made.txt; git add made.txt; git commit -qm 'mine: first'; {SUCCESS}"
    ));
    let got = orchestrate(&bench, "");
    got.exits(0);
    assert!(!bench.subjects().contains(&"mine: first".to_owned()), "{got:?}");
    assert!(bench.subjects().contains(&"feat: make it".to_owned()), "{got:?}");
}
