//! Every tick says which evidence it stands on, and no word in any output says more than that.

use pipeline_tests::{Bench, Got, SUCCESS, bench};
use serde_json::Value;

const PLAN: &str = "# Todo\n\n- [ ] Tidy the room\n  - Verify: `grep -q tidy room.txt`\n";
const BARE: &str = "# Todo\n\n- [ ] Tidy the room\n";
const GATE: &str = "[[gates]]\nid = \"test\"\ninvocation = \"true\"\nwhen = [\"task\"]\n";

#[test]
fn an_honest_worker_with_a_check_of_its_own_is_proved_and_the_report_shows_before_and_after() {
    let bench = bench_with(PLAN, "", "echo tidy > room.txt");
    let got = carry(&bench);
    got.exits(0);
    assert!(got.out().contains("✓ 1 Tidy the room: proved, 1 check passed, ticked"), "{got:?}");
    assert!(got.out().contains("evidence: 1 proved\n"), "{got:?}");
    let report = bench.sh("run-report --final TODO.md").run().out();
    let made = "1:1 `grep -q tidy room.txt`: before grep could not look: exit 2 \
                (grep: room.txt: No such file or directory), after exit 0";
    assert!(report.contains("EVIDENCE: 1 proved\n") && report.contains(made), "{report}");
    let tick = record(&bench, "tick");
    assert_eq!(tick["data"]["tick"]["level"], "proved", "{tick}");
    assert_eq!(tick["data"]["evidence"]["made_true"], Value::from(vec!["1:1"]), "{tick}");
    let report = bench.sh("run-report --final --format json TODO.md").run().json();
    assert_eq!(
        (&report["tasks"][0]["level"], &report["numbers"]["levels"]["proved"]),
        (&"proved".into(), &1.into())
    );
    let status = bench.sh("plan-parse -q TODO.md | dag-next --status").run().json();
    assert_eq!(status["levels"]["proved"], 1, "{status}");
}

#[test]
fn a_commit_says_the_level_of_its_task() {
    let bench = bench!(small, &format!("echo done > made.txt; {SUCCESS}"));
    bench.command("orchestrate").args(["PLAN.md", "--", "../home/w.sh"]).within(60).run().exits(0);
    let said = bench.git(&["log", "--grep", "feat: make it", "--format=%(trailers:key=Evidence)"]);
    assert_eq!(said.trim(), "Evidence: proved");
}

#[test]
fn the_story_of_a_box_has_its_checks_attempts_trees_and_commit() {
    let bench = bench_with(PLAN, "", "test -e room.txt && echo tidy > room.txt || echo dirty > room.txt");
    carry(&bench).exits(0);
    let got = bench.sh("run-report --why 1 TODO.md").run();
    got.exits(0);
    for words in [
        "1 Tidy the room: completed, proved\n",
        "  1:1 `grep -q tidy room.txt`\n    before: fail, grep could not look: exit 2, tree t1:",
        "      | grep: room.txt: No such file or directory\n",
        "    after: pass, exit 0, tree t1:",
        "Attempts: 2\n  1: worker w, run ",
        ", refused, began ",
        ", ticked, began ",
        "     tree before t1:",
        "     changed room.txt\n",
        "\nCommit: ",
    ] {
        assert!(got.out().contains(words), "{words}: {got:?}");
    }
    assert_eq!(bench.sh("run-report --why 7 TODO.md").run().status, 65);
}

#[test]
fn gates_alone_wait_with_the_ways_out_until_the_level_is_accepted() {
    let bench = bench_with(BARE, GATE, "echo tidy > room.txt");
    let got = carry(&bench);
    got.exits(5);
    for words in
        ["gates only: task 1 has no check of its own", "accept = \"gates\"", "--accept gates --reason WHY"]
    {
        assert!(got.out().contains(words), "{words}: {got:?}");
    }
    assert!(got.out().contains("evidence: waiting: 1 gates only\n"), "{got:?}");
    // Each of the four ways out, in the refusal and at the end.
    for words in [
        "add \"Verify: `command`\" that fails until the work is done",
        "take a suggestion (plan-parse --suggest TODO.md)",
        "ask for proposals (orchestrate checks TODO.md)",
        "next: add a check below the task, or find one: orchestrate checks TODO.md\n  \
         or: accept it: orchestrate --accept gates --reason WHY TODO.md\n",
    ] {
        assert!(got.out().contains(words), "{words}: {got:?}");
    }
    // What waits was begun.
    let report = bench.sh("run-report --final TODO.md").run().out();
    assert!(report.contains("Waiting for acceptance:    1") && !report.contains("Not begun"), "{report}");
    assert!(report.contains("☞ 1 Tidy the room (waiting, gates only, 1 attempt"), "{report}");
    // The work is not done again: it is checked, and waits.
    carry(&bench).exits(5);
    assert_eq!((bench.count("attempt_begin"), bench.count("tick")), (1, 0));
    // For one run, with a reason on record.
    let pipe = "plan-parse -q TODO.md | dag-next | handoff | worker-run | gate-run \
                | checkbox --accept gates --reason 'I looked' | run-report";
    let got = bench.sh(pipe).run();
    assert!(got.out().contains("accepted"), "{got:?}");
    let (tick, word) = (record(&bench, "tick"), record(&bench, "override"));
    assert_eq!(tick["data"]["tick"]["level"], "accepted", "{tick}");
    assert_eq!((&word["key"], &word["data"]["reason"]), (&"accept".into(), &"I looked".into()), "{word}");
    let report = bench.sh("run-report --final TODO.md").run().out();
    assert!(report.contains("EVIDENCE: 1 accepted\n") && report.contains("because: I looked"), "{report}");
    // It is counted once.
    let end = bench.sh("run-report --end TODO.md").run().out();
    assert!(end.contains("evidence: 1 accepted\n") && !end.contains("overridden"), "{end}");
    assert_eq!(bench.sh("checkbox --accept everything --reason x < /dev/null").run().status, 2);
    assert_eq!(bench.sh("checkbox --accept gates < /dev/null").run().status, 2);
}

