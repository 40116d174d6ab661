//! A worker that is a command: behind `--`, or as a path in the place of a name.

use pipeline_tests::{Bench, SMALL_PLAN, SUCCESS, bench};

/// A repository with a plan and a program `w.sh`; no configuration.
fn small(script: &str) -> Bench {
    let bench = bench!(empty);
    bench.write("PLAN.md", SMALL_PLAN);
    bench.program("w.sh", &format!("#!/usr/bin/env bash\n{script}\n")).commit_all("a plan and a program");
    bench
}

fn done() -> String {
    format!(
        "cat > ../home/prompt 2>/dev/null; printf '%s\\n' \"$@\" > args.txt; echo done > made.txt; {SUCCESS}"
    )
}

#[track_caller]
fn carried(bench: &Bench, line: &str) {
    let got = bench.sh(line).within(60).run();
    got.exits(0);
    assert_eq!(bench.boxes("PLAN.md"), (1, 0), "{line}: {got:?}");
    assert!(bench.subjects().contains(&"feat: make it".to_owned()), "{line}: {got:?}");
}

#[test]
fn a_command_behind_two_dashes_is_the_worker() {
    for line in [
        "orchestrate PLAN.md -- ./w.sh one 'two words'",
        "orchestrate --jobs 2 PLAN.md -- ./w.sh one 'two words'",
    ] {
        let bench = small(&done());
        carried(&bench, line);
        assert_eq!(bench.text("args.txt"), "one\ntwo words\n", "{line}");
    }
    let bench = small(&done());
    carried(&bench, "orchestrate PLAN.md -- ./w.sh");
    assert!(bench.text("../home/prompt").contains("Make it"), "the prompt is on standard input");
    // A command is never taken for the plan.
    let bench = small(&done());
    bench.git(&["checkout", "--quiet", "-b", "PLAN"]);
    let got = bench.sh("orchestrate -- ./w.sh").within(60).run();
    assert!(!got.err().contains("w.sh"), "{got:?}");
}

#[test]
fn a_path_in_the_place_of_a_name_is_the_worker() {
    for line in [
        "orchestrate --worker ./w.sh PLAN.md",
        "orchestrate --worker \"$PWD/w.sh\" PLAN.md",
        "orchestrate --worker ./w.sh --jobs 2 PLAN.md",
        "mkdir -p sub && cd sub && orchestrate --worker ../w.sh ../PLAN.md",
        "mkdir -p sub && cd sub && orchestrate ../PLAN.md -- ../w.sh",
    ] {
        carried(&small(&done()), line);
    }
}

#[test]
fn a_run_with_a_command_is_resumed_with_it() {
    for how in ["PLAN.md -- ./w.sh", "--worker ./w.sh PLAN.md", "--jobs 2 PLAN.md -- ./w.sh"] {
        let bench = small(&format!(
            "[ -e ../home/again ] || [ -e ../../../../home/again ] || exit 1; echo done > made.txt; {SUCCESS}"
        ));
        bench.sh(&format!("orchestrate --max-attempts 1 {how}")).within(60).run().exits(5);
        bench.write("../home/again", "");
        carried(&bench, &format!("orchestrate --max-attempts 3 {how}"));
    }
}

#[test]
fn a_command_that_cannot_be_started_is_an_error_before_anything_runs() {
    let bench = small("exit 0");
    bench.write("plain.sh", "#!/bin/sh\n").commit_all("not executable");
    for (how, code, wanted) in [
        ("PLAN.md -- ./nosuch.sh", 66, "there is no file './nosuch.sh'"),
        ("--worker ./nosuch.sh PLAN.md", 66, "there is no file './nosuch.sh'"),
        ("PLAN.md -- ./plain.sh", 69, "'./plain.sh' is not executable: chmod +x ./plain.sh"),
        ("--worker ./plain.sh PLAN.md", 69, "'./plain.sh' is not executable: chmod +x ./plain.sh"),
        ("PLAN.md -- no-such-program", 69, "there is no program 'no-such-program' on the PATH"),
        (
            "--worker shell PLAN.md -- ./w.sh",
            2,
            "--worker and -- COMMAND both name the worker: give one of them",
        ),
        ("PLAN.md --", 2, "-- needs a command"),
    ] {
        let got = bench.sh(&format!("orchestrate {how}")).within(60).run();
        got.exits(code);
        assert!(got.err().contains(wanted), "{how}: {got:?}");
        assert_eq!(got.err().lines().count(), 1, "{how}: {got:?}");
        assert!(!bench.path(".plantools/ledger.ndjson").exists(), "{how}");
    }
}

#[test]
fn an_unknown_worker_is_shown_with_the_lines_that_define_it() {
    let bench = small(&done());
    let got = bench.sh("orchestrate --worker mine PLAN.md").within(60).run();
    got.exits(78);
    let lines = "\n[workers.mine]\ncommand = [\"./w.sh\"]\n".replace("./w.sh", "./mine");
    assert!(got.err().contains("there is no worker 'mine'") && got.err().ends_with(&lines), "{got:?}");
    // The lines are good as they stand.
    let defined = got.err().split_once("\n[").map(|(_, lines)| format!("[{lines}")).unwrap_or_default();
    bench
        .write("plantools.toml", defined)
        .commit_all("defined")
        .sh("cp w.sh mine && git add mine")
        .run()
        .exits(0);
    bench.commit_all("a program");
    carried(&bench, "orchestrate --worker mine PLAN.md");
}

#[test]
fn help_shows_the_command() {
    let bench = bench!(empty);
    let got = bench.sh("orchestrate --help").run();
    assert!(got.exits(0).out().contains("Usage: orchestrate [OPTIONS] [PLAN] [-- COMMAND...]"), "{got:?}");
}
