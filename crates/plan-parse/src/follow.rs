//! `--follow`: prints the plan again whenever its files change, never a half-written one.
//!
//! Our own writers hold the plan's lock while they write. For others it waits: it does not read a file that was
//! changed and not closed, and it ignores a file that does not parse as a plan until it changes again.

use crate::args::Args;
use dialects::Followed;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use toolkit::cli::signals;
use toolkit::cli::tool::note;
use toolkit::files::change_notice::Notice;
use toolkit::files::lock::{self, Lock};
use toolkit::files::root::Home;
use toolkit::stream::output::Output;
use toolkit::stream::pipe_ends;
use toolkit::{Exit, Fail};
use wire::Plan;
use wire::plan::ticks::Ticks;

/// How long to wait for a writer that does not close the file.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long files must be unchanged before they are read.
const QUIET: Duration = Duration::from_millis(10);

/// Prints the plan, and prints it again, until the reader closes the pipe.
pub(crate) fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    signals::outlive_the_first();
    let path = args.file.as_deref().unwrap_or(Path::new("-"));
    let mut place = PlanFiles::of(path, None);
    let mut shown: Option<Plan> = None;
    let mut followed: Option<Followed> = None;
    let mut ticked = Vec::new();
    let mut trouble = String::new();
    loop {
        place.wait_for_quiet()?;
        let came = ticks(followed.as_mut(), shown.as_ref())?;
        if let Some((plan, ticks)) = shown.as_mut().zip(came) {
            ticked.extend(ticks.tasks);
            if place.is_being_written() {
                continue;
            }
            if !ticked.is_empty() {
                let ticks = Ticks { tasks: std::mem::take(&mut ticked), ..ticks };
                ticks.sha256.clone_into(&mut plan.source.sha256);
                for file in &mut plan.source.files {
                    ticks.sha256.clone_into(&mut file.sha256);
                }
                out.document(&ticks, false)?;
            }
            place.wait()?;
            continue;
        }
        match read(args, shown.as_ref()) {
            Ok(plan) => {
                trouble.clear();
                let same = shown.as_ref().is_some_and(|old| old.source.files == plan.source.files);
                // A change during the read may be half-written: read again.
                if place.is_being_written() {
                    continue;
                }
                // A file may change before it is watched: watch it first, then read again.
                if !place.covers(path, &plan) {
                    place = PlanFiles::of(path, Some(&plan));
                    continue;
                }
                if !same {
                    out.document(&plan, false)?;
                    ticked.clear();
                    followed = if args.with_body { None } else { Followed::of(&plan, &crate::ask(args)) };
                    shown = Some(plan);
                    continue;
                }
            }
            Err(fail) if shown.is_none() => return Err(fail),
            Err(fail) => {
                if trouble != fail.to_string() {
                    trouble = fail.to_string();
                    note(&format!("plan-parse: {trouble}; waiting for it to change"));
                }
            }
        }
        place.wait()?;
    }
}

/// What was ticked since, read under the lock of the plan's writers; `None` if the plan must be read.
fn ticks(followed: Option<&mut Followed>, shown: Option<&Plan>) -> Result<Option<Ticks>, Fail> {
    let Some(followed) = followed else { return Ok(None) };
    let _lock = lock_of(shown)?;
    Ok(followed.ticks())
}

fn lock_of(shown: Option<&Plan>) -> Result<Option<Lock>, Fail> {
    let Some(plan) = shown else { return Ok(None) };
    let root = Path::new(&plan.source.root);
    let path = root.join(&plan.source.path);
    path.exists().then(|| lock::of_plan(&Home::of(root)?, &path, "plan-parse")).transpose()
}

/// The current plan, read under the lock of its writers.
fn read(args: &Args, shown: Option<&Plan>) -> Result<Plan, Fail> {
    let _lock = lock_of(shown)?;
    let (plan, _) = crate::read(args)?;
    crate::sound(args, &plan)?;
    Ok(plan)
}

/// The plan's files and a watch on their folders.
struct PlanFiles {
    notice: Notice,
    folders: BTreeSet<PathBuf>,
    names: BTreeSet<Vec<u8>>,
}

impl PlanFiles {
    fn of(path: &Path, plan: Option<&Plan>) -> Self {
        let (folders, names) = parts(path, plan);
        Self { notice: Notice::of(folders.iter().map(PathBuf::as_path)), folders, names }
    }

    /// Whether all files of the plan are watched.
    fn covers(&self, path: &Path, plan: &Plan) -> bool {
        let (folders, names) = parts(path, Some(plan));
        folders.is_subset(&self.folders) && names.is_subset(&self.names)
    }

    fn is_being_written(&mut self) -> bool {
        let names = &self.names;
        self.notice.is_being_written(|name| names.contains(name))
    }

    /// Waits for a change.
    fn wait(&self) -> Result<(), Fail> {
        pipe_ends::wait(None, &self.notice.fds(), Some(self.notice.nap())).map(|_| ())
    }

    /// Waits until the writers have closed the files; not for ever, since one may keep them open.
    fn wait_for_quiet(&mut self) -> Result<(), Fail> {
        let begun = Instant::now();
        while self.is_being_written() && begun.elapsed() < PATIENCE {
            pipe_ends::wait(None, &[], Some(QUIET))?;
        }
        Ok(())
    }
}

/// The folders of the plan's files, and their names there.
fn parts(path: &Path, plan: Option<&Plan>) -> (BTreeSet<PathBuf>, BTreeSet<Vec<u8>>) {
    let files = plan
        .into_iter()
        .flat_map(|plan| plan.source.files.iter().map(|file| Path::new(&plan.source.root).join(&file.path)));
    let files: Vec<PathBuf> = std::iter::once(path.to_path_buf())
        .chain(files)
        .map(|file| file.canonicalize().unwrap_or(file))
        .collect();
    let folder = |file: &PathBuf| match file.parent() {
        _ if file.is_dir() => file.clone(),
        Some(parent) if parent != Path::new("") => parent.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let names = files.iter().filter_map(|file| file.file_name()).map(OsStr::as_encoded_bytes);
    (files.iter().map(folder).collect(), names.map(<[u8]>::to_vec).collect())
}
