//! One landing at a time: whose turn it is, how it ends, and what a crash leaves.
//!
//! A landing is over when its task is ticked and committed, or when its work was taken back. The stage at the end of the
//! pipe says so, by removing what says that it is under way; the next one waits for that.

use std::time::{Duration, Instant};
use toolkit::ends;
use toolkit::git::Git;
use toolkit::landing::{self, Landing};
use toolkit::ledger::Ledger;
use toolkit::lock::{Lock, PATIENCE};
use toolkit::notice::Notice;
use toolkit::root::Home;
use toolkit::stage::order_of;
use toolkit::{Exit, Fail, worktree};
use wire::OrderLine;

/// How long a landing that nobody owns any more is left to the stages behind it.
const LEFT: Duration = Duration::from_secs(2);

/// How long one that was killed may take to be gone.
const ENDING: Duration = Duration::from_secs(2);

/// Waits until no landing is under way. That our own reader has left ends the wait.
pub(crate) fn wait(home: &Home) -> Result<(), Fail> {
    let mut notice = Notice::of([home.folder("")?.as_path()]);
    let mut left: Option<Instant> = None;
    while let Some(landing) = Landing::read(home)? {
        if is_owned(&landing) {
            left = None;
        } else if left.get_or_insert_with(Instant::now).elapsed() > LEFT {
            return end(home);
        }
        notice.take_in();
        if Landing::read(home)?.is_some() {
            ends::wait(None, &notice.fds(), Some(notice.nap().min(LEFT / 4)))?;
        }
    }
    Ok(())
}

/// Ends the landing of an order that has come to the end of the pipe, and removes the worktrees of a task that is done.
pub(crate) fn settle(line: &OrderLine) -> Result<(), Fail> {
    if !line.has("land") {
        return Ok(());
    }
    let order = order_of(line)?;
    let home = Home::of(std::path::Path::new(&order.plan.root))?;
    let git = Git::new(home.clone());
    {
        let _lock = landing::lock(&home, crate::STAGE)?;
        if let Some(landing) = Landing::read(&home)?.filter(|landing| landing.is_of(&order)) {
            landing.settle(&git)?;
        }
    }
    if order.tick.as_ref().is_some_and(|tick| tick.skipped.is_none()) {
        let records = Ledger::new(home).read()?;
        for name in worktree::of_task(&records, &order.plan.path, &order.task.id) {
            worktree::remove(&git, &name)?;
        }
    }
    Ok(())
}

/// Mends what a crash left: a landing that nobody owns, and worktrees that nobody needs.
pub(crate) fn recover(home: &Home) -> Result<(), Fail> {
    match Landing::read(home)? {
        Some(landing) if stays_owned(&landing) => {
            let message = format!("process {} is bringing in task '{}'", landing.owner.0, landing.task);
            return Err(Fail::new(Exit::Busy, "landing", message));
        }
        Some(_) => end(home)?,
        None => {}
    }
    let _lock = Lock::take(&home.folder("locks")?.join("worktrees"), PATIENCE, crate::STAGE)?;
    worktree::prune(&Git::new(home.clone()), &Ledger::new(home.clone()).read()?, supervise::procs::alive)
}

fn end(home: &Home) -> Result<(), Fail> {
    let _lock = landing::lock(home, crate::STAGE)?;
    match Landing::read(home)? {
        Some(landing) => landing.settle(&Git::new(home.clone())),
        None => Ok(()),
    }
}

/// Whether its owner is there and not just ending: one that was killed takes a moment to be gone.
fn stays_owned(landing: &Landing) -> bool {
    let deadline = Instant::now() + ENDING;
    while is_owned(landing) {
        if Instant::now() >= deadline {
            return true;
        }
        std::thread::sleep(ENDING / 100);
    }
    false
}

fn is_owned(landing: &Landing) -> bool {
    let (pid, start) = landing.owner;
    start.is_some_and(|start| supervise::procs::alive(pid, start))
}
