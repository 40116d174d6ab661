//! `plan-parse --follow` and `dag-next --follow` alone: what they write, when, and what ends them.

use crate::generated_plans::{PLAN, Task, pipe, plan, repository, story};
use pipeline_tests::until;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A tool of the bench with pipes on both sides.
fn tool(bench: &pipeline_tests::Bench, line: &str) -> std::process::Child {
    let bin = bench.outside().join("bin");
    let mut path = bin.into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut command = Command::new("bash");
    command.args(["-c", &format!("exec {line}")]).current_dir(bench.repo()).env("PATH", path);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("start a tool")
}

fn line(reader: &mut impl BufRead) -> serde_json::Value {
    let mut text = String::new();
    reader.read_line(&mut text).expect("read a line");
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e} in {text:?}"))
}

#[test]
fn a_plan_is_written_again_when_it_changes_and_never_half() {
    let bench = repository(&[Task::plain(1, &[], ""), Task::plain(2, &[], "")]);
    let mut child = tool(&bench, &format!("plan-parse --follow --quiet {PLAN}"));
    let mut out = BufReader::new(child.stdout.take().expect("its output"));
    assert_eq!(line(&mut out)["tasks"].as_array().map(Vec::len), Some(2));
    // A writer who cuts the file and takes his time: half of it would be a plan too.
    let whole = plan(&[Task::plain(1, &[], ""), Task::plain(2, &[], ""), Task::plain(3, &[], "")]);
    let half = whole.find("### [ ] TODO 2").expect("a second task");
    let mut file = std::fs::File::create(bench.path(PLAN)).expect("open the plan");
    file.write_all(&whole.as_bytes()[..half]).expect("write half");
    std::thread::sleep(Duration::from_millis(300));
    file.write_all(&whole.as_bytes()[half..]).expect("write the rest");
    drop(file);
    assert_eq!(line(&mut out)["tasks"].as_array().map(Vec::len), Some(3), "never the half");
    // What is no plan is waited out; a rename is seen like a write. Whoever saw both at once has only a tick to tell.
    bench.write(PLAN, "nothing\n");
    bench.write("new.md", whole.replace("### [ ] TODO 1", "### [x] TODO 1"));
    std::fs::rename(bench.path("new.md"), bench.path(PLAN)).expect("rename");
    let told = line(&mut out);
    match told["schema"].as_str() {
        Some("ticks/1") => assert_eq!(told["tasks"], serde_json::json!(["1"])),
        _ => assert_eq!(told["tasks"][0]["state"], "completed"),
    }
    drop(out);
    let ended = child.wait().expect("it ends with its reader");
    assert_eq!(ended.code(), Some(0));
}

#[test]
fn each_task_is_handed_out_once_and_the_stream_ends_when_the_plan_does() {
    let bench = repository(&[Task::plain(1, &[], ""), Task::plain(2, &[1], "")]);
    let mut child = tool(&bench, "dag-next --follow --run r1");
    let mut input = child.stdin.take().expect("its input");
    let mut out = BufReader::new(child.stdout.take().expect("its output"));
    let mut give = |text: String| {
        bench.write(PLAN, text);
        let plan = bench.command("plan-parse").args(["--quiet", PLAN]).run();
        input.write_all(&plan.stdout).expect("hand the plan over");
    };
    let text = plan(&[Task::plain(1, &[], ""), Task::plain(2, &[1], "")]);
    give(text.clone());
    let order = line(&mut out);
    assert_eq!((order["task"]["id"].as_str(), order["follow"].as_bool()), (Some("1"), Some(true)));
    // The same plan again hands nothing out; the tick does.
    give(text.clone());
    let text = text.replace("### [ ] TODO 1", "### [x] TODO 1");
    give(text.clone());
    assert_eq!(line(&mut out)["task"]["id"], "2");
    give(text.replace("### [ ] TODO 2", "### [x] TODO 2"));
    let end = line(&mut out);
    assert_eq!((end["answer"].as_str(), end["orders"].as_u64()), (Some("done"), Some(2)));
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_stream_of_plans_that_is_cut_off_is_no_end() {
    let bench = repository(&[Task::plain(1, &[], "")]);
    let got = bench.sh(&format!("plan-parse --quiet {PLAN} | dag-next --follow")).run();
    got.exits(65);
    assert_eq!(got.json_lines().len(), 1, "the order that was handed out, and no end: {got:?}");
}

#[test]
fn a_shared_tree_does_not_wait_for_the_end_of_a_stream_that_follows() {
    let bench = repository(&[Task::plain(1, &[], "")]);
    let line = pipe(2).replace(" --isolate worktree", "");
    let got = bench.sh(&line).within(60).run();
    assert!(got.err().contains("--isolate worktree"), "{got:?}");
    assert_eq!(bench.boxes(PLAN), (0, 1));
}

#[test]
fn who_cannot_work_faster_is_not_handed_more() {
    let mut tasks: Vec<Task> = (1..=150).map(|id| Task::plain(id, &[], "")).collect();
    tasks[0] = Task::of(1, &[], "until test -e $ROOT/go; do sleep 0.1; done; echo 1 > one", "test -s one");
    let bench = repository(&tasks);
    // Nothing bounds what is handed out but the pipe itself.
    let whole = pipe(1).replace("dag-next --follow --jobs 1", "dag-next --follow");
    let root = bench.repo().to_string_lossy().into_owned();
    let live = bench.sh(&whole).env("ROOT", &root).start();
    let prompts = || {
        let runs = std::fs::read_dir(bench.path(".plantools/work")).into_iter().flatten().flatten();
        runs.map(|run| std::fs::read_dir(run.path()).into_iter().flatten().count()).sum::<usize>()
    };
    until(|| bench.count("attempt_begin") > 0);
    let mut last = 0;
    until(|| {
        std::thread::sleep(Duration::from_millis(500));
        let now = prompts();
        now == std::mem::replace(&mut last, now)
    });
    assert!(last > 1 && last < 150, "{last} prompts were made\n{}", story(&bench));
    drop(live);
    until(|| bench.processes().is_empty());
}
