//! Several tasks at once: before and after are the merged base without and with the task.

use pipeline_tests::{SUCCESS, bench};

#[test]
fn a_check_that_another_task_made_true_was_true_before_this_one() {
    // Both make a file; the first makes that of the second as well, and lands first.
    let plan =
        "# Todo\n\n- [ ] One\n  - Verify: `test -f one.txt`\n- [ ] Two\n  - Verify: `test -f two.txt`\n";
    let bench = bench!(empty);
    let config =
        "[defaults]\nworker = \"w\"\n[workers.w]\ncommand = [\"w\"]\n[proof]\naccept = \"already-true\"\n";
    bench.write("plantools.toml", config).write("TODO.md", plan).commit_all("plan");
    let wait = "for i in $(seq 300); do grep -q '\\[x\\] One' ../../../TODO.md && break; sleep 0.1; done";
    bench.program(
        "../bin/w",
        &format!(
            "#!/bin/sh\ncase $(head -n 1) in *One*) echo 1 > one.txt; echo 2 > two.txt ;; *) {wait}; echo 2 > two.txt; echo 3 > three.txt ;; esac\n{SUCCESS}\n"
        ),
    );
    let got = bench.command("orchestrate").args(["--jobs", "2", "TODO.md"]).within(90).run();
    got.exits(0);
    let ticks = bench.records().into_iter().filter(|record| record["type"] == "tick");
    let mut levels: Vec<String> = ticks
        .map(|tick| format!("{} {}", tick["task"], tick["data"]["tick"]["level"]).replace('"', ""))
        .collect();
    levels.sort();
    assert_eq!(levels, ["1 proved", "2 already-true"], "{got:?}");
    assert_eq!(bench.git(&["for-each-ref", "refs/heads/plantools"]), "", "no scratch tree is left");
}

#[test]
fn checks_that_had_nothing_to_look_at_are_made_true_on_the_merged_base() {
    let plan = "# Todo\n\n- [ ] One\n  - Verify: `python3 -B -m one` → `1`\n- [ ] Two\n  - Verify: `grep -c 2 two.txt` → 1\n\
                - [ ] Three\n  - Verify: `! grep -q 4 three.txt`\n";
    let bench = bench!(empty);
    let config = "[defaults]\nworker = \"w\"\n[workers.w]\ncommand = [\"w\"]\n";
    bench.write("plantools.toml", config).write("TODO.md", plan).commit_all("plan");
    bench.program(
        "../bin/w",
        &format!(
            "#!/bin/sh\ncase $(head -n 1) in *One*) echo 'print(1)' > one.py ;; *Two*) echo 2 > two.txt ;; *) echo 3 > three.txt ;; esac\n{SUCCESS}\n"
        ),
    );
    let got = bench.command("orchestrate").args(["--jobs", "3", "TODO.md"]).within(90).run();
    got.exits(0);
    assert!(got.out().contains("evidence: 2 proved, 1 passes\n"), "{got:?}");
}
