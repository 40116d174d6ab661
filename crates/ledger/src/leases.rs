//! Which run holds a task, if several runs share a plan.
//!
//! The record that begins an attempt is the claim: it is written under the ledger's lock, its line's number is the
//! fencing number, and a later claim on the task has a higher one. A hold is good for its lease, which its owner
//! renews by a heartbeat in a small file of its own below `claims/`: in the ledger each renewal would cost a line
//! and a sync, and a heartbeat that a power cut loses belongs to an owner that is gone as well.
//!
//! No two clocks are compared. A run that follows a plan measures by a monotonic clock that no heartbeat came for
//! the length of a lease; a run that looks only once uses the file's time. In both cases a mistake only costs work:
//! a result with a lower number than the last claim is refused.

use crate::task_history;
use crate::task_history::TaskHistory;
use rustix::fs::OFlags;
use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};
use toolkit::Fail;
use toolkit::files::root::Home;
use toolkit::files::{fs, sha};
use wire::order::{Hold, Owner};
use wire::{Order, Punch};

/// The code word of an order that another run claimed first.
pub const CLAIMED: &str = "claimed";
/// The code word of an order for a task whose holder is still at work.
pub const STILL: &str = "still-claimed";
/// The code word of work on a task that another run has taken over.
pub const LOST: &str = "claim-lost";
/// The default length of a lease.
pub const LEASE_SECONDS: u64 = 120;
/// How long the files of an owner elsewhere are kept after its last heartbeat.
const KEPT: Duration = Duration::from_secs(24 * 3600);
/// The folder of the heartbeats.
const FOLDER: &str = "claims";

/// Whether a code word means that another run has the task: then nothing failed, and it says nothing about the
/// work.
pub fn is_elsewhere(code: &str) -> bool {
    matches!(code, CLAIMED | STILL | LOST)
}

/// This process as an owner; `start_time` is when the process started.
pub fn owner(start_time: Option<u64>, lease_seconds: Option<u64>) -> Owner {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    Owner { host, place: place(), pid: std::process::id(), start_time, lease_seconds }
}

/// The hold that a record gives; its owner is empty if the record names none.
pub fn of(record: &Punch) -> Hold {
    Hold { number: record.seq, owner: record.data.read().unwrap_or_default() }
}

/// The history of the task of an order.
pub fn standing_of(records: &[Punch], order: &Order) -> TaskHistory {
    let task = std::iter::once((&order.task.id, &order.task.fingerprint));
    task_history::of_plan(records, &order.plan.path, task).remove(&order.task.id).unwrap_or_default()
}

/// Whether work under the hold of this number still counts; otherwise the owner that has the task now.
pub fn still(records: &[Punch], order: &Order, number: u64) -> Result<(), String> {
    let last = standing_of(records, order).hold.unwrap_or_default();
    if last.number == number {
        return Ok(());
    }
    let (id, host, pid) = (&order.task.id, &last.owner.host, last.owner.pid);
    Err(format!(
        "task '{id}' was taken over by process {pid} on '{host}': its number is {}, this one {number}",
        last.number
    ))
}

/// The same for an order that has passed its worker; an order of a run that does not share its plan always counts.
pub fn still_of(records: &[Punch], order: &Order) -> Result<(), String> {
    let hold = order.worker.as_ref().and_then(|worker| worker.hold.as_ref());
    hold.map_or(Ok(()), |hold| still(records, order, hold.number))
}

/// Whether an owner is in this process table. An owner without a place did not share its plan.
pub fn is_here(owner: &Owner) -> bool {
    owner.place.is_empty() || owner.place == place()
}

/// Whether an owner may still be at work, for callers that would remove its files. `alive` checks local processes.
pub fn may_live(home: &Home, owner: &Owner, alive: impl Fn(u32, u64) -> bool) -> bool {
    match owner.lease_seconds {
        _ if is_here(owner) => owner.start_time.is_some_and(|start| alive(owner.pid, start)),
        Some(_) => age(home, owner).is_some_and(|age| age < KEPT),
        None => false,
    }
}

/// The last heartbeat of an owner.
pub fn beat_of(home: &Home, owner: &Owner) -> Option<String> {
    let bytes = fs::read_if_there(&path(home, owner)).ok().flatten()?;
    Some(String::from_utf8_lossy(&bytes).trim().to_owned())
}

