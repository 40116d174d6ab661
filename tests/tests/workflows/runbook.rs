//! `orchestrate-runbook`: a prepared, test-driven runbook of two phases.

use crate::project::{calls, carried, is_tidy, orchestrate, project};
use pipeline_tests::{Bench, Got, until};

const PROFILE: &str = "orchestrate-runbook";
const HONEST: &str =
    "1.1 1 haiku\n1.2 1 haiku\ncheckpoint-1 1 reviewer\n2.1 1 sonnet\nvet 1 reviewer\nprocess 1 sonnet\n";

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
        "All 3 steps completed successfully.",
        "- plans/tally/reports/step-2-1-execution.md",
        "- plans/tally/reports/vet-review.md",
        "- plans/tally/reports/tdd-process-review.md",
        "Next action: commit what the reviews left",
    ] {
        assert!(got.out().lines().any(|l| l == line), "{line}\n{got:?}");
    }
    let book = "chore(tally): bookkeeping";
    let wanted = ["start", "Step 1.1", book, "Step 1.2", book, "Step checkpoint-1", book, "Step 2.1", book];
    assert_eq!(bench.subjects(), [&wanted[..], &["Step vet", "Step process", book]].concat());
    let progress = bench.text("plans/tally/progress.md");
    assert!(
        progress.contains("**Status**: Completed") && progress.contains("Steps completed: 3/3"),
        "{progress}"
    );
    assert!(progress.contains("  - Report: plans/tally/reports/step-1-1-execution.md\n"), "{progress}");
    assert!(progress.contains("**Runbook**: tally\n"), "{progress}");
    let ledger = bench.text(".plantools/ledger.ndjson");
    let begin = ledger.lines().find(|line| line.contains("\"type\":\"attempt_begin\"")).unwrap_or_default();
    let at =
        begin.split("\"observed_at\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    assert!(progress.contains(&format!("**Started**: {at}\n")), "the first step's begin, {at}: {progress}");
    is_tidy(&bench);
}

#[test]
fn a_step_without_a_report_path_has_its_report_in_the_usual_place() {
    let without = |script: &str| {
        let bench = project(PROFILE, script);
        bench.sh("sed -i '/Report Path/d' plans/tally/steps/*.md").run().exits(0);
        bench.commit_all("no paths");
        bench
    };
    let bench = without("");
    carried(&bench, &["tally"], 0);
    let path = "plans/tally/reports/step-1-1-execution.md";
    assert!(bench.text("../home/prompt-1.1-1").contains(&format!("- Report: `{path}`\n")));
    // The one that is missing is for the diagnostician.
    let bench = without("1.2 1 no-report\n");
    carried(&bench, &["tally"], 0);
    assert!(calls(&bench).contains("1.2 1 haiku\n1.2 2 sonnet\n"), "{}", calls(&bench));
    let progress = bench.text("plans/tally/progress.md");
    assert!(progress.contains("  - Report: plans/tally/reports/step-1-2-execution.md\n"), "{progress}");
    // The orchestrator plan may name another place, and the report is looked for there.
    let bench = without("");
    let list = "plans/tally/orchestrator-plan.md";
    let place = "\nReports: `plans/tally/reports/step-N-result.md`\n\n## Step Execution Order";
    bench.write(list, bench.text(list).replace("\n## Step Execution Order", place));
    bench.commit_all("another place");
    carried(&bench, &["tally"], 5);
    assert!(
        bench.text("../home/prompt-1.1-1").contains("- Report: `plans/tally/reports/step-1-1-result.md`\n")
    );
}

