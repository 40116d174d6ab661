//! `execute`: a PLAN.md with a commit strategy, locally.

use crate::project::{calls, carried, is_tidy, project, sorted_subjects};
use pipeline_tests::{Bench, Got};

pub(crate) const PROFILE: &str = "execute";
pub(crate) const PLAN: &str = ".dev/specs/shop/PLAN.md";
pub(crate) const SUBJECTS: [&str; 4] =
    ["start", "feat(prices): what things cost", "docs: how to use it", "chore(shop): miscellaneous changes"];

#[test]
fn an_honest_run_leaves_exactly_this() {
    let bench = project(PROFILE, "");
    let before = bench.text(PLAN);
    let got = carried(&bench, &["shop"], 0);
    is_done(&bench, &before);
    assert_eq!(calls(&bench), "1 1\n2 1\n3 1\nFinal 1\n", "one TODO a worker");
    for line in [
        "                    ORCHESTRATION COMPLETE",
        "PLAN: .dev/specs/shop/PLAN.md",
        "MODE: Local",
        "   Total TODOs:               4",
        "   Completed:                 4",
        "   - data/prices.txt",
        "   - prices are whole numbers",
        "   - the list is not sorted",
    ] {
        assert!(got.out().lines().any(|l| l == line), "{line}\n{got:?}");
    }
    assert_eq!(bench.subjects(), SUBJECTS);
    let files = |at: &str| bench.git(&["show", "--name-only", "--format=", at]);
    assert_eq!(files("HEAD~2"), "data/prices.txt\n", "a row's commit holds what the row names");
    assert_eq!(files("HEAD~1"), "NOTES.md\n");
}

#[test]
fn what_waits_for_nothing_runs_at_once_and_ends_the_same() {
    let bench = project(PROFILE, "");
    let before = bench.text(PLAN);
    carried(&bench, &["--jobs", "3", "shop"], 0);
    is_done(&bench, &before);
    let begun = bench.command("punch").args(["list", "--type", "attempt_begin", "--text"]).run().out();
    let first: Vec<&str> = begun.lines().take(2).collect();
    assert_eq!(first.len(), 2);
    assert!(
        bench.command("punch").args(["list", "--type", "attempt_begin"]).run().out().contains("\"worktree\"")
    );
}

#[test]
fn values_of_earlier_tasks_and_their_wisdom_are_in_the_prompt() {
    let bench = project(PROFILE, "");
    carried(&bench, &["shop"], 0);
    let prompt = bench.text("../home/prompt-2-1");
    for words in [
        "## TASK",
        "## EXPECTED OUTCOME",
        "## REQUIRED TOOLS",
        "## MUST DO",
        "## MUST NOT DO",
        "## CONTEXT",
        "data/prices.txt",
        "prices are whole numbers",
        "Do not run git commands",
    ] {
        assert!(prompt.contains(words), "{words}\n{prompt}");
    }
}

#[test]
fn a_worker_that_lies_is_found_out_and_its_lie_is_in_the_next_prompt() {
    let bench = project(PROFILE, "1 1 lie\n");
    let got = ends_well(&bench, "1 1\n1 2\n2 1\n3 1\nFinal 1\n");
    assert!(got.out().contains("✗ 1 Prices: attempt 1, gate-run said no: no verdict: 1:1"), "{got:?}");
    assert!(got.out().contains("falsely claimed: 1:1"), "{got:?}");
    let prompt = bench.text("../home/prompt-1-2");
    assert!(
        prompt.contains("WHAT FAILED BEFORE") && prompt.contains("grep -c '^tea ' data/prices.txt"),
        "{prompt}"
    );
}

#[test]
fn a_worker_that_hangs_is_ended_and_tried_again() {
    ends_well(&project(PROFILE, "1 1 hang\n"), "1 1\n1 2\n2 1\n3 1\nFinal 1\n");
}

#[test]
fn what_a_worker_leaves_beside_its_task_goes_into_the_residual_commit() {
    let bench = project(PROFILE, "1 1 dirty\n");
    ends_well(&bench, "1 1\n2 1\n3 1\nFinal 1\n");
    let files = bench.git(&["show", "--name-only", "--format=", "HEAD"]);
    assert!(
        files.contains("scratch.txt") && files.contains(".dev/specs/shop/context/outputs.json"),
        "{files}"
    );
}

