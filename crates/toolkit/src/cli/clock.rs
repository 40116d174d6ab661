//! The clock and the name of the run: both can be set, so that the same input gives the same bytes.

use crate::cli::env;
use crate::{Exit, Fail};
use jiff::{Span, Timestamp, Unit};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use wire::RunId;

/// How far the name of a run and the clocks of file systems may be apart.
const COARSE: Duration = Duration::from_secs(2);

/// A moment before which no worker of the run wrote anything: as the conductor says; else when the run began according to
/// its name, or when this process did, whichever is earlier.
pub fn began() -> SystemTime {
    static BEGAN: OnceLock<SystemTime> = OnceLock::new();
    *BEGAN.get_or_init(|| {
        let now = SystemTime::now();
        if let Some(since) = env::get(env::SINCE).as_deref().and_then(moment) {
            return since.min(now);
        }
        let run = env::get(env::RUN).and_then(|run| {
            let stamp = run.split_once('-')?.0.strip_suffix('Z')?.to_owned();
            jiff::civil::DateTime::strptime("%Y%m%dT%H%M%S", stamp)
                .ok()?
                .to_zoned(jiff::tz::TimeZone::UTC)
                .ok()
        });
        let began = run.map(|run| SystemTime::from(run.timestamp())).map_or(now, |run| run.min(now));
        began.checked_sub(COARSE).unwrap_or(UNIX_EPOCH)
    })
}

/// A moment in the form of [`env::SINCE`]: seconds, a point, nanoseconds.
fn moment(text: &str) -> Option<SystemTime> {
    let (seconds, nanos) = text.split_once('.')?;
    let nanos = nanos.parse().ok().filter(|nanos| *nanos < 1_000_000_000)?;
    UNIX_EPOCH.checked_add(Duration::new(seconds.parse().ok()?, nanos))
}

/// `--run` and `--now`, the same for every tool that records.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct RunArgs {
    /// Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)
    #[arg(long, value_name = "ID", global = true, hide_short_help = true, help_heading = "Common")]
    pub run: Option<String>,
    /// Time to use instead of the clock's, RFC 3339 in UTC
    #[arg(long, value_name = "TIME", global = true, hide_short_help = true, help_heading = "Common")]
    pub now: Option<String>,
}

impl RunArgs {
    /// The clock, fixed if `--now` or the environment sets a time.
    pub fn clock(&self) -> Result<Clock, Fail> {
        let fixed = self.now.clone().or_else(|| env::get(env::NOW));
        let fixed = fixed
            .map(|text| {
                text.parse::<Timestamp>()
                    .map_err(|_| Fail::usage(format!("'{text}' is no time; write 2026-01-31T12:00:00Z")))
            })
            .transpose()?;
        Ok(Clock { fixed })
    }

    /// The name of the run, checked to be safe as a file name.
    pub fn run_id(&self, clock: &Clock) -> Result<RunId, Fail> {
        let asked = self.run.clone().or_else(|| env::get(env::RUN));
        let id = asked.unwrap_or_else(|| {
            let stamp: String = clock.now().chars().filter(char::is_ascii_alphanumeric).collect();
            format!("{stamp}-{}", std::process::id())
        });
        if !is_name(&id) {
            return Err(Fail::new(Exit::Usage, "bad-run-id", format!("'{id}' is no name for a run")));
        }
        Ok(RunId(id))
    }
}

/// Whether a text can be the name of a run: safe as a file name.
pub fn is_name(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '+');
    !id.is_empty() && id.len() <= 100 && !id.starts_with(['.', '-']) && id.chars().all(plain)
}

/// Reads the time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clock {
    fixed: Option<Timestamp>,
}

impl Clock {
    /// Now, in UTC to the second.
    pub fn now(&self) -> String {
        self.after(0)
    }

    /// The time this many seconds from now.
    pub fn after(&self, seconds: u32) -> String {
        let now = self.fixed.unwrap_or_else(Timestamp::now);
        let then = now.checked_add(Span::new().seconds(seconds)).unwrap_or(now);
        then.round(Unit::Second).unwrap_or(then).to_string()
    }
}

/// Milliseconds since the epoch of an RFC 3339 time, for durations in reports.
pub fn millis(text: &str) -> Option<i64> {
    text.parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
}

/// The time this many milliseconds after the epoch, in the usual format.
pub fn at_millis(millis: i64) -> Option<String> {
    Timestamp::from_millisecond(millis).ok().map(|time| time.to_string())
}
