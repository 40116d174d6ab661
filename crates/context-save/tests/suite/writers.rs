//! Many writers of one `outputs.json` at once.

use crate::place::Place;
use serde_json::json;
use std::process::Stdio;

const WRITERS: usize = 64;

#[test]
fn sixty_four_processes_merge_into_one_file_and_lose_nothing() {
    let tasks: Vec<String> =
        (1..=WRITERS).map(|n| format!("### [ ] TODO {n}: Task {n}\n\n**Type**: work\n\n")).collect();
    let tasks = tasks.concat();
    let place = Place::with(&format!("# P\n\n## TODOs\n\n{tasks}"));
    for n in 1..=WRITERS {
        let worker = json!({ "outputs": { "value": n }, "learnings": [format!("learned {n}")] });
        let order = place.order("PLAN.md", &n.to_string(), &worker, "verified");
        place.write(&format!("orders/{n}"), format!("{order}\n"));
    }
    let full = std::env::var_os("PLANTOOLS_FULL").and_then(|n| n.to_str()?.parse().ok());
    let rounds: usize = full.unwrap_or(1);
    for round in 1..=rounds {
        let _ = std::fs::remove_dir_all(place.path("context"));
        let children: Vec<_> = (1..=WRITERS)
            .map(|n| {
                let mut command = place.command(&[&format!("orders/{n}")]);
                command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let all = place.json("context/outputs.json");
        let learned = place.text("context/learnings.md");
        for n in 1..=WRITERS {
            assert_eq!(all[format!("todo-{n}")], json!({ "value": n }), "round {round} lost {n}");
            assert!(learned.contains(&format!("## {n}\n- learned {n}\n")), "round {round} lost {n}");
        }
    }
}
