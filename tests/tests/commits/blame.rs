//! `orchestrate blame`: the task that broke the check of a ticked one is found, and may be given another attempt.

use crate::plans::{CONFIG, WRITER, list_of, with_plan};
use pipeline_tests::{Bench, Got, bench};

/// A plan of this many tasks. The check of task 4 counts how often it runs; task `breaker` breaks it, unless its prompt says so.
fn broken(tasks: usize, breaker: usize) -> Bench {
    let bench = bench!(empty);
    bench.write(
        "check4.sh",
        "echo run >> \"$HOME/runs\"\ngrep -qx done 4.txt || { echo 'four is broken'; exit 1; }\n",
    );
    let plan = list_of(tasks).replace("`grep -qx done 4.txt`", "`sh check4.sh`");
    with_plan(&bench, "TODO.md", &plan);
    bench.write("plantools.toml", format!("{CONFIG}\n[proof]\naccept = \"proved\"\n")).commit_all("proof");
    bench.set_worker(&WRITER.replace(
        "echo '{",
        &format!(
            "[ \"$name\" != {breaker}.txt ] || if grep -q 'four is broken' ../home/prompt; then echo done > 4.txt; else echo no > 4.txt; fi\necho '{{"
        ),
    ));
    bench
}

fn run(bench: &Bench, args: &str) -> Got {
    bench.sh(&format!("orchestrate {args}")).within(240).run()
}

/// How often the check of task 4 ran since the last look.
fn runs(bench: &Bench) -> usize {
    let count = bench.sh("wc -l < \"$HOME/runs\"").run().out().trim().parse().unwrap_or(0);
    bench.sh(": > \"$HOME/runs\"").run().exits(0);
    count
}

#[track_caller]
fn no_worktree_is_left(bench: &Bench) {
    assert_eq!(bench.git(&["worktree", "list"]).lines().count(), 1);
    assert_eq!(bench.git(&["branch", "--list", "plantools/*"]), "");
    assert_eq!(bench.git(&["status", "--porcelain"]), "");
}

#[test]
fn of_thirty_tasks_the_one_that_broke_a_check_is_named_and_mends_it() {
    let bench = broken(30, 17);
    let got = run(&bench, "TODO.md");
    got.exits(1);
    let named = "task 4 Write 4.txt: its check 4:1 fails, broken by task 17 (commit ";
    assert!(got.out().contains(named) && got.out().contains("orchestrate blame --reopen"), "{got:?}");
    runs(&bench);

    let (head, records) = (bench.git(&["rev-parse", "HEAD"]), bench.records().len());
    let got = run(&bench, "blame TODO.md");
    got.exits(1);
    assert!(got.out().contains(named), "{got:?}");
    assert!(
        got.out().contains("  before (task 16, commit ") && got.out().contains("  after (task 17, commit "),
        "{got:?}"
    );
    assert!(got.out().contains("| four is broken"), "{got:?}");
    let ran = runs(&bench);
    assert!(ran <= 6 && got.out().contains(&format!("the check ran {ran} times")), "{ran} runs: {got:?}");
    assert_eq!((bench.git(&["rev-parse", "HEAD"]), bench.records().len()), (head, records));
    no_worktree_is_left(&bench);

    let got = run(&bench, "blame --reopen TODO.md 4");
    got.exits(0);
    let prompt = bench.text("../home/prompt");
    assert!(
        prompt.contains("# Task 17")
            && prompt.contains("WHAT WAS UNDONE")
            && prompt.contains("four is broken"),
        "{prompt}"
    );
    assert_eq!(bench.text("4.txt"), "done\n");
    // What was found stands above the run; the attempt was judged by the broken check, and no person's word was needed.
    let found = got.out().find(named).expect("the finding");
    assert!(found < got.out().find("orchestrate").or(got.out().find("done")).expect("a run"), "{got:?}");
    let records = bench.records();
    let tick = records.iter().rfind(|r| r["type"] == "tick").expect("a tick");
    assert_eq!(
        (&tick["task"], &tick["data"]["evidence"]["level"]),
        (&"17".into(), &"proved".into()),
        "{tick}"
    );
    assert!(tick["data"]["evidence"]["made_true"].to_string().contains("4:1"), "{tick}");
    assert!(!records.iter().any(|r| r["type"] == "override"), "no word of a person is on record");
    assert_eq!(bench.sh("checkbox list --open TODO.md").run().out(), "");
    bench.command("run-report").args(["--check", "TODO.md"]).run().exits(0);
    bench.command("punch").args(["verify"]).run().exits(0);
    no_worktree_is_left(&bench);
    let got = run(&bench, "blame TODO.md");
    got.exits(0);
    assert!(got.out().contains("every check of the ticked tasks holds"), "{got:?}");
}

#[test]
fn a_change_of_a_person_is_told_from_the_work_of_a_task() {
    let bench = broken(6, 99);
    run(&bench, "TODO.md").exits(0);
    bench.write("4.txt", "mine\n");
    let got = run(&bench, "blame TODO.md 4");
    got.exits(1);
    assert!(got.out().contains("broken by changes that are in no commit\n"), "{got:?}");
    bench.commit_all("mine");
    let got = run(&bench, "blame TODO.md 4");
    got.exits(1);
    assert!(got.out().contains("broken by commit ") && got.out().contains("'mine' of "), "{got:?}");
}

