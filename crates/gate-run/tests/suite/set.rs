//! Gates of a configuration: ours, and the source workflow's own two files.

use crate::harness::{Folder, Verdict};
use serde_json::{Value, json};

const OURS: &str = r#"
[tokens]
WORD = "hello"
[[gates]]
id = "first"
invocation = "echo {{WORD}}; exit 1"
[[gates]]
id = "second"
invocation = "true"
when = ["end", "task"]
[[gates]]
id = "by-hand"
invocation = "true"
when = ["manual"]
[[profiles]]
name = "quick"
timeout_seconds = 1
"#;

const FITTER: &str = r#"
[meta]
version = "{{KFK_FITTER_VERSION}}"
[defaults]
python_runner = "./py"
mypy_target = "{{KFK_MYPY_TARGET}}"
[[gates]]
id = "ruff_check"
label = "Ruff check"
invocation = "{{KFK_PYTHON_RUNNER}} -m ruff check ."
[[gates]]
id = "mypy"
label = "Mypy"
invocation = "{{KFK_PYTHON_RUNNER}} -m mypy {{KFK_MYPY_TARGET}}"
"#;

const COMMANDS: &str = r#"
[meta]
version = "1"
[commands.format_check]
tool = "echo format"
gate_wrapper = "./runner"
receipt_required = true
[commands.a_test]
tool = "./runner --gate-id t -- echo test"
gate_wrapper = "./runner"
receipt_required = true
[commands.gate_quality]
composite = ["format_check", "a_test"]
tool = "./runner"
receipt_required = true
[commands.close_issue]
tool = "touch closed-{id}"
receipt_required = false
"#;

fn ids(lines: &[Value]) -> Vec<(&str, &str)> {
    lines.iter().map(|l| (l["gate_id"].as_str().unwrap(), l["status"].as_str().unwrap())).collect()
}

fn ours() -> Folder {
    Folder::with_git(&[("plantools.toml", OURS)])
}

#[test]
fn all_run_and_not_only_up_to_the_first_failure() {
    let folder = ours();
    let lines = folder.run(&["--all"]).exits(1).lines();
    assert_eq!(ids(&lines), [("first", "fail"), ("second", "pass")]);
    assert_eq!(lines[0]["last_output_lines"], json!(["hello"]));
    let lines = folder.run(&["--all", "--fail-fast"]).exits(1).lines();
    assert_eq!(ids(&lines), [("first", "fail")]);
}

#[test]
fn a_moment_or_a_name_chooses() {
    let folder = ours();
    assert_eq!(ids(&folder.run(&["--when", "task"]).exits(0).lines()), [("second", "pass")]);
    let lines = folder.run(&["--gate", "by-hand", "--gate", "second"]).exits(0).lines();
    assert_eq!(ids(&lines), [("by-hand", "pass"), ("second", "pass")]);
    let got = folder.run(&["--gate", "thrid"]);
    got.exits(2);
    assert!(got.err.contains("first, second, by-hand"), "{}", got.err);
}

#[test]
fn set_comes_before_the_file_and_a_profile_gives_budgets() {
    let folder = ours();
    let lines = folder.run(&["--gate", "first", "--set", "WORD=bye"]).exits(1).lines();
    assert_eq!(lines[0]["last_output_lines"], json!(["bye"]));
    folder.write("plantools.toml", OURS.replace("echo {{WORD}}; exit 1", "sleep 9"));
    let args = ["--gate", "first", "--profile", "quick", "--grace-seconds", "0"];
    assert_eq!(folder.run(&args).exits(3).json()["stop_reason"], json!("timeout"));
    folder.run(&["--gate", "first", "--profile", "none"]).exits(2);
}

