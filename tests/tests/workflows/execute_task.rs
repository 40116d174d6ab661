//! `execute-task` carried out on its example: the last state exactly, and every worker that is not honest.

use pipeline_tests::{Bench, Got};

const TODO: &str = ".kilocode/todo/shelf-7.md";
const THINKING: &str = ".kilocode/thinking";

fn example() -> Bench {
    Bench::workflow(env!("CARGO_BIN_EXE_t-plantools"), "execute-task")
}

/// The marks of the todo list, in order.
fn marks(bench: &Bench) -> String {
    bench.text(TODO).lines().filter_map(|line| line.chars().nth(1)).collect()
}

#[test]
fn a_prepared_task_is_carried_out_and_waits_for_approval() {
    let bench = example();
    let packet = bench.bytes(".kilocode/handoff/shelf-7.json");
    let got = bench.carry_out(&["shelf-7"]).run();
    got.exits(5);
    assert!(got.err().contains("waits for approval: orchestrate --approve shelf-7"), "{got:?}");
    assert!(got.out().contains("# Task Execution Complete: shelf-7 waits for approval\n"), "{}", got.out());
    let message = "2. Commit with message: \"shelf-7: Two small scripts over the text file, one that counts and one that sorts\"";
    assert!(got.out().contains(message), "{}", got.out());
    // What no command can show is a person's to say, before the approval.
    assert!(got.out().contains("- [ ] The scripts read well\n"), "{}", got.out());
    bench.check(&format!("checkbox goals {TODO}"), 5);
    bench.check(&format!("checkbox criterion plan:2 --reason 'I read them' {TODO}"), 0);
    bench.check(&format!("checkbox goals {TODO}"), 0);
    assert_eq!(marks(&bench), "xxxxxx-");
    assert_eq!(bench.subjects(), ["start"], "nothing is committed before the approval");
    assert!(!bench.path("../calls").exists());
    // One child for each line, one after the other, each held against the card where it is code.
    let children = bench.keys("attempt_end");
    let lines = ["pre-execution-gate", "subtask-1", "subtask-2", "subtask-3", "subtask-4"];
    assert_eq!(children, lines.map(|line| format!("{line} scripted")));
    let cards = bench.keys("checkpoint");
    let mut wanted = lines[1..].iter().map(|line| format!("{line} execute-subtask")).collect::<Vec<_>>();
    wanted.push("complete process-orchestrate".to_owned());
    assert_eq!(cards, wanted);
    let got = bench.carry_out(&["--approve", "shelf-7"]).run();
    got.exits(0);
    assert!(got.out().contains("# Task Execution Complete: shelf-7"), "{}", got.out());
    assert_eq!(marks(&bench), "xxxxxxx");
    let subject = "shelf-7: Two small scripts over the text file, one that counts and one that sorts";
    assert_eq!(bench.subjects(), ["start", subject]);
    assert_eq!(bench.text("../calls"), "bd close shelf-7\nbd sync\n");
    assert_eq!(bench.git(&["status", "--porcelain"]), "");
    assert_eq!(bench.bytes(".kilocode/handoff/shelf-7.json"), packet, "the packet is never edited");
    bench.check("punch verify", 0);
    let again = bench.carry_out(&["shelf-7"]).run();
    again.exits(0);
    assert_eq!((bench.subjects().len(), bench.text("../calls").lines().count()), (2, 2));
}

#[test]
fn what_was_approved_is_pushed_where_that_is_asked_for() {
    let bench = example();
    bench.check("git init -q --bare ../home/remote.git && git remote add origin ../home/remote.git && git push -q -u origin main", 0);
    bench.carry_out(&["--push", "shelf-7"]).run().exits(5);
    bench.check(&format!("checkbox criterion plan:2 --reason 'I read them' {TODO}"), 0);
    let remote = || bench.check("git --git-dir ../home/remote.git log --format=%s main", 0).out();
    assert_eq!(remote(), "start\n", "nothing goes out before the approval");
    bench.carry_out(&["--approve", "shelf-7"]).run().exits(0);
    assert_eq!(remote(), "start\n", "nor without the wish");
    bench.carry_out(&["--approve", "--push", "shelf-7"]).run().exits(0);
    assert_eq!(remote().lines().count(), 2);
}

