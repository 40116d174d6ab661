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
    let last = "done but for the approval: a person reads the report and approves it";
    assert!(got.out().lines().any(|line| line == last) && !got.out().contains("stuck: "), "{got:?}");
    assert!(!got.err().contains("complete: for a person"), "{got:?}");
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
    // One child for each line, one after the other, each compared with the card where it is code.
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
    assert_eq!(bench.text("../calls"), "bd update shelf-7 --status done\nbd close shelf-7\nbd sync\n");
    assert_eq!(bench.git(&["status", "--porcelain"]), "");
    assert_eq!(bench.bytes(".kilocode/handoff/shelf-7.json"), packet, "the packet is never edited");
    bench.check("punch verify", 0);
    let again = bench.carry_out(&["shelf-7"]).run();
    again.exits(0);
    assert_eq!((bench.subjects().len(), bench.text("../calls").lines().count()), (2, 3));
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
    assert_eq!((bench.count("attempt_begin"), marks(&bench).as_str()), (0, "x-     "));
    // One that does not hold says so, and what to do.
    for edit in ["s/Conclusion/Synthesis/", "1s/.*/{/; 2,$d", "s/interpretation/thought/g"] {
        let bench = example();
        bench.check(&format!("sed -i '{edit}' {THINKING}/task-shelf-7-prep-*.json"), 0);
        bench.commit_all("another preparation");
        let got = bench.carry_out(&["shelf-7"]).run();
        assert!(got.exits(5).out().contains(": run start-task first"), "{edit}: {got:?}");
        assert_eq!(bench.count("attempt_begin"), 0, "{edit}");
    }
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
        ("fields", "\"verdict\": \"FAIL\""),
        ("fields", "\"issues\": [\"Session validity: FAIL\"]"),
        // Without a word of it the preparation is not confirmed.
        ("words", "Loaded the session and read it."),
        ("fields", "\"outputs\": {\"validity\": \"FAIL\"}"),
    ] {
        let (bench, got) = saying("pre-execution-gate", deed, words);
        got.exits(5);
        assert_eq!(bench.halts(), ["worker-run session-invalid"], "{words}");
        assert_eq!(marks(&bench), "x-     ", "{words}: the gate is not ticked, and nothing after it begins");
        assert_eq!(bench.count("attempt_begin"), 1, "{words}");
        assert!(got.out().contains("run start-task"), "{words}: {got:?}");
        // The next run does not ask for a second opinion; a person lets it go on.
        bench.carry_out(&["shelf-7"]).run().exits(5);
        assert_eq!((bench.count("attempt_begin"), marks(&bench).as_str()), (1, "x-     "), "{words}");
    }
    let (bench, got) = saying("pre-execution-gate", "words", "Session validity: FAIL");
    assert!(got.out().contains("Session validity: FAIL"), "the worker's own words are printed: {got:?}");
    bench.carry_out(&["--max-attempts", "2", "shelf-7"]).run().exits(5);
    assert_eq!(marks(&bench), "xxxxxx-");
}

