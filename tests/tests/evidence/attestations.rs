//! Evidence in the history: a clone says what still fits without running anything, and runs only what does not.

use pipeline_tests::{Bench, Got, bench};
use serde_json::Value;
use std::fmt::Write;

/// How many tasks the plan has.
const TASKS: usize = 20;

/// A plan whose tasks each make a file, and whose checks leave a line outside of the repository when they run.
fn plan() -> String {
    let mut text =
        "# Files\n\n## Commit Strategy\n\n| After TODO | Message | Files | Condition |\n|---|---|---|---|\n"
            .to_owned();
    for task in 1..=TASKS {
        let _ = writeln!(text, "| {task} | `feat: file {task}` | `f{task}.txt` | always |");
    }
    text.push_str("\n## TODOs\n");
    for task in 1..=TASKS {
        let _ = write!(
            text,
            "\n### [ ] TODO {task}: File {task}\n\n```sh\necho {task} > f{task}.txt\n```\n\n**Acceptance Criteria**:\n\
             - [ ] `echo {task} >> ../ran && grep -qx {task} f{task}.txt` → exit 0\n"
        );
    }
    text
}

/// The plan carried out, its end attested, and a clone with the notes.
fn attested() -> Bench {
    let bench = bench!(empty);
    bench.write("PLAN.md", plan()).commit_all("a plan");
    bench.sh("orchestrate --worker shell PLAN.md").within(300).run().exits(0);
    bench.sh("git add PLAN.md; git commit -qm ticks || true").run().exits(0);
    bench.sh("punch attest PLAN.md").run().exits(0);
    bench.sh("git clone -q . ../clone && cd ../clone && git fetch -q origin 'refs/notes/plantools:refs/notes/plantools'").run().exits(0);
    bench
}

/// A line in the clone.
fn clone(bench: &Bench, line: &str) -> Got {
    bench.sh(&format!("cd ../clone && {line}")).within(300).run()
}

/// How often a check has run so far.
fn ran(bench: &Bench) -> usize {
    std::fs::read_to_string(bench.outside().join("ran")).unwrap_or_default().lines().count()
}

fn statuses(got: &Got) -> Vec<(String, String)> {
    let word = |fit: &Value, name: &str| fit[name].as_str().unwrap_or_default().to_owned();
    got.json_lines().iter().map(|fit| (word(fit, "task"), word(fit, "status"))).collect()
}

#[test]
fn a_clone_verifies_twenty_tasks_without_running_anything_and_then_runs_only_what_is_stale() {
    let bench = attested();
    let before = ran(&bench);
    let got = clone(&bench, "punch attest --verify PLAN.md");
    let all = statuses(got.exits(0));
    assert_eq!(all.len(), TASKS);
    assert!(all.iter().all(|(_, status)| status == "fits"), "{all:?}");
    clone(&bench, "gate-run --stale PLAN.md").exits(0);
    assert_eq!(ran(&bench), before, "nothing ran");

    // A change that breaks nothing, and one that does; each is about one task.
    clone(&bench, "printf '7\\nmore\\n' > f7.txt; echo 8 > f9.txt; echo new > other.txt").exits(0);
    let got = clone(&bench, "punch attest --verify PLAN.md");
    let stale: Vec<_> = statuses(got.exits(1)).into_iter().filter(|(_, status)| status != "fits").collect();
    let wanted = ["7", "9"].map(|task| (task.to_owned(), "may_be_stale".to_owned()));
    assert_eq!(stale, wanted);
    let text = clone(&bench, "punch attest --verify --format text PLAN.md").out();
    assert!(text.contains("7 File 7: may be stale: 7:1: f7.txt changed\n"), "{text}");
    assert!(text.contains("6 File 6: fits: none of its files changed (3 other files did)\n"), "{text}");
    assert_eq!(ran(&bench), before, "nothing ran");
    let got = clone(&bench, "gate-run --stale PLAN.md");
    let run: Vec<_> = got
        .exits(1)
        .json_lines()
        .iter()
        .map(|gate| (gate["gate_id"].clone(), gate["status"].clone()))
        .collect();
    assert_eq!(run, [("7:1".into(), "pass".into()), ("9:1".into(), "fail".into())]);
    assert_eq!(ran(&bench), before + 2);
    // A check that passed since does not run again; one that failed does.
    let got = clone(&bench, "gate-run --stale PLAN.md");
    assert_eq!(got.exits(1).json_lines().len(), 1);
    clone(&bench, "git checkout -q f9.txt f7.txt; gate-run --stale PLAN.md").exits(0);
    assert_eq!(ran(&bench), before + 3);
}