#[test]
fn a_task_that_waits_for_a_level_holds_up_no_other_and_a_person_accepts_it_for_one_run() {
    let plan =
        "# Todo\n\n- [ ] Tidy the room\n- [ ] Sweep the floor\n  - Verify: `grep -q swept floor.txt`\n";
    let bench = bench_with(plan, GATE, "date +%N >> room.txt; echo swept > floor.txt");
    bench.set_worker(&format!(
        "case $(head -n 1) in *Tidy*) echo tidy > room.txt ;; *) echo swept > floor.txt ;; esac\n{SUCCESS}"
    ));
    let got = carry(&bench);
    got.exits(5);
    assert!(got.out().contains("evidence: 1 proved; waiting: 1 gates only\n"), "{got:?}");
    assert_eq!(bench.text("TODO.md"), plan.replace("[ ] Sweep", "[x] Sweep"), "{got:?}");
    let args = ["--accept", "gates", "--reason", "I looked at the room", "TODO.md"];
    let got = bench.command("orchestrate").args(args).within(60).run();
    got.exits(0);
    let (tick, word) = (record(&bench, "tick"), record(&bench, "override"));
    assert_eq!(tick["data"]["tick"]["level"], "accepted", "{tick}");
    assert_eq!((&word["key"], &word["data"]["level"]), (&"accept".into(), &"gates".into()), "{word}");
    assert_eq!(bench.count("attempt_begin"), 2, "no work is done again: {got:?}");
    // It was for that run alone.
    bench.write("TODO.md", format!("{}- [ ] Paint\n", bench.text("TODO.md"))).commit_all("more");
    bench.set_worker(&format!("echo red > paint.txt\n{SUCCESS}"));
    carry(&bench).exits(5);
}

#[test]
fn the_project_says_which_level_ticks() {
    let accepts = |level: &str, plan: &str, worker: &str| {
        let bench = bench_with(plan, &format!("{GATE}[proof]\naccept = \"{level}\"\n"), worker);
        let got = carry(&bench);
        (got.status, bench.count("tick"))
    };
    let worker = "echo tidy > room.txt";
    let already = "# Todo\n\n- [ ] Tidy the room\n  - Verify: `test -f TODO.md`\n";
    for (level, own, weak, gates) in
        [("proved", 1, 0, 0), ("passes", 1, 0, 0), ("already-true", 1, 1, 0), ("gates", 1, 1, 1)]
    {
        assert_eq!(accepts(level, PLAN, worker).1, own, "{level}");
        assert_eq!(accepts(level, already, worker).1, weak, "{level}");
        assert_eq!(accepts(level, BARE, worker).1, gates, "{level}");
        assert_eq!(accepts(level, BARE, ":").1, 0, "{level}: nothing was changed");
        assert_eq!(accepts(level, already, ":").1, 0, "{level}: nothing was changed");
    }
    let bench = bench_with(PLAN, "[proof]\naccept = \"all\"\n", ":");
    assert_eq!(carry(&bench).status, 78);
}

#[test]
fn a_run_may_be_stricter_than_the_project() {
    let already = "# Todo\n\n- [ ] Tidy the room\n  - Verify: `test -f TODO.md`\n";
    let bench = bench_with(already, "[proof]\naccept = \"already-true\"\n", "echo tidy > room.txt");
    let got = bench
        .command("orchestrate")
        .args(["--accept", "proved", "--reason", "strict", "TODO.md"])
        .within(60)
        .run();
    assert_eq!(bench.count("tick"), 0, "{got:?}");
    assert!(got.err().contains("accepts proved") || got.out().contains("accepts proved"), "{got:?}");
}

