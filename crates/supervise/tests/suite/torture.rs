//! Every way in which commands misbehave, each with its exact outcome and its time bound.
//!
//! After each case no process of it is left: the harness looks for a mark of its own in the environment of every
//! process on the machine.

use crate::harness::{Case, sh};
use std::time::Duration;
use supervise::Stop;

#[test]
fn a_grandchild_that_holds_the_pipe_after_the_leader_exits_is_a_leak() {
    let ended = sh("sleep 300 & echo started; exit 0").run();
    assert_eq!((ended.stop, ended.exit_code, ended.leaked), (Stop::Exited, Some(0), 1));
    assert_eq!(ended.tail, "started\n");
    assert!(ended.killed && ended.elapsed_ms < 100, "{ended:?}");
}

#[test]
fn a_short_helper_that_ends_within_the_linger_is_no_leak() {
    let ended = sh("sleep 0.05 & exit 0").set("linger_ms", 5_000).run();
    assert_eq!((ended.stop, ended.exit_code, ended.leaked, ended.killed), (Stop::Exited, Some(0), 0, false));
}

#[test]
fn a_long_linger_does_not_go_beyond_the_deadline() {
    let ended =
        sh("sleep 300 & exit 0").set("timeout_ms", 300).set("grace_ms", 0).set("linger_ms", 60_000).run();
    assert_eq!((ended.stop, ended.exit_code, ended.leaked), (Stop::Exited, Some(0), 1));
}

#[test]
fn a_double_forked_daemon_in_a_session_of_its_own_is_found() {
    let ended = sh("(setsid sh -c 'sleep 300 </dev/null >/dev/null 2>&1 & exec sleep 300' >/dev/null 2>&1 &) ; sleep 0.1")
        .run();
    assert_eq!((ended.stop, ended.exit_code, ended.leaked), (Stop::Exited, Some(0), 2), "{ended:?}");
}

#[test]
fn a_daemon_without_our_mark_is_found_as_well() {
    let ended = sh("(env -i setsid sleep 300.25 >/dev/null 2>&1 &) ; sleep 0.1").run();
    assert_eq!((ended.stop, ended.leaked, ended.survivors), (Stop::Exited, 1, 0), "{ended:?}");
    crate::harness::assert_no_command("300.25");
}

#[test]
fn a_command_that_ignores_term_is_killed_after_the_grace() {
    let ended =
        sh("trap '' TERM; while :; do sleep 0.05; done").set("timeout_ms", 200).set("grace_ms", 300).run();
    assert_eq!((ended.stop, ended.exit_code, ended.signal), (Stop::Timeout, None, Some(9)));
    assert!((500..1_500).contains(&ended.elapsed_ms), "{ended:?}");
}

#[test]
fn a_command_that_heeds_term_keeps_its_own_exit_code() {
    let ended = sh("trap 'echo bye; exit 7' TERM; while :; do sleep 0.02; done").set("timeout_ms", 200).run();
    assert_eq!((ended.stop, ended.exit_code, ended.signal), (Stop::Timeout, Some(7), None));
    assert!(ended.tail.ends_with("bye\n"), "{ended:?}");
    assert!(ended.elapsed_ms < 1_200, "the grace is not waited out: {ended:?}");
}

#[test]
fn the_group_is_killed_even_when_the_leader_has_left_at_term() {
    let ended = sh("sh -c 'trap \"\" TERM; while :; do sleep 0.05; done' & sleep 300")
        .set("timeout_ms", 200)
        .set("grace_ms", 200)
        .run();
    assert_eq!((ended.stop, ended.signal, ended.survivors), (Stop::Timeout, Some(15), 0));
}

#[test]
fn a_fork_bomb_within_a_limit_is_put_out() {
    let bomb = "bomb() { if [ $1 -gt 0 ]; then bomb $(($1-1)) & bomb $(($1-1)) & fi; sleep 300; }; bomb 6";
    let ended = sh(bomb).set("timeout_ms", 1_000).set("grace_ms", 2_000).within(Duration::from_secs(6)).run();
    assert_eq!((ended.stop, ended.survivors), (Stop::Timeout, 0));
}

#[test]
fn a_chain_that_forks_away_into_new_sessions_all_the_time_is_caught() {
    let runner = "import os,time\nend=time.time()+20\nwhile time.time()<end:\n if os.fork(): os._exit(0)\n os.setsid()\n time.sleep(0.001)\n";
    let Some(python) = crate::harness::python() else { return };
    let ended =
        Case::new([python, "-c", runner]).set("timeout_ms", 15_000).within(Duration::from_secs(18)).run();
    assert_eq!((ended.stop, ended.exit_code, ended.survivors), (Stop::Exited, Some(0), 0), "{ended:?}");
}

#[test]
fn two_hundred_megabytes_in_one_line_are_counted_and_bounded() {
    let case = sh("head -c 200000000 /dev/zero | tr '\\0' x").log().set("max_log_bytes", 1_000_000);
    // An unoptimised digest of that much takes longer than everything else together.
    let (ended, folder) = case.set("digest", false).run_kept();
    assert_eq!((ended.stop, ended.exit_code, ended.bytes), (Stop::Exited, Some(0), 200_000_000));
    assert_eq!((ended.tail.len(), ended.truncated, folder.size("out.log")), (16 << 10, true, 1_000_000));
}

