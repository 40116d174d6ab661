//! Several honest workers in one tree: no failure that is not one.

use crate::generated_plans::{PLAN, Task, repository, story};
use crate::size;

#[test]
fn honest_workers_in_a_shared_tree_never_fail() {
    for run in 0..size("PLANTOOLS_MANY_SHARED", 2) {
        // Checks that leave something in the tree for a moment are honest too.
        let task = |id: usize| {
            let after: &[usize] = if id > 4 { &[1, 2] } else { &[] };
            let plain = Task::plain(id, after, "");
            Task { check: format!("touch t{id}.tmp && grep -qx {id} out/{id}.txt && rm t{id}.tmp"), ..plain }
        };
        let bench = repository(&(1..=8).map(task).collect::<Vec<_>>());
        let round = format!(
            "plan-parse --quiet {PLAN} | dag-next --jobs 4 | handoff | worker-run --worker shell --jobs 4 | {}",
            pipeline_tests::PIPE
        );
        let line = format!("while :; do {round}\n case $? in 0) ;; *) exit $?;; esac; done");
        let line = line.replace("case $? in 0) ;; *) exit $?;; esac", "a=$?; [ $a = 0 ] || exit $a");
        let got = bench.sh(&line).within(120).run();
        assert_eq!(got.status, 4, "run {run}: {got:?}\n{}", story(&bench));
        let halts = bench.count("halt");
        assert_eq!((halts, bench.boxes(PLAN)), (0, (8, 0)), "run {run}: {got:?}\n{}", story(&bench));
    }
}