#[test]
fn a_run_begins_with_the_artifacts_the_order_the_models_and_the_escalation() {
    let bench = project(PROFILE, "");
    let got = bench.check("plan-parse -q --show artifacts plans/tally", 0);
    let wanted = "Executing runbook: tally

Verifying artifacts...
✓ Plan-specific agent: .claude/agents/tally-task.md
✓ Step files: 3 steps found
✓ Orchestrator plan: plans/tally/orchestrator-plan.md

Reading orchestrator plan...
- Execution: Sequential
- Model: haiku, sonnet
- Escalation: haiku → sonnet → user
";
    assert_eq!(got.out(), wanted);
    // Where neither [agents] nor the orchestrator plan names a way, the workflow has one.
    let list = "plans/tally/orchestrator-plan.md";
    let shown = |bench: &Bench| bench.check("plan-parse -q --show artifacts plans/tally", 0).out();
    let other = configured(
        "",
        "[defaults]\nworker = \"mine\"\n[agents]\nvet-fix-agent = \"mine\"\nreview-tdd-process = \"mine\"\n",
    );
    other.write(
        list,
        other.text(list).replace("Stop on error and escalate to sonnet for diagnostic/fix.\n", ""),
    );
    assert!(shown(&other).ends_with("- Escalation: haiku → sonnet → user\n"), "{}", shown(&other));
    let chain = "\n## Error Escalation\n\n- haiku → opus → user\n\n## Step Execution Order";
    other.write(list, other.text(list).replace("\n## Step Execution Order", chain));
    assert!(shown(&other).ends_with("- Escalation: haiku → opus → user\n"), "{}", shown(&other));
    let run = carried(&bench, &["tally"], 0);
    let (before, _) =
        run.out().split_once("✓ Step 1.1").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap_or_default();
    assert!(before.contains(wanted), "{run:?}");
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
            "plans/tally/reports/step-1-1-diagnostic.md",
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
fn steps_run_together_only_where_the_orchestrator_plan_allows_it() {
    let got = carried(&project(PROFILE, ""), &["--jobs", "2", "tally"], 2);
    assert!(got.err().contains("one task at a time"), "{got:?}");
    let bench = project(PROFILE, "");
    let list = "plans/tally/orchestrator-plan.md";
    bench.write(list, bench.text(list).replace("Execute steps sequentially", "Execute steps in parallel"));
    // The steps are independent, and both workers begin before either commits: they commit at once.
    let together = "2i until [ \"$(ls ~/here 2>/dev/null | wc -l)\" -ge 2 ]; do mkdir -p ~/here; touch ~/here/$$; sleep 0.05; done";
    bench.sh("sed -i \"$line\" ../home/worker").env("line", together).run().exits(0);
    bench.sh("sed -i 's/^    1.2) echo/    1.2) tally; echo/' ../home/worker").run().exits(0);
    bench.sh("sed -i 's/^timeout_seconds = 2$/timeout_seconds = 60/' plantools.toml").run().exits(0);
    bench.commit_all("parallel");
    let got = carried(&bench, &["--jobs", "2", "tally"], 0);
    assert!(got.out().contains("\n- Execution: Parallel\n"), "{got:?}");
    // Each step has its own commit, with nothing of the other.
    for (step, own, other) in
        [("Step 1.1", "tests/count", "tests/empty"), ("Step 1.2", "tests/empty", "tests/count")]
    {
        let found = bench.git(&["log", "--format=%s", "--name-only", &format!("--grep=^{step}$")]);
        assert_eq!(found.matches(step).count(), 1, "{found}");
        assert!(found.contains(own) && !found.contains(other), "{found}");
    }
    assert!(calls(&bench).lines().all(|call| call.split(' ').nth(1) == Some("1")), "{}", calls(&bench));
    assert_eq!(bench.git(&["worktree", "list"]).lines().count(), 1, "no worktree is left");
    is_tidy(&bench);
}

#[test]
fn a_step_that_fails_beside_another_leaves_the_other_alone() {
    let bench = project(PROFILE, "1.2 1 dirty\n");
    let list = "plans/tally/orchestrator-plan.md";
    bench.write(list, bench.text(list).replace("Execute steps sequentially", "Execute steps in parallel"));
    bench.sh("sed -i 's/^    1.2) echo/    1.2) tally; echo/' ../home/worker").run().exits(0);
    bench.commit_all("parallel");
    let got = carried(&bench, &["--jobs", "2", "tally"], 5);
    let progress = bench.text("plans/tally/progress.md");
    assert!(progress.contains("✓ Step 1.1: Count words"), "{progress}");
    assert!(progress.contains("Step 1.2 left uncommitted changes: left-over"), "{progress}\n{got:?}");
    assert!(progress.contains("  - Escalated to: user\n"), "{progress}");
    assert!(!calls(&bench).contains("checkpoint"), "{}", calls(&bench));
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
    // The escalation is announced when it happens, and so is the success behind it.
    let said = got.out();
    let (before, after) = said.split_once("\nEscalating to sonnet...\n").expect("an announcement");
    assert!(before.contains("✗ Step 1.1") && !before.contains("✓ Step 1.1"), "{said}");
    let line = "✓ Step 1.1: Count words - completed (proved, 4 checks passed, ticked, retry successful)";
    assert!(after.lines().any(|l| l == line), "{said}");
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
fn a_stop_for_a_dirty_tree_stays_until_the_tree_is_clean_or_a_person_accepts_it() {
    let stopped = || {
        let (bench, _) =
            stops_at("1.1 1 dirty\n", "1.1 1 haiku\n", "Step 1.1 left uncommitted changes: left-over");
        let got = carried(&bench, &["tally"], 5);
        assert!(got.err().contains("left-over") && got.err().contains("--accept-change"), "{got:?}");
        assert_eq!(calls(&bench), "1.1 1 haiku\n", "no worker starts");
        bench
    };
    let bench = stopped();
    bench.sh("rm left-over").run().exits(0);
    carried(&bench, &["tally"], 0);
    is_tidy(&bench);
    let bench = stopped();
    carried(&bench, &["--accept-change", "it is mine", "tally"], 0);
    assert!(calls(&bench).starts_with("1.1 1 haiku\n1.1 2 "), "{}", calls(&bench));
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
        let said =
            if script.contains("words") { "UNFIXABLE: the design" } else { "Status: UNFIXABLE: the design" };
        let bench = project(PROFILE, script);
        bench.write("../home/words", unfixable);
        let got = carried(&bench, &["tally"], 5);
        assert!(got.out().contains("**Execution Stopped** at the reviews"), "{script}: {got:?}");
        let words = "All 3 steps completed; the review plans/tally/reports/vet-review.md says: ";
        assert!(got.out().lines().any(|l| l.starts_with(words) && l.contains(said)), "{script}: {got:?}");
        assert!(
            calls(&bench).ends_with("vet 1 reviewer\n"),
            "{script}: no other review follows: {}",
            calls(&bench)
        );
        assert!(!got.out().contains("- plans/tally/reports/tdd-process-review.md"), "{script}: {got:?}");
        let progress = bench.text("plans/tally/progress.md");
        assert!(!progress.contains("Completed\n"), "{progress}");
        // Without a change the next run asks no reviewer; once a person has looked, it asks for the reviews again.
        carried(&bench, &["tally"], 5);
        assert!(calls(&bench).ends_with("vet 1 reviewer\n"), "{script}: {}", calls(&bench));
        carried(&bench, &["--retry", "tally"], 0);
        assert!(calls(&bench).ends_with("vet 2 reviewer\nprocess 1 sonnet\n"), "{script}: {}", calls(&bench));
    }
}

#[test]
fn the_chain_ends_with_the_user() {
    let before = "1.1 1 haiku\n1.2 1 haiku\ncheckpoint-1 1 reviewer\n";
    let script = "2.1 1 fail\n2.1 2 fail-otherwise\n";
    let called = format!("{before}2.1 1 sonnet\n2.1 2 opus\n");
    let (bench, got) = stops_at(script, &called, "a directory cannot be made");
    assert!(got.out().contains("- What is needed: a person: "), "{got:?}");
    let error = "\n  - Error: the worker gave up: a directory cannot be made\n";
    assert!(
        bench.text("plans/tally/progress.md").contains(error),
        "{}",
        bench.text("plans/tally/progress.md")
    );
}

#[test]
fn the_same_error_twice_stops_even_in_another_step() {
    let script = "1.1 1 fail\n1.1 2 fixed\n1.2 1 fail\n";
    let pattern = "the same error twice, in 1.1 and in 1.2: the worker gave up: the store is not configured";
    let (bench, got) = stops_at(script, "1.1 1 haiku\n1.1 2 sonnet\n1.2 1 haiku\n", pattern);
    assert!(bench.text("plans/tally/progress.md").contains("✓ Step 1.1: Count words"), "{got:?}");
    // The report says the pattern, and nothing is announced that does not follow.
    for line in
        [format!("- What failed: Step 1.2: {pattern}"), format!("- What is needed: a person: {pattern}")]
    {
        assert!(got.out().lines().any(|l| l == line), "{line}\n{got:?}");
    }
    assert_eq!(got.out().matches("Escalating to ").count(), 1, "{got:?}");
}

#[test]
fn a_step_that_is_given_up_is_tried_again_only_after_a_change_or_when_a_person_asks() {
    let stopped = || {
        let called = "1.1 1 haiku\n1.1 2 sonnet\n";
        let (bench, _) = stops_at("1.1 1 fail\n1.1 2 fail\n", called, "the same error twice");
        for _ in 0..2 {
            let got = carried(&bench, &["tally"], 5);
            assert!(got.err().contains("given up before, and nothing has changed since"), "{got:?}");
            assert!(got.err().contains("orchestrate --retry"), "{got:?}");
            assert_eq!(calls(&bench), called, "a run that changes nothing spends nothing");
        }
        bench
    };
    let goes_on = |bench: &Bench, args: &[&str]| {
        carried(bench, args, 0);
        let all = format!("1.1 1 haiku\n1.1 2 sonnet\n1.1 3 haiku\n{}", &HONEST["1.1 1 haiku\n".len()..]);
        assert_eq!(calls(bench), all);
        is_tidy(bench);
    };
    goes_on(&stopped(), &["--retry", "tally"]);
    let changed = |line: &str, args: &[&str]| {
        let bench = stopped();
        bench.sh(line).run().exits(0);
        bench.commit_all("a change");
        goes_on(&bench, args);
    };
    changed("echo configured > store", &["tally"]);
    let accepted = ["--accept-change", "the store", "tally"];
    changed(
        "sed -i 's/do it\\.$/do it, now that the store is configured./' plans/tally/steps/step-1-1.md",
        &accepted,
    );
    changed("printf '\\n[workers.other]\\ncommand = [\"true\"]\\n' >> plantools.toml", &accepted);
}

#[test]
fn a_diagnosis_that_mends_the_cause_gives_the_step_back_to_its_own_worker() {
    let bench = project(PROFILE, "1.1 1 fail\n1.1 2 mended\n");
    let got = carried(&bench, &["tally"], 0);
    let all = format!("1.1 1 haiku\n1.1 2 sonnet\n1.1 3 haiku\n{}", &HONEST["1.1 1 haiku\n".len()..]);
    assert_eq!(calls(&bench), all, "{got:?}");
    let prompt = bench.text("../home/prompt-1.1-3");
    assert!(prompt.starts_with("# Step 1.1: Count words"), "{prompt}");
    assert!(prompt.contains("fixed: the store is configured"), "{prompt}");
    // The diagnosis is told as such: it is no second failure of the step.
    let line =
        "· Step 1.1: Count words - diagnosed by sonnet: fixed: the store is configured; trying it again";
    assert!(got.out().lines().any(|l| l == line), "{line}\n{got:?}");
    assert_eq!(got.out().matches("✗ Step 1.1").count(), 1, "{got:?}");
    assert!(prompt.contains("Execute the one step that you are given"), "the plan's own agent: {prompt}");
    is_tidy(&bench);
    // The retry that fails as well is for the user.
    let script = "1.1 1 fail\n1.1 2 mended\n1.1 3 fail-otherwise\n";
    let called = "1.1 1 haiku\n1.1 2 sonnet\n1.1 3 haiku\n";
    let (_, got) = stops_at(script, called, "a directory cannot be made");
    let line = "- What was attempted: attempt 1 by haiku: the worker gave up: the store is not configured; \
                attempt 2 by sonnet: fixed: the store is configured; attempt 3 by haiku: the worker gave up: a \
                directory cannot be made";
    assert!(got.out().lines().any(|l| l == line), "{line}\n{got:?}");
}

#[test]
fn the_progress_file_says_who_takes_over_a_failed_step_and_that_it_is_blocked() {
    let bench = project(PROFILE, "1.2 1 fail\n1.2 2 fixed\n");
    let copy = "/^behaviour=/i cp plans/tally/progress.md ~/progress-\"$step-$count\" 2>/dev/null || :";
    bench.sh("sed -i \"$line\" ../home/worker").env("line", copy).run().exits(0);
    carried(&bench, &["tally"], 0);
    let during = bench.text("../home/progress-1.2-2");
    for line in [
        "**Status**: Blocked",
        "- ✓ Step 1.1: Count words - Completed at ",
        "- ✗ Step 1.2: Count nothing - Failed at ",
        "  - Error: the worker gave up: the store is not configured",
        "  - Escalated to: sonnet",
        "Steps completed: 1/3",
        "Steps failed: 1",
        "Current status: Blocked on Step 1.2",
    ] {
        assert!(during.lines().any(|l| l.starts_with(line)), "{line}\n{during}");
    }
    let after = bench.text("plans/tally/progress.md");
    assert!(after.contains("✓ Step 1.2: Count nothing") && !after.contains("Escalated"), "{after}");
    is_tidy(&bench);
    // With a route of workers and models the model is named.
    let rows = "[defaults]\nworker = \"mine\"\n[agents]\nhaiku = [\"mine:haiku\", \"mine:opus\", \"user\"]\n\
                sonnet = \"mine\"\nvet-fix-agent = \"mine\"\nreview-tdd-process = \"mine\"\n";
    let bench = configured("1.1 1 fail\n1.1 2 fixed\n", rows);
    bench.sh("sed -i \"$line\" ../home/worker").env("line", copy).run().exits(0);
    carried(&bench, &["tally"], 0);
    let during = bench.text("../home/progress-1.1-2");
    assert!(during.contains("  - Escalated to: opus\n"), "{during}");
}

#[test]
fn an_interrupted_step_is_begun_again_as_it_was() {
    let bench = interrupted();
    carried(&bench, &["tally"], 0);
    assert!(calls(&bench).starts_with("1.1 1 haiku\n1.1 2 haiku\n1.2 1 haiku\n"), "{}", calls(&bench));
    let prompt = bench.text("../home/prompt-1.1-2");
    assert!(prompt.starts_with("# Step 1.1: Count words"), "{prompt}");
    assert!(prompt.contains("Execute the one step that you are given"), "the plan's own agent: {prompt}");
    assert!(!prompt.contains("WHAT FAILED BEFORE"), "{prompt}");
    is_tidy(&bench);
}

#[test]
fn a_run_that_goes_on_begins_with_a_clean_tree() {
    let bench = interrupted();
    bench.write("mine", "a person's\n");
    let got = carried(&bench, &["tally"], 5);
    assert!(
        got.err().contains("?? mine") && got.err().contains("not clean before the first step"),
        "{got:?}"
    );
    assert_eq!(calls(&bench), "1.1 1 haiku\n", "no worker starts");
    bench.sh("rm mine").run().exits(0);
    carried(&bench, &["tally"], 0);
    is_tidy(&bench);
}

/// A run that was stopped while the worker of the first step worked.
fn interrupted() -> Bench {
    let bench = project(PROFILE, "1.1 1 hang\n");
    bench.sh("sed -i 's/^timeout_seconds = 2$/timeout_seconds = 60/' plantools.toml").run().exits(0);
    bench.commit_all("time");
    let run = orchestrate(&bench, &["tally"]).start();
    until(|| bench.path("../home/calls").exists());
    run.terminate();
    let got = run.wait(std::time::Duration::from_secs(60)).unwrap_or_else(|got| panic!("{got:?}"));
    got.exits(130);
    bench
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
        &HONEST[..HONEST.len() - "vet 1 reviewer\nprocess 1 sonnet\n".len()],
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

#[test]
fn the_worker_gets_the_file_of_the_plan_s_own_agent() {
    let bench = project(PROFILE, "");
    let file = ".claude/agents/tally-task.md";
    bench.write(file, bench.text(file) + "\nWords are separated by blanks, says the plan.\n");
    bench.write(".claude/agents/vet-fix-agent.md", "---\nname: vet-fix-agent\n---\nLook twice.\n");
    bench.commit_all("agents");
    carried(&bench, &["tally"], 0);
    let prompt = bench.text("../home/prompt-1.1-1");
    assert!(prompt.contains("Words are separated by blanks, says the plan."), "{prompt}");
    assert!(
        !prompt.contains("description: Executes one step"),
        "the front matter is for the client: {prompt}"
    );
    assert!(bench.text("../home/prompt-checkpoint-1-1").contains("Look twice."));
    // The diagnostician is another agent.
    let bench = project(PROFILE, "1.1 1 fail\n1.1 2 fixed\n");
    carried(&bench, &["tally"], 0);
    assert!(!bench.text("../home/prompt-1.1-2").contains("Execute the one step that you are given"));
}

/// The project with another configuration, whose worker of the name `WORKER` takes the model behind `--model`.
fn configured(script: &str, text: &str) -> Bench {
    let bench = project(PROFILE, script);
    let worker =
        "[workers.mine]\ncommand = [\"../home/worker\"]\nmodel_flag = \"--model\"\ntimeout_seconds = 2\n";
    bench.write("plantools.toml", format!("{text}\n{worker}"));
    // The worker prints the model that it was started with.
    bench.sh("sed -i 's/^me=$1$/me=${2:-${1:-none}}/' ../home/worker").run().exits(0);
    bench.commit_all("another configuration");
    bench
}

#[test]
fn a_model_or_an_agent_that_nobody_has_is_an_error_before_the_first_worker() {
    let plain =
        "[defaults]\nworker = \"plain\"\n[workers.plain]\ncommand = [\"../home/worker\", \"plain\"]\n";
    let bench = configured("", plain);
    let got = carried(&bench, &["tally"], 78);
    assert!(got.err().contains("asks for the model 'haiku'"), "{got:?}");
    assert!(got.err().contains("[agents]\nhaiku = \"plain\""), "the row to add is printed: {got:?}");
    assert!(!bench.path("../home/calls").exists());
    // All tasks are looked at, not only the next one.
    let rows = format!("{plain}[agents]\nhaiku = \"plain\"\nvet-fix-agent = \"plain\"\n");
    let bench = configured("", &rows);
    let got = bench.sh("plan-parse -q --prepared plans/tally | worker-run --preflight").run();
    got.exits(78);
    assert!(got.err().contains("task '2.1' asks for the model 'sonnet'"), "{got:?}");
    // Whoever names the worker himself has decided.
    bench.sh("plan-parse -q --prepared plans/tally | worker-run --preflight --worker plain").run().exits(0);
    // An agent of the reviews without a row: no worker starts before that is known.
    let bench = configured("", "[defaults]\nworker = \"mine\"\n[agents]\nvet-fix-agent = \"mine\"\n");
    let got = carried(&bench, &["tally"], 78);
    assert!(got.err().contains("asks for the agent 'review-tdd-process'"), "{got:?}");
    assert!(!bench.path("../home/calls").exists(), "no worker was called");
    // An agent without a row or a file.
    let rows = "[defaults]\nworker = \"mine\"\n";
    let bench = configured("", rows);
    let got = bench.sh("plan-parse -q --prepared plans/tally | worker-run --preflight").run();
    got.exits(78);
    assert!(got.err().contains("asks for the agent 'vet-fix-agent'"), "{got:?}");
}

#[test]
fn without_a_route_a_failed_step_goes_to_the_next_model_and_then_to_the_user() {
    let rows =
        "[defaults]\nworker = \"mine\"\n[agents]\nvet-fix-agent = \"mine\"\nreview-tdd-process = \"mine\"\n";
    let bench = configured("1.1 1 fail\n1.1 2 fail-otherwise\n", rows);
    carried(&bench, &["tally"], 5);
    assert_eq!(calls(&bench), "1.1 1 haiku\n1.1 2 sonnet\n");
    // The rules of orchestrator-plan.md come before that.
    let bench = configured("1.1 1 fail\n", rows);
    let list = "plans/tally/orchestrator-plan.md";
    let rule = "- Store is not configured → Escalate to user immediately";
    bench.write(
        list,
        bench.text(list).replace("\n## Step Execution", &format!("\n{rule}\n\n## Step Execution")),
    );
    bench.commit_all("a rule");
    carried(&bench, &["tally"], 5);
    assert_eq!(calls(&bench), "1.1 1 haiku\n");
    let bench = configured("1.1 1 fail\n1.1 2 fixed\n", rows);
    bench.write(list, bench.text(list).replace("escalate to sonnet", "escalate to opus"));
    bench.commit_all("another rule");
    carried(&bench, &["tally"], 0);
    assert!(calls(&bench).starts_with("1.1 1 haiku\n1.1 2 opus\n"), "{}", calls(&bench));
}

#[test]
fn quality_warnings_go_to_the_refactor_agent_which_may_hand_them_on() {
    for status in ["SUCCESS", "PARTIAL"] {
        let warned = format!(
            "{{\"status\":\"{status}\",\"summary\":\"done\",\"warnings\":[\"bin/tally is too long\"]}}"
        );
        let bench = project(PROFILE, "1.1 1 words\n");
        bench.write("../home/words", &warned);
        let got = carried(&bench, &["tally"], 0);
        assert!(
            calls(&bench).starts_with("1.1 1 haiku\n1.1 2 sonnet\n1.2 1 haiku\n"),
            "{status}: {}",
            calls(&bench)
        );
        let prompt = bench.text("../home/prompt-1.1-2");
        assert!(
            prompt.starts_with("# Refactor: step 1.1") && prompt.contains("bin/tally is too long"),
            "{prompt}"
        );
        assert!(got.out().contains("failed: quality warnings: bin/tally is too long"), "{got:?}");
        is_tidy(&bench);
        // It hands on to opus, and opus to the user.
        let bench = project(PROFILE, "1.1 1 words\n1.1 2 words\n1.1 3 words\n");
        bench.write("../home/words", &warned);
        bench.write(
            "plantools.toml",
            bench
                .text("plantools.toml")
                .replace("[agents]", "[agents]\nrefactor = [\"sonnet\", \"opus\", \"user\"]"),
        );
        bench.commit_all("a refactor agent");
        carried(&bench, &["--max-attempts", "9", "tally"], 5);
        assert_eq!(calls(&bench), "1.1 1 haiku\n1.1 2 sonnet\n1.1 3 opus\n", "{status}");
    }
}

#[test]
fn the_diagnostician_is_told_what_was_wanted_and_what_came_and_the_report_what_is_needed() {
    let (bench, got) =
        stops_at("1.1 1 fail\n1.1 2 blocked\n", "1.1 1 haiku\n1.1 2 sonnet\n", "which store is to be used");
    let prompt = bench.text("../home/prompt-1.1-2");
    assert!(prompt.contains("- **Observed:** the store is not configured\n"), "{prompt}");
    assert!(got.out().contains("- What is needed: blocked: which store is to be used"), "{got:?}");
    assert!(
        !got.out().contains("step-1-2-execution.md"),
        "a report that was not written is not listed: {got:?}"
    );
    // A diagnostic that was written is listed with the reports.
    let bench = project(PROFILE, "1.1 1 fail\n1.1 2 fixed\n");
    let got = carried(&bench, &["tally"], 0);
    assert!(got.out().contains("- plans/tally/reports/step-1-1-diagnostic.md (escalation)\n"), "{got:?}");
    // The objective of a step that states one.
    let bench = project(PROFILE, "1.1 1 fail\n1.1 2 fixed\n");
    let step = "plans/tally/steps/step-1-1.md";
    bench.write(
        step,
        bench.text(step).replace(
            "**RED Phase:**",
            "**Objective**: Words are counted.\n\n**Expected Outcome**: The number of words is printed.\n\n**RED Phase:**",
        ),
    );
    bench.commit_all("an objective");
    carried(&bench, &["tally"], 0);
    let prompt = bench.text("../home/prompt-1.1-2");
    assert!(prompt.contains("- **Step:** Words are counted.\n"), "{prompt}");
    assert!(prompt.contains("- **Expected:** The number of words is printed.\n"), "{prompt}");
}

#[test]
fn a_review_that_hangs_is_no_completed_execution() {
    let bench = project(PROFILE, "vet 1 hang\n");
    let got = carried(&bench, &["tally"], 5);
    assert!(got.out().contains("**Execution Stopped** at the reviews"), "{got:?}");
    assert!(got.out().contains("the review plans/tally/reports/vet-review.md is missing"), "{got:?}");
    assert!(!got.out().contains("completed successfully") && !got.out().contains("Next action"), "{got:?}");
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
        progress.contains("**Status**: Blocked") && progress.contains("\n  - Escalated to: user\n"),
        "{progress}"
    );
    assert!(progress.contains(why), "{why}\n{progress}");
    assert!(got.out().contains("**Execution Stopped**"), "{got:?}");
    let said = got.out() + &got.err();
    assert!(said.contains(why), "{why}\n{got:?}");
    (bench, got)
}

/// The example with this line in place of the one about the order in its orchestrator plan.
fn ordered(script: &str, line: &str) -> Bench {
    let bench = project(PROFILE, script);
    let list = "plans/tally/orchestrator-plan.md";
    let text = bench.text(list);
    let old =
        text.lines().find(|line| line.contains("Execute steps sequentially")).unwrap_or_default().to_owned();
    bench.write(list, text.replace(&old, line));
    bench.commit_all("another order");
    bench
}

#[test]
fn a_step_that_ends_first_does_not_fail_the_one_that_still_works() {
    let bench = ordered("", "Execute steps in parallel using tally-task agent.");
    bench.sh("sed -i 's/^    1.2) echo/    1.2) tally; echo/' ../home/worker").run().exits(0);
    // The second step ends long after the first has landed.
    let late = "/^behaviour=/a if [ \"$step\" = 1.2 ]; then until grep -q 'Step 1.1' \"$PLANTOOLS_ROOT/plans/tally/progress.md\"; do sleep 0.1; done; fi";
    bench.sh("sed -i \"$line\" ../home/worker").env("line", late).run().exits(0);
    let root = bench.repo().display().to_string();
    bench.sh("sed -i \"s|^me=|PLANTOOLS_ROOT=$root me=|; s|^PLANTOOLS_ROOT=\\([^ ]*\\) me=|PLANTOOLS_ROOT=\\1\\nme=|\" ../home/worker").env("root", &root).run().exits(0);
    bench.sh("sed -i 's/^timeout_seconds = 2$/timeout_seconds = 60/' plantools.toml").run().exits(0);
    bench.commit_all("time");
    carried(&bench, &["--jobs", "2", "tally"], 0);
    assert!(calls(&bench).lines().all(|call| call.split(' ').nth(1) == Some("1")), "{}", calls(&bench));
    is_tidy(&bench);
}

#[test]
fn words_against_parallel_steps_allow_none() {
    for line in [
        "Run the steps one by one rather than in parallel.",
        "Execution in parallel is forbidden.",
        "Steps would conflict if executed in parallel.",
    ] {
        let bench = ordered("", line);
        let got = carried(&bench, &["--jobs", "2", "tally"], 2);
        assert!(got.err().contains("one task at a time"), "{line}: {got:?}");
        let shown = bench.check("plan-parse -q --show artifacts plans/tally", 0).out();
        assert!(shown.contains("\n- Execution: Sequential\n"), "{line}: {shown}");
        let told = bench.check("plan-parse plans/tally", 0);
        assert!(told.err().contains("[unclear-rule]"), "{line}: {told:?}");
    }
}

#[test]
fn asking_for_one_step_does_not_pass_by_the_steps_before_it() {
    let bench = project(PROFILE, "");
    carried(&bench, &["--only", "1.2", "tally"], 5);
    assert!(!bench.path("../home/calls").exists(), "1.1 comes first");
    carried(&bench, &["--only", "1.1", "tally"], 0);
    carried(&bench, &["--only", "1.2", "tally"], 0);
    assert_eq!(calls(&bench), "1.1 1 haiku\n1.2 1 haiku\n");
}

#[test]
fn the_type_of_a_runbook_counts_where_its_steps_are_only_in_files() {
    let bench = project(PROFILE, "");
    bench.write(
        "plans/tally/runbook.md",
        "---\nname: tally\ntype: tdd\n---\n\n# Runbook: tally\n\nSteps are in steps/.\n",
    );
    bench.commit_all("the steps are elsewhere");
    let got = carried(&bench, &["tally"], 0);
    assert!(calls(&bench).ends_with("vet 1 reviewer\nprocess 1 sonnet\n"), "{got:?}");
}

#[test]
fn the_checkpoint_of_a_runbook_without_artifacts_goes_to_the_reviewer_too() {
    let bench = project(PROFILE, "");
    bench.git(&["rm", "-rq", "plans/tally/steps", "plans/tally/orchestrator-plan.md"]);
    bench.commit_all("less");
    carried(&bench, &["plans/tally/runbook.md"], 0);
    assert!(calls(&bench).contains("\ncheckpoint-1 1 reviewer\n"), "{}", calls(&bench));
}

#[test]
fn the_next_phase_needs_the_record_of_the_checkpoint_before_it() {
    let bench = project(PROFILE, "");
    carried(&bench, &["--only", "1.1", "tally"], 0);
    carried(&bench, &["--only", "1.2", "tally"], 0);
    let file = "plans/tally/progress.md";
    let line = "- ✓ Phase 1 checkpoint - Completed at 2026-01-31T12:00:00Z\n";
    bench.write(file, bench.text(file).replace("\n## Summary", &format!("{line}\n## Summary")));
    bench.commit_all("by hand");
    carried(&bench, &["tally"], 0);
    assert_eq!(calls(&bench), HONEST, "a line by hand is no review");
    assert_eq!(bench.text(file).matches("Phase 1 checkpoint").count(), 1);
}

#[test]
fn the_levels_and_the_stop_of_the_orchestrator_plan_are_its_escalation() {
    let with = |rules: &str| {
        let rows = "[defaults]\nworker = \"mine\"\n[agents]\nvet-fix-agent = \"mine\"\nreview-tdd-process = \"mine\"\n";
        let bench = configured("1.1 1 fail\n1.1 2 fail-otherwise\n", rows);
        let list = "plans/tally/orchestrator-plan.md";
        let text = bench.text(list).replace("Stop on error and escalate to sonnet for diagnostic/fix.\n", "");
        let rules = format!("\n## Error Escalation\n\n{rules}\n\n## Step Execution Order");
        bench.write(list, text.replace("\n## Step Execution Order", &rules));
        bench.commit_all("rules");
        carried(&bench, &["tally"], 5);
        calls(&bench)
    };
    assert_eq!(with("- Level 1: Haiku → Opus\n- Level 2: Opus → User"), "1.1 1 haiku\n1.1 2 opus\n");
    assert_eq!(with("Stop on any error and report to the user."), "1.1 1 haiku\n");
}

#[test]
fn the_one_who_takes_over_has_the_name_that_the_plan_gives() {
    let bench = project(PROFILE, "2.1 1 fail\n2.1 2 fixed\n");
    let rows = "[agents]\nhaiku = \"h\"\nsonnet = \"s\"\nvet-fix-agent = \"r\"\nreview-tdd-process = \"s\"\n\
                [workers.h]\ncommand = [\"../home/worker\", \"haiku\"]\n[workers.s]\ncommand = [\"../home/worker\", \"sonnet\"]\n\
                [workers.r]\ncommand = [\"../home/worker\", \"reviewer\"]\n";
    bench.write("plantools.toml", rows);
    bench.commit_all("one row for each model");
    let copy = "/^behaviour=/i cp plans/tally/progress.md ~/progress-\"$step-$count\" 2>/dev/null || :";
    bench.sh("sed -i \"$line\" ../home/worker").env("line", copy).run().exits(0);
    carried(&bench, &["tally"], 0);
    let during = bench.text("../home/progress-2.1-2");
    assert!(during.contains("  - Escalated to: sonnet\n"), "{during}");
}

#[test]
fn a_checkpoint_without_its_report_goes_up_the_chain() {
    let rows = "[defaults]\nworker = \"mine\"\n[agents]\nhaiku = \"mine:haiku\"\nsonnet = \"mine:sonnet\"\n\
                vet-fix-agent = \"mine:reviewer\"\nreview-tdd-process = \"mine:sonnet\"\n";
    let bench = configured("checkpoint-1 1 no-report\n", rows);
    carried(&bench, &["tally"], 0);
    assert!(calls(&bench).contains("checkpoint-1 1 reviewer\ncheckpoint-1 2 sonnet\n"), "{}", calls(&bench));
}

#[test]
fn a_missing_agent_of_the_reviews_is_an_error_before_anything_is_printed() {
    let rows = "[agents]\nhaiku = \"mine\"\nsonnet = \"mine\"\nvet-fix-agent = \"mine\"\n";
    let bench = configured("", rows);
    let got = carried(&bench, &["tally"], 78);
    assert!(got.err().contains("[agents]\nreview-tdd-process = \"WORKER\""), "{got:?}");
    assert!(!got.out().contains("Executing runbook"), "{got:?}");
    // A model without a row is named as well.
    let bench = configured(
        "",
        "[agents]\nhaiku = \"mine\"\nvet-fix-agent = \"mine\"\nreview-tdd-process = \"mine\"\n",
    );
    let got = carried(&bench, &["tally"], 78);
    assert!(got.err().contains("[agents]\nsonnet = \"WORKER\""), "{got:?}");
}

#[test]
fn a_step_may_have_its_title_above_its_fields() {
    let bench = project(PROFILE, "");
    bench.git(&["rm", "-q", "plans/tally/runbook.md"]);
    bench.check(
        "sed -i -e '/^## \\(Step\\|Cycle\\) /d' -e '1s/.*/# Step 1.1: Lay the base/' plans/tally/steps/step-1-1.md",
        0,
    );
    bench.commit_all("one heading");
    let got = bench.check("plan-parse -q --prepared plans/tally", 0).json();
    let first =
        got["tasks"].as_array().and_then(|tasks| tasks.iter().find(|task| task["id"] == "1.1").cloned());
    assert_eq!(first.unwrap_or_default()["title"], "Lay the base");
}

#[test]
fn all_step_files_gone_is_a_runbook_that_is_not_prepared() {
    let bench = project(PROFILE, "");
    bench.git(&["rm", "-rq", "plans/tally/steps"]);
    bench.commit_all("less");
    let got = carried(&bench, &["tally"], 66);
    let words = "Runbook not prepared. Run `/plan-adhoc` first to create execution artifacts.";
    assert!(got.err().contains(words), "{got:?}");
    // What is wrong with artifacts that are there is said in other words.
    let bench = project(PROFILE, "");
    bench.check("sed -i '/Execution Model/d' plans/tally/steps/step-2-1.md", 0);
    bench.commit_all("no model");
    let got = carried(&bench, &["tally"], 65);
    assert!(got.err().contains("no model is named") && !got.err().contains(words), "{got:?}");
}
