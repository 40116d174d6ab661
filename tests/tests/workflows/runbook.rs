//! `orchestrate-runbook`: a prepared, test-driven runbook of two phases.

use crate::project::{calls, carried, is_tidy, project};
use pipeline_tests::{Bench, Got};

const PROFILE: &str = "orchestrate-runbook";
const HONEST: &str =
    "1.1 1 haiku\n1.2 1 haiku\ncheckpoint-1 1 reviewer\n2.1 1 sonnet\nvet 1 sonnet\nprocess 1 sonnet\n";

#[test]
fn an_honest_run_does_every_step_checkpoint_and_review_in_order() {
    let bench = project(PROFILE, "");
    let got = carried(&bench, &["tally"], 0);
    assert_eq!(calls(&bench), HONEST, "each step once, with the worker of its model");
    for line in [
        "✓ Step 1.1: Count words - completed (proved, 4 checks passed, ticked)",
        "✓ Step 1.2: Count nothing - completed (already true, 4 checks passed, ticked)",
        "✓ Phase 1 checkpoint - completed (passes, 5 checks passed, ticked)",
        "✓ Step 2.1: Show the most used word - completed (already true, 4 checks passed, ticked)",
        "**Execution Complete**",
        "All 4 steps completed successfully.",
        "- plans/tally/reports/step-2-1-execution.md",
        "Reviews: plans/tally/reports/vet-review.md",
        "Reviews: plans/tally/reports/tdd-process-review.md",
        "Next action: commit what the reviews left",
    ] {
        assert!(got.out().lines().any(|l| l == line), "{line}\n{got:?}");
    }
    let book = "chore(tally): bookkeeping";
    let wanted = ["start", "Step 1.1", book, "Step 1.2", book, "Step checkpoint-1", book, "Step 2.1", book];
    assert_eq!(bench.subjects(), [&wanted[..], &["Step vet", "Step process"]].concat());
    let progress = bench.text("plans/tally/progress.md");
    assert!(
        progress.contains("**Status**: Completed") && progress.contains("Steps completed: 4/4"),
        "{progress}"
    );
    assert!(progress.contains("  - Report: plans/tally/reports/step-1-1-execution.md\n"), "{progress}");
    is_tidy(&bench);
}

#[test]
fn the_prompts_say_what_the_source_says() {
    let bench = project(PROFILE, "1.1 1 fail\n1.1 2 fixed\n");
    carried(&bench, &["tally"], 0);
    let holds = |prompt: &str, words: &[&str]| {
        let text = bench.text(&format!("../home/prompt-{prompt}"));
        for word in words {
            assert!(text.contains(word), "{prompt} lacks {word}:\n{text}");
        }
    };
    holds(
        "1.1-1",
        &["plans/tally/steps/step-1-1.md", "For session handoffs, use /handoff-haiku, NOT /handoff."],
    );
    holds(
        "1.1-2",
        &[
            "Diagnose and fix",
            "the store is not configured",
            "plans/tally/reports/step-1.1-diagnostic.md",
            "blocked",
        ],
    );
    holds(
        "checkpoint-1-1",
        &[
            "# Phase 1 Checkpoint",
            "plans/tally/design.md",
            "bin/tally",
            "tests/empty",
            "Show the most used word",
            "UNFIXABLE",
        ],
    );
    holds("vet-1", &["Review all changes from TDD execution", "plans/tally/reports/vet-review.md"]);
    let start = bench.git(&["log", "--format=%H", "--grep=^start$"]);
    holds(
        "process-1",
        &[start.trim(), "plans/tally/runbook.md", "plans/tally/reports/tdd-process-review.md"],
    );
}

#[test]
fn a_runbook_that_is_not_prepared_is_refused_with_the_source_s_words() {
    for missing in
        ["plans/tally/orchestrator-plan.md", ".claude/agents/tally-task.md", "plans/tally/steps/step-1-2.md"]
    {
        let bench = project(PROFILE, "");
        bench.git(&["rm", "-q", missing]);
        bench.commit_all("less");
        let got = carried(&bench, &["tally"], 66);
        let words = "Runbook not prepared. Run `/plan-adhoc` first to create execution artifacts.";
        assert!(got.err().contains(words), "{missing}: {got:?}");
        assert!(!bench.path("../home/calls").exists(), "{missing}: somebody was called");
    }
}

#[test]
fn a_runbook_alone_is_carried_out_from_its_own_sections_unless_prepared_is_asked_for() {
    let bench = project(PROFILE, "");
    bench.git(&["rm", "-rq", "plans/tally/steps", "plans/tally/orchestrator-plan.md"]);
    bench.commit_all("less");
    carried(&bench, &["--prepared", "tally"], 66);
    carried(&bench, &["tally"], 0);
}

#[test]
fn steps_never_run_together() {
    let got = carried(&project(PROFILE, ""), &["--jobs", "2", "tally"], 2);
    assert!(got.err().contains("one task at a time"), "{got:?}");
}

