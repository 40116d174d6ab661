//! `checklist`: any other plan, task by task, its checks as proof.

use crate::project::{calls, carried, is_tidy, project};

const PROFILE: &str = "checklist";
const DONE: &str = "# Garden\n\n- [x] 1. Dig\n- [x] 2. Sow\n- [x] 3. Water\n";

#[test]
fn an_honest_run_does_one_task_after_the_other() {
    let bench = project(PROFILE, "");
    let got = carried(&bench, &["PLAN.md"], 0);
    assert_eq!(calls(&bench), "1 1\n2 1\n3 1\n");
    assert_eq!(bench.text("PLAN.md"), DONE, "{got:?}");
    is_tidy(&bench);
}

#[test]
fn lies_hangs_and_failures_are_tried_again_twice() {
    for (script, called) in [
        ("1 1 lie\n", "1 1\n1 2\n2 1\n3 1\n"),
        ("2 1 hang\n", "1 1\n2 1\n2 2\n3 1\n"),
        ("1 1 fail\n1 2 fail\n", "1 1\n1 2\n1 3\n2 1\n3 1\n"),
        ("1 1 dirty\n", "1 1\n2 1\n3 1\n"),
    ] {
        let bench = project(PROFILE, script);
        carried(&bench, &["PLAN.md"], 0);
        assert_eq!((calls(&bench).as_str(), bench.text("PLAN.md").as_str()), (called, DONE), "{script}");
        is_tidy(&bench);
    }
}

#[test]
fn three_failures_are_the_end_of_it() {
    let bench = project(PROFILE, "1 1 fumble\n1 2 fumble\n1 3 fumble\n");
    carried(&bench, &["PLAN.md"], 5);
    assert_eq!(calls(&bench), "1 1\n1 2\n1 3\n2 1\n3 1\n", "no fix task; the others do not depend on it");
}

#[test]
fn two_failures_with_the_same_tree_are_the_end_of_it() {
    let bench = project(PROFILE, "1 1 lie\n1 2 lie\n1 3 lie\n");
    let got = carried(&bench, &["PLAN.md"], 5);
    assert_eq!(calls(&bench), "1 1\n1 2\n2 1\n3 1\n");
    assert!(got.err().contains("the last two attempts ended alike"), "{got:?}");
}

#[test]
fn a_worker_that_exits_without_a_word_stops_it() {
    let bench = project(PROFILE, "1 1 nothing\n");
    carried(&bench, &["PLAN.md"], 5);
    assert_eq!(calls(&bench), "1 1\n2 1\n3 1\n");
    let bench = project(PROFILE, "1 1 nothing\n");
    carried(&bench, &["--on-halt", "stop", "PLAN.md"], 5);
    assert_eq!(calls(&bench), "1 1\n");
}

#[test]
fn a_worker_that_ticks_a_box_itself_is_refused_and_its_files_count_once_they_are_proved() {
    let bench = project(PROFILE, "1 1 ticks\n");
    carried(&bench, &["PLAN.md"], 0);
    assert_eq!((calls(&bench).as_str(), bench.text("PLAN.md").as_str()), ("1 1\n1 2\n2 1\n3 1\n", DONE));
    assert_eq!(bench.git(&["status", "--porcelain"]), "");
}