#[test]
fn a_token_that_nobody_fills_in_is_78_for_the_gate_that_needs_it() {
    let folder = Folder::with_git(&[("fitter.toml", FITTER), ("py", "")]);
    let got = folder.run(&["--config", "fitter.toml"]);
    got.exits(78);
    assert!(got.err.contains("gate 'mypy' has an unresolved '{{KFK_MYPY_TARGET}}'"), "{}", got.err);
    folder.run(&["--config", "fitter.toml", "--gate", "ruff-check"]).exits(3);
}

#[test]
fn fitter_toml_is_read_as_it_is() {
    let folder = Folder::with_git(&[("fitter.toml", FITTER)]);
    folder.write("py", "#!/bin/sh\necho \"$@\"\n");
    std::process::Command::new("chmod").arg("+x").arg(folder.path().join("py")).status().unwrap();
    let lines = folder.run(&["--config", "fitter.toml", "--set", "KFK_MYPY_TARGET=src"]).exits(0).lines();
    assert_eq!(lines[1]["invocation"], json!("./py -m mypy src"));
}

#[test]
fn a_gate_that_calls_another_python_is_78() {
    let text = FITTER.replace("{{KFK_PYTHON_RUNNER}} -m ruff", "python3 -m ruff");
    let folder = Folder::with_git(&[("fitter.toml", &text)]);
    let got = folder.run(&["--config", "fitter.toml", "--gate", "ruff_check"]);
    got.exits(78);
    assert!(got.err.contains("calls 'python3', not './py'"), "{}", got.err);
}

#[test]
fn composites_of_commands_toml_run_in_their_order_and_other_commands_never() {
    let folder = Folder::with_git(&[("commands.toml", COMMANDS)]);
    let lines = folder.run(&["--config", "commands.toml", "--gate", "gate-quality"]).exits(0).lines();
    assert_eq!(ids(&lines), [("format_check", "pass"), ("a_test", "pass")]);
    assert_eq!(lines[1]["invocation"], json!("echo test"));
    folder.run(&["--config", "commands.toml"]).exits(0);
    folder.run(&["--config", "commands.toml", "--gate", "close_issue"]).exits(2);
}

#[test]
fn a_fix_is_run_once_and_then_the_gate_again() {
    let text = "[[gates]]\nid = \"format\"\ninvocation = \"test -e done\"\nfix = \"touch done\"\n";
    let folder = Folder::with_git(&[("plantools.toml", text), (".gitignore", "")]);
    let gate = folder.run(&["--all"]).exits(0).json();
    assert_eq!((&gate["attempts"], &gate["fix"]), (&json!(2), &json!("touch done (exit 0)")));
    folder.write(
        "plantools.toml",
        text.replace("touch done", "echo x >> tries").replace("-e done", "-e never"),
    );
    folder.run(&["--all"]).exits(1);
    assert_eq!(folder.read("tries"), "x\n");
}

#[test]
fn a_gate_that_changes_files_gives_no_verdict() {
    let text = "[[gates]]\nid = \"g\"\ninvocation = \"echo 2 > a\"\n";
    let folder = Folder::with_git(&[("plantools.toml", text), ("a", "1")]);
    folder.run(&["--all"]).exits(3).is("fault", "tree_moved");
}

#[test]
fn gates_with_the_same_lock_take_turns() {
    let gate = |id: &str| {
        format!("[[gates]]\nid = \"{id}\"\nlock = \"db\"\ninvocation = \"mkdir l && sleep 0.2 && rmdir l\"\n")
    };
    let free = "[[gates]]\nid = \"c\"\ninvocation = \"exit 1\"\n";
    let folder = Folder::new();
    folder.write("plantools.toml", format!("{}{}{free}", gate("a"), gate("b")));
    let lines = folder.run(&["--all", "--jobs", "3"]).exits(1).lines();
    assert_eq!(ids(&lines), [("a", "pass"), ("b", "pass"), ("c", "fail")]);
}