#[test]
fn the_first_line_says_what_runs_it_and_the_report_rolls_up_who_did_the_work() {
    let bench = example();
    let got = bench.carry_out(&["shelf-7"]).run();
    got.exits(5);
    let own = bench.records().into_iter().find(|r| r["type"] == "override" && r["task"] == "runtime-report");
    let reason = own.map(|r| r["data"]["reason"].to_string()).unwrap_or_default();
    assert!(reason.contains("runtime_model_reported: none"), "{reason}");
    assert!(reason.contains("runtime_mode_reported: orchestrate/execute-task"), "{reason}");
    let report = bench.check(&format!("run-report --final --format md {TODO}"), 0).out();
    for part in [
        "## Implementation Summary",
        "## Test Summary",
        "## Quality Gates",
        "## Files Modified",
        "## Session Exports",
        "## Next Steps",
        "scripted-1",
    ] {
        assert!(report.contains(part), "{part} is not in\n{report}");
    }
}

#[test]
fn each_child_gets_a_complete_packet_and_the_link_before_its_own() {
    let bench = example();
    bench.carry_out(&["shelf-7"]).env("PLANTOOLS_RUN", "r1").run().exits(5);
    let packet = bench.text(".plantools/work/r1/subtask-2/1/packet.json");
    let packet: serde_json::Value = serde_json::from_str(&packet).unwrap_or_default();
    let is = |name: &str, value: serde_json::Value| assert_eq!(packet[name], value, "{name}");
    is("task_id", "shelf-7".into());
    is("bead_id", "shelf-7".into());
    is("subtask_index", 2.into());
    is("subtask_count", 2.into());
    is("subtask_description", "List the books by year".into());
    is("session_export_path", format!("{THINKING}/execution-shelf-7-subtask-1-2026-01-31.json").into());
    is(
        "workflow_instruction",
        "Follow the `/execute-subtask` workflow. Your punch card is `execute-subtask`.".into(),
    );
    assert_eq!(packet["files"][0]["path"], "src/by_year.sh");
    assert_eq!(packet["constraints"][0], "Do not edit `books.txt` or `src/count.sh`");
    assert!(packet["success_criteria"][0].as_str().is_some_and(|text| text.contains("Frankenstein")));
    let prompt = bench.text(".plantools/work/r1/subtask-1/1/prompt.md");
    assert!(prompt.contains("- [ ] Import the session\n- [ ] Reason before the edit"), "{prompt}");
    let quality = bench.text(".plantools/work/r1/subtask-4/1/prompt.md");
    assert!(quality.contains("no exceptions, no ignores, no workarounds") && quality.contains("TC003"));
    let order = ["sh tools/format", "sh tools/lint", "sh tools/types", "sh tests/run.sh"]
        .map(|gate| quality.find(gate));
    assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{quality}");
    let chain = bench.check(&format!("session-export chain {THINKING} shelf-7"), 0).json();
    let links: Vec<_> = chain["links"].as_array().into_iter().flatten().map(|l| l["link"].clone()).collect();
    assert_eq!(links, ["prep", "subtask-1", "subtask-2", "tests"]);
}

#[test]
fn nothing_runs_without_a_preparation() {
    let bench = example();
    bench.carry_out(&["shelf-8"]).run().exits(66);
    bench.git(&["rm", "--quiet", "-r", THINKING]);
    bench.commit_all("no preparation");
    let got = bench.carry_out(&["shelf-7"]).run();
    got.exits(5);
    assert_eq!(bench.halts(), ["handoff no-preparation"]);
    assert_eq!((bench.count("attempt_begin"), marks(&bench).as_str()), (0, "x      "));
    // A packet that is not whole is refused before anything is written.
    let bench = example();
    bench.write(".kilocode/handoff/shelf-7.json", "{\"task_id\":\"shelf-7\",\"subtasks\":[]}");
    let got = bench.carry_out(&["shelf-7"]).run();
    assert!(got.exits(66).err().contains("no preparation for shelf-7: run start-task first"), "{got:?}");
    assert!(!bench.path(TODO).exists());
}

