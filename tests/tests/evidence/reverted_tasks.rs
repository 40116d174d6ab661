//! Work that is undone after the run that did it: the next run does it again or says why not, and ends by itself.

use pipeline_tests::{Bench, Got, bench};

const OPEN: &str = "# Todo

- [ ] Write the greeting
  Verify: `grep -qx hello greet.txt`
";

const WORKER: &str = "echo hello > greet.txt\necho '{\"status\":\"SUCCESS\"}'";

const CONFIG: &str = "[defaults]\nworker = \"w\"\n\n[workers.w]\ncommand = [\"../home/w.sh\"]\n";

#[test]
fn a_reverted_task_is_worked_again() {
    let bench = finished(OPEN);
    bench.git(&["revert", "--no-edit", "HEAD"]);
    assert_eq!((bench.text("TODO.md").as_str(), bench.text("greet.txt").as_str()), (OPEN, "bye\n"));
    is_done_again(&bench, &[]);
}

#[test]
fn a_task_whose_files_were_checked_out_as_they_were_is_worked_again() {
    let bench = finished(OPEN);
    bench.git(&["checkout", "HEAD~1", "--", "."]);
    assert_eq!((bench.text("TODO.md").as_str(), bench.text("greet.txt").as_str()), (OPEN, "bye\n"));
    // What is staged stays a person's, so that only the plan and its files are looked at.
    let got = carry(&bench, &[]);
    assert_eq!((starts(&bench), boxes(&bench)), (2, (1, 0)), "{got:?}");
    assert_eq!(bench.text("greet.txt"), "hello\n");
}

#[test]
fn a_task_whose_files_were_committed_as_they_were_is_worked_again() {
    let bench = finished(OPEN);
    bench.git(&["checkout", "HEAD~1", "--", "."]);
    bench.commit_all("as it was");
    is_done_again(&bench, &[]);
}

#[test]
fn a_reverted_task_is_worked_again_in_a_tree_of_its_own() {
    let bench = finished(OPEN);
    bench.git(&["revert", "--no-edit", "HEAD"]);
    is_done_again(&bench, &["--jobs", "2"]);
}

#[test]
fn a_reverted_task_has_all_its_attempts_again() {
    let bench = finished(OPEN);
    bench.git(&["revert", "--no-edit", "HEAD"]);
    bench.set_worker("echo '{\"status\":\"SUCCESS\"}'");
    let got = carry(&bench, &[]);
    got.exits(5);
    // One of the first run, two of this one, which end with the same tree; the check before them spends none.
    assert_eq!((starts(&bench), boxes(&bench)), (3, (0, 1)), "{got:?}");
    // Nothing has changed since: the next run starts no worker.
    let got = carry(&bench, &[]);
    got.exits(5);
    assert_eq!((starts(&bench), boxes(&bench)), (3, (0, 1)), "{got:?}");
    assert!(got.err().contains("the last two attempts ended alike"), "{got:?}");
}

#[test]
fn a_cleared_box_whose_work_is_there_is_ticked_again_without_a_worker() {
    let bench = finished(OPEN);
    bench.write("TODO.md", OPEN).commit_all("clear the box");
    let got = carry(&bench, &[]);
    got.exits(0);
    assert_eq!((starts(&bench), boxes(&bench)), (1, (1, 0)), "{got:?}");
}

#[test]
fn removed_files_of_a_ticked_task_end_the_run_with_the_reason() {
    let bench = finished(OPEN);
    bench.git(&["rm", "--quiet", "greet.txt"]);
    bench.git(&["commit", "--quiet", "--message=remove it"]);
    let got = carry(&bench, &[]);
    got.exits(3);
    assert!(got.err().contains("task '1' is ticked, and its check 1:1 has no verdict"), "{got:?}");
    assert_eq!((starts(&bench), boxes(&bench)), (1, (1, 0)), "{got:?}");
}

#[test]
fn an_emptied_configuration_ends_the_run() {
    let bench = finished(OPEN);
    bench.write("plantools.toml", "").commit_all("empty it");
    carry(&bench, &[]).exits(0);
    carry(&bench, &["--worker", "shell"]).exits(0);
    assert_eq!(starts(&bench), 1);
}

#[test]
fn an_emptied_configuration_of_a_reverted_task_ends_the_run_with_the_reason() {
    let bench = finished(OPEN);
    bench.git(&["revert", "--no-edit", "HEAD"]);
    bench.write("plantools.toml", "").commit_all("empty it");
    let got = carry(&bench, &["--worker", "shell"]);
    got.exits(5);
    assert_eq!(got.out().matches("handoff said no").count(), 1, "{got:?}");
    assert!(got.err().contains("--accept-change"), "{got:?}");
    assert_eq!((starts(&bench), boxes(&bench)), (1, (0, 1)), "{got:?}");
}

/// A plan that was carried out and committed.
fn finished(plan: &str) -> Bench {
    let bench = bench!(empty);
    bench
        .write("TODO.md", plan)
        .write("greet.txt", "bye\n")
        .write("plantools.toml", CONFIG)
        .commit_all("plan");
    bench.set_worker(WORKER);
    carry(&bench, &[]).exits(0);
    assert_eq!((starts(&bench), boxes(&bench)), (1, (1, 0)));
    assert_eq!(bench.git(&["status", "--porcelain"]), "");
    bench
}

/// The next run starts a worker, ticks the box and leaves nothing open.
#[track_caller]
fn is_done_again(bench: &Bench, args: &[&str]) {
    let got = carry(bench, args);
    got.exits(0);
    assert_eq!((starts(bench), boxes(bench)), (2, (1, 0)), "{got:?}");
    assert_eq!(bench.text("greet.txt"), "hello\n");
    assert_eq!(bench.git(&["status", "--porcelain"]), "", "{got:?}");
    carry(bench, args).exits(0);
    assert_eq!(starts(bench), 2);
}

#[track_caller]
fn carry(bench: &Bench, args: &[&str]) -> Got {
    bench.command("orchestrate").args(args).args(["TODO.md"]).within(30).run()
}

/// How often a worker was started.
fn starts(bench: &Bench) -> usize {
    bench.count("attempt_begin")
}

/// Boxes that are ticked, and open ones.
fn boxes(bench: &Bench) -> (usize, usize) {
    let text = bench.text("TODO.md");
    let count = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    (count("- [x] "), count("- [ ] "))
}
