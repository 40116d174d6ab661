//! Contracts: what a tool really prints fits the schema that the same tool prints; another major is refused, and
//! what is unknown is ignored.

use jsonschema::Validator;
use pipeline_tests::{Bench, DEMO_PLAN, bench, workspace};
use serde_json::{Value, json};

/// The stages of the pipe with their arguments.
const STAGES: [(&str, &str); 10] = [
    ("plan-parse", DEMO_PLAN),
    ("dag-next", ""),
    ("handoff", ""),
    ("worker-run", "--worker shell"),
    ("gate-run", ""),
    ("punch", "checkpoint"),
    ("session-export", ""),
    ("context-save", ""),
    ("checkbox", ""),
    ("commit-run", ""),
];

#[test]
fn every_stage_of_the_pipe_prints_what_its_own_schema_says() {
    let bench = bench!(demo);
    // Task 2 fails at first: the second round shows halts, the third checks it again, the fourth shows what comes after.
    for round in 0..4 {
        run_round(&bench);
        for (tool, _) in STAGES {
            let text = bench.text(&format!("../home/{tool}"));
            assert!(!text.is_empty(), "{tool} printed nothing in round {round}");
            fits(&bench, tool, &text);
        }
    }
    assert_eq!(bench.halts(), ["gate-run checks-failed"; 2]);
}

#[test]
fn the_schema_of_the_configuration_takes_what_is_read_and_refuses_what_is_not() {
    let text = std::fs::read_to_string(workspace().join("crates/config/schema/plantools.toml.json")).unwrap();
    let schema = jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap();
    let bench = bench!(demo);
    let init = bench.sh("orchestrate init --dry-run").within(120).run().exits(0).out();
    let cards =
        "[cards.a]\nforbidden = [\"kind:spawn\"]\nrows = [{ type = \"kind\", pattern = \"shell\" }]\n";
    let several =
        "[agents]\na = \"claude\"\nb = [\"claude:haiku\", \"user\"]\n[workflow.checklist]\nattempts = 2\n";
    for (text, is_read) in [
        (init.as_str(), true),
        (cards, true),
        (several, true),
        ("[hooks]\nend = \"true\"\ntimeout_seconds = 3\n", true),
        ("[proof]\naccept = \"already-true\"\n", true),
        ("[hooks]\non_end = \"true\"\n", false),
        ("[proof]\naccept = \"maybe\"\n", false),
        ("[agents]\na = []\n", false),
        ("[[gates]]\nid = \"a\"\n", false),
        ("[defaults]\nsandbox = \"yes\"\n", false),
    ] {
        assert_eq!(config::parse(text.as_bytes()).is_ok(), is_read, "{text}");
        assert_eq!(schema.is_valid(&toml::from_str::<Value>(text).unwrap()), is_read, "{text}");
    }
}

#[test]
fn answers_fit_their_schemas_too() {
    let bench = bench!(demo);
    run_round(&bench);
    let header = r#"{"type":"header","version":2}"#;
    let thought =
        r#"{"type":"thought","thought":"why","thoughtNumber":1,"totalThoughts":1,"stage":"Analysis"}"#;
    bench.write("../home/thoughts.jsonl", format!("{header}\n{thought}\n"));
    let plan = format!("plan-parse -q {DEMO_PLAN}");
    let answers = [
        ("gate-run", "gate-run -- true".to_owned(), 0),
        ("gate-run", "gate-run -- false".to_owned(), 1),
        ("gate-run", "gate-run -- ./not-there".to_owned(), 3),
        ("punch", "punch list".to_owned(), 0),
        ("session-export", "session-export summary ../home/thoughts.jsonl".to_owned(), 0),
        ("dag-next", format!("{plan} | dag-next --status"), 0),
        ("dag-export", format!("{plan} | dag-export --to json"), 0),
        ("run-report", "run-report --format json ../home/commit-run".to_owned(), 0),
        ("run-report", format!("run-report --final --format json {DEMO_PLAN}"), 0),
        ("run-report", format!("run-report --check --format json {DEMO_PLAN}"), 1),
        ("checkbox", format!("checkbox tick 3 --reason 'by hand' {DEMO_PLAN}"), 0),
        ("checkbox", format!("checkbox untick 3 --reason 'undone' {DEMO_PLAN}"), 0),
    ];
    for (tool, line, exit) in answers {
        let got = bench.sh(&line).run();
        got.exits(exit);
        fits(&bench, tool, &got.out());
    }
}

#[test]
fn every_line_of_the_ledger_is_a_punch() {
    let bench = bench!(demo);
    run_round(&bench);
    let schema: Value = serde_json::from_str(wire::schemas::PUNCH).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let ledger = bench.text(".plantools/ledger.ndjson");
    assert!(ledger.lines().count() >= 6, "{ledger}");
    for line in ledger.lines() {
        validator.validate(&serde_json::from_str(line).unwrap()).unwrap_or_else(|e| panic!("{e}: {line}"));
    }
}

#[test]
fn what_each_schema_names_is_its_own_name() {
    let folder = workspace().join("crates/wire/schema");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let name = file.strip_suffix(".json").unwrap().replace('.', "/");
        let schema: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        // A statement of in-toto has our part as its predicate.
        let schema = schema.pointer("/properties/predicate").unwrap_or(&schema);
        assert_eq!(schema.pointer("/properties/schema/const"), Some(&json!(name)), "{name}");
        let required = schema["required"].as_array().unwrap();
        assert!(required.contains(&json!("schema")), "{name} may lack its schema");
    }
}

#[test]
fn unknown_fields_of_a_plan_are_ignored_and_another_major_is_refused() {
    let bench = bench!(demo);
    let mut plan = bench.command("plan-parse").args([DEMO_PLAN]).run().exits(0).json();
    plan["from_the_future"] = json!({ "a": 1 });
    plan["tasks"][0]["from_the_future"] = json!([1]);
    plan["source"]["from_the_future"] = json!(null);
    for tool in ["dag-next", "dag-export"] {
        bench.command(tool).stdin(plan.to_string()).run().exits(0);
    }
    fits(&bench, "plan-parse", &plan.to_string());
    plan["schema"] = json!("plan/2");
    for tool in ["dag-next", "dag-export"] {
        bench.command(tool).stdin(plan.to_string()).run().exits(65);
    }
    let refused = validator(&bench, "plan-parse").validate(&plan).is_err();
    assert!(refused, "the schema lets another major pass");
}

/// One round of the demo; what each stage printed is kept in `home/`.
fn run_round(bench: &Bench) {
    let stages = STAGES.map(|(tool, args)| format!("{tool} {args} | tee ../home/{tool}"));
    bench.sh(&format!("{} | run-report; true", stages.join(" | "))).run().exits(0);
}

fn validator(bench: &Bench, tool: &str) -> Validator {
    let schema = bench.command(tool).args(["--json-schema"]).run().exits(0).json();
    jsonschema::validator_for(&schema).unwrap_or_else(|e| panic!("{tool}: {e}"))
}

#[track_caller]
fn fits(bench: &Bench, tool: &str, text: &str) {
    let validator = validator(bench, tool);
    for line in text.lines() {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{tool}: {e}: {line}"));
        let problems: Vec<_> =
            validator.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(problems.is_empty(), "{tool}: {}\n{line}", problems.join("\n"));
    }
}
