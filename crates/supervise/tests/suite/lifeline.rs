//! Lifelines: which of caller, supervisor and command die together.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use crate::harness::{Case, sh};
use supervise::{Stop, processes};

#[test]
fn a_caller_killed_with_sigkill_takes_the_whole_tree_with_it() {
    let case = sh("trap '' TERM; setsid sleep 300 & sleep 300 & echo up > up; while :; do sleep 0.05; done");
    let up = case.folder().path("up");
    let mut caller = case.start();
    crate::harness::until("the command is up", || up.exists());
    caller.kill().unwrap();
    caller.wait().unwrap();
    crate::harness::until("the tree is gone", || case.left().is_empty());
}

#[test]
fn many_callers_and_many_jobs_die_at_once() {
    let case = sh("echo up >> up; sleep 300").action("many 8");
    let up = case.folder().path("up");
    let mut caller = case.start();
    let lines = || std::fs::read_to_string(&up).map_or(0, |text| text.lines().count());
    crate::harness::until("the commands are up", || lines() == 8);
    caller.kill().unwrap();
    caller.wait().unwrap();
    let start = Instant::now();
    crate::harness::until("the trees are gone", || case.left().is_empty());
    assert!(start.elapsed() < Duration::from_secs(2), "no lifeline is held by another job");
}

#[test]
fn a_term_or_int_sent_to_the_supervisor_by_name_or_group_does_not_end_it() {
    let ended = sh("for s in INT TERM HUP USR1 PIPE QUIT TSTP; do kill -$s $PPID; done; echo done").run();
    assert_eq!((ended.stop, ended.exit_code, ended.tail.as_str()), (Stop::Exited, Some(0), "done\n"));
}

#[test]
fn a_command_that_kills_its_supervisor_is_ended_by_the_caller() {
    let ended = sh("setsid sleep 300 & sleep 300 & kill -KILL $PPID; sleep 300").run();
    assert_eq!((ended.stop, ended.exit_code, ended.survivors), (Stop::SupervisorLost, None, 0));
    assert_eq!(ended.error.as_deref(), Some("the supervisor was killed"));
}

#[test]
fn a_supervisor_is_missed_in_a_container_too_whose_session_came_from_outside() {
    let inside = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"];
    let can = Command::new(inside[0]).args(&inside[1..]).arg("true").output();
    if !can.is_ok_and(|output| output.status.success()) {
        return; // No namespaces here.
    }
    let ended = sh("setsid sleep 300 & kill -KILL $PPID; sleep 300").through(inside).run();
    assert_eq!((ended.stop, ended.survivors), (Stop::SupervisorLost, 0), "{ended:?}");
}

#[test]
fn who_has_nothing_of_the_command_any_more_is_ended_with_its_supervisor_all_the_same() {
    let case = sh(
        "setsid env -i sh -c 'cd /; exec sleep 299.5' < /dev/null > /dev/null 2>&1 & sleep 0.3; kill -KILL $PPID; sleep 300",
    );
    let ended = case.run();
    assert_eq!((ended.stop, ended.survivors), (Stop::SupervisorLost, 0), "{ended:?}");
    let left = Command::new("pgrep").args(["-fx", "sleep 299.5"]).output().unwrap();
    assert!(left.stdout.is_empty(), "{left:?}");
}

#[test]
fn a_command_that_stops_its_supervisor_gains_nothing() {
    let ended = sh("kill -STOP $PPID; sleep 300").set("timeout_ms", 300).set("grace_ms", 100).run();
    assert_eq!((ended.stop, ended.signal), (Stop::Timeout, Some(15)), "{ended:?}");
}

#[test]
fn a_supervisor_that_is_stopped_again_and_again_is_given_up_in_time() {
    let ended = sh("trap '' TERM; while :; do kill -STOP $PPID; done")
        .set("timeout_ms", 300)
        .set("grace_ms", 100)
        .run();
    assert!(matches!(ended.stop, Stop::Timeout | Stop::SupervisorLost), "{ended:?}");
    assert_eq!(ended.survivors, 0);
}

