//! `plan-parse merge`: git's merge driver. A file that is no plan is merged as git merges texts.

use crate::args::MergeArgs;
use crate::merge::{Markers, Versions, merge};
use repo::git::{Call, Git};
use std::path::Path;
use toolkit::cli::tool;
use toolkit::files::fs;
use toolkit::files::root::{self, Home};
use toolkit::{Exit, Fail};

/// Merges the three files; the result takes the place of the current version.
pub(crate) fn run(asked: &MergeArgs) -> Result<Exit, Fail> {
    let [base, ours, theirs] = [&asked.base, &asked.ours, &asked.theirs].map(|path| fs::read(path));
    let (base, ours, theirs) = (base?, ours?, theirs?);
    // Only for how checks are read: a table that is broken must not keep a merge from its markers.
    if let Ok(rule) = root::find(Path::new(".")).and_then(|root| config::checks::at(&root)) {
        let _ = dialects::set_checks(&rule);
    }
    // Before 2.44 git leaves %X and %Y as they are.
    let label = |given: &str, name: &str| if given.starts_with('%') { name } else { given }.to_owned();
    let markers = Markers {
        size: usize::from(asked.marker_size),
        ours: label(&asked.ours_label, "ours"),
        theirs: label(&asked.theirs_label, "theirs"),
    };
    let versions = Versions { path: &asked.path, base: &base, ours: &ours, theirs: &theirs };
    let Some(merged) = merge(&versions, &markers) else { return as_text(asked, &markers) };
    if merged.bytes != ours {
        fs::create(&asked.ours, &merged.bytes)?;
    }
    for said in merged.reopened.iter().chain(&merged.conflicts) {
        tool::note(&format!("plan-parse: {}: {said}", asked.path));
    }
    Ok(if merged.conflicts.is_empty() { Exit::Ok } else { Exit::No })
}

/// Merges the files as git merges texts.
fn as_text(asked: &MergeArgs, markers: &Markers) -> Result<Exit, Fail> {
    let full = |path: &Path| {
        let full = path.canonicalize().map_err(|e| Fail::io(path, &e))?;
        let name = full.to_str().map(str::to_owned);
        name.ok_or_else(|| Fail::data("not-utf8", "the name is not valid UTF-8").in_file(path))
    };
    let (base, ours, theirs) = (full(&asked.base)?, full(&asked.ours)?, full(&asked.theirs)?);
    let size = format!("--marker-size={}", markers.size);
    let labels = ["-L", &markers.ours, "-L", "base", "-L", &markers.theirs];
    let args = [&["merge-file", &size][..], &labels, &[&ours, &base, &theirs]].concat();
    let git = Git::new(Home::of(&root::find(Path::new("."))?)?);
    let answer = git.ask(&Call::of(&args))?;
    match answer.status.code() {
        Some(0) => Ok(Exit::Ok),
        // The number of conflicts.
        Some(1..128) => Ok(Exit::No),
        _ => {
            tool::note(&format!("plan-parse: {}: {}", asked.path, answer.err.trim()));
            Ok(Exit::No)
        }
    }
}