/// Removes the heartbeats of owners that are gone.
pub fn sweep(home: &Home, alive: impl Fn(u32, u64) -> bool) -> Result<(), Fail> {
    let folder = home.path(FOLDER);
    for name in if folder.is_dir() { fs::names(&folder)? } else { Vec::new() } {
        let parts: Vec<&str> = name.split('-').collect();
        let [place, pid, start] = parts[..] else { continue };
        let process = pid.parse().ok().zip(start.parse().ok());
        let here = place == short(&self::place());
        let gone = here && process.is_some_and(|(pid, start)| !alive(pid, start));
        let old = || age_of(&folder.join(&name)).is_some_and(|age| age >= KEPT);
        if gone || (!here && old()) {
            fs::remove(&folder.join(&name))?;
        }
    }
    Ok(())
}

/// The heartbeat of this process.
#[derive(Debug)]
pub struct Beat {
    path: PathBuf,
    every: Duration,
    count: u64,
    last: Instant,
}

impl Beat {
    /// Writes the first heartbeat.
    pub fn begin(home: &Home, owner: &Owner) -> Result<Self, Fail> {
        home.folder(FOLDER)?;
        let every = Duration::from_secs(owner.lease_seconds.unwrap_or(LEASE_SECONDS)) / 4;
        let mut beat = Self { path: path(home, owner), every, count: 0, last: Instant::now() };
        beat.give()?;
        Ok(beat)
    }

    /// Writes another heartbeat when it is due. A failure does not stop the work: before a result counts, a check
    /// shows whether the hold was lost meanwhile.
    pub fn renew(&mut self) {
        if self.last.elapsed() >= self.every {
            let _ = self.give();
        }
    }

    fn give(&mut self) -> Result<(), Fail> {
        self.count += 1;
        self.last = Instant::now();
        let mut options = OpenOptions::new();
        // Do not follow a link in its place: it does not lead to a file of ours.
        let no_link = OFlags::NOFOLLOW.bits().cast_signed();
        options.write(true).create(true).truncate(false).mode(0o600).custom_flags(no_link);
        let file = options.open(&self.path);
        file.and_then(|mut file| file.write_all(format!("{:020}\n", self.count).as_bytes()))
            .map_err(|e| Fail::io(&self.path, &e))
    }
}

impl Drop for Beat {
    fn drop(&mut self) {
        let _ = fs::remove(&self.path);
    }
}

/// Watches whether holds are renewed.
#[derive(Debug, Default)]
pub struct RenewalWatch {
    /// Whether it keeps watching, or looks once.
    follows: bool,
    seen: HashMap<PathBuf, Seen>,
}

/// A heartbeat, since when it is the last, and when we last looked.
#[derive(Debug)]
struct Seen {
    beat: Option<String>,
    since: Instant,
    looked: Instant,
}

impl RenewalWatch {
    /// For a caller that looks only once.
    pub fn once() -> Self {
        Self::default()
    }

    /// For a caller that keeps looking.
    pub fn following() -> Self {
        Self { follows: true, seen: HashMap::new() }
    }

    /// Whether a hold is good. `alive` checks local processes: one that is gone holds nothing.
    pub fn is_good(&mut self, home: &Home, owner: &Owner, alive: impl Fn(u32, u64) -> bool) -> bool {
        let runs = || owner.start_time.is_some_and(|start| alive(owner.pid, start));
        let Some(lease) = owner.lease_seconds.map(Duration::from_secs) else {
            return is_here(owner) && runs();
        };
        if is_here(owner) && !runs() {
            return false;
        }
        if !self.follows {
            return age(home, owner).is_some_and(|age| age <= lease);
        }
        let (path, now) = (path(home, owner), Instant::now());
        if let Some(seen) = self.seen.get_mut(&path) {
            if now - seen.looked >= lease / 8 {
                let beat = beat_of(home, owner);
                seen.looked = now;
                if beat != seen.beat {
                    (seen.beat, seen.since) = (beat, now);
                }
            }
            return now - seen.since < lease;
        }
        let beat = beat_of(home, owner);
        self.seen.insert(path, Seen { beat, since: now, looked: now });
        true
    }

