//! What checks write into the tree. A new file that git does not track is a product: named once, never committed, no part
//! of the evidence. A tracked file is put back. Only a change to the task's own work speaks against the check.

use repo::git::{Call, Git, nul_separated};
use repo::tree::OwnFiles;
use repo::{prior_changes, products};
use std::collections::HashSet;
use std::time::{Duration, SystemTime};
use toolkit::Fail;
use toolkit::cli::tool;
use toolkit::files::fs;
use toolkit::files::root::{Home, has_git};
use wire::RunId;
use wire::punch::{Punch, Type};

/// How far the time stamps of files may lag behind.
const CLOCK: Duration = Duration::from_millis(10);

/// Whose files are whose, and since when checks ran.
pub(crate) struct Written<'a> {
    /// The main tree's home, and the tree where the checks ran.
    pub(crate) home: &'a Home,
    pub(crate) place: &'a Home,
    pub(crate) plan: &'a str,
    pub(crate) run: &'a RunId,
    pub(crate) now: String,
    pub(crate) ground: &'a OwnFiles,
    /// The task's own work: what its attempts changed, and what tasks of the plan declare.
    pub(crate) mine: HashSet<String>,
    /// Files with uncommitted changes from before the run; `None` if they are unknown, so that nothing is put back.
    pub(crate) prior: Option<HashSet<String>>,
    pub(crate) began: SystemTime,
    /// What becomes of new files.
    pub(crate) new_files: NewFiles,
}

/// What becomes of files that a check made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NewFiles {
    /// They stay, and count as products from now on.
    Products,
    /// They are moved aside: the work begins from the tree as it was.
    Aside,
}

impl Written<'_> {
    /// Names the products, puts tracked files back, and returns the rest: what the checks changed and must not.
    pub(crate) fn settle(self) -> Result<Vec<String>, Fail> {
        if !has_git(self.place.root()) {
            return Ok(Vec::new());
        }
        let git = Git::new(self.place.clone());
        let ours = |path: &str| self.ground.is_own(path) || self.ground.is_plan(path);
        let (mut rest, mut made, mut changed) = (Vec::new(), Vec::new(), Vec::new());
        for (letters, path) in git.status()?.into_iter().filter(|(_, path)| !ours(path)) {
            if !self.is_new(&path) {
                continue;
            }
            match () {
                () if self.mine.contains(&path) => rest.push(path),
                // A file that was there before the check is never moved aside.
                () if letters == "??" && !(self.new_files == NewFiles::Aside && self.is_prior(&path)) => {
                    made.push(path);
                }
                () if self.is_prior(&path) || letters.starts_with(['A', 'M', 'D', 'R']) => {
                    rest.push(path);
                }
                () => changed.push(path),
            }
        }
        self.put_back(&git, &changed)?;
        if self.new_files == NewFiles::Aside {
            self.move_aside(&made)?;
            return Ok(rest);
        }
        announce(&self, made)?;
        Ok(rest)
    }

    fn is_prior(&self, path: &str) -> bool {
        self.prior.as_ref().is_none_or(|prior| prior.contains(path))
    }

    /// Whether a file changed while the checks ran; one that is gone did.
    fn is_new(&self, path: &str) -> bool {
        let full = self.place.root().join(path);
        let gone = || full.symlink_metadata().is_err() && !self.mine.contains(path) && !self.is_prior(path);
        fs::changed_at(&full).map_or_else(gone, |changed| changed + CLOCK >= self.began)
    }

    /// Gives tracked files their content in the index; what the check wrote is kept aside.
    fn put_back(&self, git: &Git, paths: &[String]) -> Result<(), Fail> {
        if paths.is_empty() {
            return Ok(());
        }
        let folder = self.keep(paths)?;
        let write = ["checkout-index", "--force", "--quiet", "-z", "--stdin"];
        git.run(&Call::of(&write).input(&nul_separated(paths)))?;
        tool::note(&format!(
            "gate-run: changed by a check and put back: {}; what it wrote is kept in .plantools/{folder}",
            listed(paths)
        ));
        Ok(())
    }
}

