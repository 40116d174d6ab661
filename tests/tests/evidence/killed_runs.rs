//! Stages that stop, die or hang, and runs that are killed: the run names the stage within a bound, and the next run goes on.

use pipeline_tests::{Bench, Got, Run, SUCCESS, bench, until};
use std::time::{Duration, Instant};

/// The stages of the pipe of a plan in the dialect of the small plan, without the worker's own.
const STAGES: [&str; 8] = [
    "worker-run",
    "gate-run",
    "punch",
    "session-export",
    "context-save",
    "checkbox",
    "commit-run",
    "run-report",
];

/// The ways to run a pipe: round by round, and following the plan, alone or with others.
const WAYS: [&[&str]; 3] = [&[], &["--jobs", "2"], &["--shared"]];

/// Those of a pipe that follows the plan: its heads live as long as the others.
fn stages(way: &[&str]) -> Vec<&'static str> {
    let heads: &[&str] = if way.is_empty() { &[] } else { &["plan-parse", "dag-next", "handoff"] };
    heads.iter().copied().chain(STAGES).collect()
}

/// A repository whose worker waits until the file `go` is there.
fn waiting() -> Bench {
    let script = format!(
        "echo done > made.txt\n: > $HOME/../begun\nuntil [ -e $HOME/../go ]; do sleep 0.05; done\n{SUCCESS}"
    );
    let bench = bench!(small, &script);
    let config = "[defaults]\nworker = \"w\"\n\n[workers.w]\ncommand = [\"../home/w.sh\"]\n";
    bench.write("plantools.toml", config).commit_all("a worker");
    bench
}

fn orchestrate(bench: &Bench) -> Run {
    run(bench, &[])
}

fn run(bench: &Bench, way: &[&str]) -> Run {
    bench.command("orchestrate").args(way).args(["PLAN.md"]).env("PLANTOOLS_STOPPED_SECONDS", "1").within(60)
}

/// The process of a stage; of two with one name, the last.
fn pid_of(bench: &Bench, name: &str) -> Option<String> {
    let found = bench.processes();
    found.iter().rev().find_map(|line| line.strip_suffix(&format!(" {name}"))).map(str::to_owned)
}

#[track_caller]
fn goes_on(bench: &Bench) -> Got {
    bench.write("../go", "");
    let got = orchestrate(bench).run();
    got.exits(0);
    assert_eq!(bench.boxes("PLAN.md"), (1, 0), "{got:?}");
    until(|| bench.processes().is_empty());
    got
}

#[test]
fn each_stage_that_is_killed_is_named_and_the_run_ends_soon() {
    for stage in STAGES {
        let bench = waiting();
        let live = orchestrate(&bench).start();
        until(|| bench.path("../begun").exists() && pid_of(&bench, stage).is_some());
        let began = Instant::now();
        bench.sh(&format!("kill -KILL {}", pid_of(&bench, stage).unwrap())).run().exits(0);
        let got = live.wait(Duration::from_secs(30)).unwrap_or_else(|got| panic!("{stage}: {got:?}"));
        assert!(began.elapsed() < Duration::from_secs(15), "{stage}: {:?}", began.elapsed());
        got.exits(130);
        let said =
            format!("orchestrate: a signal killed {stage}; the round was ended: run it again to go on\n");
        assert_eq!(got.err(), said, "one line, and none for each stage");
        until(|| bench.processes().is_empty());
        goes_on(&bench);
    }
}

#[test]
fn each_stage_that_is_stopped_is_named_and_continued() {
    for way in WAYS {
        for stage in stages(way) {
            let bench = waiting();
            let mut live = run(&bench, way).start();
            until(|| bench.path("../begun").exists() && pid_of(&bench, stage).is_some());
            let pid = pid_of(&bench, stage).unwrap();
            bench.sh(&format!("kill -STOP {pid}")).run().exits(0);
            let wanted =
                format!("{stage}, process {pid} was stopped by a signal for too long; it is continued");
            until(|| live.stderr().contains(&wanted));
            bench.write("../go", "");
            let got = live.wait(Duration::from_secs(30)).unwrap_or_else(|got| panic!("{stage}: {got:?}"));
            got.exits(0);
            assert_eq!(bench.boxes("PLAN.md"), (1, 0), "{way:?} {stage}");
        }
    }
}

/// The first stages of a round have ended before its worker begins, so each of them stops itself.
#[test]
fn a_first_stage_that_is_stopped_is_named_and_continued_in_a_round_and_in_a_question() {
    for stage in ["plan-parse", "dag-next", "handoff"] {
        let bench = waiting();
        bench.write("../go", "");
        let text = format!(
            "#!/bin/sh\ncase $* in *--show*|*--lock-file*|*--status*) ;; *) kill -STOP $$ ;; esac\nexec {} \"$@\"\n",
            bench.outside().join("real").join(stage).display()
        );
        bench.sh(&format!("mkdir ../real && mv ../bin/{stage} ../real/")).run().exits(0);
        bench.program(&format!("../bin/{stage}"), &text);
        let got = orchestrate(&bench).run();
        got.exits(0);
        let said = got.err();
        let named = |line: &&str| line.starts_with(&format!("orchestrate: {stage}, process "));
        assert!(said.lines().filter(named).count() >= 1, "{stage}: {got:?}");
        assert_eq!(bench.boxes("PLAN.md"), (1, 0), "{stage}");
    }
}

