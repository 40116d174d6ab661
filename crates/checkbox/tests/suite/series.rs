//! Versions of the same plan that were collected elsewhere, if available: `$PLANTOOLS_CORPUS`, or
//! `../shared/corpus` beside the workspace. If the next version differs in boxes alone, ticking by tool gives that
//! version, byte for byte.

use crate::place::Place;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use wire::Plan;
use wire::plan::Span;

#[test]
fn ticking_by_tool_gives_the_next_version_byte_for_byte() {
    let (mut pairs, mut ticks) = (0, 0);
    for (name, versions) in series() {
        for pair in versions.windows(2) {
            let [before, after] = pair else { continue };
            let (old, new) = (std::fs::read(before).unwrap(), std::fs::read(after).unwrap());
            let Some(count) = replay(&name, &old, &new) else { continue };
            pairs += 1;
            ticks += count;
        }
    }
    eprintln!("{pairs} pairs of versions, {ticks} boxes");
}

/// Every plan with several versions, oldest first.
fn series() -> BTreeMap<String, Vec<PathBuf>> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let corpus = std::env::var_os("PLANTOOLS_CORPUS").map_or(beside, PathBuf::from);
    let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for folder in ["plan-md", "workflow", "runbook", "others"] {
        let entries = std::fs::read_dir(corpus.join(folder)).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.sort();
        for path in files {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let parts: Vec<&str> = name.split("__").filter(|part| !is_version(part)).collect();
            if path.extension().is_some_and(|e| e == "md") && parts.len() < name.split("__").count() {
                found.entry(format!("{folder}/{}", parts.join("__"))).or_default().push(path);
            }
        }
    }
    found.retain(|_, versions| versions.len() > 1);
    found
}

/// `2026-03-23_055f525`: date and commit.
fn is_version(part: &str) -> bool {
    let date = part.get(..10).unwrap_or_default();
    part.len() > 11
        && date
            .bytes()
            .enumerate()
            .all(|(at, b)| if matches!(at, 4 | 7) { b == b'-' } else { b.is_ascii_digit() })
}

/// Ticks the differences and compares; the number of boxes, or `None` if more than boxes differs.
fn replay(name: &str, old: &[u8], new: &[u8]) -> Option<usize> {
    let place = Place::with(old);
    let root = place.root();
    let different: Vec<usize> = (0..old.len().min(new.len())).filter(|at| old[*at] != new[*at]).collect();
    let is_box = |at: &usize| matches!((old[*at], new[*at]), (b' ', b'x') | (b'x', b' '));
    if old.len() != new.len() || different.is_empty() || !different.iter().all(is_box) {
        return None;
    }
    let plan = dialects::open(&root.join("PLAN.md"), root, None).unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut deeds = Vec::new();
    let mut wanted = new.to_vec();
    for at in different {
        let Some((what, id)) = deed(&plan, at as u64) else {
            // A step of a task: our tools never tick one, so it stays open here.
            let in_task = plan.tasks.iter().any(|t| t.span.start <= at as u64 && (at as u64) < t.span.end);
            assert!(in_task, "{name}: nobody can tick the box at byte {at}");
            wanted[at] = old[at];
            continue;
        };
        // Only the box of a task can be cleared again.
        match (new[at], what) {
            (b'x', _) => deeds.push((what, id)),
            (_, "tick") => deeds.push(("untick", id)),
            _ => return None,
        }
    }
    for (what, id) in &deeds {
        place.run(&[what, id, "--reason", "as it was", "PLAN.md"]).exits(0);
    }
    assert!(place.bytes("PLAN.md") == wanted, "{name}: {deeds:?} gives another file");
    Some(deeds.len())
}

/// The argument with which a person ticks this box.
fn deed(plan: &Plan, at: u64) -> Option<(&'static str, String)> {
    let is = |span: &Span| span.start == at;
    let task = plan.tasks.iter().find(|task| task.mark.as_ref().is_some_and(is));
    if let Some(task) = task {
        return Some(("tick", task.id.to_string()));
    }
    let mut criteria = plan.tasks.iter().flat_map(|task| &task.criteria).chain(&plan.gates);
    if let Some(criterion) = criteria.find(|criterion| criterion.boxed && is(&criterion.span)) {
        return Some(("criterion", criterion.id.clone()));
    }
    let note = plan.notes.iter().position(|note| is(&note.span))?;
    Some(("criterion", format!("note:{}", note + 1)))
}
