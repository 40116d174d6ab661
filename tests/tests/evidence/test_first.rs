//! Tests that a task wrote must fail on the code that was there: RED is judged after the fact, by machine.

use pipeline_tests::{Bench, Got, bench};

/// A test script in the words of a known runner.
const TEST: &str = "printf '%s\\n' 'echo 1..1' 'if test \"$(sh src/greet.sh)\" = hello; then echo ok 1 - greets; \
                    else echo not ok 1 - greets; exit 1; fi' > tests/test_greet.sh";
/// One that passes on any code.
const WEAK: &str = "printf '%s\\n' 'echo 1..1' 'echo ok 1 - greets' > tests/test_greet.sh";
const CODE: &str = "echo 'echo hello' > src/greet.sh";

const CYCLE: &str = "---\nname: greet\nmodel: haiku\n---\n\n# Runbook\n\n## Cycle 1: Greet\n\n**RED Phase:**\n\nWrite a test\n\n\
    **Verify RED:** `sh tests/test_greet.sh`\n\n**GREEN Phase:**\n\nWrite it\n\n**Verify GREEN:** `sh tests/test_greet.sh`\n";

const SUPERPOWERS: &str = "# Greeter Implementation Plan\n\n**Goal:** greet\n\n---\n\n### Task 1: Greet\n\n**Files:**\n\
    - Create: `src/greet.sh`\n- Test: `tests/test_greet.sh`\n\n- [ ] **Step 1: Write the failing test**\n\n\
    - [ ] **Step 2: Run test to verify it fails**\n\nRun: `sh tests/test_greet.sh`\nExpected: FAIL\n\n\
    - [ ] **Step 3: Write minimal implementation**\n\n- [ ] **Step 4: Run test to verify it passes**\n\n\
    Run: `sh tests/test_greet.sh`\nExpected: PASS\n";

const COMMIT: &str = "git add -A; git -c user.name=W -c user.email=w@example.com commit --quiet -m 'Cycle 1'";

#[test]
fn a_cycle_whose_tests_fail_on_the_code_before_it_is_proved() {
    let bench = bench_with("runbook.md", CYCLE, &format!("mkdir -p tests src; {TEST}; {CODE}; {COMMIT}"));
    let got = carry(&bench, "runbook.md");
    assert_eq!(levels(&bench), ["proved"], "{got:?}");
    let red = bench.records().into_iter().find(|record| record["key"] == "step:red").expect("a record");
    assert_eq!(red["type"], "gate_pass", "{red}");
    let why = bench.sh("run-report --why 1 runbook.md").run().out();
    assert!(why.contains("before: fail, ") && why.contains("on before plus the task's tests"), "{why}");
}

#[test]
fn a_cycle_whose_tests_pass_on_the_code_before_it_is_refused() {
    for work in [format!("{WEAK}; {CODE}"), WEAK.to_owned()] {
        let bench = bench_with("runbook.md", CYCLE, &format!("mkdir -p tests src; {work}; {COMMIT}"));
        let got = carry(&bench, "runbook.md");
        got.exits(5);
        assert_eq!(bench.count("tick"), 0, "{got:?}");
        assert!(got.out().contains("not red: the task's tests pass on the code before it"), "{got:?}");
    }
}

#[test]
fn run_it_to_see_it_fail_is_judged_the_same_way() {
    let bench = bench_with("plan.md", SUPERPOWERS, &format!("mkdir -p tests src; {TEST}; {CODE}"));
    let got = carry(&bench, "plan.md");
    assert_eq!(levels(&bench), ["proved"], "{got:?}");
    let bench = bench_with("plan.md", SUPERPOWERS, &format!("mkdir -p tests src; {WEAK}; {CODE}"));
    let got = carry(&bench, "plan.md");
    got.exits(5);
    assert_eq!(bench.count("tick"), 0, "{got:?}");
    assert!(got.out().contains("not red: the task's tests pass on the code before it"), "{got:?}");
}

#[test]
fn a_test_that_a_worker_weakens_proves_nothing() {
    let plan = "# Todo\n\n- [ ] Greet\n  - Verify: `sh tests/test_greet.sh`\n";
    let config = "[proof]\naccept = \"already-true\"\n";
    let begin = |work: &str| {
        let bench = bench_with("TODO.md", plan, work);
        bench.write("plantools.toml", format!("{}{config}", bench.text("plantools.toml")));
        bench.sh(&format!("mkdir -p tests src; {TEST}; echo 'echo hallo' > src/greet.sh")).run().exits(0);
        bench.commit_all("a test that fails");
        bench
    };
    // The code is mended.
    let bench = begin(CODE);
    let got = carry(&bench, "TODO.md");
    assert_eq!(levels(&bench), ["proved"], "{got:?}");
    // The test is made to pass, with a change of the code beside it.
    let bench = begin(&format!("{WEAK}; echo '# more' >> src/greet.sh"));
    let got = carry(&bench, "TODO.md");
    assert_eq!(levels(&bench), ["already-true"], "{got:?}");
}

#[test]
fn work_that_is_nothing_but_tests_has_no_before() {
    let plan = "# Todo\n\n- [ ] Test it\n  - Verify: `sh tests/test_greet.sh`\n";
    let bench = bench_with("TODO.md", plan, &format!("mkdir -p tests; {TEST}"));
    bench.write("src/greet.sh", "echo hello\n").commit_all("code");
    let got = carry(&bench, "TODO.md");
    assert_eq!(levels(&bench), ["passes"], "{got:?}");
}

fn bench_with(path: &str, plan: &str, worker: &str) -> Bench {
    let bench = bench!(empty);
    let config =
        "[defaults]\nworker = \"w\"\n[workers.w]\ncommand = [\"../home/w.sh\"]\n[agents]\nhaiku = \"w\"\n";
    bench.write("plantools.toml", config).write(path, plan).write("src/.keep", "").commit_all("plan");
    bench.set_worker(&format!("{worker}\necho '{{\"status\":\"SUCCESS\"}}'"));
    bench
}

fn carry(bench: &Bench, plan: &str) -> Got {
    bench.command("orchestrate").args([plan]).within(90).run()
}

fn levels(bench: &Bench) -> Vec<String> {
    let ticks = bench.records().into_iter().filter(|record| record["type"] == "tick");
    ticks.map(|tick| tick["data"]["tick"]["level"].as_str().unwrap_or_default().to_owned()).collect()
}