#[test]
fn a_dry_run_prints_the_prompt_and_writes_nothing() {
    let bench = example();
    let before = bench.git(&["status", "--porcelain", "--ignored"]);
    let got = bench.carry_out(&["--dry-run", "shelf-7"]).run();
    got.exits(0);
    assert!(
        got.out().contains("# Implementation Subtask") || got.out().contains("# Pre-Execution Gate"),
        "{}",
        got.out()
    );
    assert!(!bench.path(TODO).exists());
    assert_eq!(
        bench.git(&["status", "--porcelain"]),
        before.lines().filter(|l| !l.contains(".plantools")).collect::<String>()
    );
    bench.carry_out(&["--jobs", "2", "shelf-7"]).run().exits(2);
}

/// Carries it out with a story for the first subtask and gives the codes of all halts.
fn with(story: &str, args: &[&str], code: i32) -> (Bench, Vec<String>) {
    let bench = example();
    bench.story(story);
    let got = bench.carry_out(args).run();
    got.exits(code);
    let halts = bench.halts();
    (bench, halts)
}

/// Carries it out with a worker that answers SUCCESS for `key` and says these words in its summary (`words`) or as further
/// fields (`fields`).
fn saying(key: &str, deed: &str, words: &str) -> (Bench, Got) {
    let bench = example();
    bench.story(&format!("{key} 1 {deed}"));
    bench.write("../words", words);
    let got = bench.carry_out(&["shelf-7"]).run();
    (bench, got)
}

#[test]
fn a_preparation_that_the_gate_refuses_in_words_stops_the_workflow() {
    for (deed, words) in [
        ("words", "Session validity: FAIL"),
        ("words", "**Session validity:** FAIL, no Conclusion was reached"),
        ("words", "Loaded the session.\\n- Session validity: FAIL"),
        ("words", "FAIL: only one approach was weighed"),
        ("words", "The session is not valid (FAIL)"),
        ("fields", "\"validity\": \"FAIL\""),
        ("fields", "\"validity\": \"unclear\""),
        ("fields", "\"validity\": false"),
        ("fields", "\"outputs\": {\"validity\": \"FAIL\"}"),
    ] {
        let (bench, got) = saying("pre-execution-gate", deed, words);
        got.exits(5);
        assert_eq!(bench.halts(), ["worker-run session-invalid"], "{words}");
        assert_eq!(marks(&bench), "x-     ", "{words}: the gate is not ticked, and nothing after it begins");
        assert_eq!(bench.count("attempt_begin"), 1, "{words}");
        assert!(got.err().contains("run start-task"), "{words}: {got:?}");
        // The next run does not ask for a second opinion; a person lets it go on.
        bench.carry_out(&["shelf-7"]).run().exits(5);
        assert_eq!((bench.count("attempt_begin"), marks(&bench).as_str()), (1, "x-     "), "{words}");
    }
    let (bench, got) = saying("pre-execution-gate", "words", "Session validity: FAIL");
    assert!(got.err().contains("Session validity: FAIL"), "the worker's own words are printed: {got:?}");
    bench.carry_out(&["--max-attempts", "2", "shelf-7"]).run().exits(5);
    assert_eq!(marks(&bench), "xxxxxx-");
}

#[test]
fn a_preparation_that_holds_is_not_taken_for_one_that_fails() {
    for (deed, words) in [
        ("words", "Session validity: PASS. The build may fail on old machines; nothing is blocked."),
        ("fields", "\"validity\": \"PASS\""),
        ("fields", "\"validity\": true, \"issues\": [\"a risk: the parser may FAIL on long lines\"]"),
    ] {
        let (bench, got) = saying("pre-execution-gate", deed, words);
        assert_eq!(bench.halts(), Vec::<String>::new(), "{words}: {got:?}");
        assert_eq!(marks(&bench), "xxxxxx-", "{words}");
    }
}

#[test]
fn the_pre_execution_gate_is_one_attempt() {
    for (deed, halt) in [
        ("error", "worker-run worker-error"),
        ("partial", "worker-run partial"),
        ("nothing", "worker-run malformed"),
    ] {
        let (bench, halts) = with(&format!("pre-execution-gate 1 {deed}"), &["shelf-7"], 5);
        assert_eq!(halts, [halt], "{deed}");
        assert_eq!((bench.count("attempt_begin"), marks(&bench).as_str()), (1, "x-     "), "{deed}");
    }
    // Nor does a higher limit give a second opinion within one run.
    let (bench, _) = with("pre-execution-gate 1 error", &["--max-attempts", "3", "shelf-7"], 5);
    assert_eq!(bench.count("attempt_begin"), 1);
}