#[test]
fn a_statement_is_an_in_toto_statement_about_section_and_tree_at_the_commit_of_its_task() {
    let bench = attested();
    let own = bench.git(&["log", "--format=%H", "--grep=feat: file 3$"]);
    let note = bench.git(&["notes", "--ref=plantools", "show", own.trim()]);
    let statement: Value = serde_json::from_str(note.trim()).unwrap();
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(statement["subject"][0]["name"], "PLAN.md#3");
    let tree = bench.git(&["rev-parse", "HEAD^{tree}"]);
    assert_eq!(statement["subject"][1]["digest"]["gitTree"], tree.trim());
    let predicate = &statement["predicate"];
    assert_eq!((&predicate["task"], &predicate["level"]), (&"3".into(), &"proved".into()));
    assert_eq!(predicate["checks"][0]["id"], "3:1");
    assert_eq!(predicate["files"], serde_json::json!(["f3.txt"]));
    let records = bench.records();
    let record = records.iter().find(|record| record["hash"] == predicate["checks"][0]["record"]).unwrap();
    assert_eq!((&record["type"], &record["task"]), (&"gate_pass".into(), &"3".into()));
    // Said again, it takes the place of the first.
    bench.sh("punch attest --task 3 PLAN.md").run().exits(0);
    assert_eq!(bench.git(&["notes", "--ref=plantools", "show", own.trim()]).trim().lines().count(), 1);
}

#[test]
fn what_the_plan_asks_for_now_is_what_counts() {
    let bench = attested();
    clone(&bench, "sed -i 's/grep -qx 4 f4.txt/grep -q 4 f4.txt/; s/File 5/File five/' PLAN.md").exits(0);
    let got = clone(&bench, "punch attest --verify --format text PLAN.md");
    let text = got.exits(1).out();
    for line in [
        "4 File 4: may be stale: the plan asks for something else since\n",
        "5 File five: may be stale: the plan asks",
    ] {
        assert!(text.contains(line), "{text}");
    }
    assert_eq!(text.matches(": fits: ").count(), TASKS - 2, "{text}");
}

#[test]
fn only_what_holds_on_a_committed_tree_is_attested() {
    let bench = attested();
    bench.write("f2.txt", "other\n");
    let got = bench.sh("punch attest PLAN.md").run();
    assert!(got.exits(1).err().contains("f2.txt differs from the commit"), "{got:?}");
    bench.commit_all("break it");
    let got = bench.sh("punch attest PLAN.md").run();
    assert!(got.exits(1).err().contains("task '2' is not attested: no pass on this tree for 2:1"), "{got:?}");
    // A clone without the notes says how to get them.
    bench.sh("git clone -q . ../bare").run().exits(0);
    let got = bench.sh("cd ../bare && punch attest --verify PLAN.md").run();
    assert!(
        got.exits(1).err().contains("git fetch origin 'refs/notes/plantools:refs/notes/plantools'"),
        "{got:?}"
    );
}

#[test]
fn a_gate_for_tasks_and_the_end_is_attested_once_it_has_run_as_the_message_says() {
    let bench = bench!(empty);
    bench.write(
        "plantools.toml",
        "[[gates]]\nid = \"test\"\ninvocation = \"test -f a.txt\"\nwhen = [\"task\", \"end\"]\n",
    );
    bench
        .write("PLAN.md", "# P\n\n## TODOs\n\n### [ ] TODO 1: A\n\n```sh\necho a > a.txt\n```\n\n**Acceptance Criteria**:\n- [ ] `test -f a.txt` → exit 0\n")
        .commit_all("a plan");
    bench.sh("orchestrate --worker shell PLAN.md").run().exits(0);
    bench.write("other.txt", "other\n").commit_all("other work");
    let got = bench.sh("punch attest PLAN.md").run();
    assert!(got.exits(1).err().contains("gate-run --when end --plan"), "{got:?}");
    bench.sh("gate-run --when end --plan PLAN.md").run().exits(0);
    bench.sh("punch attest PLAN.md").run().exits(0);
}
