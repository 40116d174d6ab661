//! `orchestrate init --merge-driver`: tells git to merge plans with `plan-parse merge`.
//!
//! Rows in `.gitattributes`, which the repository shares, say which files; a driver in git's configuration, which each clone
//! has for itself, says how. A clone without the driver merges these files as text. The rows are a block of ours: everything
//! around it stays byte for byte as it is.

use crate::find::locate::places;
use crate::find::locate::top;
use crate::stop_reason::Stop;
use crate::tools::Tools;
use std::path::Path;
use toolkit::cli::tool;
use toolkit::files::fs;
use toolkit::{Exit, Fail};

/// What is to be done with the driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Further files, as patterns of `.gitattributes`.
    pub(crate) patterns: Vec<String>,
    /// Whether it is taken out again.
    pub(crate) remove: bool,
    /// Whether it is only said.
    pub(crate) dry_run: bool,
}

const FILE: &str = ".gitattributes";
const BEGIN: &str = "# plans, merged by plantools: orchestrate init --merge-driver\n";
const END: &str = "# end of plans\n";
const ATTRIBUTE: &str = " merge=plantools\n";
const NAME: (&str, &str) = ("merge.plantools.name", "plans, by task (plantools)");
const DRIVER: &str = "merge.plantools.driver";
/// What follows the name of the program. Older versions of git leave %X and %Y as they are.
const CALL: &str = "merge --marker-size=%L --ours-label=%X --theirs-label=%Y -- %O %A %B %P";

/// Sets the driver up, or takes it out.
pub(crate) fn run(tools: &Tools, wanted: &Wanted) -> Result<Exit, Stop> {
    let top = top(tools);
    if tools.git(&top, &["rev-parse", "--git-dir"]).is_none() {
        let message = "there is no git repository here, and so nothing to merge: run 'git init' first";
        return Err(Fail::new(Exit::No, "no-repository", message).into());
    }
    for pattern in &wanted.patterns {
        if pattern.is_empty()
            || pattern.starts_with(['#', '!', '"', '['])
            || pattern.contains(char::is_whitespace)
        {
            let message = format!(
                "'{pattern}' is no pattern of .gitattributes: write it without blanks, like docs/*.md"
            );
            return Err(Fail::usage(message).into());
        }
    }
    attributes(&top, wanted)?;
    configuration(tools, &top, wanted)?;
    Ok(Exit::Ok)
}

fn attributes(top: &Path, wanted: &Wanted) -> Result<(), Fail> {
    let path = top.join(FILE);
    let before = fs::read_if_there(&path)?.unwrap_or_default();
    let text = String::from_utf8(before).map_err(|_| Fail::data("not-utf8", "is no UTF-8").in_file(&path))?;
    let new = if wanted.remove { without(&text).0 } else { with(&text, &wanted.patterns) };
    let rows = new.lines().filter(|line| line.ends_with(ATTRIBUTE.trim_end())).count();
    match () {
        () if new == text => say(wanted, &format!("{FILE} stays as it is")),
        () if wanted.remove && new.is_empty() => {
            say(wanted, &format!("{FILE}: removed, it held nothing but our rows"));
            if !wanted.dry_run {
                fs::remove(&path)?;
            }
        }
        () => {
            let what =
                if wanted.remove { "rows taken out".to_owned() } else { format!("{rows} rows; commit it") };
            say(wanted, &format!("{FILE}: {what}"));
            if !wanted.dry_run {
                fs::replace(&path, new.as_bytes(), top)?;
            }
        }
    }
    Ok(())
}

/// The text without our block, and the patterns that were in it.
fn without(text: &str) -> (String, Vec<String>) {
    let found = text.find(BEGIN).and_then(|start| {
        let end = start + text.get(start..)?.find(END)? + END.len();
        Some((start, end))
    });
    let Some((start, end)) = found else { return (text.to_owned(), Vec::new()) };
    let rows = text[start..end].lines().filter_map(|line| line.strip_suffix(ATTRIBUTE.trim_end()));
    let kept = format!("{}{}", &text[..start], &text[end..]);
    (kept, rows.map(str::to_owned).collect())
}

/// The text with our block: in its place if it is there, else at the end.
fn with(text: &str, more: &[String]) -> String {
    let (kept, old) = without(text);
    let mut rows = places::patterns();
    for row in old.iter().chain(more) {
        if !rows.contains(row) {
            rows.push(row.clone());
        }
    }
    let rows = rows.iter().map(|row| format!("{row}{ATTRIBUTE}")).collect::<Vec<_>>().concat();
    let at = text.find(BEGIN).unwrap_or(kept.len()).min(kept.len());
    let (before, after) = kept.split_at(at);
    let line_end = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    format!("{before}{line_end}{BEGIN}{rows}{END}{after}")
}

fn configuration(tools: &Tools, top: &Path, wanted: &Wanted) -> Result<(), Fail> {
    let git = |args: &[&str]| tools.git(top, args);
    let now = git(&["config", "--local", "--get", DRIVER]);
    if wanted.remove {
        if now.is_none() {
            say(wanted, "git's configuration stays as it is");
            return Ok(());
        }
        say(wanted, "git's configuration: merge.plantools taken out");
        if !wanted.dry_run && git(&["config", "--local", "--remove-section", "merge.plantools"]).is_none() {
            return Err(refused());
        }
        return Ok(());
    }
    let driver = format!("{} {CALL}", program(tools));
    if now.as_deref() == Some(&driver) {
        say(wanted, "git's configuration stays as it is");
        return Ok(());
    }
    say(wanted, &format!("git's configuration of this clone: {DRIVER} = {driver}"));
    if wanted.dry_run {
        return Ok(());
    }
    for (key, value) in [NAME, (DRIVER, &driver)] {
        git(&["config", "--local", key, value]).ok_or_else(refused)?;
    }
    Ok(())
}

fn refused() -> Fail {
    Fail::new(
        Exit::Io,
        "git-failed",
        "git refuses to write its configuration: run 'git config --local --list'",
    )
}

/// The program as git's shell finds it: its name if that is on the path, else where it is.
fn program(tools: &Tools) -> String {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_on_path = std::env::split_paths(&path).any(|folder| folder.join(PROGRAM).is_file());
    match tools.whereis(PROGRAM).filter(|_| !is_on_path) {
        Some(path) => format!("'{}'", path.to_string_lossy().replace('\'', r"'\''")),
        None => PROGRAM.to_owned(),
    }
}

const PROGRAM: &str = "plan-parse";

fn say(wanted: &Wanted, what: &str) {
    let would = if wanted.dry_run { "would be: " } else { "" };
    tool::note(&format!("orchestrate: {would}{what}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_is_written_once_keeps_its_place_and_leaves_no_trace() {
        let own = "*.png binary\n";
        let once = with(own, &["prd.json".to_owned()]);
        assert!(once.starts_with(own) && once.contains("\nprd.json merge=plantools\n"), "{once}");
        assert_eq!(with(&once, &[]), once);
        let more = format!("{once}*.sh text\n");
        assert_eq!(with(&more, &[]), more);
        assert_eq!(without(&more).0, format!("{own}*.sh text\n"));
        assert_eq!(without(own).0, own);
        assert!(with("no line end", &[]).starts_with("no line end\n#"));
    }
}