#[test]
fn the_pre_execution_gate_changes_nothing() {
    for (deed, file) in [("write", "looked.txt"), ("edit", "README.md")] {
        let bench = example();
        bench.story(&format!("pre-execution-gate 1 {deed}"));
        let got = bench.carry_out(&["shelf-7"]).run();
        got.exits(5);
        assert_eq!(bench.halts(), ["worker-run changed-files"], "{deed}");
        assert!(got.err().contains(file), "{deed}: the change is named: {got:?}");
        assert_eq!((bench.count("attempt_begin"), marks(&bench).as_str()), (1, "x-     "), "{deed}");
    }
}

#[test]
fn the_pre_execution_gate_runs_no_gate_of_the_project() {
    // A file that the linter and the formatter refuse was there before: it neither stops the gate nor is it mended there.
    let bench = example();
    bench.write("src/old.sh", "#!/bin/sh\n\techo old \n");
    bench.commit_all("untidy");
    let untidy = bench.bytes("src/old.sh");
    bench.story("subtask-1 * hopeless");
    bench.carry_out(&["shelf-7"]).run().exits(5);
    assert_eq!(marks(&bench), "xx-    ");
    assert_eq!(bench.bytes("src/old.sh"), untidy);
    let run: Vec<_> = ["gate_pass", "gate_fail"].iter().flat_map(|kind| bench.keys(kind)).collect();
    assert_eq!(run, ["pre-execution-gate step:answer"]);
}

#[test]
fn a_subtask_that_says_it_is_blocked_is_for_a_person() {
    for (deed, words, code) in [
        ("words", "blocked: which shelf is meant?", "blocked"),
        ("words", "Blocked: which shelf is meant?", "blocked"),
        ("words", "UNFIXABLE: which shelf is meant?", "unfixable"),
        ("words", "Two scripts.\\nUNFIXABLE: which shelf is meant?", "unfixable"),
        ("words", "UNFIXABLE, which shelf is meant?", "unfixable"),
        ("fields", "\"verdict\": \"blocked: which shelf is meant?\"", "blocked"),
        ("fields", "\"issues\": [\"blocked: which shelf is meant?\"]", "blocked"),
        (
            "fields",
            "\"error\": {\"code\": \"UNFIXABLE\", \"message\": \"which shelf is meant?\"}",
            "unfixable",
        ),
    ] {
        let (bench, got) = saying("subtask-1", deed, words);
        got.exits(5);
        assert_eq!(bench.halts(), [format!("worker-run {code}")], "{words}");
        assert_eq!((bench.count("attempt_begin"), marks(&bench).as_str()), (2, "xx-    "), "{words}");
        assert!(got.err().contains("which shelf is meant?"), "{words}: {got:?}");
    }
}

#[test]
fn words_that_stop_are_heard_when_the_run_ended_right_after_the_worker() {
    let (bench, _) = saying("subtask-1", "words", "blocked: which shelf is meant?");
    // As a power cut leaves it: the worker's end is the last thing on record.
    let ledger = bench.text(".plantools/ledger.ndjson");
    let end = ledger.rfind("\"type\":\"attempt_end\"").unwrap();
    let end = end + ledger[end..].find('\n').unwrap() + 1;
    bench.write(".plantools/ledger.ndjson", &ledger[..end]);
    let got = bench.carry_out(&["shelf-7"]).run();
    got.exits(5);
    assert_eq!(bench.halts(), ["worker-run blocked"], "{got:?}");
    assert_eq!((bench.count("attempt_begin"), marks(&bench).as_str()), (2, "xx-    "));
}

#[test]
fn prose_that_only_mentions_such_a_word_stops_nothing() {
    for words in [
        "two scripts; nothing is blocked: both run",
        "Unexpected blanks are handled, and the design is kept",
        "blocked shelves are counted too",
        "3 issues fixed.\\nUNFIXABLE: none",
    ] {
        let (bench, got) = saying("subtask-1", "words", words);
        assert_eq!(bench.halts(), Vec::<String>::new(), "{words}: {got:?}");
        assert_eq!(marks(&bench), "xxxxxx-", "{words}");
    }
}

