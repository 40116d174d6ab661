//! A task without a check of its own may stand on the review of another worker, whose answer is on record as what it is.

use pipeline_tests::{Bench, Got, SUCCESS, bench, workspace};

const CONFIG: &str = "[defaults]\nworker = \"w\"\n[workers.w]\ncommand = [\"../home/w.sh\"]\n[workers.r]\n\
    command = [\"../home/r.sh\"]\n[agents]\nreview = \"REVIEWER\"\n[proof]\naccept = \"reviewed\"\n\
    [[gates]]\nid = \"test\"\ninvocation = \"true\"\nwhen = [\"task\"]\n";
const LIST: &str = "# Todo\n\n- [ ] Tidy the room\n";
fn answer(agree: bool, reason: &str) -> String {
    format!(
        "cat > ../home/asked\necho '{{\"status\":\"SUCCESS\",\"outputs\":{{\"agree\":{agree},\"reasons\":[\"{reason}\"],\"places\":[\"room.txt:1\"]}}}}'"
    )
}

#[test]
fn a_review_that_agrees_ticks_the_task_as_reviewed() {
    let (bench, got) = carried("r", &answer(true, "it is tidy"));
    got.exits(0);
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
    for words in [
        "· 1 Tidy the room: reviewed by r, which agrees",
        "✓ 1 Tidy the room: reviewed, ",
        "evidence: 1 reviewed\n",
    ] {
        assert!(got.out().contains(words), "{words}: {got:?}");
    }
    assert_eq!(bench.text("TODO.md"), LIST.replace("[ ]", "[x]"));
    assert!(!got.out().contains("proved"), "{got:?}");
    let why = bench.sh("run-report --why 1 TODO.md").run().out();
    assert!(why.contains("\nReviews:\n  r agrees: it is tidy\n      | room.txt:1\n"), "{why}");
    let report = bench.sh("run-report --final TODO.md").run().out();
    assert!(report.contains("1 Tidy the room (reviewed, r agrees: it is tidy, "), "{report}");
    let report = bench.sh("run-report --final --format json TODO.md").run().json();
    assert_eq!(report["tasks"][0]["reviews"][0]["worker"], "r", "{report}");
}

