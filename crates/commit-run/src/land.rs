//! `--land`: the work of a task's own tree comes into the main tree, and has still to be proved there.
//!
//! The joined tree is made before anything changes; what cannot be joined changes nothing. The plan and the files that
//! our own stages write are those of the main tree and never come in.

use crate::args::Args;
use crate::{commit, history, settle, turn};
use dialects::Field;
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};
use toolkit::Fail;
use toolkit::git::Git;
use toolkit::landing::Landing;
use toolkit::root::{Home, has_git};
use toolkit::snapshot::{self, Merged};
use toolkit::stage::{Desk, order_of, set};
use toolkit::tree::Tree;
use toolkit::{ends, hold, worktree};
use wire::order::{Category, Halt, Land, Worktree};
use wire::{Order, OrderLine};

/// The name that halts of this stage bear.
pub(crate) const STAGE: &str = "commit-run --land";

/// How long somebody who merges in the main tree is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// Brings in the work of one order and sets `land`.
pub(crate) fn order(args: &Args, desk: &Desk, line: &mut OrderLine) -> Result<(), Fail> {
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
    // Whoever took the task over brings in what he makes of it.
    if let Err(message) = hold::still_of(&desk.ledger(&order)?.read_of(&order.plan.path)?, &order) {
        set(line, "land", &skip(&message))?;
        return desk.halt(line, &order, &settle::lost(STAGE, message));
    }
    let Some(tree) = worktree::own(&order) else {
        // Nothing moves under what is checked and ticked in the main tree meanwhile.
        let now = snapshot::take(&git, git.head()?.as_deref())?;
        let after = snapshot::tree_of(&git, &now)?;
        landing_of(&order, now, after, Vec::new(), None).begin(git.home(), desk.clock.now())?;
        return set(line, "land", &skip("the work was done in the main tree"));
    };
    let config = args.config.load(root)?.worktree;
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
        Some(head) => history::replay(&git, config.land, tree, head)?,
        None => None,
    };
    let head = replayed.as_ref().map(|replayed| replayed.head.clone());
    let landing = landing_of(&order, joined.before, joined.after, joined.files, head);
    landing.begin(git.home(), desk.clock.now())?;
    if let Err(fail) = landing.carry_out(&git) {
        // Whatever stopped it, the main tree is what it was.
        landing.undo(&git)?;
        Landing::end(git.home())?;
        return Err(fail);
    }
    let commits = replayed.map(|replayed| replayed.commits).unwrap_or_default();
    set(line, "land", &Land { files: landing.files, commits, skipped: None })
}

/// What is to become of the main tree.
struct Joined {
    before: String,
    after: String,
    files: Vec<String>,
    /// The last of the commits that the worker made.
    head: Option<String>,
}

/// Why nothing is brought in, and which files are to blame.
type Refusal = Box<(Halt, Vec<String>)>;

/// Joins the task's tree with the main one as it is now.
fn join(git: &Git, order: &Order, tree: &Worktree) -> Result<Result<Joined, Refusal>, Fail> {
    if let Some(why) = waited_for(git.home()) {
        let halt = refusal("commit-obstacle", why.to_owned(), Category::EnvError);
        return Ok(Err(Box::new((halt, Vec::new()))));
    }
    let field = Field::of(&order.plan)?;
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

/// Why nothing can be brought in now: somebody is in the middle of something, and is so still after a while.
fn waited_for(home: &Home) -> Option<&'static str> {
    let deadline = Instant::now() + PATIENCE;
    while commit::obstacle(home).is_some() && Instant::now() < deadline && !ends::reader_is_gone() {
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
        owner: (pid, supervise::procs::start_time(pid)),
        holder: order.worker.as_ref().and_then(|worker| worker.hold.as_ref()).map(|hold| hold.owner.clone()),
    }
}

fn refusal(code: &str, message: String, category: Category) -> Halt {
    Halt {
        stage: STAGE.into(),
        code: code.into(),
        category,
        message,
        retry: true,
        counts: true,
        not_before: None,
    }
}

fn skip(reason: &str) -> Land {
    Land { skipped: Some(reason.to_owned()), ..Land::default() }
}
