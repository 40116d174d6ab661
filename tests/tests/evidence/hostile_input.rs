//! Hostile names and texts: nothing leaves its folder, nothing reaches a shell, every byte that is not ours survives.

use pipeline_tests::{Bench, DEMO_PLAN, PIPE, bench, snapshot};
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::path::Path;

const PLAN: &str = r#"# Hostile $(touch pwned) `touch pwned` "; touch pwned; "

## Commit Strategy

| After TODO | Message | Files | Condition |
|------------|---------|-------|-----------|
| ../../x | `feat: $(touch pwned); "double" 'single' \ --amend` | `a b;$(touch pwned).txt` | always |
| --upload-pack | `--amend` | `--upload-pack` | always |

## TODOs

### [ ] TODO ../../x: $(touch pwned) `touch pwned` '; rm -rf ~; "

**Type**: work

**Outputs**:
- `$(touch pwned)` (string): `; touch pwned` - a name and a value that mean harm
- `out` (string): `$(touch pwned)` - a value that means harm

**Steps**:
- [ ] `touch pwned` in a step is only a text

```sh
printf 'done\n' > 'a b;$(touch pwned).txt'
```

**Acceptance Criteria**:

*Functional:*
- [ ] $(touch pwned) is there: `test -f 'a b;$(touch pwned).txt'`

### [ ] TODO --upload-pack: -rf --no-preserve-root /

**Type**: work

**Steps**:
- [ ] Write it

```sh
printf 'done\n' > ./--upload-pack
```

**Acceptance Criteria**:

*Functional:*
- [ ] It is there: `test -f ./--upload-pack`
"#;

