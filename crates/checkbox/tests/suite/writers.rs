//! Many writers at once: nothing is lost, and no writer waits for ever.

use crate::place::{Place, rounds};
use std::process::Stdio;
use std::time::{Duration, Instant};

const WRITERS: usize = 64;

#[test]
fn sixty_four_processes_tick_sixty_four_boxes_of_one_file_at_once() {
    let plan = list("[ ]", WRITERS);
    let done = plan.replace("[ ]", "[x]");
    let place = Place::with(&plan);
    let rounds = rounds(2);
    for round in 1..=rounds {
        place.write("PLAN.md", &plan);
        let began = Instant::now();
        let children: Vec<_> = (1..=WRITERS)
            .map(|n| {
                let mut command = place.command(&["tick", &n.to_string(), "--reason", "r", "PLAN.md"]);
                command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        assert!(began.elapsed() < Duration::from_secs(600), "wedged: {:?}", began.elapsed());
        assert!(place.text("PLAN.md") == done, "round {round} lost a tick");
    }
    assert_eq!(place.chain(), rounds * WRITERS, "the ledger lost a record");
}

#[test]
fn marks_of_other_lengths_are_set_by_many_at_once_too() {
    let plan = list("[]", 16);
    let place = Place::with(&plan);
    let children: Vec<_> = (1..=16)
        .map(|n| {
            let mut command = place.command(&["tick", &n.to_string(), "--reason", "r", "PLAN.md"]);
            command.stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(place.text("PLAN.md"), plan.replace("[]", "[x]"));
}

fn list(mark: &str, count: usize) -> String {
    let lines: Vec<String> = (1..=count).map(|n| format!("- {mark} {n}. task number {n}\n")).collect();
    lines.concat()
}
