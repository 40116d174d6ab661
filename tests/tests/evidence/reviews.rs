//! A task without a check of its own may stand on the review of another worker, whose answer is on record as what it is.

use pipeline_tests::{Bench, Got, SUCCESS, bench};

const CONFIG: &str = "[defaults]\nworker = \"w\"\n[workers.w]\ncommand = [\"../home/w.sh\"]\n[workers.r]\n\
    command = [\"../home/r.sh\"]\n[agents]\nreview = \"REVIEWER\"\n[proof]\naccept = \"reviewed\"\n\
    [[gates]]\nid = \"test\"\ninvocation = \"true\"\nwhen = [\"task\"]\n";
const LIST: &str = "# Todo\n\n- [ ] Tidy the room\n";
const REVIEW: &str =
    "plan-parse -q TODO.md | dag-next | handoff --for review | worker-run | gate-run | checkbox | run-report";

fn answer(agree: bool, reason: &str) -> String {
    format!(
        "cat > ../home/asked\necho '{{\"status\":\"SUCCESS\",\"outputs\":{{\"agree\":{agree},\"reasons\":[\"{reason}\"],\"places\":[\"room.txt:1\"]}}}}'"
    )
}

#[test]
fn a_review_that_agrees_ticks_the_task_as_reviewed() {
    let bench = bench_with("r", &answer(true, "it is tidy"));
    let asked = bench.text("../home/asked");
    for words in ["# Review: task 1: Tidy the room", "+tidy", "`gate:test`: gate_pass", "\"agree\": true"] {
        assert!(asked.contains(words), "{words}: {asked}");
    }
    let tick = bench.records().into_iter().find(|record| record["type"] == "tick").expect("a tick");
    assert_eq!(tick["data"]["tick"]["level"], "reviewed", "{tick}");
    let review = bench.records().into_iter().find(|record| record["type"] == "review").expect("a review");
    assert_eq!((&review["trust"], &review["data"]["worker"]), (&"typed".into(), &"r".into()), "{review}");
    assert_eq!(review["data"]["reasons"][0], "it is tidy");
    assert_eq!(bench.count("attempt_begin"), 1, "the work is not done again");
}

#[test]
fn a_review_that_disagrees_is_a_failed_attempt_with_its_reasons_in_the_next_prompt() {
    let bench = bench_with("r", &answer(false, "the floor is still dirty"));
    assert_eq!(bench.halts().last().map(String::as_str), Some("gate-run review-disagrees"));
    assert_eq!(bench.count("tick"), 0);
    bench.set_worker(&format!("cat > ../home/prompt; echo tidier > room.txt\n{SUCCESS}"));
    carry(&bench);
    assert_eq!(bench.count("attempt_begin"), 2);
    let prompt = bench.text("../home/prompt");
    assert!(prompt.contains("the floor is still dirty"), "{prompt}");
}

#[test]
fn the_worker_of_the_change_does_not_review_it_unless_the_project_says_so() {
    let bench = bench_with("w", "");
    assert_eq!(
        bench.halts().last().map(String::as_str),
        Some("worker-run same-reviewer"),
        "{:?}",
        bench.halts()
    );
    assert_eq!(bench.count("tick"), 0);
}

#[test]
fn an_answer_that_cannot_be_read_and_a_reviewer_that_edits_are_no_review() {
    let bench = bench_with("r", SUCCESS);
    assert_eq!(bench.halts().last().map(String::as_str), Some("gate-run review-unclear"));
    let bench = bench_with("r", &format!("echo more >> room.txt\n{}", answer(true, "fine")));
    assert_eq!(bench.halts().last().map(String::as_str), Some("worker-run reviewer-strayed"));
    assert_eq!(bench.count("tick"), 0);
}

#[test]
fn a_task_without_a_change_has_nothing_to_review() {
    let bench = bench!(empty);
    bench.write("plantools.toml", CONFIG.replace("REVIEWER", "r")).write("TODO.md", LIST).commit_all("plan");
    bench.program("../home/r.sh", &format!("#!/bin/sh\n{}\n", answer(true, "fine")));
    let got = bench.sh(REVIEW).run();
    assert_eq!(bench.halts(), ["handoff no-change"], "{got:?}");
}

/// A task that waits at `gates only`, and the round of its review.
fn bench_with(reviewer: &str, review: &str) -> Bench {
    let bench = bench!(empty);
    bench
        .write("plantools.toml", CONFIG.replace("REVIEWER", reviewer))
        .write("TODO.md", LIST)
        .commit_all("plan");
    bench.set_worker(&format!("echo tidy > room.txt\n{SUCCESS}"));
    bench.program("../home/r.sh", &format!("#!/bin/sh\n{review}\n"));
    let got = carry(&bench);
    got.exits(5);
    assert_eq!(bench.halts(), ["checkbox not-accepted"], "{got:?}");
    bench.sh(REVIEW).run();
    bench
}

fn carry(bench: &Bench) -> Got {
    bench.command("orchestrate").args(["TODO.md"]).within(60).run()
}
