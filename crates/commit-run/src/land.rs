//! `commit-run land`: brings the work of a task's own tree into the main tree, where it has still to be proved.
//!
//! The merged tree is made before anything changes; a conflict changes nothing. The plan and the files that our own
//! stages write are those of the main tree and are never brought in.

pub(crate) mod turn;
pub(crate) mod worker_commits;

use crate::{commit, settle};
use config::ConfigArgs;
use dialects::PlanSnapshot;
use ledger::leases;
use ledger::recorder::Recorder;
use repo::git::Git;
use repo::landing::Landing;
use repo::snapshot::{self, Merged};
use repo::tree::Tree;
use repo::worktree;
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};
use toolkit::Fail;
use toolkit::files::root::{Home, has_git};
use toolkit::stream::pipe_ends;
use toolkit::stream::stage::{order_of, set};
use wire::order::{Category, Halt, Land, Worktree};
use wire::{Order, OrderLine};

/// The name that halts of this stage bear.
pub(crate) const STAGE: &str = "commit-run land";

/// How long to wait for a merge in the main tree to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// Brings in the work of one order and sets `land`.
pub(crate) fn order(config: &ConfigArgs, desk: &Recorder, line: &mut OrderLine) -> Result<(), Fail> {
    let order = order_of(line)?;
    if let Some(halt) = &order.halt {
        return set(line, "land", &skip(&format!("halted by {}: {}", halt.stage, halt.code)));
    }
    let root = Path::new(&order.plan.root);
    if !has_git(root) {
        return set(line, "land", &skip("there is no git repository"));
    }
    let git = Git::new(Home::of(root)?);
    let _lock = turn::take(git.home())?;
    // The run that took the task over lands its own work.
    if let Err(message) = leases::still_of(&desk.ledger(&order)?.read_of(&order.plan.path)?, &order) {
        set(line, "land", &skip(&message))?;
        return desk.halt(line, &order, &settle::lost(STAGE, message));
    }
    let Some(tree) = worktree::own(&order) else {
        // Nothing may change under work that is being checked and ticked in the main tree.
        let now = snapshot::take(&git, git.head()?.as_deref())?;
        let after = snapshot::tree_of(&git, &now)?;
        landing_of(&order, now, after, Vec::new(), None).begin(git.home(), desk.clock.now())?;
        return set(line, "land", &skip("the work was done in the main tree"));
    };
    let config = config.load(root)?.worktree;
    let joined = match join(&git, &order, tree)? {
        Ok(joined) => joined,
        Err(refusal) => {
            let (mut halt, files) = *refusal;
            halt.retry |= config.retry_conflicts;
            set(line, "land", &skip(&halt.message))?;
            return desk.halt_with(line, &order, &halt, &json!({ "files": files, "worktree": tree }));
        }
    };
    let replayed = match &joined.head {
        Some(head) => worker_commits::replay(&git, config.land, tree, head)?,
        None => None,
    };
    let head = replayed.as_ref().map(|replayed| replayed.head.clone());
    let landing = landing_of(&order, joined.before, joined.after, joined.files, head);
    landing.begin(git.home(), desk.clock.now())?;
    if let Err(fail) = landing.carry_out(&git) {
        // Whatever failed, the main tree is as it was.
        landing.undo(&git)?;
        Landing::end(git.home())?;
        return Err(fail);
    }
    let commits = replayed.map(|replayed| replayed.commits).unwrap_or_default();
    set(line, "land", &Land { files: landing.files, commits, skipped: None })
}

/// The planned state of the main tree.
struct Joined {
    before: String,
    after: String,
    files: Vec<String>,
    /// The last of the worker's commits.
    head: Option<String>,
}

/// Why nothing is landed, and the files that prevent it.
type Refusal = Box<(Halt, Vec<String>)>;

