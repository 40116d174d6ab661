//! One landing at a time: whose turn it is, how it ends, and what a crash leaves.
//!
//! A landing is over when its task is ticked and committed, or when its work was taken back. The stage at the end of the
//! pipe says so, by removing what says that it is under way; the next one waits for that.

use crate::{commit, land};
use std::path::Path;
use std::time::{Duration, Instant};
use supervise::procs::alive;
use toolkit::ends;
use toolkit::git::Git;
use toolkit::hold::{self, Watch};
use toolkit::landing::{self, Landing};
use toolkit::ledger::Ledger;
use toolkit::lock::Lock;
use toolkit::notice::Notice;
use toolkit::root::Home;
use toolkit::stage::order_of;
use toolkit::{Exit, Fail, worktree};
use wire::OrderLine;
use wire::order::Owner;

/// How long a landing that nobody owns any more is left to the stages behind it.
const LEFT: Duration = Duration::from_secs(2);

/// How long a landing may take to come to its end behind us.
const SEEN_OFF: Duration = Duration::from_secs(60);

/// How long one that was killed may take to be gone.
const ENDING: Duration = Duration::from_secs(2);

/// Waits until no landing is under way, and gives the lock under which the next may begin. That our own reader has left
/// ends the wait.
pub(crate) fn take(home: &Home) -> Result<Lock, Fail> {
    let mut watch = Watch::following();
    loop {
        wait(home, &mut watch)?;
        let lock = landing::lock(home, land::STAGE)?;
        // Another run that shares the plan may have been quicker.
        if Landing::read(home)?.is_none() {
            return Ok(lock);
        }
    }
}

fn wait(home: &Home, watch: &mut Watch) -> Result<(), Fail> {
    let mut notice = Notice::of([home.folder("")?.as_path()]);
    let mut left: Option<Instant> = None;
    while let Some(landing) = Landing::read(home)? {
        if is_owned(home, &landing, watch) {
            left = None;
        } else if left.get_or_insert_with(Instant::now).elapsed() > LEFT {
            return end(home, &landing);
        }
        if landing.owner.0 == std::process::id() && !ends::has_reader() {
            let message = format!("nobody behind us settles the landing of task '{}'", landing.task);
            return Err(Fail::new(Exit::Busy, "landing", message));
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
    let home = Home::of(Path::new(&order.plan.root))?;
    let git = Git::new(home.clone());
    {
        let _lock = landing::lock(&home, crate::STAGE)?;
        if let Some(landing) = Landing::read(&home)?.filter(|landing| landing.is_of(&order)) {
            landing.settle(&git)?;
        }
    }
    if order.tick.as_ref().is_some_and(|tick| tick.skipped.is_none()) {
        let records = Ledger::new(home.clone()).read_of(&order.plan.path)?;
        if hold::still_of(&records, &order).is_err() {
            return Ok(());
        }
        let lives = |owner: &Owner| hold::may_live(&home, owner, alive);
        for name in worktree::of_task(&records, &order, lives) {
            worktree::remove(&git, &name)?;
        }
    }
    Ok(())
}

/// Stays while a landing of ours is on its way behind us, since whoever waits for its end takes it for left when we are
/// gone; but not for ever, since a stage behind us may be gone itself.
pub(crate) fn see_off(root: &Path) -> Result<(), Fail> {
    let home = Home::of(root)?;
    let deadline = Instant::now() + SEEN_OFF;
    let is_ours = |landing: &Landing| landing.owner.0 == std::process::id() && landing.holder.is_some();
    while Landing::read(&home)?.as_ref().is_some_and(is_ours) && Instant::now() < deadline {
        std::thread::sleep(LEFT / 40);
    }
    Ok(())
}

/// Mends what a crash left: a commit half made, a landing that nobody owns, and worktrees that nobody needs. What belongs
/// to another run that shares the plan is left to it.
pub(crate) fn recover(home: &Home) -> Result<(), Fail> {
    {
        let _lock = landing::lock(home, crate::STAGE)?;
        commit::recover(home)?;
    }
    match Landing::read(home)? {
        Some(landing) if !stays_owned(home, &landing) => end(home, &landing)?,
        Some(landing) if landing.holder.is_none() => {
            let message = format!("process {} is bringing in task '{}'", landing.owner.0, landing.task);
            return Err(Fail::new(Exit::Busy, "landing", message));
        }
        _ => {}
    }
    hold::sweep(home, alive)?;
    worktree::tidy(home, |owner| hold::may_live(home, owner, alive), crate::STAGE)
}

/// Ends this landing, if it is still the one that is under way.
fn end(home: &Home, dead: &Landing) -> Result<(), Fail> {
    let _lock = landing::lock(home, crate::STAGE)?;
    match Landing::read(home)?.filter(|landing| landing == dead) {
        Some(landing) => landing.settle(&Git::new(home.clone())),
        None => Ok(()),
    }
}

/// Whether its owner is there and not just ending: one that was killed takes a moment to be gone.
fn stays_owned(home: &Home, landing: &Landing) -> bool {
    let deadline = Instant::now() + ENDING;
    while is_owned(home, landing, &mut Watch::once()) {
        if Instant::now() >= deadline {
            return true;
        }
        std::thread::sleep(ENDING / 100);
    }
    false
}

/// Whether the process that landed it is there; of a run elsewhere, whether its hold on the task is good.
fn is_owned(home: &Home, landing: &Landing, watch: &mut Watch) -> bool {
    let (pid, start) = landing.owner;
    let runs = || start.is_some_and(|start| alive(pid, start));
    match &landing.holder {
        None => runs(),
        Some(holder) if hold::is_here(holder) && !runs() => false,
        Some(holder) => watch.is_good(home, holder, alive),
    }
}