#[test]
fn a_worker_that_edits_what_it_must_not_is_refused_and_its_edit_never_committed() {
    let bench = project(PROFILE, "1 1 meddle\n");
    // To change nothing more is not to put it back: the attempts that come after are refused too.
    let got = carried(&bench, &["shop"], 5);
    assert!(got.out().contains("the worker changed 'config/rules.txt'"), "{got:?}");
    assert!(!bench.subjects().contains(&SUBJECTS[1].to_owned()), "{:?}", bench.subjects());
    bench.git(&["checkout", "--quiet", "config/rules.txt"]);
    carried(&bench, &["--max-attempts", "9", "shop"], 0);
    assert_eq!(sorted_subjects(&bench), sorted());
    assert_eq!(bench.git(&["log", "--format=%s", "--", "config/rules.txt"]), "start\n");
}

#[test]
fn a_worker_that_commits_is_no_failed_attempt_and_the_commit_is_ours() {
    let bench = project(PROFILE, "1 1 commits\n");
    let got = ends_well(&bench, "1 1\n2 1\n3 1\nFinal 1\n");
    assert_eq!(keys(&bench, "halt"), Vec::<String>::new());
    assert!(got.err().contains("took back 1 commit of the worker"), "{got:?}");
}

#[test]
fn a_worker_that_ticks_a_box_itself_gains_nothing() {
    ends_well(&project(PROFILE, "1 1 ticks\n"), "1 1\n1 2\n2 1\n3 1\nFinal 1\n");
}

#[test]
fn a_worker_that_exits_without_a_word_is_given_up_and_the_rest_goes_on() {
    let bench = project(PROFILE, "1 1 nothing\n");
    let got = carried(&bench, &["shop"], 5);
    assert_eq!(calls(&bench), "1 1\n3 1\n");
    assert!(got.out().contains("ORCHESTRATION STOPPED"), "{got:?}");
    assert_eq!(bench.boxes(PLAN), (1, 3));
    carried(&bench, &["shop"], 0);
    assert_eq!(sorted_subjects(&bench), sorted());
}

#[test]
fn one_that_fails_twice_and_then_succeeds_is_done() {
    ends_well(&project(PROFILE, "1 1 fail\n1 2 fail\n"), "1 1\n1 2\n1 3\n2 1\n3 1\nFinal 1\n");
}

#[test]
fn code_that_fails_to_the_last_gets_one_fix_task_and_no_second() {
    let four = "1 1 fumble\n1 2 fumble\n1 3 fumble\n1 4 fumble\n";
    let bench = project(PROFILE, four);
    ends_well(&bench, "1 1\n1 2\n1 3\n1 4\n1 5\n2 1\n3 1\nFinal 1\n");
    assert!(bench.text("../home/prompt-1-5").contains("This is the one fix attempt"));
    assert!(!bench.text("../home/prompt-1-4").contains("This is the one fix attempt"));

    let bench = project(PROFILE, &format!("{four}1 5 fumble\n"));
    let got = carried(&bench, &["shop"], 5);
    assert_eq!(calls(&bench), "1 1\n1 2\n1 3\n1 4\n1 5\n3 1\n");
    assert!(got.out().contains("attempt 5 (the Fix Task), gate-run said no"), "{got:?}");
    assert!(got.err().contains("4 of 4 attempts and the Fix Task used"), "{got:?}");

    let bench = project(PROFILE, four);
    carried(&bench, &["--max-attempts", "1", "shop"], 5);
    assert_eq!(calls(&bench), "1 1\n3 1\n", "one attempt is one call");

    let bench = project(PROFILE, "1 1 lie\n1 2 lie\n1 3 lie\n");
    carried(&bench, &["shop"], 5);
    assert_eq!(calls(&bench), "1 1\n1 2\n3 1\n", "no fix task where no check has a verdict");
}

#[test]
fn a_worker_s_own_error_has_a_category() {
    for (behaviour, category, called) in [
        ("no-key", "env_error", "1 1\n1 2\n1 3\n1 4\n"),
        ("type-error", "code_error", "1 1\n1 2\n1 3\n1 4\n1 5\n"),
        ("stated", "code_error", "1 1\n1 2\n1 3\n1 4\n1 5\n"),
        ("fail", "unknown", "1 1\n1 2\n1 3\n1 4\n"),
    ] {
        let script = (1..=5).map(|n| format!("1 {n} {behaviour}\n")).collect::<Vec<_>>().concat();
        let bench = project(PROFILE, &script);
        let got = carried(&bench, &["--only", "1", "shop"], 5);
        assert_eq!(calls(&bench), called, "{behaviour}: the Fix Task is for code: {got:?}");
        let issues = bench.text(".dev/specs/shop/context/issues.md");
        assert!(issues.contains(&format!("**Category**: {category}\n")), "{behaviour}: {issues}");
    }
}