    /// The last heartbeat seen.
    pub fn last_beat(&self, home: &Home, owner: &Owner) -> Option<String> {
        self.seen.get(&path(home, owner)).map_or_else(|| beat_of(home, owner), |seen| seen.beat.clone())
    }
}

fn path(home: &Home, owner: &Owner) -> PathBuf {
    let start = owner.start_time.unwrap_or_default();
    home.path(FOLDER).join(format!("{}-{}-{start}", short(&owner.place), owner.pid))
}

fn short(place: &str) -> String {
    sha::hex(place.as_bytes())[..16].to_owned()
}

fn age(home: &Home, owner: &Owner) -> Option<Duration> {
    age_of(&path(home, owner))
}

/// How long ago a file was written; zero for a time in the future.
fn age_of(path: &std::path::Path) -> Option<Duration> {
    let written = std::fs::metadata(path).and_then(|m| m.modified()).ok()?;
    Some(SystemTime::now().duration_since(written).unwrap_or_default())
}

/// Identifies one boot of one machine or container: process ids are comparable where this is equal.
fn place() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let space = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    match boot.trim() {
        "" => host,
        boot => format!("{boot}/{}", space.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Beat, RenewalWatch, beat_of, may_live, owner, sweep};
    use std::time::Duration;
    use toolkit::files::root::Home;
    use wire::order::Owner;

    fn elsewhere(lease: u64) -> Owner {
        Owner {
            place: "another machine".into(),
            pid: 7,
            start_time: Some(9),
            lease_seconds: Some(lease),
            ..Owner::default()
        }
    }

    #[test]
    fn who_follows_believes_in_a_hold_until_no_sign_came_for_a_lease() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::of(folder.path()).unwrap();
        let owner = elsewhere(1);
        let mut beat = Beat::begin(&home, &owner).unwrap();
        let mut watch = RenewalWatch::following();
        let alive = |_, _| false;
        for _ in 0..6 {
            assert!(watch.is_good(&home, &owner, alive));
            std::thread::sleep(Duration::from_millis(300));
            beat.renew();
        }
        std::thread::sleep(Duration::from_millis(200));
        // The time of the file must not matter.
        let old = std::time::SystemTime::now() - Duration::from_secs(1 << 20);
        std::fs::File::options().write(true).open(&beat.path).unwrap().set_modified(old).unwrap();
        assert!(watch.is_good(&home, &owner, alive));
        assert!(!RenewalWatch::once().is_good(&home, &owner, alive));
        std::thread::sleep(Duration::from_millis(1300));
        watch.is_good(&home, &owner, alive);
        assert!(!watch.is_good(&home, &owner, alive));
        assert_eq!(watch.last_beat(&home, &owner), beat_of(&home, &owner));
        beat.give().unwrap();
        assert_ne!(watch.last_beat(&home, &owner), beat_of(&home, &owner));
    }

    #[test]
    fn a_process_of_this_place_that_is_gone_holds_nothing_whatever_its_lease() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::of(folder.path()).unwrap();
        let owner = owner(Some(1), Some(3600));
        let beat = Beat::begin(&home, &owner).unwrap();
        for mut watch in [RenewalWatch::once(), RenewalWatch::following()] {
            assert!(watch.is_good(&home, &owner, |_, _| true));
            assert!(!watch.is_good(&home, &owner, |_, _| false));
        }
        assert!(!may_live(&home, &owner, |_, _| false));
        std::mem::forget(beat);
        sweep(&home, |_, _| true).unwrap();
        assert!(beat_of(&home, &owner).is_some());
        sweep(&home, |_, _| false).unwrap();
        assert!(beat_of(&home, &owner).is_none());
    }

    #[test]
    fn what_an_owner_elsewhere_needs_is_kept_for_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::of(folder.path()).unwrap();
        let owner = elsewhere(1);
        assert!(!may_live(&home, &owner, |_, _| false));
        let beat = Beat::begin(&home, &owner).unwrap();
        let old = |seconds| {
            let then = std::time::SystemTime::now() - Duration::from_secs(seconds);
            std::fs::File::options().write(true).open(&beat.path).unwrap().set_modified(then).unwrap();
            sweep(&home, |_, _| false).unwrap();
            (may_live(&home, &owner, |_, _| false), beat.path.exists())
        };
        assert_eq!(old(3600), (true, true));
        assert_eq!(old(25 * 3600), (false, false));
    }
}
