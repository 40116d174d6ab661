//! From the argument to the plan.

pub(crate) mod places;
pub(crate) mod pull;

use crate::args::Wanted;
use crate::show::terminal;
use crate::stop_reason::Stop;
use crate::tools::Tools;
use std::path::{Path, PathBuf};
use toolkit::cli::tool;
use toolkit::{Exit, Fail};

/// A plan that was found.
#[derive(Debug)]
pub(crate) struct Located {
    pub(crate) plan: PathBuf,
    /// The pull request that it belongs to.
    pub(crate) pull: Option<String>,
}

impl Located {
    fn plan(plan: PathBuf) -> Self {
        Self { plan, pull: None }
    }
}

/// What to do where no session is active.
const NO_SESSION: &str =
    "create one with /workflow:plan \"PROJECT\", or resume one with orchestrate --resume-session ID";

/// Finds the plan that is meant.
pub(crate) fn locate(tools: &Tools, wanted: &Wanted) -> Result<Located, Stop> {
    let top = top(tools);
    if let Some(session) = &wanted.session {
        let missing = || {
            let place = top.join(".workflow");
            not_found(format!("there is no session '{session}' below '{}'; {NO_SESSION}", place.display()))
        };
        let places = ["active", "sessions", ".", "archives"].map(|place| top.join(".workflow").join(place));
        return Ok(Located::plan(
            named_in(session, &places).filter(|path| path.is_dir()).ok_or_else(missing)?,
        ));
    }
    let Some(argument) = &wanted.plan else { return detect(tools, &top) };
    if argument.symlink_metadata().is_ok() {
        return Ok(Located::plan(chosen_session(argument)?));
    }
    let text = argument.to_string_lossy();
    if let Some(number) = pull::number(&text) {
        return pull::plan_of(tools, &top, number);
    }
    let prepared = [
        top.join(".kilocode/handoff").join(format!("{text}.json")),
        top.join(".kilocode/todo").join(format!("{text}.md")),
    ];
    let prepared = || is_name(&text).then(|| prepared.into_iter().find(|path| path.exists())).flatten();
    match named(&top, &text).or_else(prepared) {
        Some(plan) => Ok(Located::plan(plan)),
        None if wanted.retry.as_deref() == Some("") => {
            let message = format!(
                "there is no plan '{text}'; to give a task its attempts again, name both: orchestrate --retry={text} PLAN"
            );
            Err(not_found(message).into())
        }
        None => Err(unknown(&top, &text).into()),
    }
}

/// The plan that is named, or the only one there is: for commands that start no worker.
pub(crate) fn named_or_only(tools: &Tools, plan: Option<PathBuf>) -> Result<PathBuf, Stop> {
    let top = top(tools);
    let only = || match places::plans(tools, &top).as_slice() {
        [only] => Some(top.join(only)),
        _ => None,
    };
    let plan = plan.or_else(only);
    Ok(locate(tools, &Wanted { plan, ..Wanted::default() })?.plan)
}

/// The top folder of the repository, or the current folder.
pub(crate) fn top(tools: &Tools) -> PathBuf {
    let here = PathBuf::from(".");
    let top = tools.git(&here, &["rev-parse", "--show-toplevel"]).map(PathBuf::from);
    top.or_else(|| std::env::current_dir().ok()).unwrap_or(here)
}

/// Whether a text can be the name of a plan, a session or a task.
fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains('/') && !text.starts_with('.')
}

fn named_in(name: &str, places: &[PathBuf]) -> Option<PathBuf> {
    is_name(name).then(|| places.iter().map(|place| place.join(name)).find(|path| path.exists())).flatten()
}

/// The plan of this name.
fn named(top: &Path, name: &str) -> Option<PathBuf> {
    let spec = top.join(".dev/specs").join(name).join("PLAN.md");
    let places = ["plans", ".workflow/active", ".workflow/archives"].map(|place| top.join(place));
    (is_name(name) && spec.exists()).then_some(spec).or_else(|| named_in(name, &places))
}

fn not_found(message: String) -> Fail {
    Fail::new(Exit::NoInput, "no-plan", message)
}

/// What is said about an argument that names nothing: what may have been meant, if that is there.
fn unknown(top: &Path, text: &str) -> Fail {
    if let Some(command) = nearest(text, ["init", "doctor", "plans"]) {
        return not_found(format!("there is no plan '{text}'; a similar command exists: '{command}'"));
    }
    let places = places::find(top);
    if let Some(place) = nearest(text, places.iter().flat_map(|place| called(place))) {
        return not_found(format!("there is no '{text}'; a similar plan exists: '{place}'"));
    }
    if text.contains(['/', '.']) {
        return not_found(format!("there is no '{text}'"));
    }
    if let Some(session) = prepared_session(top, text) {
        return not_found(format!(
            "there is no packet of {text}: make it with session-export packet {session} > .kilocode/handoff/{text}.json"
        ));
    }
    not_found(format!(
        "no preparation for {text}: run start-task first; nor is there a plan .dev/specs/{text}/PLAN.md or a runbook \
         plans/{text} (/plan-adhoc prepares one); orchestrate plans lists what is there"
    ))
}