#[test]
fn code_that_fails_twice_alike_gets_the_fix_task_as_well() {
    let bench = project(PROFILE, "1 1 alike\n1 2 alike\n");
    let before = bench.text(PLAN);
    let got = carried(&bench, &["shop"], 0);
    assert!(calls(&bench).contains("1 1\n") && calls(&bench).contains("1 3\n"), "{got:?}");
    assert!(bench.text("../home/prompt-1-3").contains("This is the one fix attempt"), "{got:?}");
    is_done(&bench, &before);
    let script = "1 1 alike\n1 2 alike\n1 3 alike\n";
    let bench = project(PROFILE, script);
    let got = carried(&bench, &["--only", "1", "shop"], 5);
    assert_eq!(calls(&bench), "1 1\n1 2\n1 3\n", "no second one: {got:?}");
    let issues = bench.text(".dev/specs/shop/context/issues.md");
    assert_eq!(issues.matches("**Category**: code_error\n").count(), 1, "one entry: {issues}");
    assert!(issues.contains("**Retry Count**: 1 and the Fix Task\n"), "{issues}");
}

#[test]
fn what_is_not_the_code_s_fault_is_given_up_after_three_retries_and_logged() {
    let bench = project(PROFILE, "1 1 fail\n1 2 fail\n1 3 fail\n1 4 fail\n");
    let got = carried(&bench, &["--on-halt", "stop", "shop"], 5);
    assert_eq!(calls(&bench), "1 1\n1 2\n1 3\n1 4\n", "no fix task, and nothing else after the stop");
    assert!(got.err().contains("task 1 is given up: 4 of 4 attempts used"), "{got:?}");
    let issues = bench.text(".dev/specs/shop/context/issues.md");
    for words in [
        "TODO 1: Prices Failed",
        "**Category**: unknown",
        "**Retry Count**: 3\n",
        "**Analysis**: the cause is not known, and another attempt would be a guess: worker-run said no",
        "**Suggestion**: mend the cause, then run it again",
    ] {
        assert!(issues.contains(words), "{words}\n{issues}");
    }
    assert_eq!(issues.matches("Failed\n").count(), 1, "one entry for the halt: {issues}");
    assert_eq!(bench.boxes(PLAN), (0, 4), "the box stays open");
}

#[test]
fn a_network_that_does_not_answer_is_no_fault_of_the_code() {
    let bench = project(PROFILE, "1 1 fumble\n1 2 fumble\n1 3 fumble\n1 4 fumble\n");
    let check = "sh fetch.sh";
    bench.write("fetch.sh", "echo 'curl: (28) Operation timed out: network timeout'; exit 28\n");
    bench.write(
        PLAN,
        bench.text(PLAN).replacen("`grep -c '^tea ' data/prices.txt` → 1", &format!("`{check}` → exit 0"), 1),
    );
    bench.commit_all("a check that needs the network");
    carried(&bench, &["--on-halt", "stop", "shop"], 5);
    assert_eq!(calls(&bench), "1 1\n1 2\n1 3\n1 4\n", "no Fix Task");
    let issues = bench.text(".dev/specs/shop/context/issues.md");
    assert!(issues.contains("**Category**: env_error"), "{issues}");
    assert!(issues.contains("**Analysis**: the environment has to be mended"), "{issues}");
}

#[test]
fn the_context_files_are_there_before_the_first_worker() {
    let bench = project(PROFILE, "");
    bench.sh("sed -i '5i ls .dev/specs/shop/context >~/seen 2>&1; cat .dev/specs/shop/context/outputs.json >>~/seen; mv ../home/seen ../home/seen-1 2>/dev/null || :' ../home/worker").run().exits(0);
    carried(&bench, &["--only", "1", "shop"], 0);
    assert_eq!(bench.text("../home/seen-1"), "decisions.md\nissues.md\nlearnings.md\noutputs.json\n{}\n");
}