impl Written<'_> {
    /// Keeps the bytes of files below our own folder, and returns where.
    fn keep(&self, paths: &[String]) -> Result<String, Fail> {
        let folder = format!("aside/{}", self.run);
        for path in paths {
            let Ok(Some(bytes)) = fs::read_if_there(&self.place.root().join(path)) else { continue };
            let kept = self.home.folder(&folder)?.join(path);
            if let Some(parent) = kept.parent() {
                std::fs::create_dir_all(parent).map_err(|e| Fail::io(parent, &e))?;
            }
            fs::create(&kept, &bytes)?;
        }
        Ok(folder)
    }

    /// Moves new files aside, with the folders that this leaves empty.
    fn move_aside(&self, paths: &[String]) -> Result<(), Fail> {
        if paths.is_empty() {
            return Ok(());
        }
        let folder = self.keep(paths)?;
        let top = self.place.root();
        for path in paths.iter().map(|path| top.join(path)) {
            fs::remove(&path)?;
            let above = path.ancestors().skip(1).take_while(|folder| *folder != top);
            for folder in above {
                if std::fs::remove_dir(folder).is_err() {
                    break;
                }
            }
        }
        tool::note(&format!(
            "gate-run: written by a check before the work, and moved to .plantools/{folder}: {}",
            listed(paths)
        ));
        Ok(())
    }
}

/// Puts products on the list, and names those that are new.
pub(crate) fn announce(written: &Written<'_>, made: Vec<String>) -> Result<(), Fail> {
    let lines = ignore_lines(&Git::new(written.place.clone()), &made)?;
    let new = products::add(written.home, written.plan, written.run, written.now.clone(), made)?;
    if !new.is_empty() {
        tool::note(&format!(
            "gate-run: written by a check, so neither committed nor part of the evidence: {}; lines for .gitignore: {}",
            listed(&new),
            lines.join(" ")
        ));
    }
    Ok(())
}

/// Whether an attempt at a task of a plan was begun.
pub(crate) fn is_begun(records: &[Punch], plan: &str) -> bool {
    records.iter().any(|p| p.kind == Type::AttemptBegin && p.plan == plan)
}

/// The files that attempts at tasks of a plan changed, and those with uncommitted changes from before its runs; the latter
/// are known once an attempt was begun.
pub(crate) fn of_plan(
    records: &[Punch],
    plan: &str,
    is_asked: impl Fn(&Punch) -> bool,
) -> (HashSet<String>, Option<HashSet<String>>) {
    let ends = records.iter().filter(|p| p.kind == Type::AttemptEnd && p.plan == plan && is_asked(p));
    let changed = ends.filter_map(|p| p.data.get("changed_files")?.as_array()).flatten();
    let prior = is_begun(records, plan).then(|| prior_changes::on_record(records, plan));
    (changed.filter_map(|path| path.as_str().map(str::to_owned)).collect(), prior)
}

/// The lines that would keep git from listing these files: a folder that git does not know stands for all in it.
fn ignore_lines(git: &Git, made: &[String]) -> Result<Vec<String>, Fail> {
    if made.is_empty() {
        return Ok(Vec::new());
    }
    let args = ["status", "--porcelain", "-z", "--untracked-files=normal", "--no-renames"];
    let listed = git.run(&Call::of(&args))?.out;
    let text = String::from_utf8_lossy(&listed).into_owned();
    let paths = text.split('\0').filter_map(|entry| entry.strip_prefix("?? "));
    let covers = |path: &&str| made.iter().any(|file| file.as_str() == *path || file.starts_with(*path));
    Ok(paths.filter(covers).map(|path| format!("/{path}")).collect())
}

/// Some of the names, and how many more there are.
fn listed(paths: &[String]) -> String {
    const MANY: usize = 10;
    let named = paths[..paths.len().min(MANY)].join(", ");
    let more = paths.len().saturating_sub(MANY);
    if more > 0 { format!("{named} and {more} more") } else { named }
}
