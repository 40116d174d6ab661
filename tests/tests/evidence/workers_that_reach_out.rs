//! Workers that change what is not theirs: the history, the plan while no stage runs, the notes of our stages.

use pipeline_tests::{Bench, SMALL_PLAN, SUCCESS, bench};

#[test]
fn a_commit_that_the_configuration_refuses_is_taken_back_and_the_attempt_halted() {
    let commit = "git add made.txt && git commit --quiet -m 'mine'";
    let bench = bench!(small, &format!("echo done > made.txt; {commit}\n{SUCCESS}"));
    bench.write("plantools.toml", "[commit]\nby_worker = \"refuse\"\n");
    let got = bench.worker_round();
    bench.stays_open(&got, "worker-run worker-committed");
    assert_eq!(bench.text("made.txt"), "done\n", "its files are left");
    assert!(bench.git(&["status", "--porcelain"]).contains("?? made.txt\n"), "and not in the index");
    // The next attempt leaves git alone: what it finds is checked, and committed as the plan says.
    bench.set_worker(SUCCESS);
    bench.worker_round().exits(0);
    assert_eq!(bench.subjects(), ["start", "plan", "feat: make it"]);
}

#[test]
fn what_a_task_forbids_is_not_washed_clean_by_a_commit() {
    let bench = bench!(empty);
    let rule = "**Must NOT do**:\n- Do not change `guard.sh`\n\n**Acceptance Criteria**:";
    bench
        .write("PLAN.md", SMALL_PLAN.replace("**Acceptance Criteria**:", rule))
        .write("guard.sh", "exit 1\n");
    bench.commit_all("plan");
    let deed = "echo exit 0 > guard.sh; git commit --quiet -m mine guard.sh";
    bench.set_worker(&format!("{deed}; echo done > made.txt\n{SUCCESS}"));
    let _ = bench.worker_round();
    bench.set_worker(SUCCESS);
    let _ = bench.worker_round();
    assert_eq!(bench.halts(), ["worker-run must-not", "worker-run must-not"]);
    assert_eq!((bench.count("tick"), bench.subjects().len()), (0, 2), "{:?}", bench.subjects());
}

/// Kills the stages that watch the worker, so that none of them sees it end.
const ALONE: &str = r#"q=$PPID; k=; while [ "$q" -gt 1 ]; do
case $(cat /proc/$q/comm) in supervise|worker-run|t-worker-run) k="$k $q";; esac
q=$(sed 's/.*) //' /proc/$q/stat | cut -d' ' -f2); done; kill -STOP $k; kill -9 $k; sleep 1"#;

#[test]
fn a_plan_that_was_weakened_when_nobody_could_look_is_not_gone_on_with() {
    let bench = bench!(
        small,
        &format!("sed -i 's/grep -c done made.txt/echo 1/' PLAN.md; echo wrong > made.txt; {ALONE}")
    );
    let _ = bench.worker_round();
    bench.set_worker(SUCCESS);
    let got = bench.worker_round();
    assert!(got.out().contains("changed since the first attempt"), "{got:?}");
    assert_eq!(bench.count("tick"), 0);
}

#[test]
fn another_task_that_was_weakened_when_nobody_could_look_is_not_handed_out() {
    let bench = bench!(empty);
    let second =
        "\n### [ ] TODO 2: Bye\n\n**Acceptance Criteria**:\n- [ ] It says bye: `sh bye.sh` → `Bye`\n";
    bench.write("PLAN.md", format!("{SMALL_PLAN}{second}")).commit_all("plan");
    bench.set_worker(&format!("sed -i 's/sh bye.sh/echo Bye/' PLAN.md; {ALONE}"));
    let _ = bench.worker_round();
    bench.set_worker(SUCCESS);
    let got = bench.worker_round();
    assert!(got.out().contains("the plan, while the worker of task '1' ran"), "{got:?}");
    assert_eq!(bench.count("tick"), 0);
    // What was changed is undone: it goes on.
    bench.git(&["checkout", "--quiet", "--", "PLAN.md"]);
    bench.set_worker(&format!("date +%N > stamp; echo done > made.txt; echo 'echo Bye' > bye.sh\n{SUCCESS}"));
    let _ = bench.worker_round();
    assert_eq!(bench.count("tick"), 2);
}

#[test]
fn what_our_stages_noted_for_other_tasks_is_put_back() {
    let bench = bench!(
        small,
        &format!("echo '{{\"todo-9\":{{}}}}' > context/outputs.json; echo done > made.txt\n{SUCCESS}")
    );
    bench.write("context/outputs.json", "{}\n").commit_all("notes");
    let got = bench.worker_round();
    assert_eq!(bench.halts().last().map(String::as_str), Some("worker-run plan-touched"), "{got:?}");
    assert_eq!(bench.text("context/outputs.json"), "{}\n");
}