#[test]
fn conditions_of_a_commit_that_a_program_can_judge_are_judged() {
    for (condition, made) in [
        ("if tests pass", true),
        ("if any change", true),
        ("`test -f NOTES.md`", true),
        ("`test -f nothing`", false),
        ("`true`", true),
        ("`false`", false),
    ] {
        let bench = project(PROFILE, "");
        needed_by_none(&bench, condition);
        carried(&bench, &["shop"], 0);
        let subjects = bench.git(&["log", "--format=%s", "--", "NOTES.md"]);
        let wanted = if made { "docs: how to use it\n" } else { "chore(shop): miscellaneous changes\n" };
        assert_eq!(subjects, wanted, "{condition}");
        is_tidy(&bench);
    }
}

#[test]
fn a_declared_output_that_is_missing_is_refused_and_named() {
    // The checks of the task pass, and one output more is declared than the worker makes.
    for (declared, why) in [
        ("`lines` (number): how many", "lines (the answer has no value for it)"),
        ("`index` (file): `data/index.txt`", "index (there is no file data/index.txt)"),
    ] {
        let bench = project(PROFILE, "");
        let notes = "- `notes` (file): `NOTES.md`\n";
        bench.write(PLAN, bench.text(PLAN).replace(notes, &format!("{notes}- {declared}\n")));
        bench.commit_all("one more");
        let got = carried(&bench, &["--only", "3", "shop"], 5);
        let line = format!("gate-run said no: checks failed: declared outputs are missing: {why}");
        assert!(got.out().contains(&line), "{got:?}");
        assert!(bench.text("../home/prompt-3-2").contains(why), "the next worker knows");
        assert!(bench.text(PLAN).contains("### [ ] TODO 3"));
    }
    // A file that the plan names and that is there needs no word of the worker.
    let bench = project(PROFILE, "1 1 mute\n");
    carried(&bench, &["shop"], 0);
    let outputs = bench.text(".dev/specs/shop/context/outputs.json");
    assert!(outputs.contains("data/prices.txt"), "{outputs}");
}

#[test]
fn a_retry_is_told_what_the_last_attempt_made() {
    let bench = project(PROFILE, "1 1 half\n");
    carried(&bench, &["--only", "1", "shop"], 0);
    let prompt = bench.text("../home/prompt-1-2");
    assert!(prompt.contains("- files that it made or changed: `data/prices.txt`"), "{prompt}");
    assert!(!prompt.contains("`[]`"), "{prompt}");
}

#[test]
fn an_input_without_a_value_spends_no_attempt() {
    let bench = project(PROFILE, "");
    bench.write(PLAN, bench.text(PLAN).replace("${todo-1.outputs.prices}", "${todo-1.outputs.rates}"));
    bench.commit_all("an output that nobody declares");
    let got = carried(&bench, &["--on-halt", "stop", "shop"], 5);
    assert!(!calls(&bench).contains("2 1"), "{got:?}");
    let halts: Vec<_> = bench
        .records()
        .into_iter()
        .filter(|r| r["type"] == "halt" && r["key"] == "unresolved-input")
        .collect();
    assert!(!halts.is_empty() && halts.iter().all(|r| r["data"]["halt"]["counts"] == false), "{halts:?}");
}

#[test]
fn a_clean_tree_at_the_end_is_said() {
    let bench = project(PROFILE, "");
    carried(&bench, &["shop"], 0);
    let got = carried(&bench, &["shop"], 0);
    assert!(got.out().lines().any(|line| line == "No uncommitted changes"), "{got:?}");
}

#[test]
fn recovery_needs_nothing_but_the_boxes() {
    let bench = project(PROFILE, "");
    let before = bench.text(PLAN);
    carried(&bench, &["--only", "1", "shop"], 0);
    carried(&bench, &["--only", "3", "shop"], 0);
    bench.sh("rm -rf .plantools").run().exits(0);
    // Without the ledger the ticks are proved once more at the end, and nothing is done twice.
    let got = carried(&bench, &["shop"], 0);
    assert!(!got.out().contains("task 1: ticked, and nothing on record says why"), "{got:?}");
    assert_eq!(calls(&bench), "1 1\n3 1\n2 1\nFinal 1\n");
    assert_eq!(bench.text(PLAN), ticked(&before));
}

#[test]
fn a_todo_that_is_added_on_the_way_is_done_too() {
    let bench = project(PROFILE, "");
    carried(&bench, &["--only", "1", "shop"], 0);
    let body = "\n**Type**: work\n\n**Acceptance Criteria**:\n\n*Functional:*\n- [ ] It is said: `grep -c milk NOTES.md` → 1\n";
    bench.write("../home/body.md", body);
    let add = ["add", "3", "--title", "Milk", "--body", "../home/body.md", "--reason", "missing", PLAN];
    bench.command("checkbox").args(add).run().exits(0);
    assert!(bench.text(PLAN).contains("### [ ] TODO 3.a: (ADDED) Milk"), "{}", bench.text(PLAN));
    carried(&bench, &["shop"], 0);
    assert!(calls(&bench).contains("3.a 1"), "{}", calls(&bench));
    assert_eq!(bench.boxes(PLAN), (5, 0));
}

