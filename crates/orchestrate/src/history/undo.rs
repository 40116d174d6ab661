//! `orchestrate undo`: takes back what a task did. `commit-run revert` says which tasks and commits are meant and whether
//! git can revert them; then `checkbox untick` clears the boxes with the reason, and `commit-run revert` makes the commits.
//!
//! It can be killed at any point and run again: a box that is clear stays so, and a commit is reverted once.

use crate::find::locate::named_or_only;
use crate::lock::{RunLock, beside};
use crate::show::console::Console;
use crate::stop_reason::Stop;
use crate::tools::{Said, Tools, Words};
use serde::Deserialize;
use serde_json::json;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toolkit::cli::tool::note;
use toolkit::files::fs;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::State;
use wire::tick::TickDoc;

/// What is undone.
#[derive(Debug)]
pub(crate) struct Undo {
    /// The tasks, and behind them perhaps the plan.
    pub(crate) words: Vec<String>,
    pub(crate) reason: String,
    /// Whether what depends on them is undone as well.
    pub(crate) dependents: bool,
    /// Whether their commits stay.
    pub(crate) soft: bool,
    pub(crate) dry_run: bool,
}

impl Undo {
    /// The tasks and the plan: the last word is the plan if there is such a file or folder.
    fn meant(&self, tools: &Tools) -> Result<(Vec<String>, PathBuf), Stop> {
        let mut ids = self.words.clone();
        let plan = ids.pop_if(|last| Path::new(last).exists()).map(PathBuf::from);
        if ids.is_empty() {
            return Err(Fail::usage("name the tasks: orchestrate undo ID... [PLAN]").into());
        }
        let plan = named_or_only(tools, plan)?;
        Ok((ids, std::path::absolute(&plan).unwrap_or(plan)))
    }
}

/// Undoes tasks.
pub(crate) fn run(tools: &Tools, undo: &Undo, out: &mut Output) -> Result<Exit, Stop> {
    let (ids, plan) = undo.meant(tools)?;
    let file = lock_file(tools, &plan)?;
    let _lock = if undo.dry_run { None } else { Some(lock(tools, &plan)?) };
    if !undo.dry_run {
        finish(tools, &plan, &file)?;
    }
    let how = if undo.soft { "--list" } else { "--dry-run" };
    let more = if undo.dependents { vec!["--dependents"] } else { Vec::new() };
    let said = revert(tools, &plan, &ids, &[&[how][..], &more].concat())?.success()?;
    let meant = documents(&said)?;
    for one in &meant {
        out.line(&sentence(one, undo))?;
    }
    let left = waiting(tools, &plan, &ids, &meant, undo)?;
    if !left.is_empty() {
        let (depend, stay) = if left.len() == 1 { ("depends", "stays") } else { ("depend", "stay") };
        let left = left.join(" and ");
        out.line(&format!("{left} {depend} on that and {stay} done: --dependents undoes it too"))?;
    }
    if undo.dry_run {
        return Ok(Exit::Ok);
    }
    let begun = Begun { ids, reason: undo.reason.clone(), dependents: undo.dependents, soft: undo.soft };
    fs::create(&beside(&file, BEGUN), begun.text().as_bytes())?;
    begun.carry_out(tools, &plan, &meant)?;
    fs::remove(&beside(&file, BEGUN))?;
    Ok(Exit::Ok)
}

/// An undo on its way. It is on disk until it is done, so that a run which comes after a kill does not begin in the middle.
#[derive(Debug, Deserialize)]
struct Begun {
    ids: Vec<String>,
    reason: String,
    dependents: bool,
    soft: bool,
}

/// The end of the name of its file, beside the lock.
const BEGUN: &str = "undo";

impl Begun {
    fn text(&self) -> String {
        let Self { ids, reason, dependents, soft } = self;
        json!({ "ids": ids, "reason": reason, "dependents": dependents, "soft": soft }).to_string()
    }

