//! Kills the writer, or fails its system call, at every system call that it makes.

use crate::place::{Got, Place, trip};
use std::os::unix::fs::MetadataExt;

const REASON: [&str; 3] = ["--reason", "r", "PLAN.md"];

/// One byte changes: in place.
#[test]
fn a_tick_that_is_killed_at_any_system_call_leaves_the_old_file_or_the_new_one() {
    let old = "# P\n\n- [ ] 1. one\n- [ ] 2. two\n";
    let new = "# P\n\n- [x] 1. one\n- [ ] 2. two\n";
    let place = Place::with(old);
    let inode = place.path("PLAN.md").metadata().unwrap().ino();
    killed_everywhere(&place, &[&["tick", "1"], &REASON[..]].concat(), old, new);
    assert_eq!(place.path("PLAN.md").metadata().unwrap().ino(), inode, "one byte is written in place");
}

/// The mark gets longer: the whole file is replaced.
#[test]
fn a_replaced_file_that_is_killed_at_any_system_call_is_the_old_one_or_the_new_one() {
    let old = "- [] 1. one\r\n- [] 2. two\r\n";
    let place = Place::with(old);
    killed_everywhere(
        &place,
        &[&["tick", "1"], &REASON[..]].concat(),
        old,
        "- [x] 1. one\r\n- [] 2. two\r\n",
    );
    let left: Vec<_> = std::fs::read_dir(place.path(".plantools/tmp")).unwrap().flatten().collect();
    assert!(left.len() <= 1, "leftovers are swept away by the next writer: {left:?}");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_disk_that_fails_at_any_call_gives_an_error_and_a_whole_file() {
    for (old, new) in [("- [ ] 1. one\n", "- [x] 1. one\n"), ("- [] 1. one\n", "- [x] 1. one\n")] {
        let place = Place::with(old);
        let args = [&["tick", "1"], &REASON[..]].concat();
        let mut at = 1;
        loop {
            place.write("PLAN.md", old);
            let (got, count) = tripped(&place, "fail", at, &args);
            let now = place.text("PLAN.md");
            assert!(now == old || now == new, "call {at}: {now:?}");
            assert!(got.code != 0 || now == new, "call {at}: said to be done and is not: {got:?}");
            // The call after the write may fail too: the new file is there, and the error says that it may not
            // last.
            if got.code != 0 && at <= count {
                assert!(!got.err.is_empty(), "call {at}: {got:?}");
            }
            place.run(&args).exits(0);
            assert_eq!(place.text("PLAN.md"), new, "call {at}");
            if at > count {
                break;
            }
            at += 1;
        }
        assert!(at > 10, "only {at} calls");
        place.chain();
    }
}

#[track_caller]
fn killed_everywhere(place: &Place, args: &[&str], old: &str, new: &str) {
    let (_, total) = tripped(place, "count", 0, args);
    assert!(total > 30, "only {total} calls were counted");
    let (mut olds, mut news) = (0, 0);
    for at in 1..=total {
        // The leftovers of all earlier kills are still there: none may stop this run.
        reset(place, old);
        let (got, _) = tripped(place, "kill", at, args);
        let now = place.text("PLAN.md");
        assert!(now == old || now == new, "killed at call {at}: {now:?}");
        olds += usize::from(now == old);
        news += usize::from(now == new);
        assert!(got.code == 128 + 9 || now == new, "killed at call {at}: {got:?}");
        place.run(args).exits(0);
        assert_eq!(place.text("PLAN.md"), new, "after a kill at call {at}");
        place.chain();
    }
    assert!(olds > 0 && news > 0, "{olds} old, {news} new");
}

/// Restores the old text in the same file.
fn reset(place: &Place, text: &str) {
    place.write("PLAN.md", text);
}

fn tripped(place: &Place, how: &str, at: usize, args: &[&str]) -> (Got, usize) {
    let at = at.to_string();
    let all = [&[how, at.as_str(), env!("CARGO_BIN_EXE_checkbox")], args].concat();
    let mut command = place.other(trip().to_str().unwrap(), &all);
    command.env("TRIP_COUNT", place.path("count"));
    let got = Got::of(command);
    let count = place.text("count").trim().parse().unwrap();
    (got, count)
}