#[test]
fn it_works_in_trees_of_their_own() {
    let bench = bench!(empty);
    let plan = "# Todo\n\n- [ ] Tidy the room\n- [ ] Sweep the floor\n";
    bench.write("plantools.toml", CONFIG.replace("REVIEWER", "r").replace("../home", &home(&bench)));
    bench.write("TODO.md", plan).commit_all("plan");
    bench.set_worker(&format!(
        "case $(head -n 1) in *Tidy*) echo tidy > room.txt ;; *) echo swept > floor.txt ;; esac\n{SUCCESS}"
    ));
    // The reviewer stands in the tree with the work.
    let look = "ls >> \"$(dirname \"$0\")\"/seen";
    bench.program(
        "../home/r.sh",
        &format!("#!/bin/sh\n{look}\n{}\n", answer(true, "fine").replace("../home", &home(&bench))),
    );
    let got = bench.command("orchestrate").args(["--jobs", "2", "TODO.md"]).within(90).run();
    got.exits(0);
    assert_eq!(bench.text("TODO.md"), plan.replace("[ ]", "[x]"), "{got:?}");
    assert_eq!((bench.count("attempt_begin"), bench.count("review")), (2, 2), "{got:?}");
    assert!(got.out().contains("evidence: 2 reviewed\n"), "{got:?}");
    let seen = bench.text("../home/seen");
    assert!(seen.contains("room.txt\n") && seen.contains("floor.txt\n"), "{seen}");
    assert_eq!(bench.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_review_that_disagrees_is_a_failed_attempt_with_its_reasons_in_the_next_prompt() {
    // The reviewer agrees only with the second version.
    let review = format!(
        "if grep -q tidier room.txt; then {}; else {}; fi",
        flat(&answer(true, "now it is")),
        flat(&answer(false, "the floor is still dirty"))
    );
    let bench = bench_for("r", &review);
    bench.set_worker(&format!(
        "cat > ../home/prompt; if test -e room.txt; then echo tidier > room.txt; else echo tidy > room.txt; fi\n{SUCCESS}"
    ));
    let got = carry(&bench);
    got.exits(0);
    assert_eq!(
        bench.halts(),
        ["checkbox not-accepted", "gate-run review-disagrees", "checkbox not-accepted"],
        "{got:?}"
    );
    assert_eq!((bench.count("attempt_begin"), bench.count("tick")), (2, 1), "{got:?}");
    let prompt = bench.text("../home/prompt");
    assert!(prompt.contains("the floor is still dirty"), "{prompt}");
    let why = bench.sh("run-report --why 1 TODO.md").run().out();
    let both = ["  r does not agree: the floor is still dirty\n", "  r agrees: now it is\n"];
    assert!(both.iter().all(|words| why.contains(words)), "{why}");
}

#[test]
fn reviews_that_disagree_use_up_the_attempts() {
    let bench = bench_for("r", &answer(false, "never"));
    bench.set_worker(&format!("cat > /dev/null; echo more >> room.txt\n{SUCCESS}"));
    let got = bench.command("orchestrate").args(["--max-attempts", "2", "TODO.md"]).within(60).run();
    got.exits(5);
    assert_eq!((bench.count("attempt_begin"), bench.count("review")), (2, 2), "{got:?}");
}

#[test]
fn another_name_for_the_same_program_is_no_other_reviewer() {
    for workers in [
        "[workers.alias]\ncommand = [\"../home/w.sh\"]\n[agents]\nreview = \"alias\"\n",
        "[agents]\nreview = \"w:large\"\n",
    ] {
        let bench = bench_for("r", &answer(true, "fine"));
        let config = bench.text("plantools.toml").replace("[agents]\nreview = \"r\"\n", workers);
        bench.write("plantools.toml", config).commit_all("an alias");
        let got = carry(&bench);
        assert_eq!(bench.halts(), ["checkbox not-accepted", "worker-run same-reviewer"], "{got:?}");
    }
}

#[test]
fn the_worker_of_the_change_does_not_review_it_unless_the_project_says_so() {
    let (bench, got) = carried("w", "");
    got.exits(5);
    assert_eq!(bench.halts(), ["checkbox not-accepted", "worker-run same-reviewer"], "{got:?}");
    assert_eq!(bench.count("tick"), 0);
    // The work is there: once another worker reviews it, it is not done again.
    let config = bench.text("plantools.toml").replace("review = \"w\"", "review = \"r\"");
    bench.write("plantools.toml", config).commit_all("another reviewer");
    bench.program("../home/r.sh", &format!("#!/bin/sh\n{}\n", answer(true, "fine")));
    let got =
        bench.command("orchestrate").args(["--accept-change", "a reviewer", "TODO.md"]).within(60).run();
    assert_eq!((bench.count("attempt_begin"), bench.count("tick")), (1, 1), "{got:?}");
}

#[test]
fn an_answer_that_cannot_be_read_and_a_reviewer_that_edits_are_no_review() {
    let (bench, got) = carried("r", SUCCESS);
    got.exits(5);
    assert_eq!(bench.halts(), ["checkbox not-accepted", "gate-run review-unclear"], "{got:?}");
    let (bench, got) = carried("r", &format!("echo more >> room.txt\n{}", answer(true, "fine")));
    assert_eq!(bench.halts(), ["checkbox not-accepted", "worker-run reviewer-strayed"], "{got:?}");
    assert_eq!((bench.count("tick"), got.status), (0, 5));
}

#[test]
fn a_change_after_the_review_is_not_reviewed() {
    let bench = bench_for("r", &answer(true, "fine"));
    let pipe = |stages: &str| bench.sh(&format!("plan-parse -q TODO.md | {stages} | run-report")).run();
    pipe("dag-next | handoff | worker-run | gate-run | checkbox");
    let got = pipe("dag-next --review | handoff --for review | worker-run | gate-run");
    assert_eq!(bench.count("review"), 1, "{got:?}");
    pipe("dag-next --review | handoff --for review | worker-run | gate-run");
    assert_eq!(bench.count("review"), 1, "what was reviewed waits for no review");
    bench.write("room.txt", "dirty again\n");
    let got = pipe("dag-next | handoff | worker-run | gate-run | checkbox");
    assert_eq!(bench.count("tick"), 0, "{got:?}");
    bench.write("room.txt", "tidy\n").write("other.txt", "beside it\n");
    let got = bench
        .sh("plan-parse -q TODO.md | dag-next | handoff | worker-run | gate-run | checkbox | run-report")
        .run();
    assert_eq!(bench.count("tick"), 1, "{got:?}");
}

#[test]
fn a_shell_alone_asks_for_the_same_reviews() {
    let bench = bench_for("r", &answer(true, "fine"));
    let script = workspace().join("scripts/loop");
    let got = bench.command(&script.to_string_lossy()).args(["TODO.md"]).within(60).run();
    assert_eq!((got.status, bench.count("review"), bench.count("tick")), (0, 1, 1), "{got:?}");
}

#[test]
fn where_no_review_is_accepted_nobody_is_asked() {
    for (from, to) in [("accept = \"reviewed\"", "accept = \"passes\""), ("[agents]\nreview = \"r\"\n", "")] {
        let bench = bench_for("r", &answer(true, "fine"));
        bench.write("plantools.toml", bench.text("plantools.toml").replace(from, to)).commit_all("no review");
        carry(&bench).exits(5);
        assert_eq!((bench.count("review"), bench.halts()), (0, vec!["checkbox not-accepted".to_owned()]));
        assert!(!bench.path("../home/asked").exists());
    }
}

#[test]
fn a_task_without_a_change_has_nothing_to_review() {
    let bench = bench_for("r", &answer(true, "fine"));
    let got = bench
        .sh("plan-parse -q TODO.md | dag-next | handoff --for review | worker-run | gate-run | run-report")
        .run();
    assert_eq!(bench.halts(), ["handoff no-change"], "{got:?}");
}

/// One line of shell.
fn flat(script: &str) -> String {
    script.replace('\n', "; ")
}

fn home(bench: &Bench) -> String {
    bench.outside().join("home").display().to_string()
}

fn bench_for(reviewer: &str, review: &str) -> Bench {
    let bench = bench!(empty);
    bench
        .write("plantools.toml", CONFIG.replace("REVIEWER", reviewer))
        .write("TODO.md", LIST)
        .commit_all("plan");
    bench.set_worker(&format!("echo tidy > room.txt\n{SUCCESS}"));
    bench.program("../home/r.sh", &format!("#!/bin/sh\n{review}\n"));
    bench
}

fn carried(reviewer: &str, review: &str) -> (Bench, Got) {
    let bench = bench_for(reviewer, review);
    let got = carry(&bench);
    (bench, got)
}

fn carry(bench: &Bench) -> Got {
    bench.command("orchestrate").args(["TODO.md"]).within(60).run()
}