#[test]
fn a_worker_that_fails_once_is_tried_once_more_with_what_was_measured() {
    for (deed, halt) in [
        ("lie", "gate-run checks-failed"),
        ("error", "worker-run worker-error"),
        ("partial", "worker-run partial"),
        ("idle", "gate-run checks-failed"),
        ("spawn", "punch card-not-met"),
    ] {
        let (bench, halts) = with(&format!("subtask-1 1 {deed}"), &["shelf-7"], 5);
        assert_eq!(halts, [halt], "{deed}");
        assert_eq!(marks(&bench), "xxxxxx-", "{deed}");
        let run = bench.check("ls .plantools/work", 0).out();
        let prompt = bench.text(&format!(".plantools/work/{}/subtask-1/2/prompt.md", run.trim()));
        assert!(prompt.contains("## WHAT FAILED BEFORE"), "{deed}: {prompt}");
    }
}

#[test]
fn a_worker_that_fails_twice_is_for_a_person_and_then_goes_on() {
    let (bench, halts) = with("subtask-1 1 lie\nsubtask-1 2 lie", &["shelf-7"], 5);
    assert_eq!(halts, ["gate-run checks-failed", "gate-run checks-failed"]);
    assert_eq!(marks(&bench), "xx-    ", "it stays in progress, and nothing after it was begun");
    assert_eq!(bench.keys("escalation").last().map(String::as_str), Some("subtask-1 user"));
    assert!(!bench.keys("attempt_begin").contains(&"subtask-2 scripted".to_owned()));
    bench.carry_out(&["shelf-7"]).run().exits(5);
    assert_eq!(bench.count("attempt_end"), 3, "without a word of a person there is no third attempt");
    bench.sh("plan-parse -q .kilocode/todo/shelf-7.md | dag-next --retry=subtask-1").run().exits(0);
    bench.carry_out(&["shelf-7"]).run().exits(5);
    assert_eq!(marks(&bench), "xxxxxx-");
}

#[test]
fn what_cannot_be_tried_again_stops_at_once() {
    for (deed, halt) in [
        ("hopeless", "worker-run worker-error"),
        ("nothing", "worker-run malformed"),
        ("plan", "worker-run plan-touched"),
    ] {
        let (bench, halts) = with(&format!("subtask-1 * {deed}"), &["shelf-7"], 5);
        assert_eq!(halts.first().map(String::as_str), Some(halt), "{deed}");
        assert!(marks(&bench).starts_with("xx-"), "{deed}: {}", marks(&bench));
        assert!(!bench.keys("tick").contains(&"subtask-1 subtask-1".to_owned()), "{deed}");
    }
}

#[test]
fn a_worker_that_touches_what_it_must_not_is_refused() {
    let (bench, halts) = with("subtask-1 1 forbidden", &["shelf-7"], 5);
    assert_eq!(halts, ["worker-run must-not", "worker-run must-not"], "what it did is still there");
    assert_eq!(marks(&bench), "xx-    ");
    let (bench, halts) = with("subtask-1 1 commit", &["shelf-7"], 5);
    assert_eq!(halts, Vec::<String>::new(), "a commit is taken back, and no failed attempt");
    assert_eq!(marks(&bench), "xxxxxx-");
    assert_eq!(bench.subjects(), ["start"], "nothing is committed before the approval");
}

#[test]
fn a_worker_that_hangs_is_ended_and_tried_once_more() {
    let bench = example();
    bench.story("subtask-2 1 hang");
    bench.write(
        "plantools.toml",
        bench.text("plantools.toml").replace("timeout_seconds = 20", "timeout_seconds = 2"),
    );
    bench.commit_all("less time");
    bench.carry_out(&["shelf-7"]).run().exits(5);
    assert_eq!(bench.halts(), ["worker-run timeout"]);
    assert_eq!(marks(&bench), "xxxxxx-");
    pipeline_tests::until(|| bench.processes().is_empty());
}