#[test]
fn a_todo_that_a_worker_finds_missing_is_added_and_done_first() {
    for args in [&["shop"][..], &["--jobs", "2", "shop"]] {
        // Many at once: another worker runs while the plan gets its new task.
        let bench = project(PROFILE, "1 1 adapt\n3 1 slow\n");
        let got = carried(&bench, args, 0);
        assert!(got.out().contains("; TODO 1.a was added, which it waits for"), "{got:?}");
        let plan = bench.text(PLAN);
        let section = plan.split("### ").find(|part| part.contains("TODO 1.a")).unwrap();
        let wanted = "[x] TODO 1.a: (ADDED) Ask for the prices\n\n**Type**: work\n\n**Reason**: nobody knows them \
             (the worker of TODO 1, attempt 1)\n\n**Blocks**: TODO 1\n\n**Steps**:\n- [ ] ask 'sh'\n- [ ] # write them \
             down\n\n**Acceptance Criteria**:\n- [x] Tea has a price: `grep -c '^tea ' data/prices.txt` → 1\n- [x] Every line";
        assert!(section.starts_with(wanted), "{section}");
        let calls = calls(&bench);
        let order: Vec<&str> = calls.lines().filter(|call| call.starts_with('1')).collect();
        // Many at once: the second attempt may have begun when the new task is read.
        assert!(order == ["1 1", "1.a 1", "1 2"] || args.len() > 1 && order.len() == 3, "{got:?}");
        assert_eq!(sorted_subjects(&bench), sorted());
        is_tidy(&bench);
    }
}

#[test]
fn what_a_worker_asks_for_beyond_the_limits_is_refused_and_tried_again() {
    let bench = project(PROFILE, "1 1 stray\n");
    let got = ends_well(&bench, "1 1\n1 2\n2 1\n3 1\nFinal 1\n");
    assert!(got.out().contains("no task was added: it is outside of what the plan asks for"), "{got:?}");
    assert_eq!(keys(&bench, "escalation"), ["add-refused"]);
    // One level deep.
    let bench = project(PROFILE, "1 1 adapt\n1.a 1 adapt\n");
    let got = carried(&bench, &["shop"], 0);
    assert!(got.out().contains("no task was added: task '1.a' was added itself"), "{got:?}");
    assert_eq!(bench.boxes(PLAN), (5, 0));
    // At most three.
    let bench = project(PROFILE, "1 1 adapt\n1 2 adapt\n1 3 adapt\n1 4 adapt\n");
    // The added tasks have the same checks, which the first of them makes true.
    bench.write("plantools.toml", format!("{}\n[proof]\nbefore = \"off\"\n", bench.text("plantools.toml")));
    bench.commit_all("configuration");
    let got = carried(&bench, &["--max-attempts", "6", "shop"], 0);
    assert!(got.out().contains("no task was added: task '1' has three added tasks already"), "{got:?}");
    assert_eq!(bench.boxes(PLAN), (7, 0));
    // What is for a person is not adapted.
    let bench = project(PROFILE, "1 1 blocked\n");
    let got = carried(&bench, &["--on-halt", "stop", "shop"], 5);
    assert!(!bench.text(PLAN).contains("(ADDED)"), "{got:?}");
}

