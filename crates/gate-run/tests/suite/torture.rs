//! The guarantees of `crates/supervise`, seen from outside: an answer in time, and no process left behind.

use crate::harness::{Folder, Got, Verdict};
use serde_json::json;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Waits for a condition that must hold soon.
pub(crate) fn until(what: &str, mut is: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is() {
        assert!(start.elapsed() < Duration::from_secs(10), "not in time: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Sends a signal to a child of ours.
pub(crate) fn signal(child: &Child, name: &str) {
    let mut kill = Command::new("sh");
    let kill = kill.args(["-c", "kill -s \"$0\" \"$1\"", name]).arg(child.id().to_string());
    let status = kill.status().unwrap();
    assert!(status.success());
}

/// Whether a process still runs; a zombie does not.
pub(crate) fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

/// Runs a line with a deadline of 0.5 s and a grace of 0.3 s, and requires it to end within deadline + grace + 1 s.
fn bounded(line: &str) -> Got {
    let args = ["--timeout-seconds", "0.5", "--grace-seconds", "0.3", "--", "sh", "-c", line];
    let got = Folder::new().run(&args);
    assert!(got.took < Duration::from_millis(2300), "{:?}", got.took);
    got
}

#[test]
fn a_grandchild_that_holds_the_pipe_does_not_hold_us() {
    bounded("sleep 60 & echo done").exits(0).is("pass", "leak");
}

#[test]
fn a_daemon_in_a_session_of_its_own_is_found() {
    let folder = Folder::new();
    let line = "setsid sh -c 'echo $$ > pid; exec sleep 60' & while ! test -s pid; do sleep 0.02; done";
    folder.run(&["--", "sh", "-c", line]).exits(0).is("pass", "leak");
    assert!(!is_alive(&folder.read("pid")));
}

#[test]
fn a_child_that_ignores_term_is_killed() {
    bounded("trap '' TERM; while :; do sleep 0.05; done").exits(3).is("fault", "timeout");
}

#[test]
fn a_fork_bomb_within_a_limit_is_put_out() {
    bounded("for i in $(seq 60); do (while :; do sleep 0.1; done) & done; wait")
        .exits(3)
        .is("fault", "timeout");
}

#[test]
fn a_gigabyte_in_one_line_is_counted_and_bounded() {
    let folder = Folder::with_git(&[]);
    let line = "head -c 1000000000 /dev/zero; exit 1";
    let args = ["--log-megabytes", "1", "--bead-id", "b", "--timeout-seconds", "60", "--", "sh", "-c", line];
    let gate = folder.run(&args).exits(1).is("fail", "exited");
    assert_eq!((&gate["output_bytes"], &gate["truncated"]), (&json!(1_000_000_000), &json!(true)));
    assert_eq!(folder.read(gate["log"].as_str().unwrap()).len(), 1 << 20);
    assert_eq!(gate["last_output_lines"].as_array().unwrap().len(), 1, "the tail is bounded in bytes");
    assert!(gate["last_output_lines"][0].as_str().unwrap().len() <= 64 << 10);
}

#[test]
fn invalid_utf_8_is_output_like_any_other() {
    let folder = Folder::with_git(&[]);
    let args = ["--bead-id", "b", "--", "sh", "-c", "printf 'a\\377\\376b\\n'; exit 1"];
    let gate = folder.run(&args).exits(1).is("fail", "exited");
    assert_eq!(gate["last_output_lines"], json!(["a\u{fffd}\u{fffd}b"]));
    let log = folder.path().join(gate["log"].as_str().unwrap());
    assert_eq!(std::fs::read(log).unwrap(), b"a\xff\xfeb\n");
}

#[test]
fn dots_faster_than_the_stall_budget_are_none() {
    let line = "for i in 1 2 3 4 5 6 7 8; do printf .; sleep 0.2; done";
    Folder::new().run(&["--stall-seconds", "1", "--", "sh", "-c", line]).exits(0).is("pass", "exited");
}

#[test]
fn exit_2_is_a_failure_like_any_other() {
    let gate = bounded("exit 2").exits(1).is("fail", "exited");
    assert_eq!(gate["exit_code"], json!(2));
}

#[test]
fn a_missing_command_and_one_that_cannot_be_run_are_no_verdict() {
    let folder = Folder::new();
    folder.write("plain", "true\n");
    for command in ["no-such-tool-here", "./missing", "./plain", "."] {
        let got = folder.run(&["--", command]);
        got.exits(3);
        got.is("fault", "env_missing");
        assert!(got.took < Duration::from_secs(2), "{command}: {:?}", got.took);
    }
}

#[test]
fn a_child_with_a_closed_stdout_is_silent_and_not_lost() {
    bounded("exec >&- 2>&-; exit 4").exits(1).is("fail", "exited");
    bounded("exec >&- 2>&-; sleep 60").exits(3).is("fault", "timeout");
}

#[test]
fn dots_slower_than_the_stall_budget_are_a_stall() {
    let args = ["--stall-seconds", "0.3", "--grace-seconds", "0.2", "--", "sh", "-c", "printf .; sleep 9"];
    Folder::new().run(&args).exits(3).is("fault", "stall");
}

#[test]
fn output_only_on_stderr_is_output() {
    let gate = Folder::new().run(&["--", "sh", "-c", "echo bad >&2; exit 1"]).exits(1).json();
    assert_eq!(gate["last_output_lines"], json!(["bad"]));
}

#[test]
fn a_command_that_reads_gets_the_end_at_once_and_never_our_input() {
    Folder::new().feed(&["--", "sh", "-c", "test -z \"$(cat)\""], "for us\n").exits(0).is("pass", "exited");
}

#[test]
fn death_by_segv_is_told() {
    let gate = bounded("kill -SEGV $$").exits(1).is("fail", "signalled");
    assert_eq!(gate["signal"], json!(11));
}

#[test]
fn a_stopped_child_meets_its_deadline() {
    bounded("kill -STOP $$").exits(3).is("fault", "timeout");
}

#[test]
fn a_missing_folder_is_no_missing_command() {
    let got = Folder::new().run(&["--cwd", "nowhere", "--", "true"]);
    got.exits(3);
    let gate = got.is("fault", "env_missing");
    assert!(gate["measured"].as_str().unwrap().contains("nowhere"), "{gate}");
}

#[test]
fn when_gate_run_is_killed_nothing_survives_it() {
    let folder = Folder::new();
    let line = "echo $$ > leader; setsid sh -c 'echo $$ > daemon; exec sleep 60' & exec sleep 60";
    let mut child = folder.start(&["--", "sh", "-c", line]);
    let both = || folder.has("daemon") && folder.has("leader") && !folder.read("daemon").is_empty();
    until("both are up", both);
    let pids = [folder.read("leader"), folder.read("daemon")];
    signal(&child, "KILL");
    child.wait().unwrap();
    until("both are gone", || pids.iter().all(|pid| !is_alive(pid)));
}

#[test]
fn a_closed_stdout_is_74_and_the_record_is_there() {
    let folder = Folder::with_git(&[]);
    let mut command = folder.command(&["--bead-id", "b", "--", "true"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = command.stdout(writer).stderr(Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(74));
    assert_eq!(folder.ledger().len(), 1);
}

#[test]
fn a_full_stdout_is_74() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let folder = Folder::new();
    let mut command = folder.command(&["--", "true"]);
    assert_eq!(command.stdout(full).stderr(Stdio::null()).status().unwrap().code(), Some(74));
}

#[test]
fn a_second_signal_does_not_wait_for_the_grace() {
    let folder = Folder::new();
    let line = "trap '' TERM; echo up > up; while :; do sleep 0.05; done";
    let child = folder.start(&["--grace-seconds", "30", "--", "sh", "-c", line]);
    until("the child is up", || folder.has("up"));
    let start = Instant::now();
    signal(&child, "INT");
    std::thread::sleep(Duration::from_millis(50));
    signal(&child, "INT");
    let got = Got::from(&child.wait_with_output().unwrap(), start.elapsed());
    got.exits(3);
    got.is("fault", "interrupted");
    assert!(got.took < Duration::from_secs(5), "{:?}", got.took);
}
