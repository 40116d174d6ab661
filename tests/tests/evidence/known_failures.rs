//! A suite that was red before the plan began: with permission its known failures do not block, and no other is let in.

use pipeline_tests::{Bench, Got, SUCCESS, bench};

/// Forty tests in the words of a known runner; those named in `broken` fail.
const SUITE: &str = "echo 1..40; code=0; for n in $(seq 40); do if grep -qx \"$n\" broken; then echo \"not ok $n - test $n\"; \
    code=1; else echo \"ok $n - test $n\"; fi; done; exit $code\n";

const CONFIG: &str = "[defaults]\nworker = \"w\"\nmax_attempts = 1\n[workers.w]\ncommand = [\"../home/w.sh\"]\n\
    [[gates]]\nid = \"suite\"\ninvocation = \"sh suite.sh\"\nwhen = [\"task\", \"end\"]\n";

const PLAN: &str = "# Todo\n\n- [ ] One\n  - Verify: `test -f 1.txt`\n- [ ] Two\n  - Verify: `test -f 2.txt`\n\
    - [ ] Three\n  - Verify: `test -f 3.txt`\n- [ ] Four\n  - Verify: `test -f 4.txt`\n";

/// Makes the next file; the second task mends test 7.
const WORK: &str = "n=$(ls [0-9].txt 2>/dev/null | wc -l); n=$((n + 1)); echo done > $n.txt; \
    test $n != 2 || sed -i /^7$/d broken";

#[test]
fn a_brownfield_plan_completes_while_no_other_test_fails() {
    let bench = bench_with("[proof]\nknown_failures = \"allow\"\n", WORK);
    let got = carry(&bench);
    got.exits(0);
    assert_eq!((bench.count("tick"), bench.count("attempt_begin")), (4, 4), "{got:?}");
    // Named once, for the task that fixed it, and in every report about it.
    assert_eq!(got.err().matches("gate:suite: fixed: test 7").count(), 1, "{got:?}");
    let report = bench.sh("run-report --final TODO.md").run().out();
    assert_eq!(report.matches("known failures fixed: test 7").count(), 1, "{report}");
    assert!(report.contains("2 Two (proved, known failures fixed: test 7, "), "{report}");
    let why = bench.sh("run-report --why 2 TODO.md").run().out();
    assert!(why.contains("\nKnown failures fixed: test 7\n"), "{why}");
    let passes = bench.records().into_iter().filter(|r| r["type"] == "gate_pass" && r["key"] == "gate:suite");
    let said: Vec<String> =
        passes.map(|r| r["data"]["gate"]["measured"].as_str().unwrap_or("").to_owned()).collect();
    assert_eq!(said[0], "known failures: test 23, test 31, test 7", "{said:?}");
    assert_eq!(said[1], "known failures: test 23, test 31; fixed: test 7", "{said:?}");
    assert_eq!(said[2], "known failures: test 23, test 31", "{said:?}");
}

#[test]
fn a_new_failure_is_refused_and_named() {
    let bench = bench_with(
        "[proof]\nknown_failures = \"allow\"\n",
        &format!("{WORK}; test $n != 3 || echo 12 >> broken"),
    );
    let got = carry(&bench);
    got.exits(5);
    assert!(got.out().contains("new failures: test 12"), "{got:?}");
    assert!(!bench.text("TODO.md").contains("[x] Three"), "{got:?}");
}

#[test]
fn a_test_that_vanishes_is_no_fixed_one() {
    let shorter = SUITE.replace("1..40", "1..39").replace("seq 40", "seq 40 | grep -vx 7");
    let bench = bench_with(
        "[proof]\nknown_failures = \"allow\"\n",
        &format!("cat > suite.sh <<'X'\n{shorter}X\n{WORK}"),
    );
    let got = carry(&bench);
    got.exits(5);
    assert!(got.out().contains("tests have vanished: test 7"), "{got:?}");
}

#[test]
fn without_permission_or_without_names_a_red_gate_blocks() {
    let bench = bench_with("", WORK);
    carry(&bench).exits(5);
    assert_eq!(bench.count("tick"), 0);
    let bench = bench_with("[proof]\nknown_failures = \"allow\"\n", WORK);
    bench.write("suite.sh", "echo something is wrong; exit 1\n").commit_all("no names");
    let got = carry(&bench);
    got.exits(5);
    assert!(got.out().contains("its report names no tests"), "{got:?}");
}

#[test]
fn a_runner_that_reports_on_standard_error_names_its_tests_too() {
    // The words of Python's unittest, which writes nothing to standard output.
    let suite = "code=0; { for n in $(seq 4); do if grep -qx $n broken; then echo \"test_$n (t.T.test_$n) ... FAIL\"; code=1; \
        else echo \"test_$n (t.T.test_$n) ... ok\"; fi; done; echo; echo \"Ran 4 tests in 0.001s\"; echo; \
        if [ $code = 0 ]; then echo OK; else echo \"FAILED (failures=$(wc -l < broken))\"; fi; } >&2; exit $code\n";
    let config = "[proof]\nknown_failures = \"allow\"\n";
    for (breaks, ends) in [("true", 0), ("test $n != 2 || echo 4 >> broken", 5)] {
        let bench = bench_with(config, &format!("{WORK}; {breaks}"));
        // The gate calls the runner by its name, so its streams are judged apart.
        bench.program("python3", &format!("#!/bin/sh\n{suite}")).write("broken", "1\n3\n");
        let gate = CONFIG.replace("sh suite.sh", "PATH=.:$PATH; python3 -m unittest -v");
        bench.write("plantools.toml", format!("{gate}{config}")).commit_all("unittest");
        let got = carry(&bench);
        got.exits(ends);
        let known = got.out().contains("new failures") == (ends == 5);
        assert!(known && (bench.count("tick") == 4) == (ends == 0), "{got:?}");
    }
}

fn bench_with(config: &str, worker: &str) -> Bench {
    let bench = bench!(empty);
    bench.write("plantools.toml", format!("{CONFIG}{config}")).write("TODO.md", PLAN);
    bench.write("suite.sh", SUITE).write("broken", "7\n23\n31\n").commit_all("plan");
    bench.set_worker(&format!("{worker}\n{SUCCESS}"));
    bench
}

fn carry(bench: &Bench) -> Got {
    bench.command("orchestrate").args(["TODO.md"]).within(90).run()
}
