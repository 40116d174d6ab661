//! Power cuts while several workers run in trees of their own.

use crate::generated_plans::{Left, Task, carry, repository, story, tidy};
use crate::size;
use pipeline_tests::until;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::Instant;

fn tasks() -> Vec<Task> {
    let task = |id: usize| Task::plain(id, if id > 4 { &[1, 2][..=(id % 2)] } else { &[] }, "sleep 0.3");
    (1..=8).map(task).collect()
}

#[test]
fn after_a_kill_at_any_point_the_next_run_ends_the_same_and_leaves_nothing_over() {
    let calm = repository(&tasks());
    let start = Instant::now();
    carry(&calm, 4).run().exits(4);
    let (took, wanted) = (start.elapsed(), Left::of(&calm));
    tidy(&calm, "undisturbed");
    let kills = size("PLANTOOLS_MANY_KILLS", 4);
    for kill in 0..kills {
        let bench = repository(&tasks());
        // Spread over the whole run, and anywhere within its part of it.
        let within = RandomState::new().hash_one("a moment") % 1000;
        let moment = (kill * 1000 + usize::try_from(within).unwrap_or(0)) / kills;
        let wait = took * u32::try_from(moment).unwrap_or(0) / 1000;
        let what = format!("killed at {moment} thousandths of {took:?}");
        drop(carry(&bench, 4).start().wait(wait));
        until(|| bench.processes().is_empty());
        let got = carry(&bench, 4).run();
        assert_eq!(got.status, 4, "{what}: {got:?}\n{}", story(&bench));
        assert_eq!(Left::of(&bench), wanted, "{what}: {got:?}\n{}", story(&bench));
        tidy(&bench, &what);
    }
}