#[test]
fn what_the_plan_calls_done_holds_before_it_is_complete() {
    let bench = project(PROFILE, "");
    let more = "\n- [ ] Somebody likes it\n- [ ] It sells";
    bench.write(PLAN, bench.text(PLAN).replacen(" → 1\n", &format!(" → 1{more}\n"), 1));
    bench.commit_all("two more wishes");
    let got = carried(&bench, &["shop"], 5);
    assert!(
        got.out().contains("- [x] The list is printed")
            || bench.text(PLAN).contains("- [x] The list is printed")
    );
    assert!(got.out().contains("ORCHESTRATION STOPPED"), "{got:?}");
    assert!(got.out().ends_with("note:2 is open: Somebody likes it\nnote:3 is open: It sells\n"), "{got:?}");
    assert!(got.err().contains("checkbox criterion ID --reason WHY"), "{got:?}");
    assert_eq!(bench.git(&["status", "--porcelain"]), "");
    let by_hand =
        |args: &[&str]| bench.command("checkbox").args(args).args(["--reason", "asked", PLAN]).run();
    by_hand(&["criterion", "note:2"]).exits(0);
    carried(&bench, &["shop"], 5);
    by_hand(&["criterion", "note:3", "--defer"]).exits(0);
    let got = carried(&bench, &["shop"], 0);
    assert!(got.out().contains("ORCHESTRATION COMPLETE"), "{got:?}");
    assert!(got.out().contains("DEFERRED:\n   - It sells (asked)\n"), "{got:?}");
    assert!(bench.text(PLAN).contains("- [x] Somebody likes it\n- [ ] It sells\n"), "{}", bench.text(PLAN));
    assert_eq!(calls(&bench), "1 1\n2 1\n3 1\nFinal 1\n");
    is_tidy(&bench);
}

#[test]
fn a_goal_whose_command_fails_is_no_success() {
    let bench = project(PROFILE, "");
    bench.write(PLAN, bench.text(PLAN).replacen("grep -c tea` → 1", "grep -c coal` → 1", 1));
    bench.commit_all("a wish that is not fulfilled");
    let got = carried(&bench, &["shop"], 1);
    assert!(got.out().contains("note:1 is open: The list is printed"), "{got:?}");
    assert!(bench.text(PLAN).contains("- [ ] The list is printed"));
}

#[test]
fn a_commit_that_fails_is_logged_and_reported_and_what_needs_it_waits() {
    let bench = project(PROFILE, "");
    let before = bench.text(PLAN);
    refuse_notes(&bench);
    let got = carried(&bench, &["shop"], 5);
    assert_eq!(calls(&bench), "1 1\n2 1\n3 1\n", "the last TODO needs them all");
    let words = "Final: waits for the commit of task 3: git refused the commit: NOTES.md is not formatted; \
                 mend that and run it again, or commit its files by hand";
    assert!(got.err().contains(words), "{got:?}");
    assert!(bench.text(".dev/specs/shop/context/issues.md").contains("git refused the commit"), "{got:?}");
    // As long as it is refused, it stays so; one that is mended makes the row's own commit.
    let got = carried(&bench, &["shop"], 5);
    assert!(got.err().contains(words), "{got:?}");
    let issues = ".dev/specs/shop/context/issues.md";
    mend(&bench);
    carried(&bench, &["shop"], 0);
    assert_eq!(calls(&bench), "1 1\n2 1\n3 1\nFinal 1\n", "no TODO is done twice");
    assert!(bench.text(issues).contains("the list is not sorted"));
    assert_eq!(sorted_subjects(&bench), sorted());
    assert_eq!(bench.text(PLAN), ticked(&before));
    assert_eq!(files_of(&bench, "docs: how to use it"), "NOTES.md\n");
    is_tidy(&bench);
}

#[test]
fn what_needs_a_task_whose_commit_was_refused_does_not_start() {
    for args in [&["shop"][..], &["--jobs", "3", "shop"]] {
        let bench = project(PROFILE, "");
        refuse(&bench, "data/prices.txt");
        let got = carried(&bench, args, 5);
        let mut begun: Vec<String> = calls(&bench).lines().map(str::to_owned).collect();
        begun.sort();
        assert_eq!(begun, ["1 1", "3 1"], "{args:?} {got:?}");
        assert!(got.err().contains("2: waits for the commit of task 1"), "{args:?} {got:?}");
        let why = bench.sh(&format!("plan-parse {PLAN} | dag-next --why 2 --text")).run();
        why.exits(5);
        assert!(why.out().contains("waits for the commit of task 1"), "{why:?}");
        mend(&bench);
        carried(&bench, args, 0);
        assert_eq!(sorted_subjects(&bench), sorted());
        assert_eq!(files_of(&bench, SUBJECTS[1]), "data/prices.txt\n");
        is_tidy(&bench);
    }
}

