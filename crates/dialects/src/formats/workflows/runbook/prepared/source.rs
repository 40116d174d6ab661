//! Finds the files of a folder that are the runbook itself.

use crate::Folder;
use crate::formats::workflows::runbook::text;
use crate::formats::workflows::runbook::text::head::{self, What};
use markdown::{Outline, Text};
use toolkit::Fail;

/// The name of the runbook.
const RUNBOOK: &str = "runbook.md";

/// The name of the orchestrator plan.
pub(crate) const MANIFEST: &str = "orchestrator-plan.md";

/// How sure we are that a folder is a runbook.
pub(crate) fn detect(folder: &Folder) -> u32 {
    let names = folder.names("");
    let runbook = names.iter().any(|name| name == RUNBOOK || text::phase_of_file(name).is_some());
    let led = names.iter().any(|name| name == MANIFEST) && names.iter().any(|name| name == "steps/");
    let other = names.iter().any(|name| is_other(name));
    match (runbook || led, other) {
        (true, _) => 60,
        (false, true) => 30,
        (false, false) => 0,
    }
}

/// The texts of the runbook with their paths, in order. `from` is the file that the step files name as their source.
pub(crate) fn texts(folder: &Folder, from: Option<&str>) -> Result<Vec<(String, Vec<u8>)>, Fail> {
    let names = folder.names("");
    let from = from.and_then(|from| from.rsplit('/').next());
    let of_phases = from.is_some_and(|from| text::phase_of_file(from).is_some());
    let one =
        |test: &dyn Fn(&str) -> bool| names.iter().find(|name| test(name)).cloned().into_iter().collect();
    // A file of one phase is not the runbook itself.
    let main_files: Vec<&str> = from.filter(|_| !of_phases).into_iter().chain([RUNBOOK]).collect();
    let mut choices: Vec<Vec<String>> = vec![vec![RUNBOOK.to_owned()], phases(&names)];
    if of_phases {
        choices.reverse();
    } else {
        choices.splice(0..0, from.map(|from| vec![from.to_owned()]));
    }
    choices.push(one(&|name| is_other(name) && !name.contains("outline") && !is_old(name)));
    choices.push(names.iter().filter(|name| is_old(name)).cloned().collect());
    choices.push(vec!["runbook-outline.md".to_owned()]);
    for choice in choices {
        let mut found = read(folder, &choice)?;
        if has_steps(&found) {
            if !choice.iter().any(|name| main_files.contains(&name.as_str())) {
                found.splice(0..0, front_matter(folder, &main_files)?);
            }
            return Ok(found);
        }
    }
    front_matter(folder, &main_files)
}

/// The runbook itself where it only says what kind it is: its steps are in other files.
fn front_matter(folder: &Folder, named: &[&str]) -> Result<Vec<(String, Vec<u8>)>, Fail> {
    for name in named {
        if let Some(bytes) = folder.read(name)?.filter(|bytes| bytes.starts_with(b"---")) {
            return Ok(vec![(folder.seen(name), bytes)]);
        }
    }
    Ok(Vec::new())
}

/// The phase files ordered by number, not by name.
pub(crate) fn phases(names: &[String]) -> Vec<String> {
    let numbered =
        names.iter().filter_map(|name| Some((text::phase_of_file(name)?.parse::<u64>().ok()?, name)));
    let mut phases: Vec<(u64, &String)> = numbered.collect();
    phases.sort_unstable();
    phases.into_iter().map(|(_, name)| name.clone()).collect()
}

fn is_other(name: &str) -> bool {
    is_old(name) || name.strip_suffix(".md").is_some_and(|stem| stem.starts_with("runbook-"))
}

/// `phase1-execution-plan.md`, the oldest form.
fn is_old(name: &str) -> bool {
    name.ends_with("-execution-plan.md")
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

/// Whether any text has a step or a phase: a file that only names the others is not the runbook.
fn has_steps(texts: &[(String, Vec<u8>)]) -> bool {
    texts.iter().any(|(path, bytes)| {
        let outline = Outline::new(&Text { path, bytes });
        let heads = outline.headings.iter().filter(|heading| heading.atx && !heading.inner);
        let mut kinds = heads.map(|heading| head::what(outline.str(heading.at)));
        kinds.any(|what| matches!(what, What::Step(_) | What::Phase(_)))
    })
}