#[test]
fn a_tree_that_is_not_clean_before_the_first_step_stops_the_run() {
    let bench = project(PROFILE, "");
    bench.write("left-over", "mine\n");
    let got = carried(&bench, &["tally"], 5);
    assert!(got.err().contains("not clean before the first step"), "{got:?}");
    assert!(!bench.path("../home/calls").exists());
}

#[test]
fn a_worker_that_lies_is_found_out_and_the_next_model_mends_it() {
    let bench = project(PROFILE, "1.1 1 lie\n");
    let got = carried(&bench, &["tally"], 0);
    assert_eq!(calls(&bench), format!("1.1 1 haiku\n1.1 2 sonnet\n{}", &HONEST["1.1 1 haiku\n".len()..]));
    assert!(
        got.out().contains("✗ Step 1.1: Count words - failed: checks failed: 1.1:1, step:report"),
        "{got:?}"
    );
    is_tidy(&bench);
}

#[test]
fn a_missing_report_is_for_the_diagnostician() {
    let bench = project(PROFILE, "1.2 1 no-report\n");
    carried(&bench, &["tally"], 0);
    assert!(calls(&bench).contains("1.2 1 haiku\n1.2 2 sonnet\n"));
}

#[test]
fn a_hang_goes_straight_to_the_user() {
    stops_at("1.1 1 hang\n", "1.1 1 haiku\n", "the worker took too long");
}

#[test]
fn a_dirty_tree_stops_everything_and_is_left_as_it_is() {
    let (bench, _) =
        stops_at("1.1 1 dirty\n", "1.1 1 haiku\n", "Step 1.1 left uncommitted changes: left-over");
    assert_eq!(bench.text("left-over"), "more\n");
    assert_eq!(bench.git(&["status", "--porcelain"]), "?? left-over\n");
}

#[test]
fn a_worker_that_edits_the_runbook_gains_nothing() {
    let bench = project(PROFILE, "1.1 1 meddle\n");
    let before = bench.bytes("plans/tally/orchestrator-plan.md");
    carried(&bench, &["tally"], 0);
    assert!(bench.bytes("plans/tally/orchestrator-plan.md") == before);
    assert!(calls(&bench).starts_with("1.1 1 haiku\n1.1 2 sonnet\n"));
    is_tidy(&bench);
}

#[test]
fn a_worker_that_exits_without_a_word_is_for_the_user() {
    stops_at("1.1 1 nothing\n", "1.1 1 haiku\n", "without an answer");
}

#[test]
fn an_unexpected_result_is_for_the_user() {
    stops_at("1.1 1 unexpected\n", "1.1 1 haiku\n", "bin/tally is there already");
}

#[test]
fn what_the_diagnostician_cannot_mend_is_for_the_user() {
    stops_at("1.1 1 fail\n1.1 2 blocked\n", "1.1 1 haiku\n1.1 2 sonnet\n", "which store is to be used");
}

#[test]
fn words_that_mean_stop_are_for_the_user_whatever_the_status_says() {
    for (words, why) in [
        ("\"summary\":\"blocked: which store is to be used\"", "which store is to be used"),
        ("\"summary\":\"unexpected: bin/tally is there already\"", "bin/tally is there already"),
        ("\"summary\":\"design: one table or two\"", "one table or two"),
        ("\"summary\":\"done\",\"verdict\":\"design: one table or two\"", "one table or two"),
        (
            "\"summary\":\"done\",\"error\":{\"code\":\"design\",\"message\":\"one table or two\"}",
            "one table or two",
        ),
    ] {
        let answer = format!("{{\"status\":\"SUCCESS\",{words}}}");
        stops_after("1.1 1 words\n", &answer, "1.1 1 haiku\n", why);
    }
    // A diagnosis that is blocked, and a status that says so.
    let blocked = "{\"status\":\"SUCCESS\",\"summary\":\"blocked: which store is to be used\"}";
    let called = "1.1 1 haiku\n1.1 2 sonnet\n";
    stops_after("1.1 1 fail\n1.1 2 words\n", blocked, called, "which store is to be used");
    let status = "{\"status\":\"BLOCKED\",\"summary\":\"which store is to be used\"}";
    stops_after("1.1 1 words\n", status, "1.1 1 haiku\n", "which store is to be used");
    // A checkpoint that cannot be mended.
    let unfixable = "{\"status\":\"SUCCESS\",\"summary\":\"UNFIXABLE: the design forbids it\"}";
    let called = "1.1 1 haiku\n1.2 1 haiku\ncheckpoint-1 1 reviewer\n";
    stops_after("checkpoint-1 1 words\n", unfixable, called, "the design forbids it");
}

#[test]
fn a_review_of_the_whole_that_cannot_be_mended_is_for_the_user() {
    let unfixable = "{\"status\":\"SUCCESS\",\"summary\":\"UNFIXABLE: the design forbids it\"}";
    for script in ["vet 1 words\n", "vet 1 unfixable\n"] {
        let bench = project(PROFILE, script);
        bench.write("../home/words", unfixable);
        let got = carried(&bench, &["tally"], 5);
        assert!(got.err().contains("the design forbids it"), "{script}: {got:?}");
        assert!(
            calls(&bench).ends_with("vet 1 sonnet\n"),
            "{script}: no other review follows: {}",
            calls(&bench)
        );
        assert!(
            !got.out().contains("Reviews: plans/tally/reports/tdd-process-review.md"),
            "{script}: {got:?}"
        );
        // Once a person has looked, the next run asks for the reviews again.
        carried(&bench, &["tally"], 0);
        assert!(calls(&bench).ends_with("vet 2 sonnet\nprocess 1 sonnet\n"), "{script}: {}", calls(&bench));
    }
}