    fn carry_out(&self, tools: &Tools, plan: &Path, meant: &[TickDoc]) -> Result<(), Stop> {
        for one in meant.iter().filter(|one| one.state != State::Pending) {
            let args = ["untick", one.task.as_str(), "--reason", &self.reason].map(OsString::from);
            tools.ask("checkbox", args.into_iter().chain([plan.to_path_buf().into()]))?.success()?;
        }
        if !self.soft {
            let mut args = vec!["--reason", &self.reason];
            args.extend(self.dependents.then_some("--dependents"));
            revert(tools, plan, &self.ids, &args)?.success()?;
        }
        Ok(())
    }
}

/// Ends an undo of the plan that was cut off. The caller has its lock.
pub(crate) fn finish(tools: &Tools, plan: &Path, lock: &Path) -> Result<(), Stop> {
    let file = beside(lock, BEGUN);
    let Some(text) = fs::read_if_there(&file)? else { return Ok(()) };
    let Ok(begun) = serde_json::from_slice::<Begun>(&text) else { return Ok(fs::remove(&file)?) };
    note(&format!("orchestrate: the undo of {} was cut off, and is finished first", begun.ids.join(" ")));
    let more: &[&str] = if begun.dependents { &["--list", "--dependents"] } else { &["--list"] };
    let meant = documents(&revert(tools, plan, &begun.ids, more)?.success()?)?;
    begun.carry_out(tools, plan, &meant)?;
    Ok(fs::remove(&file)?)
}

/// The lock of the plan: nothing is undone below a run.
pub(crate) fn lock(tools: &Tools, plan: &Path) -> Result<RunLock, Stop> {
    RunLock::take(&lock_file(tools, plan)?, plan.as_os_str(), false, false, &mut Console::new(true))
}

fn lock_file(tools: &Tools, plan: &Path) -> Result<PathBuf, Stop> {
    let said = tools.ask("plan-parse", ["--lock-file".as_ref(), plan.as_os_str()])?.success()?;
    Ok(PathBuf::from(said.line()))
}

fn revert(tools: &Tools, plan: &Path, ids: &[String], more: &[&str]) -> Result<Said, Fail> {
    let mut words: Words = vec!["commit-run".into(), "revert".into()];
    words.extend(more.iter().map(OsString::from));
    words.push("--".into());
    words.push(plan.into());
    words.extend(ids.iter().map(OsString::from));
    tools.pipe(&[words])
}

fn documents(said: &Said) -> Result<Vec<TickDoc>, Fail> {
    let bad =
        |e: serde_json::Error| Fail::data("bad-answer", format!("commit-run gave no valid answer: {e}"));
    String::from_utf8_lossy(&said.out).lines().map(|line| serde_json::from_str(line).map_err(bad)).collect()
}

/// What becomes of a task.
fn sentence(one: &TickDoc, undo: &Undo) -> String {
    let (is, would) = if undo.dry_run { ("would be", "would stay") } else { ("is", "stays") };
    let what = match (one.state, &one.commit) {
        (State::Pending, None) => "is open, and no commit of it is left".to_owned(),
        (State::Pending, Some(hash)) if !undo.soft => {
            format!("is open; commit {} {is} reverted", short(hash))
        }
        (State::Pending, Some(_)) => "is open".to_owned(),
        (_, Some(hash)) if undo.soft => format!("{is} opened; commit {} {would}", short(hash)),
        (_, Some(hash)) => format!("{is} opened; commit {} {is} reverted", short(hash)),
        (_, None) => format!("{is} opened; it has no commit of its own"),
    };
    format!("task {} {}: {what}", one.task, one.title)
}

fn short(hash: &str) -> &str {
    hash.get(..8).unwrap_or(hash)
}

/// The tasks that depend on those that are undone, and stay as they are.
fn waiting(
    tools: &Tools,
    plan: &Path,
    ids: &[String],
    meant: &[TickDoc],
    undo: &Undo,
) -> Result<Vec<String>, Stop> {
    if undo.dependents {
        return Ok(Vec::new());
    }
    let said = revert(tools, plan, ids, &["--list", "--dependents"])?.success()?;
    let all = documents(&said)?.into_iter().filter(|one| one.state != State::Pending);
    let left = all.filter(|one| !meant.iter().any(|known| known.task == one.task));
    Ok(left.map(|one| format!("task {}", one.task)).collect())
}
