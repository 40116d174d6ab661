//! The logs of checks: how much output they hold, and when they are removed, by age and by size.

use config::LogRule;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};
use toolkit::files::root::Home;

const DAYS: u64 = 30;
const MEGABYTES: u64 = 1024;
const FILE_MEGABYTES: u64 = 64;
/// One call in so many looks at the logs.
const SELDOM: usize = 64;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// What to keep, as typed.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct KeepArgs {
    /// Keep neither a log nor a digest of the output: it is counted, and the end of it is shown
    #[arg(long, hide_short_help = true)]
    pub(crate) no_log: bool,
    /// How much of the output of one check to log and to digest (default: as configured, else 64)
    #[arg(long, value_name = "N", conflicts_with = "no_log", hide_short_help = true)]
    pub(crate) log_megabytes: Option<u64>,
}

/// What to keep of the output of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Its length and its end.
    End,
    /// Also this many bytes.
    UpTo(u64),
}

impl Keep {
    pub(crate) fn of(args: &KeepArgs, rule: &LogRule) -> Self {
        if args.no_log {
            return Self::End;
        }
        let megabytes = args.log_megabytes.or(rule.file_megabytes).unwrap_or(FILE_MEGABYTES);
        Self::UpTo(megabytes.saturating_mul(1 << 20))
    }
}

/// Removes logs of older runs. Ignores errors: a verdict must never depend on a log.
pub(crate) fn prune(home: &Home, rule: &LogRule, keep: &Path) {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    // Every log is looked at, and a run of many tasks has many.
    if !CALLS.fetch_add(1, Ordering::Relaxed).is_multiple_of(SELDOM) {
        return;
    }
    let oldest = SystemTime::now().checked_sub(DAY.saturating_mul(days(rule)));
    let mut room = rule.megabytes.unwrap_or(MEGABYTES).saturating_mul(1 << 20);
    for (changed, size, path) in newest_first(&home.path("logs")) {
        room = room.saturating_sub(size);
        let stale = oldest.is_some_and(|oldest| changed < oldest) || room == 0;
        if stale && !path.starts_with(keep) {
            let _ = std::fs::remove_file(&path);
            // Removes only an empty folder.
            let _ = path.parent().map(std::fs::remove_dir);
        }
    }
}

fn days(rule: &LogRule) -> u32 {
    u32::try_from(rule.days.unwrap_or(DAYS)).unwrap_or(u32::MAX)
}

/// Every log below a folder of runs: modification time, size, path.
fn newest_first(folder: &Path) -> Vec<(SystemTime, u64, PathBuf)> {
    let list = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let runs = list(folder).filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let files = runs.flat_map(|run| list(&run.path()).collect::<Vec<_>>());
    let mut out: Vec<_> = files
        .filter_map(|file| {
            // Does not follow links.
            let data = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
            Some((data.modified().ok()?, data.len(), file.path()))
        })
        .collect();
    out.sort_by(|a, b| b.cmp(a));
    out
}
