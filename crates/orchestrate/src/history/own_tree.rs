//! `orchestrate --worktree`: a whole plan in a worktree and on a branch of its own, beside the repository. The branch says
//! where the plan stands, so that a second run goes on there.

use crate::args::Wanted;
use crate::conductor;
use crate::find::locate::locate;
use crate::find::profile::quoted;
use crate::stop_reason::Stop;
use crate::tools::Tools;
use config::ConfigArgs;
use ledger::Ledger;
use repo::anchors::BRANCHES;
use repo::git::{Call, Git};
use repo::worktree;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use toolkit::cli::tool::note;
use toolkit::files::fs;
use toolkit::files::lock::{self, Lock};
use toolkit::files::root::{self, Home};
use toolkit::{Exit, Fail};

/// Carries the plan out there, and ends with the command that merges it.
pub(crate) fn carry_out(tools: Tools, mut wanted: Wanted) -> Result<Exit, Stop> {
    let plan = locate(&tools, &wanted)?.plan;
    let root = root::find(&plan)?;
    if !root::has_git(&root) {
        return Err(Fail::config("no-repository", "--worktree needs a git repository").in_file(&root).into());
    }
    let full = plan.canonicalize().map_err(|e| Fail::io(&plan, &e))?;
    let top = root.canonicalize().map_err(|e| Fail::io(&root, &e))?;
    let relative = full.strip_prefix(&top).unwrap_or(&full).to_path_buf();
    let git = Git::new(Home::of(&top)?);
    let branch = format!("{BRANCHES}{}", slug(&relative));
    let place = match worktree::with_branch(&git, &branch)? {
        Some(place) => place,
        None => make(&tools, &git, &branch, &relative)?,
    };
    note(&format!("orchestrate: the plan is carried out on the branch {branch} in {}", place.display()));
    wanted.plan = Some(place.join(&relative));
    wanted.worktree = false;
    let again = format!("orchestrate --worktree {}", quoted(plan.as_os_str()));
    let done = conductor::carry_out(tools, &wanted);
    let here = quoted(place.as_os_str());
    match &done {
        Ok(Exit::Ok) => {
            let is_here = bring_records(&top, &place)?;
            note(&format!("orchestrate: merge it: git merge --no-ff {branch}"));
            note(&if is_here {
                format!(
                    "orchestrate: then: git worktree remove --force {here} && git branch --delete {branch}"
                )
            } else {
                format!(
                    "orchestrate: other records were made here meanwhile, so those of the plan stay in {here}: keep it, or \
                     attest them there with punch attest before it is removed"
                )
            });
        }
        _ => note(&format!(
            "orchestrate: go on there: {again}; what is done so far: git merge --no-ff {branch}"
        )),
    }
    done
}

/// Brings the records of the worktree here, so that the ticks have their evidence once they are merged; no if records were made
/// here since the worktree began with a copy, or a run makes some now.
fn bring_records(top: &Path, place: &Path) -> Result<bool, Fail> {
    let home = Home::of(top)?;
    let Some(_alone) = Lock::take_if_free(&lock::of_work(&home)?, "orchestrate --worktree")? else {
        return Ok(false);
    };
    let (here, there) = (Ledger::new(home.clone()).path(), Ledger::new(Home::of(place)?).path());
    let (before, after) = (fs::read_if_there(&here)?.unwrap_or_default(), fs::read(&there)?);
    if !after.starts_with(&before) {
        return Ok(false);
    }
    fs::create(&here, &after)?;
    Ok(true)
}

/// A new worktree beside the repository.
fn make(tools: &Tools, git: &Git, branch: &str, plan: &Path) -> Result<PathBuf, Stop> {
    let top = git.home().root();
    let shown = plan.to_string_lossy().into_owned();
    let status = git.status()?;
    let is_at = |path: &str, place: &str| {
        path == place || path.strip_prefix(place).is_some_and(|rest| rest.starts_with('/'))
    };
    let missing =
        status.iter().map(|(_, path)| path).find(|path| is_at(path, &shown) || *path == config::NAME);
    if let Some(path) = missing {
        let message = format!(
            "a worktree has what is committed, and '{path}' is not: git add -- '{path}' && git commit"
        );
        return Err(Fail::config("not-committed", message).into());
    }
    if git.ask(&Call::of(&["check-ignore", "--quiet", "--", &shown]))?.status.success() {
        let message = format!("git ignores '{shown}', so that a worktree does not have it");
        return Err(Fail::config("not-committed", message).into());
    }
    let name = top.file_name().unwrap_or(OsStr::new("repository")).to_string_lossy().into_owned();
    let place = top.with_file_name(format!("{name}-{}", branch.replace('/', "-")));
    worktree::make_for_branch(git, branch, &place)?;
    // Earlier commits vouch for the records so far: those there go on from them.
    let records = Ledger::new(git.home().clone()).path();
    if records.exists() {
        Home::of(&place)?.folder("")?;
        fs::copy(&records, &Ledger::new(Home::of(&place)?).path())?;
    }
    if let Some(setup) = ConfigArgs::default().load(top)?.worktree.setup {
        let failed = |e: std::io::Error| Fail::io(Path::new("sh"), &e);
        let ended = tools
            .command(OsStr::new("sh"))
            .args(["-c", &setup])
            .current_dir(&place)
            .status()
            .map_err(failed)?;
        if !ended.success() {
            let message = format!("the setup of the worktree {} failed: {ended}", place.display());
            return Err(Fail::config("setup-failed", message).into());
        }
    }
    Ok(place)
}

/// A part of a branch's name for a plan.
fn slug(plan: &Path) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let text: String = plan.with_extension("").to_string_lossy().chars().map(letter).collect();
    text.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}