#[test]
fn the_residual_commit_leaves_the_files_of_an_owed_one() {
    let bench = project(PROFILE, "3 1 dirty\n");
    needed_by_none(&bench, "always");
    refuse_notes(&bench);
    for _ in 0..2 {
        let got = carried(&bench, &["shop"], 1);
        assert!(got.out().contains("task 3: its commit is owed"), "{got:?}");
        assert!(got.err().contains("left for the owed commit of task 3: NOTES.md"), "{got:?}");
        assert_eq!(bench.git(&["log", "--format=%s", "--", "NOTES.md"]), "");
        assert_eq!(bench.git(&["status", "--porcelain"]), "?? NOTES.md\n", "the rest is committed");
    }
    mend(&bench);
    carried(&bench, &["shop"], 0);
    assert_eq!(files_of(&bench, "docs: how to use it"), "NOTES.md\n");
    assert_eq!(calls(&bench), "1 1\n2 1\n3 1\nFinal 1\n");
    is_tidy(&bench);
}

#[test]
fn a_commit_by_hand_is_as_good_as_the_one_that_is_owed() {
    for condition in ["always", "once Ann has read it"] {
        let bench = project(PROFILE, "");
        needed_by_none(&bench, condition);
        refuse_notes(&bench);
        carried(&bench, &["shop"], 1);
        bench.git(&["add", "NOTES.md"]);
        bench.git(&["commit", "--quiet", "--no-verify", "--message=notes of mine"]);
        let got = carried(&bench, &["shop"], 0);
        assert!(got.out().contains("ORCHESTRATION COMPLETE"), "{condition} {got:?}");
        assert_eq!(bench.git(&["log", "--format=%s", "--", "NOTES.md"]), "notes of mine\n", "{condition}");
        is_tidy(&bench);
    }
}

#[test]
fn a_condition_for_a_person_to_judge_keeps_its_files_and_what_needs_them_waiting() {
    let bench = project(PROFILE, "");
    bench.write(
        PLAN,
        bench.text(PLAN).replacen("`NOTES.md` | always", "`NOTES.md` | once Ann has read it", 1),
    );
    bench.commit_all("Ann reads it");
    let got = carried(&bench, &["shop"], 5);
    assert!(
        got.err().contains("Final: waits for the commit of task 3: whether 'once Ann has read it' holds"),
        "{got:?}"
    );
    assert_eq!(bench.git(&["log", "--format=%s", "--", "NOTES.md"]), "");
    bench.git(&["add", "NOTES.md"]);
    bench.git(&["commit", "--quiet", "--message=Ann has read it"]);
    carried(&bench, &["shop"], 0);
    assert_eq!(bench.git(&["log", "--format=%s", "--", "NOTES.md"]), "Ann has read it\n");
    assert_eq!(calls(&bench), "1 1\n2 1\n3 1\nFinal 1\n");
    is_tidy(&bench);
}

/// Nothing waits for TODO 3, whose commit has this condition.
pub(crate) fn needed_by_none(bench: &Bench, condition: &str) {
    let plan = bench.text(PLAN).replacen("| Final | all outputs", "| Final | `todo-2.printer`", 1);
    bench.write(PLAN, plan.replacen("`NOTES.md` | always", &format!("`NOTES.md` | {condition}"), 1));
    bench.commit_all("who waits for what");
}

/// A hook that refuses every commit with the notes in it.
pub(crate) fn refuse_notes(bench: &Bench) {
    refuse(bench, "NOTES.md");
}

/// A hook that refuses every commit with this file in it until it is mended.
fn refuse(bench: &Bench, file: &str) {
    let hook = format!(
        "#!/bin/sh\n[ -e ../home/mended ] || ! git diff --cached --name-only | grep -q '{file}' || \
         {{ echo '{file} is not formatted'; exit 1; }}\n"
    );
    bench.program(".git/hooks/pre-commit", &hook);
}

pub(crate) fn mend(bench: &Bench) {
    bench.write("../home/mended", "");
}

/// The files of the one commit with this subject.
#[track_caller]
fn files_of(bench: &Bench, subject: &str) -> String {
    let listed = bench.git(&["log", "--format=%H %s"]);
    let found: Vec<&str> = listed
        .lines()
        .filter_map(|l| l.split_once(' '))
        .filter(|(_, s)| *s == subject)
        .map(|(hash, _)| hash)
        .collect();
    assert_eq!(found.len(), 1, "{listed}");
    bench.git(&["show", "--name-only", "--format=", found[0]])
}