#[test]
fn what_a_worker_makes_beside_our_notes_is_part_of_the_proof() {
    let script = "mkdir -p context; echo echo done > context/impl.sh; sh context/impl.sh > made.txt";
    let bench = bench!(small, &format!("{script}\n{SUCCESS}"));
    let upto =
        "plan-parse -q PLAN.md | dag-next | handoff | worker-run -- ../home/w.sh | gate-run > ../home/line";
    bench.sh(upto).run().exits(0);
    bench.write("context/impl.sh", "echo evil\n");
    bench.sh("checkbox ../home/line | run-report").run().exits(1);
    assert_eq!(bench.halts().last().map(String::as_str), Some("checkbox no-proof"));
}

#[test]
fn a_task_that_a_worker_adds_to_a_folder_of_tasks_is_set_aside() {
    let task = |id: u32, check: &str| {
        format!(
            "---\nid: \"{id}\"\ntitle: T{id}\nstatus: pending\ndependencies: []\n---\n\n## Acceptance Criteria\n\n- [ ] ok: `{check}`\n"
        )
    };
    let bench = bench!(empty);
    bench
        .write("plans/x/001.md", task(1, "true"))
        .write("plans/x/002.md", task(2, "true"))
        .commit_all("plan");
    bench.write("../home/003.md", task(3, "touch ran"));
    bench.set_worker(&format!("cp ../home/003.md plans/x/003.md\n{SUCCESS}"));
    let got = bench.round("plans/x", "worker-run --timeout-seconds 2 -- ../home/w.sh");
    assert_eq!(bench.halts().first().map(String::as_str), Some("worker-run plan-touched"), "{got:?}");
    assert!(!bench.path("plans/x/003.md").exists() && !bench.path("ran").exists());
}

/// Every attempt is compared with the card that this row makes.
fn hold_against(bench: &Bench, row: &str) {
    let card = format!("[defaults]\ncard = \"files\"\n\n[cards.files]\n{row}\n");
    bench.write("plantools.toml", card).write("guard.sh", "exit 1\n").commit_all("a card");
}

#[test]
fn a_card_that_forbids_a_file_remembers_what_an_attempt_before_made_of_it() {
    let bench = bench!(small, &format!("echo exit 0 > guard.sh\n{SUCCESS}"));
    hold_against(&bench, "forbidden = [\"path:guard.sh\"]");
    let _ = bench.worker_round();
    // The next round checks again before a worker starts.
    let _ = bench.worker_round();
    // The next one leaves that file alone, which is not to put it back.
    bench.set_worker(&format!("echo done > made.txt\n{SUCCESS}"));
    let got = bench.worker_round();
    bench.is_open(&got, "punch card-not-met");
    assert!(got.out().contains("path:guard.sh"), "{got:?}");
    // Put back, it counts no more.
    bench.git(&["checkout", "--quiet", "--", "guard.sh"]);
    bench.set_worker(SUCCESS);
    bench.worker_round().exits(0);
    assert_eq!(bench.boxes("PLAN.md"), (1, 0));
}

#[test]
fn a_card_that_requires_an_edit_takes_the_one_that_an_attempt_before_made() {
    let bench = bench!(small, &format!("echo exit 0 > guard.sh\n{SUCCESS}"));
    hold_against(&bench, "required = [\"path:guard.sh\"]");
    let _ = bench.worker_round();
    let _ = bench.worker_round();
    bench.set_worker(&format!("echo done > made.txt\n{SUCCESS}"));
    bench.worker_round().exits(0);
    assert_eq!(bench.boxes("PLAN.md"), (1, 0));
}

#[test]
fn attributes_of_git_for_the_whole_machine_halt() {
    let attributes = "echo '*.txt -diff' > ../home/system-attributes";
    let bench = bench!(small, &format!("echo done > made.txt; {attributes}\n{SUCCESS}"));
    // No test may write the file of this machine: a git that says that it has another one.
    let real = bench.sh("command -v git").run().out();
    let git = format!(
        "#!/bin/sh\ncase \" $* \" in *' GIT_ATTR_SYSTEM '*) echo \"$HOME/system-attributes\" ;; *) exec {} \"$@\" ;; esac\n",
        real.trim()
    );
    bench.program("../bin/git", &git);
    let got = bench.worker_round();
    bench.stays_open(&got, "worker-run pins-touched");
}
