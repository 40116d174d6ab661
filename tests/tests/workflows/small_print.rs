//! What the sources say in passing: each statement that no other test of a workflow shows.

use crate::project::{carried, project};
use pipeline_tests::Bench;
use serde_json::{Value, json};

const TODO: &str = ".kilocode/todo/shelf-7.md";
const SESSION: &str = ".workflow/active/WFS-shop";

fn example(name: &str) -> Bench {
    Bench::workflow(env!("CARGO_BIN_EXE_t-plantools"), name)
}

#[test]
fn the_model_that_was_asked_for_is_held_against_the_one_that_is_reported() {
    for (reported, found) in [("haiku-4", "same"), ("opus-4", "other")] {
        let bench = project("orchestrate-runbook", "");
        let answer = format!(
            "sed -i 's/\"status\":\"SUCCESS\"/\"status\":\"SUCCESS\",\"runtime_model_reported\":\"{reported}\"/' ../home/worker"
        );
        bench.check(&answer, 0);
        carried(&bench, &["--only", "1.1", "tally"], 0);
        let end = bench.records().into_iter().find(|record| record["type"] == "attempt_end");
        let data = end.map(|record| record["data"].clone()).unwrap_or_default();
        assert_eq!((&data["model"], &data["model_match"]), (&reported.into(), &found.into()), "{data}");
    }
}

#[test]
fn the_report_says_whether_the_model_was_the_one_that_was_asked_for() {
    for (model, found) in [("scripted", "same"), ("opus", "other")] {
        let bench = example("execute-task");
        let text = bench.text("plantools.toml");
        bench.write(
            "plantools.toml",
            text.replace("code = \"scripted\"", &format!("code = \"scripted:{model}\"")),
        );
        bench.commit_all("a model");
        let got = bench.carry_out(&["shelf-7"]).run();
        got.exits(5);
        let line = format!(
            "- subtask-1: runtime_model_reported: scripted-1, model_match: {found}, runtime_mode_reported: code"
        );
        assert!(got.out().lines().any(|l| l == line), "{line}\n{got:?}");
        let gate =
            "- pre-execution-gate: runtime_model_reported: scripted-1, runtime_mode_reported: architect";
        assert!(got.out().lines().any(|l| l == gate), "no model was asked for: {got:?}");
    }
}

#[test]
fn coverage_that_a_worker_reports_stands_in_the_report() {
    let bench = example("execute-task");
    bench.story("subtask-3 1 fields");
    bench.write("../words", "\"tests\": {\"added\": 1, \"modified\": 0, \"coverage\": \"87 %\"}");
    let got = bench.carry_out(&["shelf-7"]).run();
    assert!(got.out().contains("\n- Test coverage: 87 %\n"), "{got:?}");
}

#[test]
fn a_packet_without_subtasks_is_told_what_prepares_it() {
    let bench = example("execute-task");
    let packet = ".kilocode/handoff/shelf-7.json";
    let mut text: Value = serde_json::from_str(&bench.text(packet)).unwrap_or_default();
    text["subtasks"] = json!([]);
    bench.write(packet, text.to_string());
    let got = bench.check(&format!("session-export packet --check {packet}"), 66);
    assert!(got.err().contains("no preparation for shelf-7: run start-task first"), "{got:?}");
    bench.commit_all("no subtasks");
    let got = bench.carry_out(&["shelf-7"]).run();
    assert!(got.status != 0 && got.err().contains("run start-task first"), "{got:?}");
    assert!(!bench.path(TODO).exists());
}

const COMMANDS: &str = "[commands.punch_mint]\nskill = 'cli'\ntool = 'python3 .kilocode/tools/punch_engine.py mint {task_id}'\nreceipt_required = true\n\
    [commands.punch_checkpoint]\nskill = 'cli'\ntool = 'python3 .kilocode/tools/punch_engine.py checkpoint {task_id} {card_id}'\nreceipt_required = true\n";

