//! Files that are too large to be recorded: refused by name, without reading them.

use pipeline_tests::{SUCCESS, bench};
use std::time::{Duration, Instant};

/// A run that needs no more than this did not read the file.
const QUICK: Duration = Duration::from_secs(20);

#[test]
fn a_worker_that_leaves_a_huge_file_is_refused_by_name() {
    for size in ["100G", "3G"] {
        let bench = bench!(small, &format!("truncate -s {size} big.bin; echo done > made.txt\n{SUCCESS}"));
        let began = Instant::now();
        let got = bench.worker_round();
        bench.stays_open(&got, "worker-run file-too-large");
        assert!(got.out().contains("big.bin"), "{got:?}");
        // It is still there: the next run says so before it starts a worker.
        bench.set_worker(SUCCESS);
        let got = bench.worker_round();
        bench.stays_open(&got, "worker-run file-too-large");
        assert!(got.out().contains("not started: big.bin: is "), "{got:?}");
        assert_eq!(bench.count("attempt_begin"), 1);
        assert!(began.elapsed() < QUICK, "{size}: {:?}", began.elapsed());
        // Removed, it is in no one's way.
        bench.sh("rm big.bin").run().exits(0);
        bench.worker_round().exits(0);
        assert_eq!(bench.boxes("PLAN.md"), (1, 0));
    }
}

#[test]
fn a_huge_file_that_git_ignores_is_not_read() {
    let bench = bench!(small, &format!("truncate -s 100G big.bin; echo done > made.txt\n{SUCCESS}"));
    bench.write(".gitignore", "*.bin\n").commit_all("ignore");
    let began = Instant::now();
    bench.worker_round().exits(0);
    assert!(began.elapsed() < QUICK, "{:?}", began.elapsed());
    assert_eq!(bench.boxes("PLAN.md"), (1, 0));
}

#[test]
fn a_plan_and_a_tracked_file_that_grew_huge_are_named() {
    let bench = bench!(small, &format!("truncate -s 100G PLAN.md; echo done > made.txt\n{SUCCESS}"));
    let got = bench.worker_round();
    bench.stays_open(&got, "worker-run plan-touched");
    bench.write("src.txt", "small\n").commit_all("a source");
    bench.set_worker(&format!("truncate -s 100G src.txt; echo done > made.txt\n{SUCCESS}"));
    let got = bench.worker_round();
    assert_eq!(bench.halts().last().map(String::as_str), Some("worker-run file-too-large"), "{got:?}");
    assert!(got.out().contains("src.txt"), "{got:?}");
}

#[test]
fn a_huge_file_in_a_tree_of_its_own_is_refused_by_name() {
    let bench = bench!(small, &format!("truncate -s 100G big.bin; echo done > made.txt\n{SUCCESS}"));
    let config = "[defaults]\nworker = \"w\"\n\n[workers.w]\ncommand = [\"../home/w.sh\"]\n";
    bench.write("plantools.toml", config).commit_all("a worker");
    let began = Instant::now();
    let got = bench.sh("orchestrate --jobs 2 --max-attempts 1 PLAN.md").within(60).run();
    assert_ne!(got.status, 0, "{got:?}");
    assert!(bench.halts().contains(&"worker-run file-too-large".to_owned()), "{got:?}");
    assert!(format!("{got:?}").contains("big.bin"), "{got:?}");
    assert!(began.elapsed() < 2 * QUICK, "{:?}", began.elapsed());
}

#[test]
fn a_check_that_leaves_a_huge_file_is_no_proof() {
    let bench =
        bench!(small, &format!("echo 'truncate -s 100G big.bin' > make.sh; echo done > made.txt\n{SUCCESS}"));
    let plan = bench.text("PLAN.md").replace("`test -f made.txt`", "`sh make.sh` → exit 0");
    bench.write("PLAN.md", plan).commit_all("a check that writes");
    let got = bench.worker_round();
    assert_ne!(got.status, 0, "{got:?}");
    assert!(format!("{got:?}").contains("big.bin"), "{got:?}");
    assert_eq!(bench.count("tick"), 0);
}
