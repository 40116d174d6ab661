//! The real files of the source system, if the corpus is available; otherwise tests nothing.

use crate::bench::Bench;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn corpus() -> Option<PathBuf> {
    let given = std::env::var_os("PLANTOOLS_CORPUS").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    given.or(Some(beside)).map(|folder| folder.join("line-health")).filter(|folder| folder.is_dir())
}

fn file(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

const SEEDS: &str = "repomap-core@836e8e5__.kilocode__schema__punch-card-schema.sql";
const EDITS: &str = "Jeehunter+mcp-vscode-server__ui_messages.json";

#[test]
fn an_orchestrator_that_edits_breaks_our_card_and_could_not_break_the_old_one() {
    let Some(folder) = corpus() else { return };
    let bench = Bench::new();
    let (seeds, edits) = (file(&folder, SEEDS), file(&folder, EDITS));
    let ours = bench.punch(&["evaluate", "x", "process-orchestrate", &edits]).exits(1).json();
    let violations = ours["card"]["violations"].as_array().unwrap();
    assert!(
        violations.contains(&"kind:edit".into()) && violations.contains(&"kind:write".into()),
        "{violations:?}"
    );
    let theirs = bench.punch(&["evaluate", "x", "process-orchestrate", "--cards", &seeds, &edits]).json();
    assert_eq!(theirs["card"].get("violations"), None, "{theirs:#}");
    let found = bench.punch(&["lint", &seeds, "--against", &edits, "--text"]);
    found.exits(1);
    for row in ["edit_file%", "apply_diff%", "write_to_file%"] {
        let line = found
            .out
            .lines()
            .find(|line| line.contains("process-orchestrate") && line.contains(row))
            .unwrap();
        assert!(line.contains("error [vacuous]") && line.contains("'editedExistingFile' ("), "{line}");
    }
}

#[test]
fn the_seeds_become_the_cards_that_they_are() {
    let Some(folder) = corpus() else { return };
    let bench = Bench::new();
    let pairs = [
        (SEEDS, "derived__punch_cards@836e8e5.json", 16),
        ("repomap-core__.kilocode__schema__punch-card-schema.sql", "derived__punch_cards@HEAD.json", 21),
    ];
    for (sql, json, count) in pairs {
        let of = |name: &str| bench.punch(&["import-cards", &file(&folder, name)]).exits(0).out.clone();
        let (sql, json) = (of(sql), of(json));
        assert_eq!(sql.matches("[cards.").count() - sql.matches("[[cards.").count(), count);
        assert_eq!(sql, json);
    }
}

#[test]
fn real_workflows_state_counts_that_are_wrong() {
    let Some(folder) = corpus() else { return };
    let bench = Bench::new();
    let seeds = file(&folder, SEEDS);
    let flow = |name: &str| file(&folder, &format!("repomap-core@836e8e5__.kilocode__workflows__{name}.md"));
    let lint = |name: &str| bench.punch(&["lint", &flow(name), "--cards", &seeds, "--text"]);
    lint("execute-task").exits(1).says("says 9 rows, 4 required, 4 forbidden; the card has 8, 3 and 4");
    lint("prep-task").exits(1).says("names card 'prep-task', which is not there");
    lint("discover-phase").exits(0);
    let commands = file(&folder, "repomap-core__.kilocode__commands.toml");
    bench.punch(&["lint", &commands, "--text"]).exits(1).says("says 51 commands; there are 54");
}

#[test]
fn a_real_log_of_gates_counts_for_one_batch() {
    let Some(folder) = corpus() else { return };
    let bench = Bench::new();
    let log = file(&folder, "repomap-core__.kilocode__gate_runs.jsonl");
    let text = std::fs::read_to_string(&log).unwrap();
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let bead = last["bead_id"].as_str().unwrap();
    let got = bench.punch(&["evaluate", bead, "quality-gates", &log]).json();
    let gates = got["card"]["provenance"]["gates"].as_u64().unwrap();
    assert!((1..=6).contains(&gates), "{got:#}");
}