#[test]
fn a_preparation_that_holds_is_not_taken_for_one_that_fails() {
    for (deed, words) in [
        ("words", "Session validity: PASS. The build may fail on old machines; nothing is blocked."),
        ("fields", "\"validity\": \"PASS\""),
        ("fields", "\"verdict\": \"PASS\""),
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
        assert!(got.out().contains(file), "{deed}: the change is named: {got:?}");
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
        assert!(got.out().contains("which shelf is meant?"), "{words}: {got:?}");
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
    let got = bench.carry_out(&["shelf-7"]).run();
    got.exits(5);
    assert!(got.out().contains("\"schema\":\"restoration/1\""), "{got:?}");
    for said in [got.out(), bench.text(".plantools/ledger.ndjson")] {
        assert!(said.contains("\"bead_id\":\"shelf-7\""), "{said}");
        assert!(!said.contains("\"bead_id\":\"adhoc\""), "each result is filed under the bead: {said}");
    }
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

const PACKET: &str = ".kilocode/handoff/shelf-7.json";

/// Makes another preparation of the task: a session of a later day, and the packet with these words in place of others.
fn prepare_anew(bench: &Bench, from: &str, to: &str) {
    let line = format!(
        "export PLANTOOLS_NOW=2026-02-01T12:00:00Z; session-export import {THINKING}/task-shelf-7-prep-2026-01-31.json && \
         session-export think --stage conclusion --tag decision 'as before, weighed again' && \
         session-export export --task shelf-7 --as prep"
    );
    bench.check(&line, 0);
    let packet = bench.text(PACKET).replace("prep-2026-01-31", "prep-2026-02-01");
    let packet = if from.is_empty() { packet } else { packet.replace(from, to) };
    bench.write(PACKET, packet);
}

#[test]
fn a_packet_that_is_not_complete_is_refused_with_its_fields() {
    let bench = example();
    let packet = bench.text(PACKET);
    bench.write(
        PACKET,
        packet.replace("\"runtime_attestations\"", "\"x\"").replace("\"status\": \"pending\",", ""),
    );
    let got = bench.carry_out(&["shelf-7"]).run();
    got.exits(65);
    for part in ["subtasks", "'status' is missing", "runtime_attestations", "run start-task"] {
        assert!(got.err().contains(part), "{part}: {got:?}");
    }
    assert!(!got.err().contains("task_id "), "fields that are there are not named: {got:?}");
    assert!(!bench.path(TODO).exists());
    // A session is no packet; the message says how to make one.
    let got = bench.carry_out(&[&format!("{THINKING}/task-shelf-7-prep-2026-01-31.json")]).run();
    assert!(got.status == 65 || got.status == 66, "{got:?}");
    assert!(!got.err().trim().is_empty(), "{got:?}");
    let session = bench
        .check(&format!("session-export packet --check {THINKING}/task-shelf-7-prep-2026-01-31.json"), 65);
    assert!(
        session.err().contains("session-export packet SESSION > .kilocode/handoff/TASK.json"),
        "{session:?}"
    );
    bench.check(&format!("rm {PACKET}"), 0);
    let got = bench.carry_out(&["shelf-7"]).run();
    got.exits(66);
    assert!(got.err().contains("session-export packet .kilocode/thinking/task-shelf-7-prep-"), "{got:?}");
}

#[test]
fn a_list_or_a_summary_without_a_preparation_halts_before_any_worker() {
    let summary = "# Preparation Summary: shelf-8\n\n### Implementation Subtasks\n\n1. **Count**\n   - Files: `src/count.sh`\n\
                   \u{20}  - Success: `sh src/count.sh` prints `3`\n2. **Sort**\n   - Files: `src/by_year.sh`\n";
    for (path, text) in [
        (
            ".kilocode/todo/shelf-8.md",
            "1. Count the books — status: pending\n2. Sort them — status: pending\n",
        ),
        ("prep.md", summary),
    ] {
        let bench = example();
        bench.write(path, text);
        bench.commit_all("a list");
        let got = bench.carry_out(&[path]).run();
        got.exits(66);
        assert!(got.err().contains("run start-task first"), "{path}: {got:?}");
        assert!(got.err().contains("--profile checklist"), "{path}: {got:?}");
        assert_eq!((bench.count("attempt_begin"), bench.text(path).as_str()), (0, text), "{path}");
    }
    // With a packet, the list of the run is written from it.
    let bench = example();
    bench.write(TODO, "1. Count the books — status: pending\n2. Sort them — status: pending\n");
    let got = bench.carry_out(&[TODO]).run();
    got.exits(66);
    bench.check(&format!("rm {TODO}"), 0);
    bench.carry_out(&["shelf-7"]).run().exits(5);
    assert_eq!(marks(&bench), "xxxxxx-");
}

#[test]
fn a_new_preparation_gives_the_gate_another_attempt_and_renews_the_list() {
    let refused = || {
        let (bench, got) = saying("pre-execution-gate", "words", "Session validity: FAIL");
        got.exits(5);
        bench.story("");
        bench
    };
    // The session alone is new.
    let bench = refused();
    prepare_anew(&bench, "", "");
    let got = bench.carry_out(&["shelf-7"]).env("PLANTOOLS_NOW", "2026-02-02T12:00:00Z").run();
    got.exits(5);
    assert_eq!(marks(&bench), "xxxxxx-", "{got:?}");
    let gate = bench.keys("attempt_begin").into_iter().filter(|key| key.starts_with("pre-execution-gate"));
    assert_eq!(gate.count(), 2);
    // The packet has other subtasks.
    let bench = refused();
    prepare_anew(&bench, "List the books by year", "List all books by year");
    let got = bench.carry_out(&["shelf-7"]).env("PLANTOOLS_NOW", "2026-02-02T12:00:00Z").run();
    got.exits(5);
    assert!(got.err().contains("waits for approval"), "{got:?}");
    assert_eq!(marks(&bench), "xxxxxx-");
    assert!(bench.text(TODO).contains("Subtask 2: List all books by year"), "{}", bench.text(TODO));
    // A list that is begun is not carried out against another packet.
    let bench = example();
    bench.carry_out(&["--budget-attempts", "2", "shelf-7"]).run().exits(5);
    let list = bench.text(TODO);
    prepare_anew(&bench, "List the books by year", "List all books by year");
    for named in ["shelf-7", TODO] {
        let got = bench.carry_out(&[named]).run();
        got.exits(65);
        assert!(got.err().contains("'Subtask 2: List all books by year'"), "{named}: {got:?}");
        assert!(got.err().contains("remove the list"), "{named}: {got:?}");
        assert_eq!((bench.text(TODO), bench.count("attempt_begin")), (list.clone(), 2), "{named}");
    }
}

#[test]
fn what_is_approved_is_the_report_that_was_presented() {
    // Nothing was presented yet.
    let bench = example();
    let got = bench.carry_out(&["--approve", "shelf-7"]).run();
    got.exits(5);
    assert!(got.err().contains("no report was presented yet"), "{got:?}");
    assert!(got.out().contains("# Task Execution Complete: shelf-7 waits for approval"), "{}", got.out());
    assert_eq!(bench.subjects(), ["start"]);
    bench.check(&format!("checkbox criterion plan:2 --reason 'I read them' {TODO}"), 0);
    // An edit after the report is presented first, and committed then.
    bench.write("src/count.sh", bench.text("src/count.sh") + "# Mine.\n");
    let got = bench.carry_out(&["--approve", "shelf-7"]).run();
    got.exits(5);
    assert!(got.err().contains("files have changed since the report was presented"), "{got:?}");
    assert_eq!(bench.subjects(), ["start"]);
    bench.carry_out(&["--approve", "shelf-7"]).run().exits(0);
    assert!(bench.git(&["show", "HEAD:src/count.sh"]).contains("# Mine."), "{got:?}");
    assert_eq!(bench.git(&["status", "--porcelain"]), "");
}

#[test]
fn an_own_edit_that_was_accepted_is_in_the_approved_commit() {
    let bench = example();
    bench.story("subtask-2 1 error\nsubtask-2 2 error");
    bench.carry_out(&["shelf-7"]).run().exits(5);
    bench.write("src/count.sh", bench.text("src/count.sh") + "# Mine.\n");
    bench.carry_out(&["--accept-change", "I mended it", "shelf-7"]).run().exits(5);
    assert_eq!(marks(&bench), "xxxxxx-");
    bench.check(&format!("checkbox criterion plan:2 --reason 'I read them' {TODO}"), 0);
    bench.carry_out(&["--approve", "shelf-7"]).run().exits(0);
    assert!(bench.git(&["show", "HEAD:src/count.sh"]).contains("# Mine."));
    assert_eq!(bench.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_line_that_the_fitter_calls_red_is_reported_so() {
    let bench = example();
    slow_gate(&bench);
    bench.check("sed -i 's/\"outcome\":\"GREEN\"/\"outcome\":\"RED\"/' ../bin/scripted-worker", 0);
    bench.story("fitter * fit");
    let got = bench.carry_out(&["shelf-7"]).run();
    got.exits(5);
    let health = got.out();
    assert!(
        health.contains("## Line Health\n- RED: subtask-1, attempt 1: line fault of gate 'lint'"),
        "{health}"
    );
    assert!(!health.contains("YELLOW"), "{health}");
}

#[test]
fn a_worker_that_says_it_cannot_be_done_is_not_asked_again_by_an_unchanged_run() {
    let (bench, _) = with("subtask-1 * hopeless", &["shelf-7"], 5);
    for _ in 0..2 {
        bench.carry_out(&["shelf-7"]).run().exits(5);
        assert_eq!((bench.count("attempt_begin"), marks(&bench).as_str()), (2, "xx-    "));
    }
    bench.story("");
    bench.carry_out(&["--retry=subtask-1", "shelf-7"]).run().exits(5);
    assert_eq!(marks(&bench), "xxxxxx-");
}

#[test]
fn constraints_of_the_whole_task_hold_for_each_subtask() {
    let bench = example();
    let packet = bench
        .text(PACKET)
        .replace("\"risks\":", "\"constraints\": [\"Do not edit `README.md`\"], \"risks\":");
    bench.write(PACKET, packet);
    bench.commit_all("a constraint");
    bench.story("subtask-3 * edit");
    let got = bench.carry_out(&["shelf-7"]).env("PLANTOOLS_RUN", "r1").run();
    got.exits(5);
    for id in ["subtask-1", "subtask-2", "subtask-3"] {
        let prompt = bench.text(&format!(".plantools/work/r1/{id}/1/prompt.md"));
        assert!(prompt.contains("Do not edit `README.md`"), "{id}: {prompt}");
    }
    assert_eq!(bench.halts().first().map(String::as_str), Some("worker-run must-not"), "{got:?}");
}

#[test]
fn a_failed_gate_comes_back_with_the_table_of_clean_fixes() {
    let bench = example();
    bench.program("tools/lint", "#!/bin/sh\n# Lint.\n! grep -q 42 src/count.sh 2> /dev/null\n");
    bench.commit_all("a gate");
    bench.story("subtask-1 1 lie");
    bench.carry_out(&["shelf-7"]).env("PLANTOOLS_RUN", "r1").run().exits(5);
    let prompt = |attempt: u32| bench.text(&format!(".plantools/work/r1/subtask-1/{attempt}/prompt.md"));
    assert!(!prompt(1).contains("## CLEAN FIXES"), "{}", prompt(1));
    assert!(prompt(2).contains("## CLEAN FIXES") && prompt(2).contains("TC003"), "{}", prompt(2));
}

#[test]
fn a_subtask_that_the_packet_calls_complete_is_ticked_on_evidence_alone() {
    let bench = example();
    bench
        .write(PACKET, bench.text(PACKET).replacen("\"status\": \"pending\"", "\"status\": \"complete\"", 1));
    bench.commit_all("a claim");
    bench.carry_out(&["--budget-attempts", "1", "shelf-7"]).run().exits(5);
    assert_eq!(marks(&bench), "xx     ");
    bench.carry_out(&["shelf-7"]).run().exits(5);
    assert_eq!(marks(&bench), "xxxxxx-");
    bench.check(&format!("session-export chain {THINKING} shelf-7"), 0);
}

#[test]
fn asking_for_one_line_does_not_pass_by_the_lines_before_it() {
    let (bench, _) = saying("pre-execution-gate", "words", "Session validity: FAIL");
    for line in ["subtask-1", "subtask-4"] {
        bench.carry_out(&["--only", line, "shelf-7"]).run().exits(5);
        assert_eq!((bench.count("attempt_begin"), marks(&bench).as_str()), (1, "x-     "), "{line}");
    }
    let bench = example();
    let got = bench.carry_out(&["--only", "subtask-4", "shelf-7"]).run();
    got.exits(5);
    let why = "'pre-execution-gate' comes before 'subtask-4', which was asked for";
    assert!(got.out().contains(why) || got.err().contains(why), "{got:?}");
    assert_eq!((bench.count("attempt_begin"), marks(&bench).as_str()), (0, "x      "));
    // In its turn it is carried out, alone.
    bench.carry_out(&["--only", "pre-execution-gate", "shelf-7"]).run();
    assert_eq!((bench.count("attempt_begin"), marks(&bench).as_str()), (1, "xx     "));
}

#[test]
fn a_link_that_is_gone_starts_no_worker_until_its_work_is_exported_again() {
    let (bench, _) = with("subtask-2 1 hopeless", &["shelf-7"], 5);
    bench.story("");
    bench.check(&format!("rm {THINKING}/execution-shelf-7-subtask-1-*.json"), 0);
    for args in [&["--retry", "shelf-7"][..], &["--accept-change", "it is gone", "shelf-7"]] {
        let got = bench.carry_out(args).run();
        assert!(got.exits(5).out().contains("the link of 'subtask-1' is gone"), "{got:?}");
        assert_eq!((bench.count("attempt_begin"), marks(&bench).as_str()), (3, "xxx-   "));
    }
    bench.check(&format!("checkbox state subtask-1=in_progress --reason 'its link is gone' {TODO}"), 0);
    bench.carry_out(&["--retry", "shelf-7"]).run().exits(5);
    assert_eq!(marks(&bench), "xxxxxx-");
    let chain = bench.check(&format!("session-export chain {THINKING} shelf-7"), 0).json();
    assert_eq!(chain["links"].as_array().map(Vec::len), Some(4), "{chain}");
}

/// The example with these success criteria of the whole task.
fn with_criteria(criteria: &str) -> Bench {
    let bench = example();
    let text = bench.text(PACKET);
    let parts = text.split_once("\"success_criteria\": [");
    let Some((before, (_, after))) = parts.and_then(|(before, rest)| Some((before, rest.split_once(']')?)))
    else {
        panic!("the packet has no criteria: {text}")
    };
    bench.write(PACKET, format!("{before}\"success_criteria\": [{criteria}]{after}"));
    bench.commit_all("other criteria");
    bench
}

#[test]
fn a_criterion_that_is_not_understood_is_named_and_a_person_settles_it() {
    let criteria = "\"`sh src/count.sh` prints something nice\"";
    let bench = with_criteria(criteria);
    let got = bench.carry_out(&["shelf-7"]).run();
    got.exits(3);
    assert!(got.out().contains("# Task Execution Stopped: shelf-7\n"), "{got:?}");
    assert!(got.out().contains(&format!("`checkbox criterion plan:1 {TODO} --reason WHY`")), "{got:?}");
    bench.check(&format!("checkbox criterion plan:1 --reason 'it does' {TODO}"), 0);
    let got = bench.carry_out(&["shelf-7"]).run();
    assert!(got.exits(5).err().contains("waits for approval"), "{got:?}");
    bench.carry_out(&["--approve", "shelf-7"]).run().exits(0);
    // A person's word for the whole run, and one who puts it off.
    let bench = with_criteria(criteria);
    let got = bench.carry_out(&["--unclear-note", "I look at it", "shelf-7"]).run();
    assert!(got.exits(5).err().contains("waits for approval"), "{got:?}");
    bench.check(&format!("checkbox goals {TODO}"), 0);
    let bench = with_criteria("\"The scripts read well\"");
    bench.carry_out(&["shelf-7"]).run().exits(5);
    bench.check(&format!("checkbox criterion plan:1 --defer --reason 'next week' {TODO}"), 0);
    let got = bench.carry_out(&["--approve", "shelf-7"]).run();
    let line = "- [-] The scripts read well (deferred: next week)";
    assert!(got.exits(0).out().lines().any(|l| l == line), "{got:?}");
}

#[test]
fn a_check_of_the_whole_task_that_fails_is_named_in_the_report() {
    let bench = with_criteria("\"`test -f src/third.sh` exits 0\"");
    let got = bench.carry_out(&["shelf-7"]).run();
    got.exits(1);
    assert!(got.out().contains("# Task Execution Stopped: shelf-7\n"), "{got:?}");
    let open = "- the check 'plan:1' of the whole plan did not pass: ";
    assert!(got.out().lines().any(|line| line.starts_with(open)), "{got:?}");
    assert!(!got.out().contains("`bd close"), "{got:?}");
}

#[test]
fn what_is_missing_is_red_and_a_fitter_that_gives_up_may_have_changed_nothing() {
    let bench = example();
    bench.program("tools/lint", "#!/bin/sh\n# Lint.\n[ ! -f src/count.sh ] || exec no-such-program\n");
    bench.commit_all("a gate without its program");
    bench.story("fitter * fit");
    let got = bench.carry_out(&["shelf-7"]).run();
    got.exits(5);
    assert!(got.out().contains("## Line Health\n- RED: subtask-1, attempt 1: line fault"), "{got:?}");
    let bench = example();
    slow_gate(&bench);
    let edit = "s/\"GREEN\"/\"RED\"/; s/\\[\"more time for the first run\"\\]/[]/";
    bench.check(&format!("sed -i '{edit}' ../bin/scripted-worker"), 0);
    bench.story("fitter * fit");
    let got = bench.carry_out(&["shelf-7"]).run();
    got.exits(5);
    assert!(got.out().contains("the Fitter says that it cannot be fitted safely"), "{got:?}");
    assert!(got.out().contains("- ✗ Subtask 1: Count the books (failed"), "{got:?}");
    assert!(!got.out().contains("YELLOW"), "{got:?}");
}

#[test]
fn an_agent_without_a_row_is_named_and_nobody_plays_the_fitter() {
    let without = |rows: &[&str]| {
        let bench = example();
        let text = bench.text("plantools.toml").replace("[defaults]\nworker = \"scripted\"\n", "");
        let keeps = |line: &&str| !rows.iter().any(|row| line.starts_with(&format!("{row} = ")));
        bench.write("plantools.toml", text.lines().filter(keeps).collect::<Vec<_>>().join("\n") + "\n");
        bench.commit_all("fewer rows");
        let got = bench.carry_out(&["shelf-7"]).run();
        (bench, got)
    };
    for row in ["architect", "code", "fitter"] {
        let (bench, got) = without(&[row]);
        got.exits(78);
        assert!(got.err().contains(&format!("[agents]\n{row} = \"WORKER\"")), "{row}: {got:?}");
        assert_eq!(bench.count("attempt_begin"), 0, "{row}");
    }
    let (bench, got) = without(&[]);
    got.exits(5);
    assert_eq!(marks(&bench), "xxxxxx-");
}

#[test]
fn the_summary_in_the_preparation_makes_the_packet_that_is_carried_out() {
    let bench = example();
    let session = bench.check(&format!("ls {THINKING}/task-shelf-7-prep-*.json"), 0).out();
    let summary = "### Chosen Approach\\nTwo scripts\\n\\n### Rationale\\nNo database\\n\\n### Success Criteria\\n- `sh src/count.sh` → 3\\n\\n\
                   ### Implementation Subtasks\\n1. Count the books\\n   - Files: `src/count.sh`\\n   - Success: `sh src/count.sh` → 3\\n\
                   2. List the books by year\\n   - Files: `src/by_year.sh`\\n";
    let mut text: serde_json::Value = serde_json::from_str(&bench.text(session.trim())).unwrap();
    let last = text["thoughts"].as_array_mut().and_then(|all| all.last_mut()).unwrap();
    last["thought"] = summary.replace("\\n", "\n").into();
    last["tags"] = serde_json::json!(["decision", "subtask-plan"]);
    // It was written by another program, which seals nothing.
    text.as_object_mut().and_then(|session| session.remove("chain"));
    bench.write(session.trim(), text.to_string());
    bench.check(&format!("session-export packet {} > {PACKET}", session.trim()), 0);
    bench.commit_all("the packet of the session");
    let got = bench.carry_out(&["shelf-7"]).env("PLANTOOLS_RUN", "r1").run();
    got.exits(5);
    assert_eq!(marks(&bench), "xxxxxx-", "{got:?}");
    let packet: serde_json::Value =
        serde_json::from_str(&bench.text(".plantools/work/r1/subtask-1/1/packet.json")).unwrap_or_default();
    assert_eq!(packet["files"][0]["path"], "src/count.sh", "{packet}");
    assert!(packet["success_criteria"][0].as_str().is_some_and(|text| text.contains("count.sh")), "{packet}");
}

#[test]
fn missing_reasoning_is_said() {
    let (bench, halts) = with("subtask-1 1 stray", &["shelf-7"], 5);
    assert!(halts.is_empty(), "{halts:?}");
    let bench_of = |story: &str| {
        let bench = example();
        bench.story(story);
        bench.carry_out(&["shelf-7"]).run()
    };
    drop(bench);
    let got = bench_of("subtask-1 1 stray");
    assert!(got.err().contains("session-export: task subtask-1: no Analysis of the worker's own"), "{got:?}");
    let got = bench_of("");
    assert!(!got.err().contains("no Analysis"), "one file asks for none: {got:?}");
}

#[test]
fn a_bead_that_is_not_closed_is_open_until_it_is() {
    let bench = example();
    bench.carry_out(&["shelf-7"]).run().exits(5);
    bench.check(&format!("checkbox criterion plan:2 --reason 'I read them' {TODO}"), 0);
    bench.program("../bin/bd", "#!/bin/sh\necho 'database locked' >&2\nexit 1\n");
    let got = bench.carry_out(&["--approve", "shelf-7"]).run();
    got.exits(1);
    assert!(!got.err().contains("it is closed"), "{got:?}");
    let open = "bead 'shelf-7' is not closed; run this again once bd works";
    assert!(got.out().lines().any(|line| line.contains(open)), "{got:?}");
    assert!(!got.out().contains("Nothing is left"), "{got:?}");
    bench.check("rm ../bin/bd", 0);
    let got = bench.carry_out(&["--approve", "shelf-7"]).run();
    assert!(got.exits(1).out().contains(open), "bd is not there: {got:?}");
    bench.program("../bin/bd", "#!/bin/sh\necho \"bd $*\" >> ../calls\n");
    let got = bench.carry_out(&["--approve", "shelf-7"]).run();
    assert!(got.exits(0).out().contains("Nothing is left"), "{got:?}");
    assert_eq!(bench.text("../calls"), "bd update shelf-7 --status done\nbd close shelf-7\nbd sync\n");
    assert_eq!(bench.subjects().len(), 2, "one commit in all");
}
