//! Files that were in the tree before the run: a run leaves them as they are, and does not fail because of them.

use pipeline_tests::{Bench, Got, SMALL_PLAN, SUCCESS, bench};

const LINE: &str = "changed before the run are left alone";

/// A repository with a plan whose commit takes what the worker changed, and a worker that makes what is asked for.
fn small(deed: &str) -> Bench {
    let bench = bench!(small, &format!("echo done > made.txt; {deed}; {SUCCESS}"));
    let plan = SMALL_PLAN.replace("| `made.txt` | always", "| | always");
    bench.write("PLAN.md", plan).write("kept.txt", "committed\n").commit_all("a plan for all files");
    bench
}

fn orchestrate(bench: &Bench, more: &str) -> Got {
    bench.sh(&format!("orchestrate --worker ../home/w.sh {more} PLAN.md")).within(60).run()
}

/// Every kind of change that a person can have made: untracked, edited, staged, staged and edited on, removed, added.
fn make_dirty(bench: &Bench) {
    for name in ["edited.txt", "staged.txt", "both.txt", "gone.txt", "dropped.txt"] {
        bench.write(name, "committed\n");
    }
    bench.commit_all("files of a person");
    bench.write("notes/today.md", "call them\n").write("edited.txt", "mine\n").write("staged.txt", "mine\n");
    bench.write("both.txt", "picked\n").write("added.txt", "new\n");
    bench.git(&["add", "staged.txt", "both.txt", "added.txt"]);
    bench.write("both.txt", "edited on\n");
    bench.git(&["rm", "--quiet", "--cached", "dropped.txt"]);
    bench.sh("rm gone.txt").run().exits(0);
}

#[test]
fn a_configuration_that_init_wrote_does_not_fail_the_run() {
    let bench = small(":");
    bench.sh("orchestrate init").run().exits(0);
    let text = bench.text("plantools.toml");
    let got = orchestrate(&bench, "");
    got.exits(0);
    assert!(got.err().contains(&format!("1 file {LINE}").replace(" are ", " is ")), "{got:?}");
    assert_eq!(bench.git(&["status", "--porcelain"]), "?? plantools.toml\n");
    assert_eq!(bench.text("plantools.toml"), text);
}

#[test]
fn a_gate_about_new_lines_does_not_look_at_what_was_there_before() {
    let gates = "[[gates]]\nid = \"s\"\ninvocation = \"no-new-suppressions\"\nwhen = [\"task\", \"end\"]\n
[[gates]]\nid = \"d\"\ninvocation = \"no-new-dependencies\"\nwhen = [\"task\", \"end\"]\n";
    let bench = small(":");
    bench.write("plantools.toml", gates).write("old.py", "x = 1\n").commit_all("gates");
    bench
        .write("mine.py", "x = 1  # noqa\n")
        .write("old.py", "x = 1  # noqa\n")
        .write("go.mod", "module m\n");
    orchestrate(&bench, "").exits(0);
    let bench = small("echo 'x = 1  # noqa' > theirs.py");
    bench.write("plantools.toml", gates).commit_all("gates");
    bench.write("mine.py", "x = 1  # noqa\n");
    let got = orchestrate(&bench, "--max-attempts 1");
    got.exits(5);
    assert!(got.out().contains("1 new suppressions"), "{got:?}");
}

#[test]
fn whatever_a_person_had_changed_stays_as_it_was() {
    for jobs in ["", "--jobs 2"] {
        let bench = small(":");
        make_dirty(&bench);
        let before = bench.git(&["status", "--porcelain"]);
        let got = orchestrate(&bench, jobs);
        got.exits(0);
        assert_eq!(bench.git(&["status", "--porcelain"]), before, "{jobs}: {got:?}");
        assert_eq!(bench.git(&["show", ":both.txt"]), "picked\n");
        assert_eq!(bench.text("both.txt"), "edited on\n");
        let lines: Vec<_> = got.err().lines().filter(|line| line.contains(LINE)).map(str::to_owned).collect();
        assert_eq!(lines.len(), 1, "{got:?}");
        assert!(lines[0].contains("7 files"), "{lines:?}");
        assert!(got.out().contains("made.txt") && !got.out().contains("not clean"), "{got:?}");
        let listed = bench.git(&["log", "--name-only", "--format=", "HEAD~2..HEAD"]);
        for name in ["notes", "edited", "staged", "both", "gone", "dropped", "added"] {
            assert!(!listed.contains(name), "{jobs}: {name} was committed: {listed}");
        }
        assert_eq!(bench.boxes("PLAN.md"), (1, 0));
    }
}

