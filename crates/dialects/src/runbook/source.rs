//! Which files of a folder are the runbook itself.

use super::head::{self, What};
use super::sheet;
use crate::{Folder, Outline, Text};
use toolkit::Fail;

/// The name of the file that a run is led by.
pub(crate) const MANIFEST: &str = "orchestrator-plan.md";

/// How sure we are that a folder is a runbook.
pub(crate) fn detect(folder: &Folder) -> u32 {
    let names = folder.names("");
    let runbook = names.iter().any(|name| name == "runbook.md" || sheet::phase_of_file(name).is_some());
    let led = names.iter().any(|name| name == MANIFEST) && names.iter().any(|name| name == "steps/");
    let other = names.iter().any(|name| is_other(name));
    match (runbook || led, other) {
        (true, _) => 60,
        (false, true) => 30,
        (false, false) => 0,
    }
}

/// The texts of the runbook with their paths, in order. `named` is the one that the step files say they were made from.
pub(crate) fn texts(folder: &Folder, named: Option<&str>) -> Result<Vec<(String, Vec<u8>)>, Fail> {
    let names = folder.names("");
    let named = named.and_then(|named| named.rsplit('/').next());
    let phases = phases(&names);
    if let Some(named) = named.filter(|named| sheet::phase_of_file(named).is_none()) {
        let found = read(folder, &[named.to_owned()])?;
        if has_steps(&found) {
            return Ok(found);
        }
    }
    let by_phase = named.is_some_and(|named| sheet::phase_of_file(named).is_some());
    let mut choices: Vec<Vec<String>> = vec![vec!["runbook.md".to_owned()], phases];
    if by_phase {
        choices.reverse();
    }
    choices.push(
        names.iter().filter(|name| is_other(name) && !name.contains("outline")).take(1).cloned().collect(),
    );
    choices.push(names.iter().filter(|name| name.ends_with("-execution-plan.md")).cloned().collect());
    choices.push(vec!["runbook-outline.md".to_owned()]);
    for choice in choices {
        let found = read(folder, &choice)?;
        if has_steps(&found) {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// The phase files in the order of their numbers, which is not that of their names.
pub(crate) fn phases(names: &[String]) -> Vec<String> {
    let numbered =
        names.iter().filter_map(|name| Some((sheet::phase_of_file(name)?.parse::<u64>().ok()?, name)));
    let mut phases: Vec<(u64, &String)> = numbered.collect();
    phases.sort_unstable();
    phases.into_iter().map(|(_, name)| name.clone()).collect()
}

fn is_other(name: &str) -> bool {
    name.ends_with("-execution-plan.md") || name.starts_with("runbook-") && name.ends_with(".md")
}

fn read(folder: &Folder, names: &[String]) -> Result<Vec<(String, Vec<u8>)>, Fail> {
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        if let Some(bytes) = folder.read(name)? {
            found.push((folder.seen(name), bytes));
        }
    }
    Ok(found)
}

/// Whether any of the texts has a step or a phase: a file that only names the others is not the runbook.
fn has_steps(texts: &[(String, Vec<u8>)]) -> bool {
    texts.iter().any(|(path, bytes)| {
        let outline = Outline::new(&Text { path, bytes });
        let heads = outline.headings.iter().filter(|heading| heading.atx && !heading.inner);
        let mut kinds = heads.map(|heading| head::what(outline.str(heading.at)));
        kinds.any(|what| matches!(what, What::Step(_) | What::Phase(_)))
    })
}
