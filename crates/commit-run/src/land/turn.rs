//! One landing at a time: taking turns, ending a landing, and recovery after a crash.
//!
//! A landing is over when its task is ticked and committed, or when its work was undone. The last stage of the pipe
//! then removes the landing's file; the next landing waits for that.

use crate::{commit, land};
use ledger::Ledger;
use ledger::leases::{self, RenewalWatch};
use repo::git::Git;
use repo::landing::{self, Landing};
use repo::worktree;
use std::path::Path;
use std::time::{Duration, Instant};
use supervise::processes::alive;
use toolkit::files::change_notice::Notice;
use toolkit::files::lock::Lock;
use toolkit::files::root::Home;
use toolkit::stream::pipe_ends;
use toolkit::stream::stage::order_of;
use toolkit::{Exit, Fail};
use wire::OrderLine;
use wire::order::Owner;

/// How long the later stages may take to end a landing that has no owner any more.
const LEFT: Duration = Duration::from_secs(2);

/// How long a landing may take to end after it has left this stage.
const SEEN_OFF: Duration = Duration::from_secs(60);

/// How long a killed process may take to exit.
const ENDING: Duration = Duration::from_secs(2);

/// Waits until no landing is in progress, and returns the lock under which the next may begin. A closed pipe behind
/// us ends the wait.
pub(crate) fn take(home: &Home) -> Result<Lock, Fail> {
    let mut watch = RenewalWatch::following();
    loop {
        wait(home, &mut watch)?;
        let lock = landing::lock(home, land::STAGE)?;
        // Another run that shares the plan may have been faster.
        if Landing::read(home)?.is_none() {
            return Ok(lock);
        }
    }
}

fn wait(home: &Home, watch: &mut RenewalWatch) -> Result<(), Fail> {
    let mut notice = Notice::of([home.folder("")?.as_path()]);
    let mut left: Option<Instant> = None;
    while let Some(landing) = Landing::read(home)? {
        if is_owned(home, &landing, watch) {
            left = None;
        } else if left.get_or_insert_with(Instant::now).elapsed() > LEFT {
            return end(home, &landing);
        }
        if landing.owner.0 == std::process::id() && !pipe_ends::has_reader() {
            let message = format!("no later stage settles the landing of task '{}'", landing.task);
            return Err(Fail::new(Exit::Busy, "landing", message));
        }
        notice.take_in();
        if Landing::read(home)?.is_some() {
            pipe_ends::wait(None, &notice.fds(), Some(notice.nap().min(LEFT / 4)))?;
        }
    }
    Ok(())
}

/// Ends the landing of an order at the end of the pipe, and removes the worktrees of a completed task.
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
        if leases::still_of(&records, &order).is_err() {
            return Ok(());
        }
        let lives = |owner: &Owner| leases::may_live(&home, owner, alive);
        for name in worktree::of_task(&records, &order, lives) {
            worktree::remove(&git, &name)?;
        }
    }
    Ok(())
}

/// Waits for our own landing to end in the later stages: a landing whose process has exited counts as abandoned.
/// The wait is bounded, since a later stage may have exited itself.
pub(crate) fn see_off(root: &Path) -> Result<(), Fail> {
    let home = Home::of(root)?;
    let deadline = Instant::now() + SEEN_OFF;
    let is_ours = |landing: &Landing| landing.owner.0 == std::process::id() && landing.holder.is_some();
    while Landing::read(&home)?.as_ref().is_some_and(is_ours) && Instant::now() < deadline {
        std::thread::sleep(LEFT / 40);
    }
    Ok(())
}

/// Repairs what a crash left: a half-made commit, a landing without an owner, and stale worktrees. Leaves alone
/// what belongs to another run that shares the plan.
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
    leases::sweep(home, alive)?;
    worktree::tidy(home, |owner| leases::may_live(home, owner, alive), crate::STAGE)
}

/// Ends this landing, if it is still the one in progress.
fn end(home: &Home, dead: &Landing) -> Result<(), Fail> {
    let _lock = landing::lock(home, crate::STAGE)?;
    match Landing::read(home)?.filter(|landing| landing == dead) {
        Some(landing) => landing.settle(&Git::new(home.clone())),
        None => Ok(()),
    }
}

/// Whether its owner is alive and stays so: a killed process takes a moment to exit.
fn stays_owned(home: &Home, landing: &Landing) -> bool {
    let deadline = Instant::now() + ENDING;
    while is_owned(home, landing, &mut RenewalWatch::once()) {
        if Instant::now() >= deadline {
            return true;
        }
        std::thread::sleep(ENDING / 100);
    }
    false
}

/// Whether the process that landed it is alive; for a run elsewhere, whether its hold on the task is good.
fn is_owned(home: &Home, landing: &Landing, watch: &mut RenewalWatch) -> bool {
    let (pid, start) = landing.owner;
    let runs = || start.is_some_and(|start| alive(pid, start));
    match &landing.holder {
        None => runs(),
        Some(holder) if leases::is_here(holder) && !runs() => false,
        Some(holder) => watch.is_good(home, holder, alive),
    }
}