#[test]
fn the_story_of_a_box_has_its_gates_before_the_work_where_they_ran_there() {
    let gate =
        "[[gates]]\nid = \"clean\"\ninvocation = \"echo looking; test ! -e dust\"\nwhen = [\"task\"]\n";
    for (before, wanted) in [("all", true), ("own", false)] {
        let config = format!("{gate}[proof]\nbefore = \"{before}\"\n");
        let bench = bench_with(PLAN, &config, "echo tidy > room.txt; rm dust");
        bench.write("dust", "much\n").commit_all("dust");
        carry(&bench).exits(0);
        let why = bench.sh("run-report --why 1 TODO.md").run().out();
        let story = why.split_once("  gate:clean `").expect("the gate").1;
        assert_eq!(story.contains("\n    before: fail, exit 1, tree t1:"), wanted, "{before}: {why}");
        assert!(story.contains("\n    after: pass, exit 0, tree t1:"), "{before}: {why}");
    }
}

/// A level has one word for programs and one for people.
#[test]
fn a_level_is_spelled_one_way_for_programs_and_one_for_people() {
    let plan = "# Todo\n\n- [ ] Tidy the room\n  - Verify: `test -f TODO.md`\n";
    let bench = bench_with(plan, "[proof]\naccept = \"already-true\"\n", "echo tidy > room.txt");
    let got = carry(&bench);
    got.exits(0);
    assert!(got.out().contains("evidence: 1 already true\n"), "{got:?}");
    assert_eq!(record(&bench, "tick")["data"]["tick"]["level"], "already-true", "{got:?}");
    let report = bench.sh("run-report --final --format json TODO.md").run().json();
    assert_eq!(
        (&report["tasks"][0]["level"], &report["numbers"]["levels"]["already-true"]),
        (&"already-true".into(), &1.into())
    );
    let status = bench.sh("plan-parse -q TODO.md | dag-next --status").run().json();
    assert_eq!(status["levels"]["already-true"], 1, "{status}");
    for line in [
        "run-report --final TODO.md",
        "run-report --final --format json TODO.md",
        "cat .plantools/ledger.ndjson",
    ] {
        assert!(!bench.sh(line).run().out().contains("already_true"), "{line}");
    }
}

#[test]
fn where_nothing_ran_before_the_work_a_pass_is_called_a_pass() {
    let bench = bench_with(PLAN, "[proof]\nbefore = \"off\"\n", "echo tidy > room.txt");
    let got = carry(&bench);
    got.exits(0);
    assert_eq!(record(&bench, "tick")["data"]["tick"]["level"], "passes", "{got:?}");
    assert_eq!(bench.count("before"), 0);
    let strict = bench_with(PLAN, "[proof]\nbefore = \"off\"\naccept = \"proved\"\n", "echo tidy > room.txt");
    carry(&strict).exits(5);
    assert_eq!(strict.halts(), ["checkbox not-accepted"]);
}

#[test]
fn what_a_person_ticks_is_called_accepted() {
    let bench = bench_with(BARE, "", ":");
    let got = bench.sh("checkbox tick 1 --reason 'I did it' TODO.md").run();
    assert_eq!(got.json()["level"], "accepted", "{got:?}");
    let report = bench.sh("run-report --final --format json TODO.md").run().json();
    assert_eq!(report["tasks"][0]["level"], "accepted", "{report}");
}

#[test]
fn a_card_may_ask_for_a_level() {
    for (row, plan, ticks) in [
        ("level:proved", PLAN, 1),
        ("level:proved", BARE, 0),
        ("level:gates-only", PLAN, 1),
        ("level:gates-only", BARE, 1),
    ] {
        let card = format!("[defaults]\nworker = \"w\"\ncard = \"c\"\n[cards.c]\nrequired = [\"{row}\"]\n");
        let bench = bench_with(plan, &format!("{GATE}[proof]\naccept = \"gates\"\n"), "echo tidy > room.txt");
        let config = bench.text("plantools.toml").replacen("[defaults]\nworker = \"w\"\n", &card, 1);
        bench.write("plantools.toml", config).commit_all("a card");
        let got = carry(&bench);
        assert_eq!(bench.count("tick"), ticks, "{row}: {got:?}");
        assert_eq!(got.out().contains("level:proved"), ticks == 0, "{row}: {got:?}");
    }
    let bench = bench_with(PLAN, "[cards.c]\nrequired = [\"level:sure\"]\n", ":");
    let got = bench.sh("punch lint c").run();
    assert!(got.status != 0 && format!("{got:?}").contains("there is no level 'sure'"), "{got:?}");
}

