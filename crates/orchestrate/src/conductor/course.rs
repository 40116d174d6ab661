//! What a run goes by: the plan, the facts about it, the profile, and the values of its command lines.

use crate::args::Wanted;
use crate::find::locate;
use crate::find::profile::{Values, follows};
use crate::stop_reason::Stop;
use crate::tools::Tools;
use config::ConfigArgs;
use config::profile::Profile;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use toolkit::Fail;
use wire::facts::Facts;
use wire::plan::Model;

/// The course of a run.
#[derive(Debug)]
pub(crate) struct Course {
    pub(crate) facts: Facts,
    pub(crate) profile: Profile,
    pub(crate) values: Values,
    /// Whether the pipe follows the plan and gives each task a tree of its own.
    pub(crate) follows: bool,
}

impl Course {
    /// From the command line to the plan, and from its dialect to the profile. With `is_dry` nothing is written.
    pub(crate) fn chart(tools: &Tools, wanted: &Wanted, is_dry: bool) -> Result<Self, Stop> {
        let located = locate::locate(tools, wanted)?;
        let mut values = Values::of(wanted);
        values.set("plan", plain(&located.plan));
        values.set("dry_run", if is_dry { "yes" } else { "" });
        let pull = located.pull.unwrap_or_default();
        if !pull.is_empty() {
            values.set("push", "yes");
        }
        values.set("pull", pull.as_str());
        // With a profile that is named, the plan need not be one that can be read yet.
        let name = match &wanted.profile {
            Some(name) => name.clone(),
            None => facts(tools, &located.plan)?.profile,
        };
        let root = toolkit::files::root::find(&located.plan)?;
        let profile = ConfigArgs::default().load(&root)?.profile_named(&name)?;
        if !profile.plan_file.is_empty() {
            let said = values.answer(tools, &profile.plan_file)?.success()?;
            if !said.err.trim().is_empty() {
                toolkit::cli::tool::note(said.err.trim_end());
            }
            let plan = said.line();
            if !plan.is_empty() {
                values.set("plan", plain(Path::new(&plan)));
            }
        }
        let facts = facts(tools, Path::new(values.get("plan")))?;
        values.set("root", facts.root.as_str());
        values.set("path", facts.path.as_str());
        let jobs = wanted.jobs;
        if jobs > 1 && profile.max_jobs != 0 && profile.max_jobs < jobs && !facts.parallel {
            let message =
                format!("{} runs {}; --jobs {jobs} is not for it", profile.name, at_a_time(profile.max_jobs));
            return Err(Fail::usage(message).into());
        }
        if jobs > 1 && profile.strategy.map_or(facts.sequential, |model| model == Model::Sequential) {
            let way = if profile.strategy_is_fixed {
                String::new()
            } else {
                format!(
                    "; to run them together, write to plantools.toml: [workflow.{}] strategy = \"parallel\"",
                    profile.name
                )
            };
            toolkit::cli::tool::note(&format!(
                "orchestrate: the tasks of this plan run one after the other, so --jobs {jobs} changes nothing{way}"
            ));
        }
        let can_follow = (wanted.shared || jobs > 1) && follows(&profile, tools, Path::new(&facts.root));
        if wanted.shared {
            may_share(&profile, &pull, can_follow)?;
        }
        Ok(Self { facts, profile, values, follows: can_follow })
    }

    /// The pipe of a round.
    pub(crate) fn pipe(&self) -> &str {
        if self.follows { &self.profile.follow } else { &self.profile.round }
    }

    /// The file that a run of the plan locks.
    pub(crate) fn lock_file(&self, tools: &Tools) -> Result<PathBuf, Stop> {
        let said = tools.ask("plan-parse", [OsStr::new("--lock-file"), self.values.get("plan")])?;
        Ok(PathBuf::from(said.success()?.line()))
    }

    /// The log of the run.
    pub(crate) fn log_file(&self, lock: &Path, run: Option<&str>) -> PathBuf {
        let name = lock.file_name().unwrap_or_default().to_string_lossy();
        let run = run.map(|run| format!(".{run}")).unwrap_or_default();
        Path::new(&self.facts.root).join(".plantools/logs").join(format!("{name}{run}.log"))
    }
}

fn at_a_time(jobs: u32) -> String {
    if jobs == 1 { "one task at a time".to_owned() } else { format!("at most {jobs} tasks at a time") }
}

/// A path that no command line takes for an option.
fn plain(path: &Path) -> PathBuf {
    if path.as_os_str().as_encoded_bytes().starts_with(b"-") {
        Path::new(".").join(path)
    } else {
        path.to_path_buf()
    }
}

/// The facts about a plan. A plan that cannot be read ends the run with the message of plan-parse.
pub(crate) fn facts(tools: &Tools, plan: &Path) -> Result<Facts, Stop> {
    let args = ["--quiet", "--show", "facts"].map(OsStr::new).into_iter().chain([plan.as_os_str()]);
    Ok(tools.ask("plan-parse", args)?.success()?.json()?)
}

/// Several runs on one plan: each task has a tree of its own, or their checks would see half edits.
fn may_share(profile: &Profile, pull: &str, can_follow: bool) -> Result<(), Fail> {
    let name = &profile.name;
    let why = if profile.max_jobs == 1 {
        format!("{name} runs one task at a time; --shared is not for it")
    } else if !pull.is_empty() {
        "a pull request belongs to one run; --shared is not for it".to_owned()
    } else if profile.follow.is_empty() {
        format!("{name} leaves its work uncommitted; --shared is not for it")
    } else if !can_follow {
        "--shared gives each task a tree of its own, and needs a git repository with a commit".to_owned()
    } else {
        return Ok(());
    };
    Err(Fail::usage(why))
}
