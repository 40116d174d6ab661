//! What failed before: checked first, tried again only after a change or when a person asks, and never in vain.

use pipeline_tests::{Bench, Got, bench};

const PLAN: &str = "# Todo

- [ ] Write the greeting
  Verify: `grep -qx hello greet.txt`
";

/// A worker that claims success and changes nothing.
const LIAR: &str = "echo '{\"status\":\"SUCCESS\"}'";
/// One that leaves something else each time.
const BUSY: &str = "date +%s%N >> greet.txt\necho '{\"status\":\"SUCCESS\"}'";

#[test]
fn work_that_a_person_mended_is_ticked_without_a_worker() {
    let bench = failed(BUSY, &[], 3);
    bench.write("greet.txt", "hello\n").commit_all("by hand");
    let got = carry(&bench, &[]);
    got.exits(0);
    assert_eq!((starts(&bench), boxes(&bench)), (3, (1, 0)), "{got:?}");
    assert!(got.out().contains("no worker was needed"), "{got:?}");
}

#[test]
fn work_that_a_person_mended_and_did_not_commit_ends_with_0_as_well() {
    let bench = failed(BUSY, &[], 3);
    bench.write("greet.txt", "hello\n");
    let got = carry(&bench, &[]);
    got.exits(0);
    assert_eq!((starts(&bench), boxes(&bench)), (3, (1, 0)), "{got:?}");
}

#[test]
fn a_run_that_finds_nothing_changed_spends_nothing() {
    let bench = failed(BUSY, &[], 3);
    for _ in 0..2 {
        let got = carry(&bench, &[]);
        got.exits(5);
        assert!(got.out().contains("failed before, and still"), "{got:?}");
        assert!(got.err().contains("3 of 3 attempts used"), "{got:?}");
        assert_eq!((starts(&bench), boxes(&bench)), (3, (0, 1)), "{got:?}");
    }
}

#[test]
fn a_file_that_a_person_changed_gives_fresh_attempts_once() {
    let bench = failed(BUSY, &[], 3);
    bench.write("notes.md", "try harder\n");
    carry(&bench, &[]).exits(5);
    assert_eq!(starts(&bench), 6);
    carry(&bench, &[]).exits(5);
    assert_eq!(starts(&bench), 6);
}

#[test]
fn in_trees_of_their_own_attempts_are_fresh_after_a_change_only() {
    let jobs = ["--jobs", "2"];
    let bench = failed(BUSY, &jobs, 3);
    carry(&bench, &jobs).exits(5);
    assert_eq!(starts(&bench), 3);
    bench.write("notes.md", "try harder\n").commit_all("notes");
    carry(&bench, &jobs).exits(5);
    assert_eq!(starts(&bench), 6);
    bench.write("greet.txt", "hello\n").commit_all("by hand");
    let got = carry(&bench, &jobs);
    got.exits(0);
    assert_eq!((starts(&bench), boxes(&bench)), (6, (1, 0)), "{got:?}");
}

#[test]
fn a_configuration_that_a_person_changed_gives_fresh_attempts() {
    let bench = failed(BUSY, &[], 3);
    bench.write("plantools.toml", format!("{}\n# changed\n", config()));
    carry(&bench, &["--accept-change", "a comment"]).exits(5);
    assert_eq!(starts(&bench), 6);
}

#[test]
fn a_person_who_asks_for_a_retry_gets_all_attempts_again() {
    let bench = failed(BUSY, &[], 3);
    let asked = bench.sh("plan-parse -q TODO.md | dag-next --retry").run();
    assert_eq!(asked.exits(0).out(), "1\n");
    carry(&bench, &[]).exits(5);
    assert_eq!(starts(&bench), 6);
    carry(&bench, &[]).exits(5);
    assert_eq!(starts(&bench), 6);
}

#[test]
fn a_worker_that_changes_nothing_is_called_twice() {
    let bench = failed(LIAR, &[], 2);
    let status = bench.sh("plan-parse -q TODO.md | dag-next --given-up --run later").run();
    // In a new run the checks come first, and only then nothing is left.
    assert_eq!(status.exits(0).out(), "");
}

#[test]
fn a_number_of_attempts_is_the_number_of_calls() {
    for (args, calls) in [(["--max-attempts", "1"], 1), (["--max-attempts", "5"], 5)] {
        failed(BUSY, &args, calls);
    }
}

/// A plan whose run ended without success after so many calls of a worker.
fn failed(worker: &str, args: &[&str], calls: usize) -> Bench {
    let bench = bench!(empty);
    bench
        .write("TODO.md", PLAN)
        .write("greet.txt", "bye\n")
        .write("plantools.toml", config())
        .commit_all("plan");
    bench.set_worker(worker);
    let got = carry(&bench, args);
    got.exits(5);
    assert_eq!((starts(&bench), boxes(&bench)), (calls, (0, 1)), "{got:?}");
    bench
}

fn config() -> &'static str {
    "[defaults]\nworker = \"w\"\n\n[workers.w]\ncommand = [\"../home/w.sh\"]\n"
}

fn carry(bench: &Bench, args: &[&str]) -> Got {
    bench.command("orchestrate").args(args).args(["TODO.md"]).within(30).run()
}

fn starts(bench: &Bench) -> usize {
    bench.count("attempt_begin")
}

/// Boxes that are ticked, and open ones.
fn boxes(bench: &Bench) -> (usize, usize) {
    let text = bench.text("TODO.md");
    let count = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    (count("- [x] "), count("- [ ] "))
}
