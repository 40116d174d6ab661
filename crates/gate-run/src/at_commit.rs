//! `gate-run at`: one check of a plan on the tree of a commit, or on the tree as it is now.
//!
//! The check is that of the plan as it is now; the tree is a scratch worktree, removed afterwards. Nothing is recorded: what
//! held at another time is no evidence for a box.

use crate::args::Args;
use crate::gates::catalog::Catalog;
use crate::order::before;
use crate::run::budget::{Budget, BudgetArgs};
use crate::run::check::Check;
use crate::run::progress::Progress;
use crate::trial::bench::Scratch;
use config::ConfigArgs;
use dialects::Ask;
use repo::git::{Call, Git};
use repo::{snapshot, worktree};
use std::path::Path;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::gate::Status;
use wire::plan::Criterion;

/// What is asked.
pub(crate) struct Asked<'a> {
    pub(crate) check: &'a str,
    pub(crate) plan: &'a Path,
    pub(crate) commit: Option<&'a str>,
    pub(crate) budget: &'a BudgetArgs,
    pub(crate) config: &'a ConfigArgs,
}

/// Runs the check and prints its `gate/1`.
pub(crate) fn run(args: &Args, asked: &Asked<'_>, out: &mut Output) -> Result<Exit, Fail> {
    let root = root::find(asked.plan)?;
    let home = Home::of(&root)?;
    if !root::has_git(&root) {
        return Err(Fail::config("no-repository", "there is no git repository, and so no commit to look at"));
    }
    let catalog = Catalog::load(asked.config, &root)?;
    let criterion = criterion(asked, &root)?;
    let budget = Budget::of(asked.budget, None, &catalog.config, None);
    let check = Check::of_criterion(&criterion, budget);
    if let Some(what) = before::acting(&check) {
        return Err(Fail::new(
            Exit::No,
            "acts",
            format!("check {} acts ('{what}') and is not run here", check.id),
        ));
    }
    let git = Git::new(home.clone());
    let commit = match asked.commit {
        Some(name) => {
            let name = format!("{name}^{{commit}}");
            let found =
                git.ask(&Call::of(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name]))?;
            let missing =
                || Fail::new(Exit::NoInput, "no-such-commit", format!("there is no commit '{name}'"));
            if found.status.success() { found.line() } else { return Err(missing()) }
        }
        None => snapshot::take(&git, git.head()?.as_deref())?,
    };
    let watch = Progress::stage(args);
    watch.next_order();
    let gate = {
        let _making = worktree::making(&home, crate::STAGE)?;
        let scratch = Scratch::make(args, &catalog.config, &home, &watch, "at", Some(&commit), &commit)?;
        scratch.judge(&check)?
    };
    out.document(&gate, args.show.pretty)?;
    if watch.is_over() {
        return Err(Fail::new(Exit::Stopped, "interrupted", "a signal ended the check; run it again"));
    }
    Ok(match gate.status {
        Status::Pass => Exit::Ok,
        Status::Fail => Exit::No,
        Status::Fault => Exit::NoVerdict,
    })
}

/// The check of this id, also in the file of its task.
fn criterion(asked: &Asked<'_>, root: &Path) -> Result<Criterion, Fail> {
    let task = asked.check.rsplit_once(':').map_or(asked.check, |(task, _)| task);
    let ask = Ask { load: vec![task.to_owned()], ..Ask::default() };
    let plan = dialects::open_with(asked.plan, root, &Ask::default())?;
    let has_file = plan.tasks.iter().any(|known| known.id.as_str() == task && known.detail.is_some());
    let plan = if has_file { dialects::open_with(asked.plan, root, &ask)? } else { plan };
    let mut all = plan.tasks.into_iter().flat_map(|task| task.criteria);
    let found =
        all.find(|criterion| criterion.id == asked.check && criterion.runnable && criterion.skip.is_none());
    let missing = || format!("the plan has no check '{}' that can be run", asked.check);
    found.ok_or_else(|| Fail::new(Exit::No, "no-such-criterion", missing()))
}
