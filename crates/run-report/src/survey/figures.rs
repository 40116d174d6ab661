//! The figures of a whole plan.

use crate::survey::task_story::Story;
use graph::Graph;
use std::collections::BTreeMap;
use wire::Level;
use wire::report::{Line, Numbers, Stand};

/// Counts and times of all tasks.
pub(crate) fn of(lines: &[Line], stories: &[Story], graph: Option<&Graph>) -> Numbers {
    let is_work = |i: usize| graph.is_none_or(|graph| !graph.is_container(index(i)));
    let work: Vec<&Line> = lines.iter().enumerate().filter(|(i, _)| is_work(*i)).map(|(_, l)| l).collect();
    let sum = |of: fn(&Line) -> u32| work.iter().map(|line| of(line)).sum();
    let mut stands: BTreeMap<String, u32> =
        Stand::ALL.iter().map(|stand| (stand.word().to_owned(), 0)).collect();
    for line in &work {
        *stands.entry(line.stand.word().to_owned()).or_default() += 1;
    }
    let (worker_ms, gate_ms) =
        (lines.iter().map(|l| l.worker_ms).sum::<u64>(), lines.iter().map(|l| l.gate_ms).sum::<u64>());
    let weight = |i: u32| lines.get(i as usize).map_or(0, |line| line.worker_ms + line.gate_ms);
    let critical_ms = graph.map_or(0, |graph| graph.heaviest(weight));
    // Records are accurate to the second; measured times are more precise.
    let wall_ms = union(stories).max(critical_ms);
    let tried = sum(|line| u32::from(line.attempts > 0));
    let first = |(line, story): &(&Line, &Story)| line.stand == Stand::Done && story.ticked_by == Some(1);
    let first_pass = count(lines.iter().zip(stories).filter(first).count());
    let levels = |settled: bool| {
        let mut levels: BTreeMap<String, u32> = BTreeMap::new();
        for line in work.iter().filter(|line| line.stand.is_settled() == settled) {
            *levels.entry(line.level.map_or("", Level::word).to_owned()).or_default() += 1;
        }
        levels.remove("");
        levels
    };
    Numbers {
        tasks: count(work.len()),
        stands,
        levels: levels(true),
        waiting: levels(false),
        criteria: sum(|line| line.criteria),
        passed: sum(|line| line.passed),
        manual: sum(|line| line.manual),
        attempts: lines.iter().map(|line| line.attempts).sum(),
        tried,
        first_pass,
        first_pass_rate: (tried > 0).then(|| round(f64::from(first_pass) / f64::from(tried))),
        false_claims: sum(|line| count(line.false_claims.len())),
        worker_ms,
        gate_ms,
        wall_ms,
        critical_ms,
        speedup: part(worker_ms + gate_ms, wall_ms),
        speedup_bound: part(worker_ms + gate_ms, critical_ms),
        efficiency: part(critical_ms, wall_ms),
        cost: None,
        tokens: None,
    }
}

/// Milliseconds covered by at least one attempt.
fn union(stories: &[Story]) -> u64 {
    let mut spans: Vec<(i64, i64)> = stories.iter().flat_map(|story| &story.spans).copied().collect();
    spans.sort_unstable();
    let (mut total, mut until) = (0, i64::MIN);
    for (begin, end) in spans {
        total += (end - begin.max(until)).max(0);
        until = until.max(end);
    }
    u64::try_from(total).unwrap_or(0)
}

#[expect(clippy::cast_precision_loss, reason = "a ratio needs no more digits than a float has")]
fn part(of: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| round(of as f64 / whole as f64))
}

/// Three decimals, so that the same figures give the same bytes everywhere.
fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

pub(crate) fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn index(i: usize) -> u32 {
    count(i)
}

#[cfg(test)]
mod tests {
    use super::union;
    use crate::survey::task_story::Story;

    #[test]
    fn what_two_attempts_cover_together_is_counted_once() {
        let with = |spans: &[(i64, i64)]| Story { spans: spans.to_vec(), ..Story::default() };
        assert_eq!(union(&[with(&[(0, 10), (20, 30)]), with(&[(5, 12)])]), 22);
        assert_eq!(union(&[with(&[(0, 30)]), with(&[(5, 12), (40, 40)])]), 30);
        assert_eq!(union(&[]), 0);
    }
}