/// The keys of all records of a type.
fn keys(bench: &Bench, kind: &str) -> Vec<String> {
    let records = bench.records().into_iter().filter(|record| record["type"] == kind);
    records.map(|record| record["key"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Ends with 0 after these calls, in the state of an honest run.
#[track_caller]
fn ends_well(bench: &Bench, called: &str) -> Got {
    let before = bench.git(&["show", &format!("HEAD:{PLAN}")]);
    let got = carried(bench, &["shop"], 0);
    assert_eq!(calls(bench), called, "{got:?}");
    is_done(bench, &before);
    got
}

/// The final state of a run: plan, context, history, tree, ledger.
#[track_caller]
pub(crate) fn is_done(bench: &Bench, before: &str) {
    assert_eq!(bench.text(PLAN), ticked(before));
    let context = |name: &str| bench.text(&format!(".dev/specs/shop/context/{name}"));
    let outputs: serde_json::Value = serde_json::from_str(&context("outputs.json")).unwrap_or_default();
    let wanted = serde_json::json!({
        "todo-1": {"prices": "data/prices.txt"}, "todo-2": {"printer": "bin/print"}, "todo-3": {"notes": "NOTES.md"},
    });
    assert_eq!(outputs, wanted);
    assert_eq!(context("learnings.md"), "## 1\n- prices are whole numbers\n");
    assert!(
        context("issues.md").ends_with("## 2\n- [ ] the list is not sorted\n"),
        "{}",
        context("issues.md")
    );
    assert_eq!(context("decisions.md"), "## 3\n- plain words\n");
    assert_eq!(sorted_subjects(bench), sorted());
    is_tidy(bench);
}

/// The subjects of a run whose tasks may have run in any order.
pub(crate) fn sorted() -> Vec<String> {
    let mut subjects = SUBJECTS.map(str::to_owned).to_vec();
    subjects.sort();
    subjects
}

/// The plan with every TODO done: headings, criteria and goals that a command proved, and no step.
fn ticked(before: &str) -> String {
    let mut criteria = false;
    let mut out = String::new();
    for line in before.split_inclusive('\n') {
        let begins =
            line.starts_with("**Acceptance Criteria**") || line.starts_with("### Definition of Done");
        let ends = line.starts_with("---") || line.starts_with("### Must NOT");
        criteria = (criteria || begins) && !ends;
        let proved = criteria && line.starts_with("- [ ] ") && line.contains('`');
        let done = line.starts_with("### [ ] ") || proved;
        out.push_str(&if done { line.replacen("[ ]", "[x]", 1) } else { line.to_owned() });
    }
    out
}

#[test]
fn the_work_of_an_attempt_that_touched_the_plan_is_ours_once_it_is_proved() {
    let bench = project(PROFILE, "2 1 ticks\n");
    carried(&bench, &["shop"], 0);
    assert_eq!(bench.git(&["status", "--porcelain"]), "");
    assert!(calls(&bench).contains("2 2\n"), "{}", calls(&bench));
}

#[test]
fn a_todo_that_verifies_changes_nothing() {
    let bench = project(PROFILE, "3 1 dirty\n");
    bench.write(
        PLAN,
        bench.text(PLAN).replacen(
            "### [ ] TODO 3: Notes\n\n**Type**: work",
            "### [ ] TODO 3: Notes\n\n**Type**: verification",
            1,
        ),
    );
    bench.commit_all("it only verifies");
    let got = carried(&bench, &["--only", "3", "shop"], 5);
    assert!(got.out().contains("and the task says: Do not change any file"), "{got:?}");
}

#[test]
fn an_output_that_is_missing_ticks_nothing_whatever_a_saved_order_says() {
    let bench = project(PROFILE, "");
    let notes = "- `notes` (file): `NOTES.md`\n";
    let index = format!("{notes}- `index` (file): `data/index.txt`\n");
    bench.write(PLAN, bench.text(PLAN).replace(notes, &index));
    bench.commit_all("one more");
    let pipe = format!(
        "plan-parse -q {PLAN} | dag-next --only 3 | handoff | checkbox begin | gate-run --before | worker-run | gate-run > ../orders"
    );
    bench.sh(&pipe).env("PLANTOOLS_RUN", "r1").within(60).run();
    // Somebody takes the halt out of the line: the evidence is derived from the ledger again.
    let forged: Vec<String> = bench
        .text("../orders")
        .lines()
        .map(|line| {
            let mut order: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
            order.as_object_mut().map(|order| order.remove("halt"));
            order.to_string()
        })
        .collect();
    bench.write("../forged", forged.join("\n") + "\n");
    let got = bench.sh("checkbox ../forged").env("PLANTOOLS_RUN", "r1").run();
    assert!(got.out().contains("no pass on the present tree for step:outputs"), "{got:?}");
    assert!(bench.text(PLAN).contains("### [ ] TODO 3"));
}