#[test]
fn a_file_that_nobody_declared_is_named_and_a_markdown_answer_is_understood() {
    let (bench, halts) = with("subtask-1 1 stray\nsubtask-2 1 markdown", &["shelf-7"], 5);
    assert!(halts.is_empty(), "{halts:?}");
    assert_eq!(marks(&bench), "xxxxxx-");
    let run = bench.check("ls .plantools/work", 0).out();
    let result = bench.text(&format!(".plantools/work/{}/subtask-1/1/result.json", run.trim()));
    assert!(result.contains("\"undeclared_files\":[\"scratch.tmp\"]"), "{result}");
    let result = bench.text(&format!(".plantools/work/{}/subtask-2/1/result.json", run.trim()));
    assert!(result.contains("\"status\":\"SUCCESS\"") && result.contains("scripted-1"), "{result}");
}

#[test]
fn format_is_mended_by_its_fix_and_a_checker_is_never_silenced() {
    let (bench, halts) = with("subtask-1 1 untidy", &["shelf-7"], 5);
    assert!(halts.is_empty(), "{halts:?}");
    assert!(!bench.text("src/count.sh").contains('\t'));
    let (bench, halts) = with("subtask-1 * silence", &["shelf-7"], 5);
    assert_eq!(halts, ["gate-run checks-failed", "gate-run checks-failed"]);
    let failed = bench.keys("gate_fail");
    assert!(failed.iter().all(|key| key == "subtask-1 gate:no-new-suppressions"), "{failed:?}");
}

/// A gate that gives no verdict within its budget: it waits for a file that only time brings.
fn slow_gate(bench: &Bench) {
    bench.program(
        "tools/lint",
        "#!/bin/sh\n# Lint that is slow where a subtask was begun.\n[ ! -f src/count.sh ] || sleep 4\n",
    );
    bench.write(
        ".kilocode/fitter.toml",
        bench.text(".kilocode/fitter.toml").replace("stall_seconds = 10", "stall_seconds = 2"),
    );
    bench.commit_all("a slow gate");
}

#[test]
fn a_line_fault_goes_to_the_fitter_and_the_subtask_is_dispatched_once_more() {
    let bench = example();
    slow_gate(&bench);
    bench.story("fitter * fit");
    bench.carry_out(&["shelf-7"]).run().exits(5);
    assert_eq!(bench.halts(), ["gate-run checks-fault"]);
    assert_eq!(bench.keys("restoration"), ["gate:lint"]);
    assert_eq!(bench.keys("child_spawn"), ["subtask-1 scripted"]);
    assert_eq!(marks(&bench), "xxxxxx-", "the fitted budget holds for the rest of the run");
    let run = bench.check("ls .plantools/work", 0).out();
    let prompt = bench.check(&format!("cat .plantools/work/{}/subtask-1/2/prompt.md", run.trim()), 0).out();
    assert!(prompt.contains("## WHAT FAILED BEFORE"), "{prompt}");
}

#[test]
fn a_line_that_the_fitter_cannot_restore_stops_the_run() {
    let bench = example();
    slow_gate(&bench);
    bench.story("fitter * idle");
    let got = bench.carry_out(&["shelf-7"]).run();
    got.exits(5);
    assert!(got.err().contains("the line is not restored"), "{got:?}");
    assert_eq!(marks(&bench), "xx-    ");
    assert!(bench.keys("restoration").is_empty());
}

#[test]
fn a_test_child_that_leaves_a_failing_suite_is_not_ticked() {
    let (bench, halts) = with("subtask-3 * broken", &["shelf-7"], 5);
    assert_eq!(halts, ["gate-run checks-failed"; 2]);
    assert_eq!(marks(&bench), "xxxx-  ");
    let run = bench.check("ls .plantools/work", 0).out();
    let prompt = bench.text(&format!(".plantools/work/{}/subtask-3/1/prompt.md", run.trim()));
    assert!(prompt.contains("sh tests/run.sh"), "its prompt names the command: {prompt}");
}