#[test]
fn a_commit_of_a_person_between_two_tasks_is_named_and_no_task_is_opened() {
    let bench = broken(6, 99);
    (1..=4).for_each(|id| drop(run(&bench, &format!("--only {id} TODO.md")).exits(0).out()));
    bench.write("4.txt", "mine\n").commit_all("a person's work");
    let got = run(&bench, "TODO.md");
    got.exits(1);
    assert!(got.out().contains("'a person's work' of ") && !got.out().contains("broken by task"), "{got:?}");
    let plan = bench.text("TODO.md");
    let got = run(&bench, "blame --reopen TODO.md");
    got.exits(1);
    assert!(
        got.out().contains("which belongs to no task") && got.out().contains("no task is opened"),
        "{got:?}"
    );
    assert_eq!(bench.text("TODO.md"), plan);
}

/// Three tasks; the check of the first is this script, which looks outside of the tree.
fn outside(script: &str) -> Bench {
    let bench = bench!(empty);
    bench.write("check1.sh", script);
    with_plan(&bench, "TODO.md", &list_of(3).replace("`grep -qx done 1.txt`", "`sh check1.sh`"));
    bench.sh("touch \"$HOME/flag\"").run().exits(0);
    bench
}

#[test]
fn a_check_that_changes_its_mind_names_nothing() {
    let flaky =
        "echo run >> \"$HOME/runs\"\n[ $(($(wc -l < \"$HOME/runs\") % 2)) -eq 0 ] && grep -qx done 1.txt\n";
    let bench = outside(flaky);
    let got = run(&bench, "TODO.md");
    got.exits(1);
    assert!(got.out().contains("cannot be told") && !got.out().contains("broken by"), "{got:?}");
    for _ in 0..2 {
        let got = run(&bench, "blame TODO.md");
        got.exits(3);
        assert!(got.out().contains("the same result twice") && !got.out().contains("broken by"), "{got:?}");
        // The other parity.
        bench.sh("echo run >> \"$HOME/runs\"").run().exits(0);
    }
}

#[test]
fn a_cause_outside_of_git_is_found_on_an_unchanged_tree_and_names_no_task() {
    for (script, why) in [
        ("[ -e \"$HOME/flag\" ] && grep -qx done 1.txt\n", "the cause is not in git"),
        ("[ -e \"$HOME/flag\" ] || exec no-such-program\ngrep -qx done 1.txt\n", "has no verdict"),
    ] {
        let bench = outside(script);
        run(&bench, "TODO.md").exits(0);
        run(&bench, "blame TODO.md").exits(0);
        bench.sh("rm \"$HOME/flag\"").run().exits(0);
        let got = run(&bench, "blame TODO.md");
        got.exits(3);
        assert!(got.out().contains(why) && !got.out().contains("broken by"), "{got:?}");
    }
}

#[test]
fn a_task_that_does_not_mend_what_it_broke_stays_open() {
    let bench = broken(6, 5);
    bench.set_worker(&WRITER.replace("echo '{", "[ \"$name\" != 5.txt ] || echo no > 4.txt\necho '{"));
    run(&bench, "TODO.md").exits(1);
    let got = run(&bench, "blame --reopen TODO.md");
    assert!(got.status != 0, "{got:?}");
    assert_eq!(bench.sh("checkbox list --open TODO.md").run().out().trim(), "5", "{got:?}");
}

#[test]
fn a_task_that_nobody_broke_or_ticked_is_not_blamed() {
    let bench = broken(4, 99);
    let got = run(&bench, "blame TODO.md 4");
    got.exits(1);
    assert!(got.err().contains("task '4' is not ticked"), "{got:?}");
    run(&bench, "TODO.md").exits(0);
    let got = run(&bench, "blame TODO.md 4");
    got.exits(0);
    assert!(got.out().contains("its check 4:1 holds"), "{got:?}");
}

#[test]
fn a_plan_without_commits_of_its_tasks_cannot_be_bisected() {
    let bench = broken(5, 5);
    bench.write("plantools.toml", format!("{CONFIG}\n[commit]\neach = \"plan\"\n")).commit_all("each");
    let got = run(&bench, "TODO.md");
    got.exits(1);
    assert!(got.out().contains("no commit of task 4 is in the history"), "{got:?}");
    run(&bench, "blame TODO.md").exits(3);
}

#[test]
fn without_an_id_the_checks_of_all_ticked_tasks_run_on_the_tree_as_it_is() {
    let bench = broken(3, 9);
    run(&bench, "TODO.md").exits(0);
    bench.write("2.txt", "no\n").commit_all("a person's change");
    let got = run(&bench, "blame TODO.md");
    got.exits(1);
    assert!(got.out().contains("task 2 Write 2.txt: its check 2:1 fails"), "{got:?}");
}