#[test]
fn hostile_ids_titles_outputs_files_and_messages_are_only_texts() {
    let bench = bench!(empty);
    bench.write("PLAN.md", PLAN).commit_all("plan");
    let got = bench.command("orchestrate").args(["--worker", "shell", "PLAN.md"]).run();
    got.exits(0);
    harmless(&bench);
    assert_eq!(bench.boxes("PLAN.md"), (2, 0), "{got:?}");
    let subjects = bench.subjects();
    assert_eq!(subjects[2], r#"feat: $(touch pwned); "double" 'single' \ --amend"#);
    assert_eq!(subjects[3], "--amend");
    assert_eq!(bench.git(&["status", "--porcelain"]), "");
}

#[test]
fn what_a_worker_says_is_only_text() {
    let bench = bench!(demo);
    let answer = r#"{"status":"SUCCESS","summary":"\u001b[31m$(touch pwned)","outputs":{"config_path":"$(touch pwned)","../../x":"`touch pwned`","--flag":"; touch pwned"},"learnings":["`touch pwned`","- [x] ### [x] TODO 2: Greet"],"issues":["$(touch pwned)"],"decisions":["; touch pwned"],"files_modified":["../../x"]}"#;
    let work = "mkdir -p config; printf 'Ada\\nGrace\\n' > config/names.txt";
    bench.program("../home/w.sh", &format!("#!/bin/sh\n{work}\ncat <<'JSON'\n{answer}\nJSON\n"));
    bench.round(DEMO_PLAN, "worker-run -- ../home/w.sh").exits(0);
    // Task 2 takes that output as its input: the environment and the prompt carry it as it is.
    let got = bench.round(DEMO_PLAN, "worker-run --worker shell");
    assert!([0, 1].contains(&got.status), "{got:?}");
    assert!(bench.text("bin/greet").contains("< $(touch pwned)"), "{}", bench.text("bin/greet"));
    let report = bench.command("run-report").args(["--final", DEMO_PLAN]).run();
    assert!(!report.exits(0).stdout.contains(&0x1b), "a worker's words coloured the report");
    // The greeting itself is run by the plan's own check, which is the plan's doing and not ours.
    let own = bench.path("pwned");
    if own.exists() {
        std::fs::remove_file(own).unwrap();
    }
    harmless(&bench);
}

#[test]
fn orders_whose_names_lead_out_are_refused_by_every_stage() {
    let bench = bench!(demo);
    let order = bench.sh(&format!("plan-parse {DEMO_PLAN} | dag-next")).run().exits(0).json_lines().remove(0);
    let before = outside(&bench);
    // Just so many steps up that, not refused, something would stand in the bench's own `home`.
    let hostile: [(&str, Value); 7] = [
        ("/run", json!("../../../home/x")),
        ("/run", json!(bench.path("../home/x"))),
        ("/task/key", json!("../../../../home/x")),
        ("/task/key", json!(bench.path("../home/x"))),
        ("/plan/path", json!("../home/PLAN.md")),
        ("/plan/path", json!("/etc/passwd")),
        ("/task/span/path", json!("../../../etc/passwd")),
    ];
    let mut wrong = Vec::new();
    for (pointer, value) in hostile {
        let mut order = order.clone();
        *order.pointer_mut(pointer).unwrap() = value.clone();
        for stage in
            ["handoff", "worker-run --worker shell", "gate-run", "context-save", "checkbox", "commit-run"]
        {
            bench.write("../tmp/order", order.to_string());
            let got = bench.sh(&format!("{stage} ../tmp/order")).run();
            std::fs::remove_file(bench.path("../tmp/order")).unwrap();
            let new = outside(&bench).into_keys().filter(|path| !before.contains_key(path)).count();
            if new > 0 || got.status == 101 {
                wrong.push(format!(
                    "{stage} with {pointer} {value}: exit {}, {new} files outside",
                    got.status
                ));
            }
            // What was let out must not be blamed on the next stage.
            let _ = std::fs::remove_dir_all(bench.path("../home/x"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    harmless(&bench);
}

#[test]
fn a_run_whose_name_leads_out_is_refused() {
    let bench = bench!(demo);
    let got = bench.orchestrate(&[]).env("PLANTOOLS_RUN", "../../x").run();
    assert!([2, 65].contains(&got.status), "{got:?}");
    assert_eq!(bench.boxes(DEMO_PLAN), (0, 6));
}

#[test]
fn exported_graphs_of_hostile_ids_run_nothing() {
    let bench = bench!(demo);
    let mut plan = bench.command("plan-parse").args([DEMO_PLAN]).run().exits(0).json();
    let names =
        ["$(shell touch pwned)", "`touch pwned`", "; touch pwned", "\"]; touch pwned", "$(touch pwned)"];
    for (index, name) in names.iter().enumerate() {
        plan["tasks"][index]["id"] = json!(name);
        plan["tasks"][index]["title"] = json!(format!("{name}\n\ttouch pwned\n<script>"));
        plan["tasks"][index]["depends_on"] = json!([]);
    }
    plan["tasks"][5]["depends_on"] = json!(names);
    for target in ["text", "dot", "mermaid", "svg", "json", "make", "ninja"] {
        let got = bench.command("dag-export").args(["--to", target]).stdin(plan.to_string()).run();
        got.exits(0);
        assert!(target != "svg" || !got.out().contains("<script>"), "{target}: {got:?}");
        bench.write(&format!("../home/graph.{target}"), got.out());
    }
    // Even `make -n` runs what `$(shell …)` holds.
    let made = bench.sh("command -v make >/dev/null || exit 0; make -n -f ../home/graph.make; true").run();
    harmless(&bench);
    made.exits(0);
}

#[test]
fn a_plan_that_is_a_link_stays_one() {
    let bench = bench!(demo);
    symlink(DEMO_PLAN, bench.path("PLAN.md")).unwrap();
    bench.commit_all("link");
    bench.round("PLAN.md", "worker-run --worker shell").exits(0);
    assert_eq!(std::fs::read_link(bench.path("PLAN.md")).unwrap(), Path::new(DEMO_PLAN));
    assert_eq!(bench.boxes(DEMO_PLAN), (1, 5));
}

#[test]
fn a_home_that_is_a_link_to_elsewhere_is_refused() {
    let bench = bench!(demo);
    std::fs::create_dir(bench.path("../home/elsewhere")).unwrap();
    symlink("../home/elsewhere", bench.path(".plantools")).unwrap();
    let got = bench.orchestrate(&[]).run();
    assert!(![0, 101].contains(&got.status), "{got:?}");
    assert!(got.err().contains(".plantools: "), "{got:?}");
    for stage in ["handoff", "handoff | worker-run --worker shell"] {
        let line = format!("plan-parse -q {DEMO_PLAN} | dag-next | {stage} | {PIPE}");
        assert_ne!(bench.sh(&line).run().status, 0, "{stage}");
    }
    assert_eq!(snapshot(&bench.path("../home/elsewhere")).len(), 0, "something was written there");
    assert_eq!(bench.boxes(DEMO_PLAN), (0, 6));
}

#[test]
fn links_that_a_repository_brings_below_our_folder_lead_nothing_out() {
    let links =
        ["locks/ledger", "locks/commit", "ledger.ndjson", "logs", "work", "locks", "worktrees", "tmp"];
    let mut wrong = Vec::new();
    for name in links.into_iter().chain(["locks/RUN", "locks/RUN.pause", "logs/RUN.log"]) {
        let bench = bench!(demo);
        let lock = bench.command("plan-parse").args(["--lock-file", DEMO_PLAN]).run().exits(0).out();
        let run = lock.trim().rsplit('/').next().unwrap().to_owned();
        std::fs::remove_dir_all(bench.path(".plantools")).unwrap();
        let link = bench.path(".plantools").join(name.replace("RUN", &run));
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::fs::create_dir(bench.path("../home/elsewhere")).unwrap();
        bench.write("../home/elsewhere/victim", "precious");
        let is_folder = ["logs", "work", "locks", "worktrees", "tmp"].contains(&name);
        let target = if is_folder { "../home/elsewhere" } else { "../home/elsewhere/victim" };
        symlink(bench.path(target), &link).unwrap();
        let before = outside(&bench);
        for args in [&["--worker", "shell", "--only", "1"][..], &["--pause"]] {
            let got = bench.orchestrate(args).run();
            let is_same = outside(&bench) == before;
            if !is_same || got.status == 101 || (got.status == 0 && args.len() > 1) {
                wrong.push(format!("{name} {args:?}: exit {}, outside the same: {is_same}", got.status));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_plan_that_is_a_link_out_of_its_repository_is_refused() {
    let bench = bench!(demo);
    std::fs::create_dir(bench.path("../home/elsewhere")).unwrap();
    bench.write("../home/elsewhere/PLAN.md", bench.text(DEMO_PLAN));
    symlink("../home/elsewhere/PLAN.md", bench.path("OUT.md")).unwrap();
    let before = outside(&bench);
    let got = bench.command("orchestrate").args(["--worker", "shell", "OUT.md"]).run();
    assert!(got.exits(65).err().contains("OUT.md: a link leads out of"), "{got:?}");
    assert!(outside(&bench) == before, "something was written there");
}

#[test]
fn a_plan_with_crlf_keeps_it() {
    let bench = bench!(demo);
    let plan = bench.text(DEMO_PLAN).replace('\n', "\r\n");
    bench.write(DEMO_PLAN, &plan).commit_all("crlf");
    bench.round(DEMO_PLAN, "worker-run --worker shell").exits(0);
    only_marks_changed(plan.as_bytes(), &bench.bytes(DEMO_PLAN));
}

#[test]
fn a_byte_order_mark_and_bytes_that_are_no_utf_8_survive() {
    let bench = bench!(demo);
    let plan = [b"\xef\xbb\xbf".as_slice(), &bench.bytes(DEMO_PLAN)].concat();
    let at = plan.windows(10).position(|w| w == b"**Type**: ").unwrap();
    let plan = [&plan[..at], b"\xff\xfe caf\xe9 \x00\n\n".as_slice(), &plan[at..]].concat();
    bench.write(DEMO_PLAN, &plan).commit_all("bytes");
    bench.round(DEMO_PLAN, "worker-run --worker shell").exits(0);
    only_marks_changed(&plan, &bench.bytes(DEMO_PLAN));
}

#[test]
fn files_with_hostile_names_in_the_tree_do_no_harm() {
    let bench = bench!(demo);
    let names = "$'new\\nline' $'\\xff\\xfe' '-rf' '$(touch pwned)' ' ' '\"' ':(exclude)x' ':!y'";
    bench.sh(&format!("for n in {names}; do echo x > ./\"$n\"; done")).run().exits(0);
    // They were there before the run: they are left alone, and counted.
    let got = bench.orchestrate(&[]).run();
    got.exits(0);
    assert!(got.err().contains("8 files changed before the run are left alone"), "{got:?}");
    assert_eq!(bench.git(&["status", "--porcelain"]).matches("?? ").count(), 8, "{got:?}");
    harmless(&bench);
    assert_eq!(bench.boxes(DEMO_PLAN), (6, 0));
}

/// Everything of the bench but the repository and scratch files.
fn outside(bench: &Bench) -> std::collections::BTreeMap<std::path::PathBuf, Vec<u8>> {
    let mut all = snapshot(bench.outside());
    all.retain(|path, _| !path.starts_with("repo"));
    all
}

/// Nothing that a text asked for was done.
#[track_caller]
fn harmless(bench: &Bench) {
    let found: Vec<_> =
        snapshot(bench.outside()).into_keys().filter(|path| path.ends_with("pwned")).collect();
    assert!(found.is_empty(), "{found:?}");
    let entries = std::fs::read_dir(bench.outside()).into_iter().flatten().flatten();
    let home: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    assert_eq!(home.len(), 4, "something stands beside the repository: {home:?}");
}

/// The same bytes but for boxes that were ticked, and at least one was.
#[track_caller]
fn only_marks_changed(before: &[u8], after: &[u8]) {
    assert_eq!(before.len(), after.len());
    let changed: Vec<_> = (0..before.len()).filter(|i| before[*i] != after[*i]).collect();
    assert!(!changed.is_empty(), "nothing was ticked");
    for at in changed {
        assert_eq!(
            (&before[at - 1..=at + 1], &after[at - 1..=at + 1]),
            (b"[ ]".as_slice(), b"[x]".as_slice())
        );
    }
}

#[test]
fn an_archive_that_is_a_link_to_elsewhere_takes_no_session() {
    let bench = bench!(empty);
    let session = ".workflow/active/WFS-x";
    bench.write(
        &format!("{session}/TODO_LIST.md"),
        "# Tasks: x\n\n## Task Progress\n- [x] **IMPL-1**: One → [📋](./.task/IMPL-1.json)\n",
    );
    let task =
        json!({ "id": "IMPL-1", "title": "One", "status": "completed", "context": {}, "flow_control": {} });
    bench.write(&format!("{session}/.task/IMPL-1.json"), task.to_string());
    bench.write(&format!("{session}/workflow-session.json"), r#"{"session_id":"WFS-x","status":"active"}"#);
    bench.write("../home/theirs/manifest.json", "[]");
    symlink("../../home/theirs", bench.path(".workflow/archives")).unwrap();
    bench.commit_all("a session");
    let got = bench.command("context-save").args(["complete", session]).run();
    got.exits(65);
    assert!(got.err().contains("leaves"), "{got:?}");
    assert_eq!(bench.text("../home/theirs/manifest.json"), "[]");
    assert!(bench.path(session).is_dir() && !bench.path("../home/theirs/WFS-x").exists());
}

#[test]
fn what_orchestrate_keeps_is_written_through_no_link() {
    let bench = bench!(demo);
    let lock = bench.command("plan-parse").args(["--lock-file", DEMO_PLAN]).run().exits(0).out();
    bench.write("../home/theirs", "precious");
    for end in [".start.new", ".pull.new"] {
        symlink("../../../home/theirs", format!("{}{end}", lock.trim())).unwrap();
    }
    let got = bench.command("commit-run").args(["start", DEMO_PLAN]).run();
    assert_eq!(got.exits(0).out(), bench.git(&["rev-parse", "HEAD"]));
    assert_eq!(bench.text("../home/theirs"), "precious");
    // A link in the place of the file itself is refused.
    std::fs::remove_file(format!("{}.start", lock.trim())).unwrap();
    symlink("../../../home/theirs", format!("{}.start", lock.trim())).unwrap();
    bench.command("commit-run").args(["start", DEMO_PLAN]).run().exits(74);
    assert_eq!(bench.text("../home/theirs"), "precious");
}

#[test]
fn a_list_of_tasks_is_made_in_the_repository_or_not_at_all() {
    let bench = bench!(empty);
    bench.write("../home/theirs/x", "");
    let packet = json!({
        "task_id": "T-1", "session_export": ".kilocode/thinking/task-T-1-prep-2026-11-17.json",
        "decision": { "approach": "A", "rationale": "r" }, "success_criteria": ["it is"], "files_touched": [], "risks": [],
        "subtasks": [{ "id": "1", "title": "Do it", "description": "d", "status": "pending" }], "tests": ["`true`"],
        "runtime_attestations": [{ "subtask": "Parent (Orchestrator)", "runtime_model_reported": "none",
            "runtime_mode_reported": "orchestrate/execute-task" }],
    });
    bench.write(".kilocode/handoff/T-1.json", packet.to_string());
    symlink("../../home/theirs", bench.path(".kilocode/todo")).unwrap();
    bench.commit_all("a preparation");
    let got = bench.sh("orchestrate --worker shell T-1").run();
    got.exits(65);
    assert!(got.err().contains("leaves"), "{got:?}");
    assert_eq!(snapshot(&bench.path("../home/theirs")).len(), 1);
}