#[test]
fn children_are_on_record_with_their_modes() {
    let bench = example();
    bench.carry_out(&["shelf-7"]).run().exits(5);
    let modes: Vec<String> = bench
        .records()
        .into_iter()
        .filter(|r| r["type"] == "attempt_begin")
        .map(|r| r["data"]["mode"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(modes, ["architect", "code", "code", "code", "code"]);
    // The source's own card asks for a child in the mode code.
    let card = |pattern: &str| {
        let text = format!(
            "[cards.mine]\ndescription = \"x\"\nagent = \"main\"\nrequired = [\"child_spawn:{pattern}\"]\n"
        );
        bench.write("../home/card.toml", text);
        let line = format!(
            "punch evaluate complete mine --config ../home/card.toml --pre-exit --plan {TODO} --text .plantools/ledger.ndjson#{TODO}"
        );
        bench.sh(&line).run().status
    };
    assert_eq!((card("code"), card("architect"), card("gardener")), (0, 0, 1));
}

#[test]
fn an_edit_between_two_children_is_found_and_may_be_accepted() {
    let bench = example();
    bench.carry_out(&["--budget-attempts", "2", "shelf-7"]).run().exits(5);
    assert_eq!(marks(&bench), "xxx    ");
    bench.write("books.txt", bench.text("books.txt") + "2001 Mine\n");
    let got = bench.carry_out(&["shelf-7"]).run();
    got.exits(5);
    assert_eq!(bench.halts(), ["handoff pin-changed"], "{got:?}");
    assert!(
        got.out().contains("between two children") || got.err().contains("between two children"),
        "{got:?}"
    );
    bench.git(&["checkout", "-q", "books.txt"]);
    bench.write("README.md", "Mine too.\n");
    let got = bench.carry_out(&["--accept-change", "I wrote the README", "shelf-7"]).run();
    got.exits(5);
    assert!(got.err().contains("waits for approval"), "what was accepted does not fail the card: {got:?}");
    assert_eq!(marks(&bench), "xxxxxx-");
}

#[test]
fn the_report_says_how_the_line_was_and_what_comes_next() {
    let bench = example();
    slow_gate(&bench);
    bench.story("fitter * fit");
    bench.carry_out(&["shelf-7"]).run().exits(5);
    let report = bench.check(&format!("run-report --final --format md {TODO}"), 0).out();
    assert!(report.contains("## Line Health\n- GREEN: subtask-1, attempt 1: line fault"), "{report}");
    assert!(report.contains("restored by the Fitter"), "{report}");
    let bench = example();
    bench.story("subtask-1 * hopeless");
    bench.carry_out(&["shelf-7"]).run().exits(5);
    let report = bench.check(&format!("run-report --final --format md {TODO}"), 0).out();
    assert!(report.starts_with("# Task Execution Stopped: shelf-7\n"), "{report}");
    assert!(report.contains("- ✗ Subtask 1: Count the books ("), "{report}");
    assert!(report.contains("1. Mend what stopped subtask-1: ") && !report.contains("bd close"), "{report}");
    // The bead has its own id.
    let bench = example();
    let packet = ".kilocode/handoff/shelf-7.json";
    bench.write(packet, bench.text(packet).replace("\"bead_id\": \"shelf-7\"", "\"bead_id\": \"bd-42\""));
    bench.commit_all("a bead");
    bench.carry_out(&["shelf-7"]).run().exits(5);
    let report = bench.check(&format!("run-report --final --format md {TODO}"), 0).out();
    assert!(report.contains("`bd close bd-42`"), "{report}");
}

#[test]
fn an_orchestrator_that_edits_between_its_children_fails_its_card() {
    let bench = example();
    // The exit gate sees it in the ledger: the tree is another one when the next child starts.
    bench.program("tools/lint", "#!/bin/sh\n# Lint.\nexit 0\n");
    bench.commit_all("a gate");
    bench.story("subtask-1 1 honest");
    bench.carry_out(&["shelf-7"]).env("PLANTOOLS_RUN", "r1").args(["--max-attempts", "2"]).run().exits(5);
    let line = format!(
        "sed 's/\"tree\":\"t1:[0-9a-f]*\"/\"tree\":\"t1:moved\"/' <(grep '\"type\":\"attempt_begin\"' .plantools/ledger.ndjson | tail -n 1) > ../home/moved; \
         cat .plantools/ledger.ndjson ../home/moved > ../home/ledger.ndjson; \
         punch evaluate complete process-orchestrate --pre-exit --plan {TODO} --text ../home/ledger.ndjson#{TODO}"
    );
    let got = bench.sh(&line).run();
    got.exits(1);
    assert!(got.out().contains("kind:edit"), "{}", got.out());
}
