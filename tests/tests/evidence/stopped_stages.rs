//! Stages that a worker stops (SIGSTOP): the run names them and goes on, and so does the next run after a kill.

use pipeline_tests::{Bench, Run, SUCCESS, bench, until};

/// Stops the stage of this name, among those that the worker's own run consists of.
fn stops(stage: &str) -> String {
    format!(
        r#"up() {{ sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f2; }}
q=$PPID; until [ "$(cat "/proc/$q/comm")" = worker-run ]; do q=$(up "$q"); done; p=$(up "$q")
for c in $(cat "/proc/$p/task/$p/children"); do [ "$(cat "/proc/$c/comm")" != {stage} ] || kill -STOP "$c"; done"#
    )
}

/// A plan whose worker stops a stage in its first attempt.
fn plan(stage: &str) -> Bench {
    let script = format!(
        "echo done > made.txt\nif [ ! -e ../stopped ]; then : > ../stopped\n{}\nfi\n{SUCCESS}",
        stops(stage)
    );
    let bench = bench!(small, &script);
    let config = "[defaults]\nworker = \"w\"\n\n[workers.w]\ncommand = [\"../home/w.sh\"]\n";
    bench.write("plantools.toml", config).commit_all("a worker");
    bench
}

fn orchestrate(bench: &Bench, seconds: &str) -> Run {
    bench.command("orchestrate").args(["PLAN.md"]).env("PLANTOOLS_STOPPED_SECONDS", seconds).within(40)
}

#[test]
fn a_stage_that_a_worker_stops_is_named_and_continued() {
    for stage in ["gate-run", "worker-run", "checkbox"] {
        let bench = plan(stage);
        let got = orchestrate(&bench, "1").run();
        got.exits(0);
        let said = got.err();
        assert!(said.contains(&format!("{stage}, process ")) && said.contains("was stopped"), "{got:?}");
        assert_eq!(bench.boxes("PLAN.md"), (1, 0), "{stage}");
        assert_eq!(bench.processes(), Vec::<String>::new());
    }
}

#[test]
fn a_stage_that_is_stopped_again_and_again_ends_the_run_by_name() {
    let script = format!(
        "echo done > made.txt\nif [ -e ../honest ]; then {SUCCESS}; exit; fi\nwhile :; do {}; sleep 0.1; done",
        stops("gate-run")
    );
    let bench = bench!(small, &script);
    let config = "[defaults]\nworker = \"w\"\n\n[workers.w]\ncommand = [\"../home/w.sh\"]\n";
    bench.write("plantools.toml", config).commit_all("a worker");
    let got = orchestrate(&bench, "1").run();
    got.exits(130);
    assert!(got.err().contains("gate-run, process ") && got.err().contains("run it again"), "{got:?}");
    until(|| bench.processes().is_empty());
    // The next run goes on.
    bench.write("../honest", "");
    orchestrate(&bench, "1").run().exits(0);
    assert_eq!(bench.boxes("PLAN.md"), (1, 0));
}

#[test]
fn the_next_run_goes_on_after_a_run_with_a_stopped_stage_was_killed() {
    let bench = plan("gate-run");
    let live = orchestrate(&bench, "600").start();
    let is_stopped = |line: &String| {
        let pid = line.strip_suffix(" gate-run");
        let stat = pid.and_then(|pid| std::fs::read_to_string(format!("/proc/{pid}/stat")).ok());
        stat.is_some_and(|stat| stat.contains(") T "))
    };
    until(|| bench.processes().iter().any(is_stopped));
    // Its conductor alone is killed, as by a memory killer: what it started is left behind.
    let kill = "kill -9 \"$(sed -n 's/.*process \\([0-9]*\\) on.*/\\1/p' .plantools/locks/* | head -n 1)\"";
    bench.sh(kill).run().exits(0);
    // What is left behind holds the lock: it is continued and waited for, and no run ends with 75.
    orchestrate(&bench, "1").run().exits(0);
    assert_eq!(bench.boxes("PLAN.md"), (1, 0));
    until(|| bench.processes().is_empty());
    drop(live);
}

#[test]
fn a_run_that_a_person_stops_and_continues_says_nothing() {
    let script =
        format!("echo done > made.txt\n: > ../begun\nuntil [ -e ../go ]; do sleep 0.05; done\n{SUCCESS}");
    let bench = bench!(small, &script);
    let config = "[defaults]\nworker = \"w\"\n\n[workers.w]\ncommand = [\"../home/w.sh\"]\n";
    bench.write("plantools.toml", config).commit_all("a worker");
    let live = orchestrate(&bench, "1").start();
    until(|| bench.path("../begun").exists());
    live.pause();
    // Longer than a stage may be stopped while its conductor runs.
    bench.sh("sleep 2.5").run().exits(0);
    live.go_on();
    bench.write("../go", "");
    let got = live.wait(std::time::Duration::from_secs(30)).expect("it goes on");
    got.exits(0);
    assert!(!got.err().contains("was stopped"), "{got:?}");
    assert_eq!(bench.boxes("PLAN.md"), (1, 0));
}