/// Merges the task's tree with the current main tree.
fn join(git: &Git, order: &Order, tree: &Worktree) -> Result<Result<Joined, Refusal>, Fail> {
    if let Some(why) = waited_for(git.home()) {
        let halt = refusal("commit-obstacle", why.to_owned(), Category::EnvError);
        return Ok(Err(Box::new((halt, Vec::new()))));
    }
    let field = PlanSnapshot::of(&order.plan)?;
    let place = worktree::path_of(git.home().root(), tree)?;
    if !place.is_dir() {
        let message = format!("'{}' is gone with the work in it", tree.path);
        let halt = Halt { counts: false, ..refusal("worktree-gone", message, Category::EnvError) };
        return Ok(Err(Box::new((halt, Vec::new()))));
    }
    let place = Home::of(&place)?;
    let there = Git::new(place.clone());
    let checked = order.verdict.as_ref().and_then(|verdict| verdict.tree.as_ref());
    let now = Tree::now(&place, &field.ground)?.map(|tree| tree.hash);
    if checked.is_some() && now.as_ref() != checked {
        let message = format!("'{}' changed after its checks", tree.path);
        let halt = refusal("tree-moved", message, Category::EnvError);
        return Ok(Err(Box::new((halt, Vec::new()))));
    }
    let head = there.head()?;
    let work = snapshot::take(&there, head.as_deref())?;
    let before = snapshot::take(git, git.head()?.as_deref())?;
    let Merged { tree: after, conflicts } = snapshot::merge(git, &tree.base, &before, &work)?;
    let ours = |path: &String| field.ground.is_own(path) || field.ground.is_plan(path);
    let conflicts: Vec<String> = conflicts.into_iter().filter(|path| !ours(path)).collect();
    if !conflicts.is_empty() {
        let message = format!(
            "conflict in {}: changed in the main tree since the task began; its work is kept in '{}'",
            conflicts.join(", "),
            tree.path
        );
        let halt = Halt { retry: false, ..refusal("merge-conflict", message, Category::CodeError) };
        return Ok(Err(Box::new((halt, conflicts))));
    }
    let mut changes = snapshot::changed(git, &before, &after)?;
    changes.retain(|(path, _)| !ours(path));
    let mut in_the_way = snapshot::in_the_way(git.home().root(), &changes);
    in_the_way.extend(snapshot::not_looked_at(git, &changes)?);
    if let Some(first) = in_the_way.first() {
        let message = format!(
            "'{first}' is in the way: it is in the main tree, and git does not look at it there; the task's work is kept in '{}'",
            tree.path
        );
        let halt = Halt { retry: false, ..refusal("merge-conflict", message, Category::CodeError) };
        return Ok(Err(Box::new((halt, in_the_way))));
    }
    let files = changes.into_iter().map(|(path, _)| path).collect();
    let head = head.filter(|head| *head != tree.base);
    Ok(Ok(Joined { before, after, files, head }))
}

/// Why nothing can be landed now: another git operation is in progress, and did not end within a while.
fn waited_for(home: &Home) -> Option<&'static str> {
    let deadline = Instant::now() + PATIENCE;
    while commit::obstacle(home).is_some() && Instant::now() < deadline && !pipe_ends::reader_is_gone() {
        std::thread::sleep(PATIENCE / 200);
    }
    commit::obstacle(home)
}

fn landing_of(
    order: &Order,
    before: String,
    after: String,
    files: Vec<String>,
    head: Option<(String, String)>,
) -> Landing {
    let pid = std::process::id();
    Landing {
        plan: order.plan.path.clone(),
        task: order.task.id.clone(),
        run: order.run.clone(),
        attempt: order.attempt,
        before,
        after,
        files,
        head,
        owner: (pid, supervise::processes::start_time(pid)),
        holder: order.worker.as_ref().and_then(|worker| worker.hold.as_ref()).map(|hold| hold.owner.clone()),
    }
}

fn refusal(code: &str, message: String, category: Category) -> Halt {
    Halt::new(STAGE, code, category, message)
}

fn skip(reason: &str) -> Land {
    Land { skipped: Some(reason.to_owned()), ..Land::default() }
}