#[test]
fn the_chain_ends_with_the_user() {
    let before = "1.1 1 haiku\n1.2 1 haiku\ncheckpoint-1 1 reviewer\n";
    let script = "2.1 1 fail\n2.1 2 fail-otherwise\n";
    stops_at(script, &format!("{before}2.1 1 sonnet\n2.1 2 opus\n"), "the next stop is a person");
}

#[test]
fn the_same_error_twice_stops_even_in_another_step() {
    let script = "1.1 1 fail\n1.1 2 fixed\n1.2 1 fail\n";
    let (bench, got) = stops_at(script, "1.1 1 haiku\n1.1 2 sonnet\n1.2 1 haiku\n", "the same error twice");
    assert!(bench.text("plans/tally/progress.md").contains("✓ Step 1.1: Count words"), "{got:?}");
}

#[test]
fn one_that_fails_twice_stops_and_the_next_run_goes_on_once_it_is_mended() {
    let (bench, _) =
        stops_at("1.1 1 fail\n1.1 2 fail\n", "1.1 1 haiku\n1.1 2 sonnet\n", "the same error twice");
    carried(&bench, &["tally"], 0);
    assert_eq!(
        calls(&bench),
        format!("1.1 1 haiku\n1.1 2 sonnet\n1.1 3 haiku\n{}", &HONEST["1.1 1 haiku\n".len()..])
    );
    is_tidy(&bench);
}

#[test]
fn an_unfixable_review_stops_before_the_next_phase() {
    let (bench, _) = stops_at(
        "checkpoint-1 1 unfixable\n",
        "1.1 1 haiku\n1.2 1 haiku\ncheckpoint-1 1 reviewer\n",
        "the design forbids it",
    );
    // Nor is the phase handed out by asking for its step.
    carried(&bench, &["--only", "2.1", "tally"], 5);
    assert!(!calls(&bench).contains("2.1 1"), "{}", calls(&bench));
}

#[test]
fn a_general_runbook_ends_with_its_artifacts_and_the_next_action() {
    let bench = project(PROFILE, "");
    bench.sh("sed -i '/^type: tdd$/d' plans/tally/runbook.md").run().exits(0);
    bench.commit_all("a general one");
    let got = carried(&bench, &["tally"], 0);
    assert_eq!(
        calls(&bench),
        &HONEST[..HONEST.len() - "vet 1 sonnet\nprocess 1 sonnet\n".len()],
        "no reviews"
    );
    for line in [
        "**Execution Complete**",
        "Created artifacts:",
        "- bin/tally",
        "Next action: delegate to vet-fix-agent to review the changes, then commit",
    ] {
        assert!(got.out().lines().any(|l| l == line), "{line}\n{got:?}");
    }
}

#[test]
fn success_criteria_of_a_runbook_are_run_or_wait_for_a_person() {
    let bench = project(PROFILE, "");
    let book = "plans/tally/runbook.md";
    let more =
        "\n## Success Criteria\n\n- [ ] It counts: `echo a b | sh bin/tally` → 2\n- [ ] Somebody used it\n";
    bench.write(book, bench.text(book) + more);
    bench.commit_all("criteria");
    let got = carried(&bench, &["tally"], 5);
    assert!(got.out().ends_with("note:2 is open: Somebody used it\n"), "{got:?}");
    assert!(bench.text(book).contains("- [x] It counts") && bench.text(book).contains("- [ ] Somebody"));
    bench.command("checkbox").args(["criterion", "note:2", "--reason", "I did", book]).run().exits(0);
    carried(&bench, &["tally"], 0);
    is_tidy(&bench);
}

/// The run stops with 5 after these calls; what failed stands in the report and in progress.md.
#[track_caller]
fn stops_at(script: &str, called: &str, why: &str) -> (Bench, Got) {
    stops_after(script, "", called, why)
}

/// The same, where the behaviour `words` is this answer.
#[track_caller]
fn stops_after(script: &str, words: &str, called: &str, why: &str) -> (Bench, Got) {
    let bench = project(PROFILE, script);
    bench.write("../home/words", words);
    let got = carried(&bench, &["tally"], 5);
    assert_eq!(calls(&bench), called, "{got:?}");
    let progress = bench.text("plans/tally/progress.md");
    assert!(
        progress.contains("**Status**: Blocked") && progress.contains("; escalated to: user"),
        "{progress}"
    );
    assert!(progress.contains(why), "{why}\n{progress}");
    assert!(got.out().contains("**Execution Stopped**") && got.err().contains(why), "{got:?}");
    (bench, got)
}
