//! Runs the readers on real runs of real clients, if the corpus is available; otherwise tests nothing.

#![expect(clippy::unwrap_used, reason = "a test")]
#![expect(clippy::disallowed_methods, reason = "damaged copies are made here")]

use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use transcripts::{Call, Kind, Source};

/// One call according to the oracle.
#[derive(Debug, Deserialize, PartialEq)]
struct Want {
    agent: String,
    name: String,
    #[serde(default)]
    id: String,
    ok: Option<bool>,
    exit_code: Option<i32>,
    target: Option<String>,
    namespace: Option<String>,
}

fn corpus() -> Option<PathBuf> {
    let given = std::env::var_os("PLANTOOLS_CORPUS").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    given.or(Some(beside)).map(|folder| folder.join("agents")).filter(|folder| folder.is_dir())
}

/// Every file below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The main transcript of a run folder: the file that a user would name.
fn main_file(run: &Path) -> PathBuf {
    let all = files(&run.join("transcript"));
    let is = |path: &&PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        let end = |end: &str| name.ends_with(end);
        let inner = path.parent().unwrap().file_name().unwrap().to_string_lossy();
        let sub = name.starts_with("agent-") || inner == "subagents";
        let session = inner.len() == 36 || name == "taskHistory.json" || name == "task_metadata.json";
        let storage = end(".json") && path.components().any(|part| part.as_os_str() == "storage");
        let root = storage
            && path.iter().any(|part| part == "session")
            && !read_to_string(path).contains("parentID");
        (end(".jsonl") || end(".json") || end(".db")) && !sub && !session && (!storage || root)
    };
    // A sub-agent's rollout is later than the main one.
    all.iter().find(is).unwrap_or_else(|| panic!("no transcript in {}", run.display())).clone()
}

fn read_to_string(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn got(call: &Call, want: &Want) -> Want {
    let agent = if call.agent.is_empty() { "main".into() } else { format!("sub:{}", call.agent) };
    // The oracle has only paths as targets, and only for some clients.
    let target = want.target.as_ref().and(call.target.clone());
    let namespace = call.namespace.clone();
    Want {
        agent,
        name: call.name.clone(),
        id: call.id.clone(),
        ok: call.ok,
        exit_code: call.exit_code,
        target,
        namespace,
    }
}

#[test]
fn every_run_of_the_corpus_gives_the_expected_calls() {
    let Some(corpus) = corpus() else { return };
    let oracles = files(&corpus).into_iter().filter(|path| path.ends_with("expected-tool-calls.json"));
    let mut wrong = Vec::new();
    let mut right = 0;
    for oracle in oracles {
        let run = oracle.parent().unwrap();
        let main = main_file(run);
        if main.extension().is_some_and(|end| end == "db") && !cfg!(feature = "sqlite") {
            continue;
        }
        let wanted: Vec<Want> = serde_json::from_str(&read_to_string(&oracle)).unwrap();
        let mut calls = Vec::new();
        let source = Source { path: &main, session: None };
        let record = transcripts::read_session(&source, None, &mut |call| calls.push(call));
        // The oracle does not have the calls that a script made by itself.
        calls.retain(|call: &Call| call.within.is_none());
        let client = run.strip_prefix(&corpus).unwrap().to_string_lossy().into_owned();
        let same = calls.len() == wanted.len()
            && calls.iter().zip(&wanted).all(|(call, want)| got(call, want) == *want);
        match record {
            Ok(record) if same && client.starts_with(record.client) && record.unknown == 0 => right += 1,
            record => wrong.push(format!("{client}\n{record:#?}\n{calls:#?}\n{wanted:#?}")),
        }
    }
    assert!(wrong.is_empty(), "{} right, {} wrong:\n{}", right, wrong.len(), wrong.join("\n"));
}

/// A way to damage a file.
type Damage<'d> = &'d dyn Fn(&[u8]) -> Vec<u8>;

/// A copy of a run's transcript, with the main file damaged.
fn damaged(run: &Path, how: Damage<'_>) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let from = run.join("transcript");
    for file in files(&from) {
        let to = folder.path().join(file.strip_prefix(&from).unwrap());
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(&file, to).unwrap();
    }
    let main = folder.path().join(main_file(run).strip_prefix(&from).unwrap());
    fs::write(&main, how(&fs::read(&main).unwrap())).unwrap();
    (folder, main)
}

/// Removes every second line with a result, inserts strange lines, and cuts the last line.
fn torn(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let text = String::from_utf8_lossy(line);
        let result =
            text.contains("tool_result") || text.contains("_output") || text.contains("toolResponse");
        if !(result && number % 2 == 0) {
            out.extend_from_slice(line);
        }
        if number % 3 == 0 && line.ends_with(b"\n") {
            out.extend_from_slice(b"{\"type\":\"of-tomorrow\",\"sessionId\":\"x\"}\n{\"cut\n\n");
        }
    }
    out.truncate(out.len() - out.len() / 50);
    out
}

#[test]
fn damage_loses_calls_and_results_and_never_makes_one_up() {
    let Some(corpus) = corpus() else { return };
    let cut = |part: usize| move |bytes: &[u8]| bytes[..bytes.len() * part / 7].to_vec();
    let oracles = files(&corpus).into_iter().filter(|path| path.ends_with("expected-tool-calls.json"));
    let mut tried = 0;
    for oracle in oracles {
        let run = oracle.parent().unwrap();
        let main = main_file(run);
        if main.extension().is_some_and(|end| end == "db") {
            continue;
        }
        let wanted: Vec<Want> = serde_json::from_str(&read_to_string(&oracle)).unwrap();
        let ways: [Damage<'_>; 4] = [&cut(2), &cut(4), &cut(6), &torn];
        for how in ways {
            let (_folder, main) = damaged(run, how);
            let mut calls = Vec::new();
            // The rest may be too small to be recognised.
            let Ok(_) = transcripts::read(&main, None, &mut |call| calls.push(call)) else { continue };
            tried += 1;
            for call in calls.iter().filter(|call| call.within.is_none()) {
                let fits = |want: &&Want| {
                    let got = got(call, want);
                    // A removed result is unknown, not failed.
                    let result = (call.ok.is_none() || call.ok == want.ok)
                        && (call.exit_code.is_none() || call.exit_code == want.exit_code);
                    // If a client keeps two accounts in different words, the second one fills the gaps of the first.
                    let other_words = call.id.is_empty() && Kind::of(&want.name) == call.kind;
                    (got.name == want.name || other_words)
                        && (want.id.is_empty() || got.id == want.id)
                        && result
                };
                assert!(wanted.iter().any(|want| fits(&want)), "{}: {call:#?}", main.display());
            }
        }
    }
    assert!(tried > 40, "{tried}");
}
