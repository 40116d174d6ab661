//! Inputs collected elsewhere, if available: `$PLANTOOLS_CORPUS`, or `../shared/corpus` beside the workspace. Without
//! them nothing is tested, and nothing fails.

use crate::harness::Folder;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn corpus(folder: &str) -> Vec<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let corpus = std::env::var_os("PLANTOOLS_CORPUS").map_or(beside, PathBuf::from);
    let entries = std::fs::read_dir(corpus.join(folder)).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}

fn named<'a>(files: &'a [PathBuf], part: &'a str) -> impl Iterator<Item = (String, String)> + 'a {
    let named = files.iter().map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path));
    named
        .filter(move |(name, _)| name.contains(part))
        .map(|(name, path)| (name, std::fs::read_to_string(path).unwrap()))
}

#[test]
fn every_input_of_the_verify_hook_gets_the_right_verdict() {
    let files = corpus("plan-md");
    for (name, text) in named(&files, "SYNTH__hook_posttooluse__") {
        let folder = Folder::trusting();
        folder.write("config.json", "{}");
        let mut event: Value = serde_json::from_str(&text).unwrap();
        event["cwd"] = json!(folder.path());
        let got = folder.feed(&["--hook"], &event.to_string());
        got.exits(0);
        let verified = ["ok", "cd_leak", "agent_full_envelope"]
            .iter()
            .any(|good| name.ends_with(&format!("__{good}.json")));
        let wanted = if verified { "status: VERIFIED" } else { "status: FAILED" };
        assert!(got.out.contains(wanted), "{name}: {}", got.out);
    }
}

#[test]
fn every_example_of_a_restoration_contract_is_understood() {
    let files = corpus("line-health");
    for (name, text) in named(&files, "restoration_contract__1.json") {
        let folder = Folder::new();
        let value: Value = serde_json::from_str(&text).unwrap();
        let id = value["gate_id"].as_str().unwrap().to_owned();
        folder.write("plantools.toml", format!("[[gates]]\nid = \"{id}\"\ninvocation = \"true\"\n"));
        let got = folder.feed(&["restore"], &text);
        got.exits(65);
        let template = text.contains("{{");
        let wanted = if template { "unresolved token" } else { "no fault on record" };
        assert!(got.err.contains(wanted), "{name}: {}", got.err);
    }
}

#[test]
fn the_configurations_of_the_source_workflow_are_read() {
    let files = corpus("line-health");
    for (name, text) in named(&files, "fitter.toml") {
        let folder = Folder::new();
        folder.write("fitter.toml", &text);
        let got = folder.run(&["--config", "fitter.toml"]);
        got.exits(78);
        assert!(got.err.contains("unresolved"), "{name}: {}", got.err);
    }
    for (name, text) in named(&files, "commands.toml") {
        let folder = Folder::new();
        folder.write("commands.toml", &text);
        let lines = folder.run(&["--config", "commands.toml", "--gate", "gate_quality"]).exits(3).lines();
        assert_eq!(lines.len(), 4, "{name}");
    }
}