#[test]
fn the_parent_and_the_grandparent_of_a_worker_that_stops_them_go_on() {
    let up = r#"up() { sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f2; }"#;
    for way in WAYS {
        for which in ["$PPID", "$(up $PPID)"] {
            let bench = waiting();
            let script = format!("{up}\necho done > made.txt\nkill -STOP {which}\nsleep 0.2\n{SUCCESS}");
            bench.set_worker(&script);
            let began = Instant::now();
            let got = run(&bench, way).run();
            got.exits(0);
            assert_eq!(bench.boxes("PLAN.md"), (1, 0), "{way:?} {which}: {got:?}");
            assert!(began.elapsed() < Duration::from_secs(30), "{way:?} {which}: {:?}", began.elapsed());
        }
    }
}

#[test]
fn a_stage_that_does_nothing_any_more_is_named_and_ended() {
    for way in WAYS {
        for stage in ["handoff", "context-save"] {
            let bench = waiting();
            bench.write("../go", "");
            // A stage that reads its input and then waits for something that never comes.
            bench.sh(&format!("rm ../bin/{stage}; mkfifo ../never")).run().exits(0);
            let text = "#!/usr/bin/env bash\nread -r line\nread -r line < ../never\n";
            bench.program(&format!("../bin/{stage}"), text);
            let got = run(&bench, way).env("PLANTOOLS_HUNG_SECONDS", "4").run();
            got.exits(130);
            let wanted = format!("orchestrate: {stage}, process ");
            let said = got.err();
            let line = said.lines().find(|line| line.starts_with(&wanted)).unwrap_or_default();
            assert!(
                line.ends_with("did nothing any more; the round was ended: run it again to go on"),
                "{way:?} {stage}: {got:?}"
            );
            until(|| bench.processes().is_empty());
        }
    }
}

#[test]
fn a_pipe_that_waits_for_a_time_or_for_a_worker_is_not_ended() {
    for way in WAYS {
        let bench = waiting();
        let live = run(&bench, way).env("PLANTOOLS_HUNG_SECONDS", "4").start();
        until(|| bench.path("../begun").exists());
        // Longer than a stage may be silent.
        bench.sh("sleep 7").run().exits(0);
        bench.write("../go", "");
        let got = live.wait(Duration::from_secs(30)).unwrap_or_else(|got| panic!("{way:?}: {got:?}"));
        got.exits(0);
        assert_eq!(bench.boxes("PLAN.md"), (1, 0), "{way:?} {got:?}");
    }
}

#[test]
fn after_everything_was_killed_the_next_run_goes_on() {
    for way in WAYS {
        let bench = waiting();
        let live = run(&bench, way).start();
        until(|| pid_of(&bench, "worker-run").is_some());
        live.kill();
        // At once: what is left of the run may still hold the lock.
        bench.write("../go", "");
        let got = bench.command("orchestrate").args(way).args(["PLAN.md"]).within(90).run();
        assert_eq!(got.exits(0).status, 0);
        assert_eq!(bench.boxes("PLAN.md"), (1, 0), "{way:?} {got:?}");
    }
}

#[test]
fn after_the_conductor_alone_was_killed_the_next_run_waits_for_its_stages() {
    let bench = waiting();
    let live = orchestrate(&bench).start();
    until(|| bench.path("../begun").exists());
    bench.sh(&format!("kill -KILL {}", pid_of(&bench, "orchestrate").unwrap())).run().exits(0);
    let mut next = orchestrate(&bench).start();
    until(|| next.stderr().contains("waiting for what a killed run has left behind: "));
    bench.write("../go", "");
    let got = next.wait(Duration::from_secs(60)).unwrap_or_else(|got| panic!("{got:?}"));
    got.exits(0);
    assert_eq!(bench.boxes("PLAN.md"), (1, 0), "{got:?}");
    drop(live);
}

#[test]
fn the_lock_names_a_living_process_or_nobody() {
    let bench = waiting();
    bench.write("../go", "");
    orchestrate(&bench).run().exits(0);
    let locks = bench.sh("cat .plantools/locks/run-????????????????").run().out();
    assert_eq!(locks, "", "after a run that has ended");
}

#[test]
fn events_are_lines_of_json_from_the_first_to_the_last() {
    let bench = waiting();
    bench.write("../go", "");
    for (args, from) in [(["--events", "-"], None), (["--events", "../events"], Some("../events"))] {
        bench.git(&["checkout", "--quiet", "-B", "again", "HEAD"]);
        let got = bench.command("orchestrate").args(args).args(["PLAN.md"]).within(60).run();
        got.exits(0);
        let text = from.map_or_else(|| got.out(), |path| bench.text(path));
        let events: Vec<serde_json::Value> =
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let kinds: Vec<&str> = events.iter().filter_map(|event| event["event"].as_str()).collect();
        assert_eq!((kinds.first(), kinds.last()), (Some(&"run"), Some(&"end")), "{text}");
        if from.is_none() {
            for kind in ["round", "attempt", "check", "tick", "commit"] {
                assert!(kinds.contains(&kind), "no {kind} in {kinds:?}");
            }
        }
        let last = events.last().unwrap();
        assert_eq!((last["code"].as_str(), last["exit"].as_u64()), (Some("done"), Some(0)), "{last}");
        let schema: serde_json::Value = serde_json::from_str(wire::schemas::EVENT).unwrap();
        for event in &events {
            jsonschema::validate(&schema, event).unwrap_or_else(|e| panic!("{e}: {event}"));
        }
    }
}
