//! Workers with a tree of their own that reach into the main one.

use crate::generated_plans::{PLAN, Task, carry, pipe, repository, story};
use pipeline_tests::{Bench, Got};

/// Three tasks, of which the first does this in the main tree, and the third comes when the first is over.
fn intruded(deed: &str) -> (Bench, Got) {
    let first = format!("echo 1 > one; cd \"$ROOT\"; {deed}");
    let bench = repository(&[
        Task::of(1, &[], &first, "test -s one"),
        Task::of(2, &[], "sleep 0.3; echo 2 > two", "test -s two"),
        Task::of(3, &[2], "echo broken > three", "grep -qx whole three"),
    ]);
    let root = bench.repo().to_string_lossy().into_owned();
    let got = carry(&bench, 2).env("ROOT", &root).run();
    (bench, got)
}

#[track_caller]
fn is_refused(bench: &Bench, got: &Got, code: &str) {
    let halts: Vec<String> = bench.keys("halt");
    assert!(halts.iter().any(|halt| halt.ends_with(code)), "{halts:?}: {got:?}\n{}", story(bench));
    assert_ne!(got.status, 4, "{got:?}");
    assert!(!bench.keys("tick").iter().any(|tick| tick.starts_with("1 ")), "{}", story(bench));
}

/// What worker-run says of the plan in the main tree.
fn said(bench: &Bench) -> Vec<String> {
    let halts = bench.records().into_iter().filter(|record| record["key"] == "plan-touched");
    halts.map(|record| record["data"]["halt"]["message"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_criterion_that_is_weakened_in_the_main_plan_is_put_back_and_ticks_nothing() {
    let (bench, got) = intruded("sed -i 's/grep -qx whole three/true/' PLAN.md; sleep 1");
    is_refused(&bench, &got, "plan-touched");
    let text = bench.text(PLAN);
    assert!(
        text.contains("### [ ] TODO 3") && text.contains("grep -qx whole three"),
        "{text}\n{}{got:?}",
        story(&bench)
    );
    assert!(said(&bench).iter().any(|said| said.contains("in the main tree") && said.contains("put back")));
    let weak = bench.git(&["log", "--oneline", "-S`true`", "--", PLAN]);
    assert_eq!(weak, "", "{}", story(&bench));
    // There is nothing to accept: the next run goes on where it was.
    let got = carry(&bench, 2).env("PLANTOOLS_RUN", "later").run();
    assert!(!got.out().contains("changed since the first attempt"), "{got:?}");
    assert!(bench.text(PLAN).contains("### [ ] TODO 3"));
}

#[test]
fn a_box_that_is_ticked_in_the_main_plan_is_open_again_and_never_committed() {
    for box_of in [1, 3] {
        let deed =
            format!("sed -i 's/### \\[ \\] TODO {box_of}/### [x] TODO {box_of}/' PLAN.md; sleep 0.1; false");
        let (bench, got) = intruded(&deed);
        is_refused(&bench, &got, "plan-touched");
        let said = said(&bench);
        assert!(
            said.iter()
                .any(|said| said.contains(&format!("the box of '{box_of}'")) || said.contains("its own box")),
            "{said:?}"
        );
        for run in ["later", "again"] {
            let text = bench.text(PLAN);
            assert!(text.contains(&format!("### [ ] TODO {box_of}")), "{run}: {text}\n{}", story(&bench));
            let ticked = format!("-G^### \\[x\\] TODO {box_of}:");
            let commits = bench.git(&["log", "--oneline", &ticked, "--", PLAN]);
            assert_eq!(commits, "", "{run}: {}", story(&bench));
            let got = carry(&bench, 2).env("PLANTOOLS_RUN", run).run();
            assert!(!got.out().contains("changed since the first attempt"), "{got:?}");
        }
    }
}

#[test]
fn a_commit_that_takes_the_plan_along_takes_no_box_that_a_worker_ticked() {
    // The first task ticks a box and stays until the commit of the second is made.
    let deed = "sed -i 's/### \\[ \\] TODO 3/### [x] TODO 3/' PLAN.md; \
                until git log --format=%s | grep -q 'task 2'; do sleep 0.05; done";
    let first = format!("echo 1 > one; cd \"$ROOT\"; {deed}");
    let bench = repository(&[
        Task::of(1, &[], &first, "test -s one"),
        Task::of(2, &[], "sleep 0.5; echo 2 > two", "test -s two"),
        Task::of(3, &[2], "echo broken > three", "grep -qx whole three"),
    ]);
    bench.write("plantools.toml", "[commit]\nwith_plan = true\n").commit_all("with the plan");
    let root = bench.repo().to_string_lossy().into_owned();
    let got = carry(&bench, 2).env("ROOT", &root).run();
    assert!(bench.subjects().contains(&"feat: task 2".to_owned()), "{got:?}\n{}", story(&bench));
    assert_eq!(
        bench.git(&["log", "--oneline", "-G^### \\[x\\] TODO 3:", "--", PLAN]),
        "",
        "{}",
        story(&bench)
    );
    assert!(bench.text(PLAN).contains("### [ ] TODO 3"), "{}", story(&bench));
}

#[test]
fn a_tick_of_another_task_survives_when_the_main_plan_is_put_back() {
    // The first task writes when the second is ticked.
    let deed = "until grep -q '\\[x\\] TODO 2' PLAN.md; do sleep 0.05; done; \
                sed -i 's/### \\[ \\] TODO 1/### [x] TODO 1/; s/grep -qx whole three/true/' PLAN.md";
    let (bench, got) = intruded(deed);
    is_refused(&bench, &got, "plan-touched");
    let text = bench.text(PLAN);
    assert!(
        text.contains("### [ ] TODO 1") && text.contains("### [x] TODO 2"),
        "{text}\n{}{got:?}",
        story(&bench)
    );
    assert!(text.contains("grep -qx whole three"), "{text}");
}

#[test]
fn a_commit_in_the_main_tree_is_named() {
    let (bench, got) = intruded("echo hacked > other; git add other; git commit --quiet -m sneaky");
    is_refused(&bench, &got, "history-moved");
    let halt = bench.records().into_iter().find(|record| record["key"] == "history-moved").expect("a halt");
    assert!(halt["data"]["halt"]["message"].as_str().is_some_and(|said| said.ends_with(" sneaky")), "{halt}");
}

#[test]
fn a_branch_that_is_moved_under_the_main_tree_is_noticed() {
    let (bench, got) =
        intruded("git update-ref refs/heads/main \"$(git commit-tree -p HEAD -m moved HEAD^{tree})\"");
    is_refused(&bench, &got, "history-moved");
}

#[test]
fn an_edit_in_the_main_tree_that_nobody_checked_is_not_committed() {
    // No row commits what the first task makes: it waits in the main tree for the end.
    let first = Task { commit: false, ..Task::of(1, &[], "echo good > one", "grep -qx good one") };
    let deed = "until grep -q '\\[x\\] TODO 1' \"$ROOT/PLAN.md\"; do sleep 0.05; done; echo evil > \"$ROOT/one\"; echo 2 > two";
    let bench = repository(&[first, Task::of(2, &[], deed, "test -s two")]);
    let root = bench.repo().to_string_lossy().into_owned();
    let got = carry(&bench, 2).env("ROOT", &root).run();
    assert_eq!(bench.keys("tick").len(), 2, "{got:?}\n{}", story(&bench));
    let evil = bench.git(&["log", "--all", "--oneline", "-Sevil", "--", "one"]);
    assert_eq!(evil, "", "{}", story(&bench));
    assert!(got.err().contains("not ours, left as it is: one"), "{got:?}");
    assert!(bench.git(&["status", "--porcelain"]).contains("?? one"));
}

#[test]
fn an_edit_between_the_landing_and_its_checks_is_no_part_of_the_proof() {
    let bench = repository(&[Task::of(1, &[], "echo good > one", "test -s one")]);
    let tamper = "#!/bin/sh\nwhile IFS= read -r line; do test ! -e one || echo evil > one; printf '%s\\n' \"$line\"; done\n";
    bench.program("../home/tamper", tamper);
    let line = pipe(1).replace("commit-run land |", "commit-run land | ../home/tamper |");
    let got = bench.sh(&line).run();
    is_refused(&bench, &got, "tree-moved");
    assert_eq!(bench.git(&["log", "--all", "--oneline", "-Sevil", "--", "one"]), "", "{}", story(&bench));
}

#[test]
fn a_box_of_no_task_in_the_main_tree_is_not_a_workers_to_tick() {
    let sed = "main=$(dirname \"$(git rev-parse --path-format=absolute --git-common-dir)\"); \
               sed -i '/Definition/,$s/\\[ \\]/[x]/' \"$main/PLAN.md\"; echo 1 > a.txt";
    let bench = repository(&[Task::of(1, &[], sed, "test -s a.txt"), Task::plain(2, &[], "")]);
    let plan = bench.text(PLAN) + "\n## Definition of Done\n\n- [ ] A person has looked at it\n";
    bench.write(PLAN, plan).commit_all("what is called done");
    let got = carry(&bench, 2).run();
    assert!(bench.halts().contains(&"worker-run plan-touched".to_owned()), "{got:?}\n{}", story(&bench));
    assert_ne!(got.status, 4, "{got:?}");
}