#[test]
fn a_receipts_card_is_met_by_our_own_mint_and_checkpoint() {
    let with = |more: &str, file: &str| {
        let bench = example("execute-task");
        bench.write(".kilocode/commands.toml", file);
        let text = format!(
            "{}\n[commands]\nfile = \".kilocode/commands.toml\"\n{more}",
            bench.text("plantools.toml")
        );
        bench.write("plantools.toml", text);
        bench.commit_all("commands");
        bench
    };
    let bench = with("", COMMANDS);
    let receipts = format!(
        "punch checkpoint complete receipts --pre-exit --plan {TODO} --text .plantools/ledger.ndjson#{TODO}"
    );
    bench.carry_out(&["--budget-attempts", "2", "shelf-7"]).run().exits(5);
    let early = bench.check(&receipts, 1).out();
    assert!(early.contains("punch mint *} MISSING"), "nothing was minted for the run yet: {early}");
    let bench = with("", COMMANDS);
    bench.carry_out(&["shelf-7"]).run().exits(5);
    bench.check(&receipts, 0);
    // The card of the run itself may ask for them.
    let bench = with("card = \"process-orchestrate\"\n", COMMANDS);
    let got = bench.carry_out(&["shelf-7"]).run();
    assert!(got.err().contains("waits for approval"), "{got:?}");
    // A receipt that none of our stages gives is still missing.
    let other = COMMANDS.replace("punch_mint", "land_plane");
    let bench = with("", &other);
    let got = bench.carry_out(&["shelf-7"]).run();
    assert!(got.exits(1).err().contains("or that of the receipts, is not met"), "{got:?}");
    bench.check(&receipts, 1);
    // Nor does an approval pass it by.
    bench.check(&format!("checkbox criterion plan:2 --reason read {TODO}"), 0);
    bench.carry_out(&["--approve", "shelf-7"]).run().exits(1);
    assert!(bench.git(&["log", "--format=%s"]).lines().all(|subject| !subject.starts_with("shelf-7:")));
}

#[test]
fn the_fitter_is_a_child_in_the_mode_fitter() {
    let bench = example("execute-task");
    bench.program("tools/lint", "#!/bin/sh\n# Lint.\n[ ! -f src/count.sh ] || sleep 4\n");
    let fitter = ".kilocode/fitter.toml";
    bench.write(fitter, bench.text(fitter).replace("stall_seconds = 10", "stall_seconds = 2"));
    bench.commit_all("a slow gate");
    bench.story("fitter * fit");
    bench.carry_out(&["shelf-7"]).run().exits(5);
    let spawned = bench.records().into_iter().find(|record| record["type"] == "child_spawn");
    let mode = spawned.map(|record| record["data"]["mode"].clone()).unwrap_or_default();
    assert_eq!(mode, "fitter");
}

#[test]
fn a_record_outside_the_root_is_named() {
    let bench = example("execute-task");
    let text = bench.text("plantools.toml");
    bench.write(
        "plantools.toml",
        text.replace("\".kilocode/records/worker.ndjson\"", "\"../home/worker.ndjson\""),
    );
    bench.commit_all("a record elsewhere");
    bench.carry_out(&["--budget-attempts", "1", "shelf-7"]).env("PLANTOOLS_RUN", "r1").run().exits(5);
    let result = bench.text(".plantools/work/r1/pre-execution-gate/1/result.json");
    assert!(result.contains("the record that the configuration names is not read"), "{result}");
    assert!(result.contains("../home/worker.ndjson"), "{result}");
}

#[test]
fn a_new_manifest_is_a_new_dependency_where_the_gate_is_on() {
    let bench = project("execute", "1 1 dirty\n");
    bench.check("sed -i 's/scratch.txt/package.json/' ../home/worker", 0);
    let gate = "\n[[gates]]\nid = \"no-new-dependencies\"\ninvocation = \"no-new-dependencies\"\nwhen = [\"task\"]\n";
    bench.write("plantools.toml", bench.text("plantools.toml") + gate);
    bench.commit_all("a gate");
    let got = carried(&bench, &["--on-halt", "stop", "shop"], 5);
    assert!(got.out().contains("checks failed: gate:no-new-dependencies"), "{got:?}");
    assert_eq!(bench.git(&["log", "--format=%s", "--", "package.json"]), "", "and it is never committed");
}

#[test]
fn notes_of_an_attempt_that_failed_are_not_kept_and_criteria_never() {
    let bench = project("execute", "1 1 half\n");
    carried(&bench, &["--only", "1", "--max-attempts", "1", "shop"], 5);
    let note = |name: &str| bench.text(&format!(".dev/specs/shop/context/{name}"));
    assert_eq!((note("outputs.json").trim(), note("learnings.md").as_str()), ("{}", ""));
    carried(&bench, &["--only", "1", "--max-attempts", "9", "shop"], 0);
    assert_eq!(note("learnings.md"), "## 1\n- prices are whole numbers\n");
    for name in ["outputs.json", "learnings.md", "decisions.md"] {
        assert!(!note(name).contains("acceptance_criteria"), "{name}");
    }
}

