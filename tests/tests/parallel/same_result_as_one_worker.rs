//! With many workers the end is the same as with one.

use crate::generated_plans::{Left, PLAN, Task, carry, repository, story, tidy};
use crate::size;

/// A plan in layers: each task needs one or two of the layer before it.
fn layers(tasks: usize) -> Vec<Task> {
    let wide = 8;
    let task = |id: usize| {
        let layer = (id - 1) / wide;
        let above = |n: usize| (layer - 1) * wide + n % wide + 1;
        let after = match layer {
            0 => Vec::new(),
            _ if id.is_multiple_of(3) => vec![above(id), above(id + 3)],
            _ => vec![above(id)],
        };
        Task::plain(id, &after, &format!("sleep 0.{}", id * 7 % 10))
    };
    (1..=tasks).map(task).collect()
}

#[test]
fn the_end_is_the_same_as_with_one_worker() {
    let tasks = layers(size("PLANTOOLS_MANY_TASKS", 12));
    let one = repository(&tasks);
    one.command("orchestrate").args(["--worker", "shell", PLAN]).within(600).run().exits(0);
    let wanted = Left::of(&one);
    for run in 0..size("PLANTOOLS_MANY_RUNS", 1) {
        let many = repository(&tasks);
        let got = carry(&many, 8).run();
        assert_eq!(got.status, 4, "run {run}: {got:?}\n{}", story(&many));
        assert_eq!(Left::of(&many), wanted, "run {run}: {got:?}\n{}", story(&many));
        tidy(&many, &format!("run {run}"));
    }
}