/// The last exported session that prepared a task.
fn prepared_session(top: &Path, task: &str) -> Option<String> {
    const FOLDER: &str = ".kilocode/thinking";
    let names = toolkit::files::fs::names(&top.join(FOLDER)).ok()?;
    let prepared = format!("task-{task}-prep-");
    names.into_iter().rfind(|name| name.starts_with(&prepared)).map(|name| format!("{FOLDER}/{name}"))
}

/// The names by which a plan is found: its path, its folder, its file with and without the ending.
fn called(place: &Path) -> Vec<String> {
    let folder = place.parent().and_then(Path::file_name);
    let parts = [Some(place.as_os_str()), folder, place.file_name(), place.file_stem()];
    parts.into_iter().flatten().map(|part| part.to_string_lossy().into_owned()).collect()
}

/// The one of the words with the fewest letters to change, if it is near enough.
fn nearest<W: AsRef<str>>(text: &str, words: impl IntoIterator<Item = W>) -> Option<W> {
    let near = words.into_iter().map(|word| (strsim::levenshtein(text, word.as_ref()), word));
    near.filter(|(distance, _)| *distance < 3).min_by_key(|(distance, _)| *distance).map(|(_, word)| word)
}

/// One of several sessions of a project, asked for on a terminal; elsewhere plan-parse says which there are.
fn chosen_session(argument: &Path) -> Result<PathBuf, Fail> {
    let active = argument.join(".workflow/active");
    if !active.is_dir() || !terminal::is_there() {
        return Ok(argument.to_path_buf());
    }
    let mut found = toolkit::files::fs::names(&active)?;
    found.sort();
    if found.len() < 2 {
        return Ok(argument.to_path_buf());
    }
    let chosen =
        terminal::choose("which session?", &found).ok_or_else(|| Fail::usage("no session was chosen"))?;
    Ok(active.join(&found[chosen]))
}

/// The session that is active, if it is the only one.
fn only_session(top: &Path) -> Option<PathBuf> {
    let active = top.join(".workflow/active");
    let mut found = toolkit::files::fs::names(&active).ok()?;
    found.retain(|name| active.join(name).is_dir());
    (found.len() == 1).then(|| active.join(&found[0]))
}

/// Without an argument: the draft of this branch, the plan that the branch names, the only active session, or the one
/// that a person picks.
fn detect(tools: &Tools, top: &Path) -> Result<Located, Stop> {
    let branch = tools.git(top, &["branch", "--show-current"]).filter(|branch| !branch.is_empty());
    if let Some(branch) = &branch {
        if let Some(number) = pull::draft_of(tools, branch)? {
            match pull::not_its_branch(tools, top, &number)? {
                None => return pull::plan_of(tools, top, &number),
                Some(amiss) => tool::note(&format!("orchestrate: not taken: {amiss}")),
            }
        }
        if let Some(plan) = branch.rsplit('/').next().and_then(|name| named(top, name)) {
            return Ok(Located::plan(plan));
        }
    }
    if let Some(session) = only_session(top) {
        return Ok(Located::plan(session));
    }
    let found = places::plans(tools, top);
    let names: Vec<String> = found.iter().map(|plan| plan.to_string_lossy().into_owned()).collect();
    if found.is_empty() {
        let mut message = format!(
            "there is no plan in the usual places below {}: {}; name one: orchestrate PLAN.md",
            top.display(),
            places::PLACES.join(", ")
        );
        if top.join(".workflow").is_dir() {
            message = format!("{message}; no session is active: {NO_SESSION}");
        }
        return Err(not_found(message).into());
    }
    if !terminal::is_there() {
        let list = names.join("\n  ");
        return Err(Fail::usage(format!("name a plan; those here, the last changed first:\n  {list}")).into());
    }
    let chosen = terminal::choose("which plan?", &names).ok_or_else(|| Fail::usage("no plan was chosen"))?;
    Ok(Located::plan(top.join(&found[chosen])))
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_nearest_word_is_near() {
        assert_eq!(nearest("docter", ["init", "doctor", "plans"]), Some("doctor"));
        assert_eq!(nearest("shop", ["init", "doctor", "plans"]), None);
    }
}
