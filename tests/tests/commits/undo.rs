//! `orchestrate undo`: the work of a task is taken back, its box is open, and the next worker knows why.

use crate::plans::{WRITER, carry, files, list_of, with_plan};
use pipeline_tests::{Bench, Got, bench, until};
use std::time::{Duration, Instant};

/// Five tasks that were carried out; 4 depends on 2, and 5 on 4.
fn done() -> Bench {
    let bench = bench!(empty);
    let plan = list_of(5)
        .replace("done 4.txt`\n", "done 4.txt`\n  - Depends on: 2\n")
        .replace("done 5.txt`\n", "done 5.txt`\n  - Depends on: 4\n")
        .replace("  Verify", "  - Verify");
    with_plan(&bench, "TODO.md", &plan);
    carry(&bench, "TODO.md").exits(0);
    assert_eq!(bench.subjects().len(), 7);
    bench
}

fn undo(bench: &Bench, args: &str) -> Got {
    bench.sh(&format!("orchestrate undo {args} TODO.md")).run()
}

/// The tasks whose boxes are open.
fn open(bench: &Bench) -> String {
    bench
        .sh("checkbox list --open TODO.md")
        .run()
        .exits(0)
        .out()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

fn there(bench: &Bench) -> String {
    bench.sh("echo [0-9].txt").run().out().trim().to_owned()
}

#[track_caller]
fn is_whole(bench: &Bench) {
    assert_eq!(bench.git(&["status", "--porcelain"]), "");
    bench.command("punch").args(["verify"]).run().exits(0);
}

#[test]
fn the_last_task_is_undone() {
    let bench = done();
    let got = undo(&bench, "5 --reason 'the wrong file'");
    got.exits(0);
    assert!(got.out().contains("task 5 Write 5.txt: is opened; commit "), "{got:?}");
    assert_eq!((open(&bench).as_str(), there(&bench).as_str()), ("5", "1.txt 2.txt 3.txt 4.txt"), "{got:?}");
    let body = bench.git(&["log", "-1", "--format=%s%n%b"]);
    let undone = bench.git(&["rev-parse", "HEAD~1"]);
    assert!(body.starts_with("Revert \"5: Write 5.txt\"\n"), "{body}");
    assert!(
        body.contains(&format!("This reverts commit {}.", undone.trim())) && body.contains("the wrong file"),
        "{body}"
    );
    assert!(body.contains("Undone: 5\n"), "{body}");
    assert_eq!(files(&bench, "HEAD"), "5.txt\nTODO.md");
    is_whole(&bench);
    let records = bench.records();
    let untick = records.iter().rfind(|record| record["type"] == "untick").expect("an untick is on record");
    assert_eq!((&untick["task"], &untick["data"]["reason"]), (&"5".into(), &"the wrong file".into()));
    assert!(
        records.iter().any(|record| record["key"] == "undone" && record["data"]["reverted"] == undone.trim())
    );
    // Its history says the same without plan and ledger.
    let rebuilt = bench.sh("commit-run rebuild-state TODO.md").run().exits(0).out();
    assert_eq!(rebuilt.lines().count(), 4, "{rebuilt}");
    // The next worker reads why.
    let got = carry(&bench, "TODO.md");
    got.exits(0);
    let prompt = bench.text("../home/prompt");
    assert!(prompt.contains("WHAT WAS UNDONE") && prompt.contains("the wrong file"), "{prompt}");
    assert_eq!((open(&bench).as_str(), bench.subjects().len()), ("", 9), "{got:?}");
}

#[test]
fn a_task_in_the_middle_is_undone_alone_or_with_what_depends_on_it() {
    let bench = done();
    let got = undo(&bench, "2 --dry-run");
    got.exits(0);
    assert!(got.out().contains("task 5 and task 4 depend on that and stay done"), "{got:?}");
    assert!(got.out().contains("task 2 Write 2.txt: would be opened; commit "), "{got:?}");
    assert_eq!((open(&bench).as_str(), bench.subjects().len()), ("", 7));
    is_whole(&bench);
    undo(&bench, "2 --reason 'no'").exits(0);
    assert_eq!((open(&bench).as_str(), there(&bench).as_str()), ("2", "1.txt 3.txt 4.txt 5.txt"));
    is_whole(&bench);

    let bench = done();
    let got = undo(&bench, "2 --dependents --reason 'no'");
    got.exits(0);
    assert_eq!((open(&bench).as_str(), there(&bench).as_str()), ("2 4 5", "1.txt 3.txt"), "{got:?}");
    let reverts = bench.subjects().split_off(7);
    assert_eq!(
        reverts,
        ["Revert \"5: Write 5.txt\"", "Revert \"4: Write 4.txt\"", "Revert \"2: Write 2.txt\""]
    );
    is_whole(&bench);
    carry(&bench, "TODO.md").exits(0);
    assert_eq!((open(&bench).as_str(), there(&bench).as_str()), ("", "1.txt 2.txt 3.txt 4.txt 5.txt"));
}

#[test]
fn a_conflict_is_named_and_nothing_changes() {
    let bench = bench!(empty);
    with_plan(&bench, "TODO.md", &list_of(2));
    bench.set_worker(
        "n=$(sed -n '1s/^# .*Write \\(.\\).*/\\1/p'); echo done > $n.txt; echo \"line of $n\" > both.txt; echo '{\"status\":\"SUCCESS\"}'",
    );
    carry(&bench, "TODO.md").exits(0);
    let before = (bench.git(&["rev-parse", "HEAD"]), bench.bytes("TODO.md"), bench.records().len());
    let got = undo(&bench, "1 --reason 'no'");
    got.exits(1);
    assert!(
        got.err().contains("conflict in both.txt") && got.err().contains("'2: Write 2.txt' changed last"),
        "{got:?}"
    );
    assert_eq!((bench.git(&["rev-parse", "HEAD"]), bench.bytes("TODO.md"), bench.records().len()), before);
    assert_eq!(bench.text("both.txt"), "line of 2\n");
    is_whole(&bench);
    // Both together have no conflict.
    undo(&bench, "1 2 --reason 'no'").exits(0);
    assert_eq!(open(&bench), "1 2");
    assert!(!bench.path("both.txt").exists());
}

#[test]
fn a_persons_changes_are_not_written_over() {
    let bench = done();
    for change in ["echo mine >> 3.txt", "git rm -q --cached 3.txt"] {
        bench.sh(change).run().exits(0);
        let before = bench.git(&["status", "--porcelain"]);
        let got = undo(&bench, "3 --reason 'no'");
        got.exits(1);
        assert!(got.err().contains("'3.txt' has changes that are in no commit"), "{change}: {got:?}");
        assert_eq!((bench.git(&["status", "--porcelain"]), open(&bench).as_str()), (before, ""), "{change}");
        bench.git(&["reset", "-q", "--hard"]);
    }
    // Other files of theirs stay theirs.
    bench.write("notes.txt", "mine\n").write("1.txt", "done\nmine\n").git(&["add", "1.txt"]);
    undo(&bench, "3 --reason 'no'").exits(0);
    assert_eq!(bench.git(&["status", "--porcelain"]), "M  1.txt\n?? notes.txt\n");
    assert_eq!(open(&bench), "3");
}

#[test]
fn a_soft_undo_leaves_the_commits() {
    let bench = done();
    let got = undo(&bench, "3 --soft --reason 'look again'");
    got.exits(0);
    assert_eq!((open(&bench).as_str(), bench.subjects().len()), ("3", 7), "{got:?}");
    assert!(there(&bench).contains("3.txt"));
    bench.set_worker("cat > ../home/prompt; echo more >> 3.txt; echo '{\"status\":\"SUCCESS\"}'");
    let got = bench.sh("orchestrate --accept already-true --reason 'looked at' TODO.md").run();
    got.exits(0);
    assert!(bench.text("../home/prompt").contains("look again"));
    assert_eq!(open(&bench), "");
}

#[test]
fn what_is_not_there_cannot_be_undone() {
    let bench = done();
    let got = undo(&bench, "9 --reason 'no'");
    got.exits(1);
    assert!(got.err().contains("there is no task '9'"), "{got:?}");
    undo(&bench, "3 --reason 'no'").exits(0);
    let head = bench.git(&["rev-parse", "HEAD"]);
    let got = undo(&bench, "3 --reason 'no'");
    got.exits(0);
    assert!(got.out().contains("is open, and no commit of it is left"), "{got:?}");
    assert_eq!(bench.git(&["rev-parse", "HEAD"]), head);
}

#[test]
fn killed_at_any_point_and_run_again_it_ends_in_the_same_state() {
    let bench = done();
    let begun = Instant::now();
    let command = "orchestrate undo 2 --dependents --reason 'no' TODO.md";
    bench.sh(command).run().exits(0);
    let took = begun.elapsed();
    let calm = (bench.bytes("TODO.md"), bench.git(&["rev-parse", "HEAD^{tree}"]), bench.subjects());
    for part in 0..8 {
        let bench = done();
        let wait = took * part / 8 + Duration::from_millis(3);
        drop(bench.sh(command).start().wait(wait));
        until(|| bench.processes().is_empty());
        let got = bench.sh(command).run();
        got.exits(0);
        let end = (bench.bytes("TODO.md"), bench.git(&["rev-parse", "HEAD^{tree}"]), bench.subjects());
        assert_eq!(end, calm, "killed after {wait:?} of {took:?}: {got:?}");
        is_whole(&bench);
        let records = bench.records();
        for task in ["2", "4", "5"] {
            let of = |kind: &str, key: &str| {
                records
                    .iter()
                    .any(|r| r["task"] == task && r["type"] == kind && (key.is_empty() || r["key"] == key))
            };
            assert!(
                of("untick", "") && of("message", "undone"),
                "task {task}, killed after {wait:?}: {got:?}"
            );
        }
    }
}

#[test]
fn a_persons_edit_of_the_plan_stays_out_of_the_revert() {
    let bench = done();
    bench.sh("sed -i '1i # note' TODO.md").run().exits(0);
    let got = undo(&bench, "2 --reason no");
    got.exits(1);
    assert!(got.err().contains("'TODO.md' has changes that are in no commit"), "{got:?}");
    assert_eq!((open(&bench).as_str(), bench.subjects().len()), ("", 7));
    assert_eq!(bench.git(&["status", "--porcelain"]), " M TODO.md\n");
}

#[test]
fn a_commit_that_was_amended_away_is_named() {
    let bench = done();
    bench.git(&["commit", "-q", "--amend", "-m", "mine now"]);
    let got = undo(&bench, "5 --reason no");
    got.exits(1);
    assert!(got.err().contains("of task 5 is not in this history"), "{got:?}");
    assert_eq!((open(&bench).as_str(), there(&bench).contains("5.txt")), ("", true));
    undo(&bench, "5 --soft --reason no").exits(0);
    assert_eq!(open(&bench), "5");
}

#[test]
fn without_a_reason_the_message_says_what_is_missing() {
    let bench = done();
    let got = undo(&bench, "5");
    got.exits(2);
    assert!(got.err().contains("were not provided: --reason <TEXT>"), "{got:?}");
}

#[test]
fn a_run_after_an_undo_that_was_killed_finishes_it_first() {
    let bench = bench!(empty);
    bench.program(".git/hooks/pre-commit", "#!/bin/sh\n[ ! -e \"$HOME/slow\" ] || sleep 600\n");
    with_plan(&bench, "TODO.md", &list_of(3));
    carry(&bench, "TODO.md").exits(0);
    bench.sh("touch \"$HOME/slow\"").run().exits(0);
    let killed = bench.sh("orchestrate undo 3 --reason 'the wrong file' TODO.md").start();
    until(|| open(&bench) == "3");
    std::thread::sleep(Duration::from_millis(300));
    killed.kill();
    drop(killed);
    until(|| bench.processes().is_empty());
    bench.sh("rm \"$HOME/slow\"").run().exits(0);
    let got = carry(&bench, "TODO.md");
    got.exits(0);
    assert!(got.err().contains("the undo of 3 was cut off, and is finished first"), "{got:?}");
    let subjects = bench.subjects();
    assert_eq!(subjects[5..], ["Revert \"3: Write 3.txt\"", "3: Write 3.txt"], "{got:?}");
    is_whole(&bench);
}

#[test]
fn what_works_in_a_tree_keeps_out_runs_and_undos_of_other_plans() {
    let bench = done();
    bench
        .write("plans/d.md", "# D\n\n- [ ] Write slow.txt\n  - Verify: `grep -qx done slow.txt`\n")
        .commit_all("d");
    bench.set_worker(&WRITER.replace(
        "echo done",
        "[ \"$name\" != slow.txt ] || { touch ../home/at; while [ ! -e ../home/go ]; do sleep 0.05; done; }\necho done",
    ));
    let slow = bench.sh("orchestrate plans/d.md").within(120).start();
    until(|| bench.path("../home/at").exists());
    let head = bench.git(&["rev-parse", "HEAD"]);
    for line in ["orchestrate TODO.md", "orchestrate undo 5 --reason no TODO.md", "orchestrate blame TODO.md"]
    {
        let got = bench.sh(line).run();
        assert!(
            got.exits(75).err().contains("another run works in ") && got.err().contains("plans/d.md"),
            "{got:?}"
        );
    }
    let got = bench.sh("commit-run revert --reason no TODO.md 5").run();
    assert!(got.exits(75).err().contains("a run works in "), "{got:?}");
    assert_eq!(bench.git(&["rev-parse", "HEAD"]), head);
    let waits = bench.sh("orchestrate --wait TODO.md").within(120).start();
    bench.sh("touch ../home/go").run().exits(0);
    for live in [slow, waits] {
        live.wait(Duration::from_secs(120)).expect("it ends").exits(0);
    }
    assert_eq!(files(&bench, "HEAD"), "plans/d.md\nslow.txt");
}