#[test]
fn a_plan_has_no_mark_for_work_in_progress() {
    let bench = project("execute", "");
    bench.check("sed -i '5i grep \"^### \" .dev/specs/shop/PLAN.md >>~/headings' ../home/worker", 0);
    carried(&bench, &["shop"], 0);
    let headings = bench.text("../home/headings");
    let marks: Vec<&str> =
        headings.lines().filter(|line| line.contains("TODO")).filter_map(|l| l.get(4..7)).collect();
    assert!(marks.len() > 8 && marks.iter().all(|mark| ["[ ]", "[x]"].contains(mark)), "{headings}");
}

#[test]
fn a_session_is_named_with_an_equals_sign() {
    let bench = example("workflow-execute");
    bench.carry_out(&["--resume-session=WFS-shop"]).run().exits(0);
    assert!(bench.path(".workflow/archives/WFS-shop").exists());
}

#[test]
fn one_is_in_progress_in_sequence_and_all_of_a_batch() {
    for (args, most) in [(&["."][..], 1), (&["--jobs", "2", "."], 2)] {
        let bench = example("workflow-execute");
        bench.story("IMPL-1 1 slow\nIMPL-2 1 slow");
        let look = format!(
            "sed -i '5i grep -c \"^- .-. ..IMPL\" {SESSION}/TODO_LIST.md >> ../seen' ../bin/scripted-worker"
        );
        bench.check(&look, 0);
        bench.carry_out(args).run().exits(0);
        let seen = bench.text("../seen");
        let counts: Vec<u32> = seen.lines().filter_map(|line| line.parse().ok()).collect();
        assert_eq!((counts.len(), counts.iter().max()), (3, Some(&most)), "{args:?}: {seen}");
        assert_eq!(counts.last(), Some(&1), "the last one runs alone");
    }
}

#[test]
fn the_type_of_a_task_names_its_agent_where_no_agent_is_named() {
    let bench = example("workflow-execute");
    let file = format!("{SESSION}/.task/IMPL-3.json");
    for (kind, agent) in [
        ("feature", "code-developer"),
        ("test-gen", "code-developer"),
        ("test-fix", "test-fix-agent"),
        ("review", "universal-executor"),
        ("docs", "doc-generator"),
    ] {
        let mut task: Value = serde_json::from_str(&bench.text(&file)).unwrap_or_default();
        task["meta"] = json!({ "type": kind });
        bench.write(&file, task.to_string());
        let plan = bench.check("plan-parse -q --load IMPL-3 .", 0).json();
        let found = plan["tasks"][2]["agent"].as_str().unwrap_or_default().trim_start_matches('@').to_owned();
        assert_eq!(found, agent, "{kind}");
    }
}

#[test]
fn without_a_session_the_places_and_the_next_step_are_named() {
    let bench = example("workflow-execute");
    bench.check(
        "git rm -qr .workflow/active/WFS-shop && git commit -qm 'no session' && mkdir -p .workflow/active",
        0,
    );
    let got = bench.carry_out(&["."]).run();
    got.exits(66);
    assert!(got.err().contains(".workflow/active/WFS-*") && got.err().contains("/workflow:plan"), "{got:?}");
}

#[test]
fn the_built_in_card_of_a_subtask_can_be_met_and_a_row_that_cannot_is_named_before_the_first_worker() {
    let with = |from: &[&str], to: &[&str]| {
        let bench = example("execute-task");
        let text = bench.text("plantools.toml");
        bench.write("plantools.toml", &text[..text.find("[cards.").unwrap_or(text.len())]);
        let mut gates = bench.text(".kilocode/fitter.toml");
        for (from, to) in from.iter().zip(to) {
            gates = gates.replace(&format!("id = \"{from}\""), &format!("id = \"{to}\""));
        }
        bench.write(".kilocode/fitter.toml", gates);
        bench.check("sed -i 's/^event read_file.*/&; event mcp__augment__codebase-retrieval x/' ../bin/scripted-worker", 0);
        bench.commit_all("the built-in card");
        bench
    };
    let ours = ["format_check", "lint", "typecheck", "test"];
    let bench = with(&ours, &["ruff-format", "ruff-check", "mypy", "pytest"]);
    let got = bench.carry_out(&["shelf-7"]).run();
    let passed = bench.keys("gate_pass");
    for gate in ["ruff-format", "ruff-check", "mypy", "pytest"] {
        assert!(passed.contains(&format!("subtask-1 gate:{gate}")), "{gate}: {passed:?}");
    }
    assert!(!got.err().contains("no task can meet the card"), "{got:?}");
    let bench = with(&[], &[]);
    let got = bench.carry_out(&["shelf-7"]).run();
    let named =
        "no task can meet the card 'execute-subtask', since no gate is configured for gate_pass:ruff-format";
    assert!(got.err().contains(named), "{got:?}");
}
