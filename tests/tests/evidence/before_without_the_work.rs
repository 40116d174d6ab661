//! Checks that had nothing to look at before the work: which level results, for each kind of check.

use pipeline_tests::{Bench, Got, SUCCESS, bench};

/// What the worker makes.
const WORK: &str = r#"mkdir -p app tests lib
echo 'print("hello")' > app/__main__.py
echo 'def two(): return 2' > app/sums.py
printf 'from app.sums import two\ndef test_two(): assert two() == 2\n' > tests/test_sums.py
printf 'import unittest\nfrom app.sums import two\nclass T(unittest.TestCase):\n    def test_two(self): self.assertEqual(two(), 2)\n' > tests/test_unit.py
echo 'exports.two = () => 2' > lib/two.js
printf 'const t = require("node:test");\nconst a = require("node:assert");\nt("two", () => a.equal(require("../lib/two.js").two(), 2));\n' > tests/two.test.js
printf 'one\ntwo\ntwo\n' > list.txt
printf 'one\ntwo\ntwo\n' > copy.txt
echo '{"name": "x", "tags": ["a", "b"]}' > data.json
printf '#!/bin/sh\necho hello\n' > tool.sh; chmod +x tool.sh
printf 'greet:\n\t@echo hello\n' > Makefile
"#;

/// Checks of what the task makes: nothing of it is there before.
const MADE_TRUE: &[&str] = &[
    "`test -f list.txt`",
    "`[ -s list.txt ]`",
    "`ls list.txt`",
    "`grep -q two list.txt`",
    "`grep -c two list.txt` → 2",
    "`grep -c two list.txt` → >= 1",
    "`grep two list.txt` → not empty",
    "`grep -rn two list.txt copy.txt` → contains \"two\"",
    "`cat list.txt` → contains \"two\"",
    "`head -n 1 list.txt` → `one`",
    "`wc -l < list.txt` → 3",
    "`cat list.txt | wc -l` → 3",
    "`jq -e .name data.json`",
    "`jq -r .name data.json` → `x`",
    "`jq '.tags | length' data.json` → 2",
    "`cat data.json` → json /name == \"x\"",
    "`cmp list.txt copy.txt`",
    "`diff list.txt copy.txt` → exit 0",
    "`test \"$(cat list.txt | wc -l)\" -ge 3`",
    "`python3 -B -m app` → `hello`",
    "`python3 -B -c 'from app.sums import two'` → exit 0",
    "`python3 -B -m unittest tests.test_unit`",
    "`pytest -q tests/test_sums.py`",
    "`node --test tests/two.test.js`",
    "`node -e 'require(\"./lib/two.js\")'` → exit 0",
    "`sh tool.sh` → `hello`",
    "`./tool.sh` → `hello`",
    "`make -s greet` → `hello`",
];

/// Checks that a missing file would meet: nothing is known about before.
const UNKNOWN: &[&str] =
    &["`! grep -q three list.txt`", "`grep -c three list.txt` → 0", "`grep -c two list.txt` → <= 5"];

#[test]
fn what_the_work_made_possible_was_not_true_before_it() {
    let checks = programs(MADE_TRUE);
    let (turns, got) = turns(&checks, WORK);
    for (check, turn) in checks.iter().zip(&turns) {
        assert_eq!(turn, "made_true", "{check}: {got:?}");
    }
    got.exits(0);
    assert!(got.out().contains("✓ 1 Make it: proved, "), "{got:?}");
}

#[test]
fn a_check_that_absence_would_meet_tells_nothing_about_before() {
    let (turns, got) = turns(UNKNOWN, WORK);
    assert_eq!(turns, vec!["before_unknown"; UNKNOWN.len()], "{got:?}");
    assert!(got.out().contains("✓ 1 Make it: passes, "), "{got:?}");
}

#[test]
fn tests_that_were_there_first_are_made_true_by_the_code() {
    // The tests are committed before the plan begins, and cannot be collected without the module.
    let bench = bench_with(
        &["`python3 -B -m unittest tests.test_unit`"],
        "mkdir app; echo 'def two(): return 2' > app/sums.py",
    );
    bench.sh(&format!("{WORK}rm -r app lib list.txt copy.txt data.json tool.sh Makefile")).run().exits(0);
    bench.commit_all("tests first");
    let got = carry(&bench);
    assert!(got.out().contains("✓ 1 Make it: proved, "), "{got:?}");
}

#[test]
fn what_only_the_environment_lacked_is_not_the_work_of_the_task() {
    // The program comes from outside the tree while the worker runs.
    let worker = "echo a > a; printf '#!/bin/sh\\n' > ../home/tool; chmod +x ../home/tool";
    let bench = bench_with(&["`../home/tool --version` → exit 0"], worker);
    let got = carry(&bench);
    assert_eq!(bench.count("tick"), 1, "{got:?}");
    assert!(!got.out().contains("proved"), "{got:?}");
}

/// Those whose program is on this machine.
fn programs(checks: &'static [&'static str]) -> Vec<&'static str> {
    let bench = bench!(bare);
    let lacks: Vec<&str> =
        ["jq", "make", "node", "pytest"].into_iter().filter(|program| bench.lacks(program)).collect();
    let runs = |check: &&&str| !lacks.iter().any(|program| check.contains(&format!("`{program} ")));
    checks.iter().filter(runs).copied().collect()
}

/// What the work did to each check of a task that has all of them.
fn turns(checks: &[&str], worker: &str) -> (Vec<String>, Got) {
    let bench = bench_with(checks, worker);
    let got = carry(&bench);
    let tick = bench.records().into_iter().rfind(|record| record["type"] == "tick");
    let tick = tick.unwrap_or_else(|| panic!("no tick: {got:?}"));
    let turn = |n: usize| {
        let key = format!("1:{n}");
        let holds = |name: &&&str| {
            tick["data"]["evidence"][**name].as_array().is_some_and(|keys| keys.iter().any(|k| *k == key))
        };
        let found = ["made_true", "true_before", "before_unknown"].iter().find(holds).copied();
        found.unwrap_or("no check").to_owned()
    };
    ((1..=checks.len()).map(turn).collect(), got)
}

/// A task with these checks.
fn bench_with(checks: &[&str], worker: &str) -> Bench {
    let bench = bench!(empty);
    let checks: Vec<String> = checks.iter().map(|check| format!("  - Verify: {check}\n")).collect();
    let plan = format!("# Todo\n\n- [ ] Make it\n{}", checks.concat());
    let config = "[defaults]\nworker = \"w\"\nrecheck = false\n[workers.w]\ncommand = [\"../home/w.sh\"]\n\
                  [proof]\naccept = \"already-true\"\n";
    bench.write("plantools.toml", config).write("TODO.md", plan);
    bench.commit_all("plan");
    bench.set_worker(&format!("{worker}\n{SUCCESS}"));
    bench
}

fn carry(bench: &Bench) -> Got {
    bench.command("orchestrate").args(["TODO.md"]).within(120).run()
}