#[test]
fn an_interrupt_ends_the_tree_with_grace() {
    let ended = sh("trap 'exit 9' TERM; while :; do sleep 0.02; done").action("interrupt-after 200").run();
    assert_eq!((ended.stop, ended.exit_code, ended.killed), (Stop::Interrupted, Some(9), true));
}

#[test]
fn a_second_interrupt_does_not_wait_for_the_grace() {
    let ended = sh("trap '' TERM; while :; do sleep 0.02; done").action("twice-after 200").run();
    assert_eq!((ended.stop, ended.signal), (Stop::Interrupted, Some(9)));
    assert!(ended.elapsed_ms < 1_500, "{ended:?}");
}

#[test]
fn a_handle_that_is_dropped_ends_its_job() {
    let case = sh("trap '' TERM; setsid sleep 300 & sleep 300").action("drop-after 200");
    let start = Instant::now();
    assert!(case.start().wait().unwrap().success());
    assert!(case.left().is_empty(), "everybody is gone when drop returns");
    assert!(start.elapsed() < Duration::from_secs(3));
}

#[test]
fn a_caller_that_ignores_sigchld_still_gets_the_exit_code() {
    let ended = sh("exit 6").through(["sh", "-c", "trap '' CHLD; exec \"$0\" \"$@\""]).run();
    assert_eq!((ended.stop, ended.exit_code), (Stop::Exited, Some(6)));
}

#[test]
fn a_supervisor_holds_neither_the_callers_stdin_nor_its_stdout() {
    let ended = sh("readlink /proc/$PPID/fd/0 /proc/$PPID/fd/1").run();
    assert_eq!(ended.tail, "/dev/null\n/dev/null\n");
}

#[test]
fn eight_jobs_at_once_all_answer() {
    let all = sh("sleep 0.1; echo x; exit 5").action("many 8").run_all();
    assert_eq!(all.len(), 8);
    assert!(
        all.iter().all(|ended| (ended.stop, ended.exit_code) == (Stop::Exited, Some(5)) && ended.leaked == 0)
    );
}

#[test]
fn a_process_is_known_by_pid_and_start_time() {
    let own = std::process::id();
    let start = processes::start_time(own).unwrap();
    assert!(processes::alive(own, start));
    assert!(!processes::alive(own, start + 1));
    assert_eq!(processes::start_time(u32::MAX), None);
}

#[test]
fn a_command_that_kills_its_supervisor_and_hides_its_mark_is_found_by_its_session() {
    let ended = Case::new(["env", "-i", "sh", "-c", "sleep 300.75 & kill -KILL $PPID; sleep 300.75"]).run();
    assert_eq!((ended.stop, ended.survivors), (Stop::SupervisorLost, 0));
    crate::harness::assert_no_command("300.75");
}

#[test]
fn a_kill_by_the_callers_name_does_not_meet_the_supervisor() {
    let ended = sh("cat /proc/$PPID/comm").run();
    assert_eq!(ended.tail, "supervise\n");
}

#[test]
fn whoever_carries_a_mark_is_found_and_killed() {
    let mark = format!("mark-{}", std::process::id());
    let mut child =
        Command::new("sh").args(["-c", "sleep 300 & sleep 300"]).env("A_MARK", &mark).spawn().unwrap();
    crate::harness::until("both are up", || processes::with_env("A_MARK", &mark).len() >= 2);
    assert_eq!(processes::kill_all_with_env("A_MARK", &mark, Duration::from_secs(5)).unwrap(), 0);
    assert!(!child.wait().unwrap().success());
    assert!(processes::with_env("A_MARK", &mark).is_empty());
}

#[test]
fn budgets_beyond_the_end_of_time_are_no_budgets() {
    let case = sh("echo ok").set("timeout_ms", u64::MAX).set("stall_ms", u64::MAX).set("grace_ms", u64::MAX);
    let ended = case.within(Duration::from_secs(5)).run();
    assert_eq!((ended.stop, ended.tail.as_str()), (Stop::Exited, "ok\n"));
}
