//! The graph in other hands: stepping through it by hand, `make` and `ninja` as the scheduler, graphviz as a reader.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use pipeline_tests::{Bench, DEMO_PLAN, DEMO_SUBJECTS, Got, bench};
use serde_json::{Value, json};
use std::path::Path;

/// A plan of three TODOs; in its sub-steps, the eighteen tasks of the example.
const THREE: &str = include_str!("../../../crates/plan-parse/tests/three.md");

#[test]
fn stepping_through_the_eighteen_tasks_gives_the_rounds_0_to_12() {
    let bench = bench!(empty);
    bench.write("PLAN.md", THREE);
    let expand = ["--quiet", "--expand", "substeps", "--mode", "pr", "PLAN.md"];
    let mut plan = bench.command("plan-parse").args(expand).run().exits(0).json();
    let names: Vec<String> = plan["tasks"].as_array().unwrap().iter().map(id_of).collect();
    assert_eq!(names.len(), 18);
    let number = |id: &String| names.iter().position(|name| name == id).unwrap() + 1;
    let ask = |plan: &Value, args: &[&str]| {
        bench.command("dag-next").args(args).stdin(plan.to_string()).run().exits(0).json_lines()
    };

    let document = ask(&plan, &["--rounds"]).remove(0);
    let mut rounds = Vec::new();
    loop {
        let mut lines = ask(&plan, &[]);
        let end = lines.pop().unwrap();
        if lines.is_empty() {
            assert_eq!(end["answer"], "done");
            break;
        }
        let round: Vec<String> = lines.iter().map(|line| id_of(&line["task"])).collect();
        for task in plan["tasks"].as_array_mut().unwrap().iter_mut().filter(|t| round.contains(&id_of(t))) {
            task["state"] = json!("completed");
        }
        rounds.push(round);
    }
    assert_eq!(json!(rounds), document["rounds"]);
    let numbers: Vec<Vec<usize>> = rounds.iter().map(|round| round.iter().map(number).collect()).collect();
    let pairs = [[2, 11], [3, 12], [4, 13], [5, 14], [6, 15]].map(|pair| pair.to_vec());
    let singles = [7, 8, 9, 10, 16, 17, 18].map(|one| vec![one]);
    assert_eq!(numbers, [&[vec![1]][..], &pairs, &singles].concat());
}

#[test]
fn make_carries_the_demo_out_and_a_second_run_does_nothing() {
    let bench = bench!(demo);
    if bench.lacks("make") {
        return;
    }
    is_carried_out_once(&bench, with_make, "Nothing to be done for 'all'");
    // Whoever loses the stamps loses nothing: what the plan says is done only leaves its stamp.
    nothing_changes(&bench, || {
        bench.sh("rm -r .plantools/make").run().exits(0);
        with_make(&bench, "").exits(0);
    });
}

#[test]
fn ninja_carries_the_demo_out_and_a_second_run_does_nothing() {
    let bench = bench!(demo);
    if !bench.lacks("ninja") {
        is_carried_out_once(&bench, with_ninja, "no work to do");
    }
}

#[test]
fn a_failing_task_stops_only_its_dependants() {
    for (name, with) in [("make", with_make as Engine), ("ninja", with_ninja)] {
        let bench = bench!(demo);
        if bench.lacks(name) {
            continue;
        }
        let text = bench.text(DEMO_PLAN).replace("`Goodbye, Grace!`", "`Good riddance, Grace!`");
        // A guide that needs nothing does not wait for the task that fails.
        let text = text.replace("| 5 | `todo-4.test_script` |", "| 5 | - |");
        let input =
            "**Inputs**:\n- `test_script` (file): `${todo-4.outputs.test_script}`\n\n**Outputs**:\n- `guide`";
        assert!(text.contains(input));
        let text = text.replace(input, "**Inputs**: (none)\n\n**Outputs**:\n- `guide`");
        let text = text.replace("\"$INPUT_TEST_SCRIPT\" >> README.md", "test.sh >> README.md");
        bench.write(DEMO_PLAN, text).commit_all("a check that fails");
        let got = with(&bench, "--max-attempts 2");
        assert_ne!(got.status, 0, "{got:?}");
        let plan = bench.text(DEMO_PLAN);
        let done: Vec<&str> = ["1", "2", "3", "4", "5", "Final"]
            .into_iter()
            .filter(|id| plan.contains(&format!("### [x] TODO {id}:")))
            .collect();
        assert_eq!(done, ["1", "2", "5"], "{got:?}");
    }
}

#[test]
fn graphviz_draws_the_demo_and_every_label_as_it_is() {
    let bench = bench!(demo);
    if bench.lacks("dot") {
        return;
    }
    let line = format!("plan-parse --quiet {DEMO_PLAN} | dag-export --to dot | dot -Tplain");
    let plain = bench.sh(&line).run().exits(0).out();
    assert_eq!(plain.lines().filter(|line| line.starts_with("node ")).count(), 6, "{plain}");
    let hostile = "- [ ] a \"b\" \\N <b>&amp; $(x) `y` {z|w} \\\n- [ ] end; } digraph x { %% --> #1\n";
    bench.write("TODO.md", hostile);
    let line = "plan-parse --quiet --dialect checklist TODO.md | dag-export --to dot | dot -Tplain";
    let plain = bench.sh(line).run().exits(0).out();
    assert_eq!(plain.lines().filter(|line| line.starts_with("node ")).count(), 2, "{plain}");
}

fn id_of(task: &Value) -> String {
    task["id"].as_str().unwrap().to_owned()
}

/// Carries the demo out, with more options for `orchestrate`.
type Engine = fn(&Bench, &str) -> Got;

fn with_make(bench: &Bench, options: &str) -> Got {
    let file = format!("<(plan-parse --quiet {DEMO_PLAN} | dag-export --to make)");
    bench
        .sh(&format!("make -j4 -k -f {file} ORCHESTRATE='orchestrate --worker shell {options}'"))
        .within(120)
        .run()
}

fn with_ninja(bench: &Bench, options: &str) -> Got {
    let file = format!("<(plan-parse --quiet {DEMO_PLAN} | dag-export --to ninja)");
    let run = bench.sh(&format!("ninja -j4 -k0 -f {file}")).within(120);
    run.env("ORCHESTRATE", &format!("orchestrate --worker shell {options}")).run()
}

fn is_carried_out_once(bench: &Bench, with: Engine, words: &str) {
    with(bench, "").exits(0);
    assert_eq!(bench.boxes(DEMO_PLAN), (6, 0));
    let mut subjects = bench.subjects();
    let mut expected = DEMO_SUBJECTS[..6].to_vec();
    // Two tasks depend on the first alone, and either may come first.
    subjects.sort_unstable();
    expected.sort_unstable();
    assert_eq!(subjects, expected);
    nothing_changes(bench, || {
        let again = with(bench, "");
        again.exits(0);
        assert!(again.out().contains(words), "{again:?}");
    });
}

fn nothing_changes(bench: &Bench, run: impl Fn()) {
    let state = || {
        [
            bench.bytes(DEMO_PLAN),
            bench.bytes(".plantools/ledger.ndjson"),
            bench.git(&["rev-parse", "HEAD"]).into(),
        ]
    };
    let before = state();
    run();
    assert!(state() == before, "plan, ledger or history changed");
    assert!(Path::new(&bench.path(".plantools/make")).is_dir());
}
