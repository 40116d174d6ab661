//! The chain of thinking sessions through the whole pipe: nothing without a preparation, a link for each subtask, and
//! a halt where a link was touched.

use pipeline_tests::{Bench, Got, bench};

const TODO: &str = ".kilocode/todo/core-1.md";
const FOLDER: &str = ".kilocode/thinking";
const PREP: &str = ".kilocode/thinking/task-core-1-prep-2026-01-31.json";
const FIRST: &str = ".kilocode/thinking/execution-core-1-subtask-1-2026-01-31.json";
const SECOND: &str = ".kilocode/thinking/execution-core-1-subtask-2-2026-01-31.json";

/// A repository with a run as a todo list, a worker that reports what it decided, and a gate before each tick.
fn repository() -> Bench {
    let bench = bench!(empty);
    bench.write(
        TODO,
        "[x] Pre-Execution Gate: Load and verify prep session\n[ ] Subtask 1: Read once\n[ ] Subtask 2: Measure\n",
    );
    bench.program("../home/worker", "#!/bin/sh\ncat > /dev/null\ndate +%N >> made.txt\necho x >> test.txt\necho '{\"status\":\"SUCCESS\",\"summary\":\"made\",\"decisions\":[\"one pass\"]}'\n");
    bench.write(
        "plantools.toml",
        format!(
            "[defaults]\nworker = \"own\"\n[workers.own]\ncommand = [\"{}\"]\n[[gates]]\nid = \"there\"\ninvocation = \"test -f made.txt\"\nwhen = [\"task\"]\n",
            bench.path("../home/worker").display()
        ),
    );
    bench.commit_all("chore: begin");
    bench
}

fn prepare(bench: &Bench) {
    let thoughts = [
        ("problem-definition", "interpretation"),
        ("problem-definition", "interpretation"),
        ("analysis", "approach"),
        ("analysis", "approach"),
        ("conclusion", "decision"),
    ];
    let think = |(stage, tag)| format!("session-export think --stage {stage} --tag {tag} 'a thought'");
    let line = thoughts.map(think).join(" && ");
    let line = format!(
        "export PLANTOOLS_NOW=2026-01-31T12:00:00Z; {line} && session-export export --task core-1 --as prep"
    );
    bench.sh(&line).run().exits(0);
}

/// One round; what `session-export` passed on is kept.
fn round(bench: &Bench, session_export: &str) -> Got {
    bench
        .sh(&format!(
            "export PLANTOOLS_NOW=2026-01-31T12:00:00Z; plan-parse -q {TODO} | dag-next | handoff | worker-run | gate-run | \
             punch checkpoint | {session_export} | tee ../home/orders | context-save | checkbox | run-report"
        ))
        .run()
}

fn field(bench: &Bench, name: &str) -> serde_json::Value {
    let text = bench.text("../home/orders");
    let order: serde_json::Value =
        serde_json::from_str(text.lines().next().unwrap_or("{}")).unwrap_or_default();
    order[name].clone()
}

#[test]
fn each_subtask_leaves_a_link_that_follows_the_last() {
    let bench = repository();
    prepare(&bench);
    round(&bench, "session-export").exits(0);
    assert_eq!(field(&bench, "session")["path"], FIRST, "{}", field(&bench, "session"));
    round(&bench, "session-export").exits(0);
    assert_eq!(field(&bench, "session")["path"], SECOND);
    assert!(
        bench.text(TODO).starts_with("[x]") && bench.text(TODO).matches("[x]").count() == 3,
        "{}",
        bench.text(TODO)
    );
    let chain = bench.sh(&format!("session-export chain {FOLDER} core-1")).run();
    chain.exits(0);
    let links = chain.json()["links"].as_array().cloned().unwrap_or_default();
    assert_eq!(links.len(), 3);
    assert_eq!(links[2]["parent"]["sha256"], links[1]["sha256"]);
    let link = bench.text(FIRST);
    assert!(link.contains("one pass") && link.contains("from-result"), "{link}");
}

#[test]
fn the_same_order_carried_again_adds_nothing() {
    let bench = repository();
    prepare(&bench);
    round(&bench, "session-export").exits(0);
    let before = bench.text(FIRST);
    bench.sh("export PLANTOOLS_NOW=2026-02-01T12:00:00Z; head -n 1 ../home/orders > ../home/one; session-export ../home/one").run().exits(0);
    assert_eq!(bench.text(FIRST), before);
}

#[test]
fn no_worker_starts_without_a_preparation_that_holds() {
    let bench = repository();
    round(&bench, "session-export").exits(1);
    assert_eq!(bench.halts(), ["handoff no-preparation"]);
    bench.write(PREP, r#"{"thoughts":[{"thought":"a","thoughtNumber":1,"totalThoughts":1,"stage":"Research","timestamp":"2026-01-31T00:00:00"}]}"#);
    round(&bench, "session-export").exits(1);
    assert_eq!(bench.halts().last().map(String::as_str), Some("handoff preparation-refused"));
    assert_eq!(bench.count("attempt_begin"), 0);
}

#[test]
fn a_chain_that_was_touched_halts_before_the_next_worker() {
    let bench = repository();
    prepare(&bench);
    round(&bench, "session-export").exits(0);
    bench.write(PREP, bench.text(PREP).replace("a thought", "another thought"));
    round(&bench, "session-export").exits(1);
    assert_eq!(bench.halts(), ["handoff broken-chain"]);
    assert!(!bench.path(SECOND).exists());
}

#[test]
fn a_second_attempt_that_changes_nothing_more_needs_the_same_reasoning() {
    let bench = repository();
    prepare(&bench);
    for _ in 0..2 {
        round(&bench, "session-export --require-reasoning").exits(1);
    }
    assert_eq!(bench.halts(), ["session-export no-reasoning"; 2]);
    assert!(!bench.path(FIRST).exists());
}

#[test]
fn work_without_reasoning_is_said_and_halted_where_it_is_asked_for() {
    let bench = repository();
    prepare(&bench);
    round(&bench, "session-export --require-reasoning").exits(1);
    assert_eq!(bench.halts(), ["session-export no-reasoning"]);
    assert!(!bench.path(FIRST).exists());
    // A worker that thinks before it edits, as the workflow tells it to.
    let think = |stage: &str| {
        format!(
            "session-export think --live ../home/own.jsonl --stage {stage} --tag subtask-1 'about to edit'\n"
        )
    };
    bench.program(
        "../home/worker",
        &format!(
            "#!/bin/sh\ncat > /dev/null\nexport PLANTOOLS_NOW=2026-01-31T12:00:00Z\nsession-export import --live ../home/own.jsonl {PREP}\n{}{}\
             session-export export --live ../home/own.jsonl --task core-1 --as subtask-1\necho x > made.txt; echo y > test.txt\necho '{{\"status\":\"SUCCESS\"}}'\n",
            think("analysis"), think("conclusion")
        ),
    );
    round(&bench, "session-export --require-reasoning").exits(0);
    assert_eq!(field(&bench, "session")["added"], 2, "{}", field(&bench, "session"));
}
