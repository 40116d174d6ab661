//! How long a check may run and be silent, and how much of its output is kept.
//!
//! The command line takes precedence, then the profile that it names, then the gate's own values, then `[defaults]`.

use config::{BudgetProfile, Config, GateRule};
use std::time::Duration;

/// The default time limit of a check.
const TIMEOUT: Duration = Duration::from_secs(600);
/// The default limit of silence for a command that is run alone.
const STALL_ALONE: Duration = Duration::from_secs(60);
/// The default number of output lines kept for people.
const TAIL_LINES: usize = 50;

/// The budgets as typed.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct BudgetArgs {
    /// How long a check may take; 0 is no limit (default: as configured, else 600)
    #[arg(long, value_name = "SECONDS", value_parser = seconds, hide_short_help = true)]
    pub(crate) timeout_seconds: Option<Duration>,
    /// How long a check may be silent; 0 is no limit (default: as configured; for `-- COMMAND` 60)
    #[arg(long, value_name = "SECONDS", value_parser = seconds, hide_short_help = true)]
    pub(crate) stall_seconds: Option<Duration>,
    /// How long a check has to end after it was asked to
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "10", hide_short_help = true)]
    pub(crate) grace_seconds: Duration,
    /// How many last lines of output to keep (default: as configured, else 50)
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) tail_lines: Option<usize>,
}

/// The resolved budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget {
    pub(crate) timeout: Option<Duration>,
    pub(crate) stall: Option<Duration>,
    pub(crate) grace: Duration,
    pub(crate) tail_lines: usize,
}

impl Budget {
    /// For a command outside of any configuration.
    pub(crate) fn alone(args: &BudgetArgs) -> Self {
        let stall = args.stall_seconds.or(Some(STALL_ALONE));
        Self { stall: limit(stall), ..Self::of(args, None, &Config::default(), None) }
    }

    /// For a check of the plan, or for a gate of the configuration.
    pub(crate) fn of(
        args: &BudgetArgs,
        profile: Option<&BudgetProfile>,
        config: &Config,
        gate: Option<&GateRule>,
    ) -> Self {
        let configured =
            |own: fn(&GateRule) -> Option<u64>, named: fn(&BudgetProfile) -> Option<u64>, default| {
                let seconds = profile.and_then(named).or(gate.and_then(own)).or(default);
                seconds.map(Duration::from_secs)
            };
        let timeout =
            configured(|g| g.timeout_seconds, |p| p.timeout_seconds, config.defaults.timeout_seconds);
        let stall = configured(|g| g.stall_seconds, |p| p.stall_seconds, config.defaults.stall_seconds);
        let tail = args.tail_lines.or(gate.and_then(|g| g.tail_lines)).unwrap_or(TAIL_LINES);
        Self {
            timeout: limit(args.timeout_seconds.or(timeout).or(Some(TIMEOUT))),
            stall: limit(args.stall_seconds.or(stall)),
            grace: args.grace_seconds,
            tail_lines: tail.max(1),
        }
    }
}

/// Zero is no limit.
fn limit(budget: Option<Duration>) -> Option<Duration> {
    budget.filter(|budget| !budget.is_zero())
}

/// Seconds, possibly with a fraction.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| format!("'{text}' is no number of seconds"))?;
    Duration::try_from_secs_f64(number).map_err(|_| format!("'{text}' is no number of seconds"))
}

#[cfg(test)]
mod tests {
    use super::{Budget, BudgetArgs, seconds};
    use config::{BudgetProfile, Config, GateRule};
    use std::time::Duration;

    #[test]
    fn the_nearest_word_counts() {
        let mut config = Config::default();
        config.defaults.timeout_seconds = Some(100);
        let gate = GateRule { timeout_seconds: Some(20), ..GateRule::default() };
        let profile = BudgetProfile { timeout_seconds: Some(3), ..BudgetProfile::default() };
        let timeout = |args: &BudgetArgs, profile, gate| Budget::of(args, profile, &config, gate).timeout;
        let none = BudgetArgs::default();
        let typed = BudgetArgs { timeout_seconds: Some(Duration::from_secs(1)), ..BudgetArgs::default() };
        assert_eq!(timeout(&none, None, None), Some(Duration::from_secs(100)));
        assert_eq!(timeout(&none, None, Some(&gate)), Some(Duration::from_secs(20)));
        assert_eq!(timeout(&none, Some(&profile), Some(&gate)), Some(Duration::from_secs(3)));
        assert_eq!(timeout(&typed, Some(&profile), Some(&gate)), Some(Duration::from_secs(1)));
    }

    #[test]
    fn zero_is_no_limit_and_nonsense_is_refused() {
        let args = BudgetArgs { timeout_seconds: Some(Duration::ZERO), ..BudgetArgs::default() };
        assert_eq!(Budget::alone(&args).timeout, None);
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for text in ["-1", "NaN", "inf", "", "1e30", "ten"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
