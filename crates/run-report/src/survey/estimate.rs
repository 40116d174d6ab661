//! Estimates the remaining time from the tasks that are done, with the uncertainty of a small sample.

use crate::plain_text::{count, span};
use wire::report::{Report, Stand};

/// The minimum number of finished tasks for an estimate.
const ENOUGH: usize = 3;

/// The remaining work, in a sentence.
pub(crate) fn words(report: &Report) -> String {
    let is = |stand: Stand, wanted: &[Stand]| wanted.contains(&stand);
    let work = || report.tasks.iter().filter(|line| line.kind != wire::plan::Kind::Container);
    let left = work().filter(|l| is(l.stand, &[Stand::Pending, Stand::Running])).count();
    if left == 0 {
        return "nothing is left that may run".to_owned();
    }
    let took: Vec<f64> = work()
        .filter(|line| line.stand == Stand::Done && line.attempts > 0)
        .map(|line| float(line.worker_ms + line.gate_ms))
        .collect();
    if took.len() < ENOUGH {
        return format!("no estimate yet: {} finished", count(took.len() as u64, "task"));
    }
    let at_once = report.numbers.as_ref().and_then(|numbers| numbers.speedup).unwrap_or(1.0).max(1.0);
    let (low, likely, high) = range(&took, float(left as u64), at_once);
    format!(
        "about {} left for {} ({} to {}), from {} finished",
        span(low_ms(likely)),
        count(left as u64, "task"),
        span(low_ms(low)),
        span(low_ms(high)),
        took.len()
    )
}

/// The expected time and the range that covers nine of ten cases, if the remaining tasks are like the finished
/// ones: includes both the spread of the tasks and the uncertainty of a mean from few samples.
fn range(took: &[f64], left: f64, at_once: f64) -> (f64, f64, f64) {
    let n = float(took.len() as u64);
    let mean = took.iter().sum::<f64>() / n;
    let spread = (took.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    let likely = mean * left / at_once;
    let off = 1.645 * spread * (left + left * left / n).sqrt() / at_once;
    ((likely - off).max(0.0), likely, likely + off)
}

#[expect(clippy::cast_precision_loss, reason = "an estimate needs no more digits than a float has")]
fn float(n: u64) -> f64 {
    n as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time is never negative here, and the nearest that fits is as good"
)]
fn low_ms(ms: f64) -> u64 {
    ms.round() as u64
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn equal_tasks_leave_no_doubt_and_unequal_ones_do() {
        assert_eq!(range(&[10.0, 10.0, 10.0], 6.0, 2.0), (30.0, 30.0, 30.0));
        let (low, likely, high) = range(&[5.0, 10.0, 15.0], 4.0, 1.0);
        assert!(low < likely && likely < high && (likely - 40.0).abs() < 1e-9);
        let (_, _, wider) = range(&[5.0, 10.0, 15.0], 40.0, 1.0);
        assert!(wider - 400.0 > high - 40.0);
    }
}