/// Every output about a plan whose tasks are done on weaker evidence.
#[test]
fn the_word_proved_is_used_for_nothing_weaker() {
    let plan = "# Todo\n\n- [ ] Already\n  - Verify: `test -f TODO.md`\n- [ ] Gates\n- [ ] By hand\n\
                - [ ] Passes\n  - Verify: `! grep -q dust shelf.txt`\n- [ ] Fails\n  - Verify: `test -f nothing`\n";
    let config = format!("{GATE}[proof]\naccept = \"gates\"\n");
    let bench = bench_with(
        plan,
        &config,
        "case $(head -n 1) in *Passes*) echo clean > shelf.txt ;; esac; date +%N >> room.txt",
    );
    bench.sh("checkbox tick 3 --reason 'I did it' TODO.md").run().exits(0);
    bench.commit_all("by hand");
    let ran = bench.command("orchestrate").args(["--events", "../home/events", "TODO.md"]).within(60).run();
    ran.exits(5);
    let mut said = vec![ran.out(), ran.err(), bench.text("../home/events")];
    let orders = "plan-parse -q TODO.md | dag-next --jobs 5 | handoff";
    for line in [
        "run-report --final TODO.md",
        "run-report --final --format md TODO.md",
        "run-report --final --format json TODO.md",
        "run-report --final --format todowrite TODO.md",
        "run-report --once --format ndjson TODO.md",
        "run-report --final --format html TODO.md",
        "run-report --end TODO.md",
        "run-report --once TODO.md",
        "run-report --once --format json TODO.md",
        "run-report --check TODO.md",
        "run-report --check --format json TODO.md",
        "run-report --why 1 TODO.md",
        "run-report --why 2 TODO.md",
        "run-report --why 4 TODO.md",
        "run-report --why 5 TODO.md",
        "checkbox list TODO.md",
        "checkbox list --text TODO.md",
        "plan-parse -q TODO.md | dag-next --status",
        "plan-parse -q TODO.md | dag-next --status --text",
        "plan-parse -q TODO.md | dag-next --why 5 --text",
        "plan-parse -q TODO.md | dag-next --rounds --text",
        "plan-parse -q TODO.md | dag-export --to mermaid",
        "punch list",
        "punch list --text",
        "punch evaluate 1 process-orchestrate --text",
        "gate-run proof --require test",
        "gate-run --when task",
        "git log --format=%B%n%N",
        "cat .plantools/ledger.ndjson .plantools/ledger/* .plantools/log/* 2>/dev/null; true",
        &format!("{orders} | tee ../home/orders"),
        "cat ../home/orders; find .plantools -name 'prompt*' -exec cat {} + ; find .plantools -name '*.md' -exec cat {} +",
        "gate-run --hook --plan TODO.md < ../home/event",
        "punch --hook --card process-orchestrate < ../home/event",
    ] {
        bench.write("../home/event", hook_event(&bench));
        let got = bench.sh(line).run();
        assert_ne!(got.status, 2, "{got:?}");
        said.extend([got.out(), got.err()]);
    }
    // The page has every level as a word of its program, in one line.
    let vocabulary = "const LEVELS = [\"proved\", ";
    assert_eq!(said.iter().filter(|text| text.contains(vocabulary)).count(), 1, "the page");
    for text in said {
        let text = text.replace(vocabulary, "");
        let words = text
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| word.eq_ignore_ascii_case("proved"));
        assert_eq!(words.count(), 0, "{text}");
    }
    let report = bench.sh("run-report --final TODO.md").run().out();
    assert!(report.contains("EVIDENCE: 1 passes, 1 already true, 1 gates only, 1 accepted"), "{report}");
}

/// The end of a worker that was sent to a task of the plan.
fn hook_event(bench: &Bench) -> String {
    serde_json::json!({
        "cwd": bench.repo(), "hook_event_name": "PostToolUse", "tool_name": "Task",
        "tool_input": {"subagent_type": "worker", "description": "Task 1", "prompt": "Already"},
        "tool_response": {"content": [{"type": "text", "text": "done"}]},
    })
    .to_string()
}

fn bench_with(plan: &str, config: &str, worker: &str) -> Bench {
    let bench = bench!(empty);
    let own = "[defaults]\nworker = \"w\"\n[workers.w]\ncommand = [\"../home/w.sh\"]\n";
    bench.write("plantools.toml", format!("{own}{config}")).write("TODO.md", plan).commit_all("plan");
    bench.set_worker(&format!("{worker}\n{SUCCESS}"));
    bench
}

fn carry(bench: &Bench) -> Got {
    bench.command("orchestrate").args(["TODO.md"]).within(60).run()
}

/// The last record of a type; null if there is none.
fn record(bench: &Bench, kind: &str) -> Value {
    bench.records().into_iter().rfind(|record| record["type"] == kind).unwrap_or_default()
}
