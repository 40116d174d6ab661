//! Work that does not go together: what lands first stays, what cannot be joined or breaks the whole is halted alone.

use crate::generated_plans::{PLAN, Task, carry, pipe, repository, story};

#[test]
fn of_two_tasks_that_edit_the_same_lines_one_lands_and_the_other_names_the_file() {
    let bench = repository(&[
        Task::of(1, &[], "echo first > shared.txt; echo 1 > a.txt", "test -s shared.txt"),
        Task::of(2, &[], "sleep 0.7; echo second > shared.txt; echo 2 > b.txt", "test -s shared.txt"),
        Task::plain(3, &[], ""),
        Task::of(5, &[1], "cat a.txt > five.txt", "test -s five.txt"),
    ]);
    let got = carry(&bench, 4).run();
    got.exits(5);
    assert_eq!(bench.text("shared.txt"), "first\n", "{got:?}\n{}", story(&bench));
    assert!(!bench.path("b.txt").exists(), "nothing of what conflicts has landed");
    assert_eq!(bench.boxes(PLAN), (3, 1), "{got:?}");
    assert!(got.out().contains("commit-run land said no: conflict in shared.txt"), "{got:?}");
    let halt = bench.records().into_iter().find(|record| record["type"] == "halt").expect("a halt");
    assert_eq!(halt["data"]["halt"]["code"], "merge-conflict");
    assert_eq!(halt["data"]["detail"]["files"][0], "shared.txt");
    let tree = halt["data"]["detail"]["worktree"]["path"].as_str().expect("a worktree").to_owned();
    assert_eq!(bench.text(&format!("{tree}/shared.txt")), "second\n", "its work is kept");
    // The next run begins from what is there now.
    carry(&bench, 4).run().exits(4);
    assert_eq!(bench.text("shared.txt"), "second\n");
    crate::generated_plans::tidy(&bench, "after the conflict");
}

#[test]
fn two_tasks_that_join_and_break_the_build_together_are_caught_on_the_combined_tree() {
    // Each works alone; together there are two of what must be one.
    let check = "test $(cat parts/* | grep -c main) = 1";
    let bench = repository(&[
        Task::of(1, &[], "mkdir -p parts; echo main > parts/one", check),
        Task::of(2, &[], "sleep 0.7; mkdir -p parts; echo main > parts/two", check),
        Task::plain(3, &[], ""),
    ]);
    let line = pipe(4).replace("dag-next --follow", "dag-next --follow --max-attempts 1");
    let got = bench.sh(&line).within(120).run();
    got.exits(5);
    assert!(got.out().contains("checks failed on the combined tree"), "{got:?}");
    assert!(bench.path("parts/one").exists() && !bench.path("parts/two").exists(), "{}", story(&bench));
    assert_eq!(bench.boxes(PLAN), (2, 1));
    let subjects = bench.subjects();
    assert!(subjects.contains(&"feat: task 1".to_owned()) && !subjects.contains(&"feat: task 2".to_owned()));
    let trees = bench.git(&["worktree", "list"]);
    assert!(trees.lines().count() > 1, "the work of the task that failed is kept: {trees}");
    assert!(!bench.path(".plantools/landing.json").exists());
}

#[test]
fn a_git_that_cannot_be_told_where_work_began_finds_it_by_itself() {
    let bench = repository(&[
        Task::of(1, &[], "printf '1\\nb\\nc\\n' > shared.txt; echo 1 > a.txt", "test -s a.txt"),
        Task::of(2, &[], "sleep 0.7; printf 'a\\nb\\n2\\n' > shared.txt", "test -s shared.txt"),
        Task::of(3, &[], "sleep 0.7; echo other > a.txt", "test -s a.txt"),
    ]);
    bench.write("shared.txt", "a\nb\nc\n").commit_all("what all begin from");
    let real = bench.sh("command -v git").run().exits(0).out();
    let old =
        format!("#!/bin/sh\ncase \"$*\" in *--merge-base=*) exit 129 ;; esac\nexec {} \"$@\"\n", real.trim());
    bench.program("../bin/git", &old);
    let got = carry(&bench, 4).run();
    got.exits(5);
    assert!(got.out().contains("said no: conflict in a.txt"), "{got:?}");
    assert_eq!(bench.boxes(PLAN), (2, 1), "{got:?}");
    assert_eq!(bench.text("shared.txt"), "1\nb\n2\n", "joined\n{}", story(&bench));
}

#[test]
fn a_failed_attempt_is_taken_up_by_the_next_one() {
    let script = "if [ -f begun ]; then echo whole > work; else echo half > work; echo 1 > begun; fi";
    let bench = repository(&[Task::of(1, &[], script, "grep -qx whole work"), Task::plain(2, &[], "")]);
    let got = carry(&bench, 2).run();
    assert_eq!(got.status, 4, "{got:?}\n{}", story(&bench));
    assert_eq!(bench.text("work"), "whole\n");
    crate::generated_plans::tidy(&bench, "after a second attempt");
}

#[test]
fn a_merge_leaves_a_commit_that_joins_each_task() {
    let bench = repository(&[Task::plain(1, &[], ""), Task::plain(2, &[], "")]);
    bench.write("plantools.toml", "[worktree]\nland = \"merge\"\n").commit_all("configuration");
    carry(&bench, 2).run().exits(4);
    let merges = bench.git(&["log", "--merges", "--format=%s"]);
    assert_eq!(merges.matches("Merge branch 'plantools/").count(), 2, "{merges}");
    let subjects = bench.subjects();
    assert!(subjects.contains(&"feat: task 1".to_owned()) && subjects.contains(&"feat: task 2".to_owned()));
    crate::generated_plans::tidy(&bench, "after merges");
}
