//! A slow task delays only the tasks that wait for it.

use crate::generated_plans::{Task, carry, repository, story};
use crate::size;
use std::time::{Duration, Instant};

/// So many seconds for each task; the unit is set by the environment where the whole is large.
fn seconds(id: usize) -> u64 {
    [1, 3, 2, 6, 1, 4, 2, 5][id % 8]
}

#[test]
fn the_whole_takes_little_more_than_path_and_workers_ask_for() {
    let (count, jobs) = (size("PLANTOOLS_MANY_TASKS", 12), 8);
    let unit = u64::try_from(size("PLANTOOLS_MANY_UNIT_MS", 700)).unwrap_or(700);
    let after = |id: usize| if id > jobs { vec![id - jobs] } else { Vec::new() };
    let pause = |id: usize| Duration::from_millis(seconds(id) * unit);
    let tasks: Vec<Task> = (1..=count)
        .map(|id| Task::plain(id, &after(id), &format!("sleep {:.3}", pause(id).as_secs_f64())))
        .collect();
    let mut ends = vec![Duration::ZERO; count + 1];
    for id in 1..=count {
        let before = after(id).into_iter().map(|id| ends[id]).max().unwrap_or_default();
        ends[id] = before + pause(id);
    }
    let path = ends.into_iter().max().unwrap_or_default();
    let work: Duration = (1..=count).map(pause).sum();
    let least = path.max(work / u32::try_from(jobs).unwrap_or(1));
    let mut ratios = Vec::new();
    // Other work on the machine can only make it slower, so the quickest of three counts. One task after the other takes
    // three times the least; `scripts/bench` measures the exact ratio on an idle machine.
    for _ in 0..3 {
        let bench = repository(&tasks);
        let start = Instant::now();
        let got = carry(&bench, jobs).run();
        let ratio = start.elapsed().as_secs_f64() / least.as_secs_f64();
        assert_eq!(got.status, 4, "{got:?}\n{}", story(&bench));
        eprintln!("{count} tasks, {jobs} workers: {ratio:.2} of {least:?}");
        if ratio < 2.0 {
            return;
        }
        ratios.push(ratio);
    }
    panic!("{least:?} is what must be, and it took so many times that: {ratios:.2?}");
}