#[test]
fn no_new_suppressions_finds_what_was_added() {
    let text = "[[gates]]\nid = \"s\"\ninvocation = \"no-new-suppressions\"\n";
    let folder = Folder::with_git(&[("plantools.toml", text), ("a.py", "x = 1  # noqa\n")]);
    folder.run(&["--all"]).exits(0);
    folder.write("a.py", "x = 1  # noqa\ny = 2  # type: ignore\n");
    folder.write("new.rs", "#[allow(dead_code)]\n");
    let gate = folder.run(&["--all"]).exits(1).json();
    assert_eq!(
        gate["last_output_lines"],
        json!(["a.py: y = 2  # type: ignore", "new.rs: #[allow(dead_code)]"])
    );
}

#[test]
fn no_new_dependencies_finds_manifests() {
    let text = "[[gates]]\nid = \"d\"\ninvocation = \"no-new-dependencies\"\n";
    let folder = Folder::with_git(&[("plantools.toml", text), ("web/package.json", "{}")]);
    folder.run(&["--all"]).exits(0);
    folder.write("web/package.json", "{\"dependencies\":{}}");
    let gate = folder.run(&["--all"]).exits(1).json();
    assert_eq!(gate["last_output_lines"], json!(["web/package.json"]));
}

#[test]
fn proof_is_a_pass_of_this_batch_on_this_tree_with_this_invocation() {
    let folder = ours();
    let batch = ["--bead-id", "b-1", "--run-timestamp", "T1"];
    let prove = |require: &str| folder.run(&[&["proof"][..], &batch, &["--require", require]].concat());
    assert_eq!(prove("second").exits(1).json()["missing"][0]["reason"], json!("no record"));
    folder.run(&[&["--all"][..], &batch].concat()).exits(1);
    assert_eq!(prove("second").exits(0).json()["proved"], json!(true));
    let missing = prove("first,second,third").exits(1).json()["missing"].clone();
    assert_eq!(missing[0], json!({"gate_id": "first", "reason": "failed"}));
    assert_eq!(missing[1], json!({"gate_id": "third", "reason": "no record"}));
    folder.run(&["proof", "--bead-id", "b-2", "--require", "second"]).exits(1);
    folder.write("new", "x");
    assert_eq!(prove("second").exits(1).json()["missing"][0]["reason"], json!("stale: the tree has changed"));
}

#[test]
fn a_typed_command_is_no_proof() {
    let folder = ours();
    folder.run(&["--bead-id", "b", "--gate-id", "second", "--", "true"]).exits(0);
    folder.run(&["--bead-id", "b", "--gate-id", "gate:second", "--", "true"]).exits(0);
    folder.run(&["proof", "--bead-id", "b", "--require", "second"]).exits(1);
}

#[test]
fn what_a_plan_sets_for_the_whole_is_run_at_the_end() {
    let plan = "# Plan: X\n\n## Validation Commands\n- `test -f made`\n- `wc -l < made` → >= 1\n- `wc -l < made`\n\n### Task 1: Do it\n- [x] First\n";
    let folder = Folder::with_git(&[("docs/plans/x.md", plan), ("plantools.toml", OURS)]);
    let args = ["--when", "end", "--plan", "docs/plans/x.md"];
    let lines = folder.run(&args).exits(1).lines();
    let of_plan: Vec<_> = ids(&lines).into_iter().filter(|(id, _)| id.starts_with("plan:")).collect();
    assert_eq!(of_plan, [("plan:1", "fail"), ("plan:2", "fail"), ("plan:3", "fault")], "{lines:?}");
    folder.write("made", "1\n");
    let lines = folder.run(&args).exits(1).lines();
    assert!(ids(&lines).contains(&("plan:1", "pass")), "{lines:?}");
    let of_plan = |r: &&Value| r["plan"] == "docs/plans/x.md" && r["key"] == "plan:2";
    assert_eq!(folder.ledger().iter().filter(of_plan).count(), 2);
    folder.run(&["--when", "task", "--plan", "docs/plans/x.md"]).exits(2);
}
