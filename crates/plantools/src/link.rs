//! `plantools link DIR`: the names of the tools, each a link to this executable.
//!
//! `cargo install` and a downloaded archive give one executable; this gives the thirteen commands. A file that is not such
//! a link is never replaced, and nothing is changed if one is in the way.

use std::path::{Path, PathBuf};
use toolkit::files::fs;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};

/// Makes the links in `folder`, or takes them away.
pub(crate) fn run(folder: &Path, names: &[&str], remove: bool, out: &mut Output) -> Result<Exit, Fail> {
    let itself = std::env::current_exe().and_then(|path| path.canonicalize());
    let itself = itself.map_err(|error| Fail::new(Exit::Unavailable, "no-executable", error.to_string()))?;
    fs::folder(folder)?;
    let places: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
    if let Some(taken) = places.iter().find(|place| place.symlink_metadata().is_ok() && !is_ours(place)) {
        let message = "this is no link to plantools: remove it, or name another folder";
        return Err(Fail::data("name-taken", message).in_file(taken));
    }
    let mut changed = 0;
    for place in &places {
        if place.symlink_metadata().is_ok() {
            fs::remove(place)?;
            changed += usize::from(remove);
        }
        if !remove {
            fs::link(&itself, place)?;
            changed += 1;
        }
    }
    let done = if remove { "removed" } else { "linked" };
    out.text(&format!("{done} {changed} names in {}\n", folder.display()))?;
    Ok(Exit::Ok)
}

/// A link to an executable named `plantools`, whether or not that is still there.
fn is_ours(place: &Path) -> bool {
    std::fs::read_link(place).is_ok_and(|target| target.file_name().is_some_and(|name| name == "plantools"))
}