#[test]
fn files_that_appear_between_runs_are_left_alone_too() {
    let bench = small("[ -e ../home/ready ] || exit 1");
    bench.write("first.txt", "before the first run\n");
    orchestrate(&bench, "--max-attempts 1").exits(5);
    bench.write("second.txt", "before the second run\n").write("../home/ready", "");
    let got = orchestrate(&bench, "--max-attempts 3");
    got.exits(0);
    assert!(got.err().contains(&format!("2 files {LINE}")), "{got:?}");
    assert_eq!(bench.git(&["status", "--porcelain"]), "?? first.txt\n?? second.txt\n");
    // Nothing is left to do, no worker starts, and there are new files again.
    bench.write("third.txt", "before the third run\n").write("kept.txt", "edited\n");
    let got = orchestrate(&bench, "");
    got.exits(0);
    assert_eq!(
        bench.git(&["status", "--porcelain"]),
        " M kept.txt\n?? first.txt\n?? second.txt\n?? third.txt\n"
    );
}

#[test]
fn a_file_that_was_committed_for_an_earlier_task_may_be_edited_before_a_later_run() {
    let bench = small(":");
    orchestrate(&bench, "").exits(0);
    let more =
        "\n### [ ] TODO 2: More\n\n**Acceptance Criteria**:\n- [ ] It is: `test -f more.txt` → exit 0\n";
    bench.write("PLAN.md", bench.text("PLAN.md") + more).commit_all("another task");
    bench.write("made.txt", "done\nmine\n");
    bench.set_worker(&format!("echo more > more.txt; {SUCCESS}"));
    let got = orchestrate(&bench, "");
    got.exits(0);
    assert_eq!(bench.git(&["status", "--porcelain"]), " M made.txt\n", "{got:?}");
}

#[test]
fn what_another_plan_left_is_left_alone() {
    let bench = small("echo half > half.txt; exit 1");
    let other = SMALL_PLAN.replace("made.txt", "other.txt");
    bench.write("OTHER.md", other).commit_all("another plan");
    orchestrate(&bench, "--max-attempts 1").exits(5);
    bench.set_worker(&format!("echo done > other.txt; {SUCCESS}"));
    let got = bench.sh("orchestrate --worker ../home/w.sh OTHER.md").within(60).run();
    got.exits(0);
    let status = bench.git(&["status", "--porcelain"]);
    assert!(status.contains("?? half.txt\n") && status.contains("?? made.txt\n"), "{status}");
}

#[test]
fn a_file_that_the_work_changed_too_is_named_with_what_to_do() {
    let bench = small("echo worker >> kept.txt");
    bench.write("kept.txt", "committed\nmine\n");
    let got = orchestrate(&bench, "");
    got.exits(1);
    assert_eq!(bench.boxes("PLAN.md"), (1, 0));
    let wanted = "kept.txt was changed before the run, and by the work of task 1 as well: it is not committed; \
                  look at it (git diff HEAD -- kept.txt), commit it, and run this again";
    assert!(got.out().contains(wanted), "{got:?}");
    assert_eq!(bench.git(&["status", "--porcelain"]), " M kept.txt\n");
    assert!(!bench.git(&["log", "-p", "--format="]).contains("+mine"));
    bench.git(&["commit", "--quiet", "--all", "--message=mine and the work"]);
    orchestrate(&bench, "").exits(0);
}

#[test]
fn a_file_that_appears_during_the_run_is_still_named() {
    let bench = small(":");
    bench.program(".git/hooks/post-commit", "#!/bin/sh\ntouch litter.txt\n");
    bench.write("notes.txt", "mine\n");
    let got = orchestrate(&bench, "");
    got.exits(1);
    assert!(got.out().contains("the tree is not clean: litter.txt\n"), "{got:?}");
}