#[test]
fn the_digest_is_of_what_the_log_holds() {
    let line = "head -c 20000000 /dev/zero | tr '\\0' x";
    let (ended, folder) = sh(line).log().set("max_log_bytes", 1_000_000).run_kept();
    assert_eq!((ended.bytes, ended.truncated, folder.size("out.log")), (20_000_000, true, 1_000_000));
    assert_eq!(ended.sha256, "1b977e9f84f1b26b6ed7f68b0498faee2385ea4125bd29adce4a7d9106ba3134");
    assert_eq!(ended.tail.len(), 16 << 10, "the tail is of the end all the same");
    let (ended, folder) = sh(line).log().run_kept();
    assert_eq!((ended.bytes, ended.truncated, folder.size("out.log")), (20_000_000, false, 20_000_000));
    assert_eq!(ended.sha256, "bc01a03f3f505eaf5572211cc8a8c6dcda5f6bb93ecc6697f880a5d24a3ffac7");
}

#[test]
fn output_that_nobody_keeps_is_counted_and_leaves_its_tail() {
    let ended = sh("seq 1 3000000").set("digest", false).set("tail_lines", 2).run();
    assert_eq!((ended.stop, ended.bytes, ended.sha256.as_str()), (Stop::Exited, 22_888_896, ""));
    assert_eq!((ended.tail.as_str(), ended.truncated), ("2999999\n3000000\n", false));
    let (ended, folder) = sh("seq 1 3000000").log().set("digest", false).set("max_log_bytes", 6).run_kept();
    assert_eq!(
        (ended.bytes, ended.truncated, folder.read("out.log")),
        (22_888_896, true, b"1\n2\n3\n".to_vec())
    );
    assert!(ended.tail.ends_with("\n2999999\n3000000\n") && ended.tail.lines().count() == 50);
}

#[test]
fn invalid_utf_8_is_kept_raw_in_the_log_and_shown_in_the_tail() {
    let (ended, folder) = sh("printf 'a\\377\\376b\\n'").log().run_kept();
    assert_eq!((ended.stop, ended.tail.as_str(), ended.bytes), (Stop::Exited, "a\u{fffd}\u{fffd}b\n", 5));
    assert_eq!(folder.read("out.log"), b"a\xff\xfeb\n");
}

#[test]
fn dots_without_a_newline_faster_than_the_stall_budget_are_no_stall() {
    let ended = sh("for i in 1 2 3 4 5 6 7 8; do printf .; sleep 0.1; done").set("stall_ms", 700).run();
    assert_eq!((ended.stop, ended.tail.as_str()), (Stop::Exited, "........"));
    assert!(ended.elapsed_ms >= 800, "it ran for longer than the stall budget: {ended:?}");
}

#[test]
fn dots_slower_than_the_stall_budget_are_a_stall() {
    let ended = sh("printf .; sleep 300; printf .").set("stall_ms", 300).run();
    assert_eq!((ended.stop, ended.tail.as_str(), ended.signal), (Stop::Stall, ".", Some(15)));
    assert!(ended.stopped_ms.is_some_and(|at| (300..900).contains(&at)), "{ended:?}");
}

#[test]
fn output_only_on_stderr_counts_as_output() {
    let ended = sh("for i in 1 2 3 4; do echo $i >&2; sleep 0.1; done").set("stall_ms", 350).run();
    assert_eq!((ended.stop, ended.tail.as_str()), (Stop::Exited, "1\n2\n3\n4\n"));
}

#[test]
fn a_command_that_closes_its_output_is_silent_but_not_lost() {
    let ended = sh("exec >&- 2>&-; sleep 0.2; exit 4").run();
    assert_eq!((ended.stop, ended.exit_code), (Stop::Exited, Some(4)));
    let ended = sh("exec >&- 2>&-; sleep 300").set("stall_ms", 200).run();
    assert_eq!(ended.stop, Stop::Stall);
}

#[test]
fn a_command_that_reads_stdin_gets_its_end_at_once() {
    let ended = Case::new(["cat"]).set("timeout_ms", 5_000).run();
    assert_eq!((ended.stop, ended.exit_code, ended.bytes), (Stop::Exited, Some(0), 0));
}

#[test]
fn exit_2_is_exit_2() {
    let ended = sh("exit 2").run();
    assert_eq!(
        (ended.stop, ended.exit_code, ended.signal, ended.killed),
        (Stop::Exited, Some(2), None, false)
    );
}

#[test]
fn death_by_segv_is_told_by_its_signal() {
    let ended = sh("kill -SEGV $$").run();
    assert_eq!(
        (ended.stop, ended.exit_code, ended.signal, ended.killed),
        (Stop::Signalled, None, Some(11), false)
    );
}

#[test]
fn a_stopped_tree_is_continued_for_its_term() {
    let ended = sh("sleep 300 & kill -STOP $! ; kill -STOP $$").set("timeout_ms", 300).run();
    assert_eq!((ended.stop, ended.signal), (Stop::Timeout, Some(15)));
    assert!(ended.elapsed_ms < 1_300, "{ended:?}");
}

#[test]
fn a_command_that_never_stops_talking_still_meets_its_deadline() {
    let ended = Case::new(["yes"]).set("timeout_ms", 300).run();
    assert_eq!((ended.stop, ended.signal), (Stop::Timeout, Some(15)));
    assert!(ended.stopped_ms.is_some_and(|at| (300..800).contains(&at)), "{ended:?}");
    assert!(ended.tail.ends_with("y\ny\n"));
}
