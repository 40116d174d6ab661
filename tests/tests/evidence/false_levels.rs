//! Work that a weak reading would call proved: flaky checks, tests inside the code, files that only tests read, tests that
//! were weakened or left out by settings, checks that become true by themselves, criteria that were edited in between.

use pipeline_tests::{Bench, Got, SUCCESS, bench};

#[test]
fn a_flaky_check_that_writes_an_ignored_file_is_named() {
    let flaky = "n=$(cat ../home/runs 2>/dev/null || echo 0); echo $((n + 1)) > ../home/runs; date > cache; test $n -ge 2\n";
    let bench = bench_with("`sh check.sh` → exit 0", ":");
    bench.write("check.sh", flaky).write(".gitignore", "cache\n").commit_all("check");
    let got = carry(&bench);
    assert_eq!((bench.count("tick"), got.status), (0, 5), "{got:?}");
    assert!(got.out().contains("flaky: it failed before the work and passed now"), "{got:?}");
    // Work in a file that git ignores is work.
    let bench = bench_with("`sh check.sh` → exit 0", "echo fine > secret.env; sleep 0.1");
    bench.write("check.sh", "date > cache; grep -q fine secret.env\n");
    bench.write(".gitignore", "cache\nsecret.env\n").write("secret.env", "").commit_all("check");
    let got = carry(&bench);
    assert!(got.out().contains("✓ 1 Make it: passes, "), "{got:?}");
}

#[test]
fn tests_inside_the_code_are_not_told_apart_from_it() {
    let tests =
        "\\n#[cfg(test)]\\nmod tests {\\n    #[test]\\n    fn two() { assert_eq!(super::two(), 2); }\\n}\\n";
    let crate_at = |bench: &Bench, code: &str| {
        // The toolchain itself: a proxy needs the home of the user.
        let cargo = std::path::Path::new(env!("CARGO"));
        for program in ["cargo", "rustc"] {
            let link = bench.outside().join("bin").join(program);
            std::os::unix::fs::symlink(cargo.with_file_name(program), link).expect("a link");
        }
        bench.write("Cargo.toml", "[package]\nname = \"sums\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
        bench.write(".gitignore", "target\nCargo.lock\n").write("src/lib.rs", code).commit_all("crate");
    };
    // The code was right before: nothing but a test was added to it.
    let bench =
        bench_with("`cargo test --offline --lib` → 1 passed", &format!("printf '{tests}' >> src/lib.rs"));
    crate_at(&bench, "pub fn two() -> u8 { 2 }\n");
    let got = carry(&bench);
    assert!(got.out().contains("✓ 1 Make it: passes, "), "{got:?}");
    // A test that was there fails before and passes after.
    let bench = bench_with("`cargo test --offline --lib` → 1 passed", "sed -i 's/{ 3 }/{ 2 }/' src/lib.rs");
    crate_at(&bench, &format!("pub fn two() -> u8 {{ 3 }}\n{}", tests.replace("\\n", "\n")));
    let got = carry(&bench);
    assert!(got.out().contains("✓ 1 Make it: proved, "), "{got:?}");
}

#[test]
fn a_file_that_only_the_tests_read_proves_nothing() {
    let test = "import unittest, pathlib, sums\nclass T(unittest.TestCase):\n    def test_two(self):\n        self.assertEqual(str(sums.two()), pathlib.Path(\"DATA\").read_text().strip())\n";
    for (data, level) in [("fixtures/two.txt", "already true"), ("two.txt", "passes")] {
        let worker = format!(
            "mkdir -p fixtures; echo 2 > {data}; cat > test_sums.py <<'X'\n{}X\necho '# more' >> sums.py",
            test.replace("DATA", data)
        );
        let bench = bench_with("`python3 -B -m unittest test_sums`", &worker);
        bench.write("sums.py", "def two(): return 2\n").commit_all("code");
        let got = carry(&bench);
        assert!(got.out().contains(&format!("✓ 1 Make it: {level}, ")), "{data}: {got:?}");
    }
}

#[test]
fn tests_that_were_weakened_prove_nothing() {
    let test =
        "import unittest\nclass T(unittest.TestCase):\n    def test_two(self): self.assertEqual(2, 3)\n";
    let bench = bench_with("`python3 -B -m unittest test_sums`", "sed -i 's/2, 3/3, 3/' test_sums.py");
    bench.write("test_sums.py", test).commit_all("a test that fails");
    let got = carry(&bench);
    assert!(got.out().contains("✓ 1 Make it: already true, "), "{got:?}");
}

/// A test that fails and one that passes, and a runner that leaves out what its settings name.
fn bench_with_settings(check: &str, worker: &str) -> Bench {
    let bench = bench_with(check, worker);
    let suite = "out=$(cat $(ls pytest.ini setup.cfg jest.config.js 2>/dev/null) /dev/null); n=0; bad=0\n\
                 for t in tests/test_*.sh; do case \" $out \" in *\" $t \"*) continue ;; esac\n\
                 n=$((n + 1)); if sh $t; then echo \"ok $n - $t\"; else echo \"not ok $n - $t\"; bad=1; fi; done\n\
                 echo 1..$n; exit $bad\n";
    bench.write("run.sh", suite).write("Makefile", "test:\n\t@sh run.sh\n").write("two.sh", "echo 3\n");
    bench.write("tests/test_one.sh", "true\n").write("tests/test_two.sh", "test \"$(sh two.sh)\" = 2\n");
    bench.commit_all("a suite");
    bench
}

#[test]
fn settings_that_leave_failing_tests_out_prove_nothing() {
    let out = "echo ' tests/test_two.sh ' >";
    let more = "echo 'true' > tests/test_three.sh; echo '# more' >> two.sh";
    for (worker, check) in [
        // A new file, alone and beside a change of the code and another test, so that no fewer tests run.
        (format!("{out} pytest.ini"), "`make test`"),
        (format!("{out} setup.cfg; {more}"), "`make test`"),
        (format!("{out} jest.config.js; {more}; echo data > notes.txt"), "`make test`"),
        // The command does not say that it runs tests; its report does.
        (format!("{out} setup.cfg; {more}"), "`sh run.sh` → exit 0"),
        // The settings of what starts the runner.
        (
            format!(
                "printf 'test:\\n\\t@echo ok 1 - fine; echo ok 2 - good; echo 1..2\\n' > Makefile; {more}"
            ),
            "`make test`",
        ),
    ] {
        let bench = bench_with_settings(check, &worker);
        let got = carry(&bench);
        assert!(got.out().contains("✓ 1 Make it: already true, "), "{worker}: {got:?}");
    }
    // Where the settings cannot do without the rest of the work, they must not be what it stands on.
    let needs = format!(
        "printf 'test:\\n\\t@test -f two.py && sh other.sh\\n' > Makefile; echo > two.py; \
                         echo 'echo ok 1 - a; echo ok 2 - b; echo 1..2' > other.sh; {more}"
    );
    let bench = bench_with_settings("`make test`", &needs);
    let got = carry(&bench);
    assert!(got.out().contains("✓ 1 Make it: passes, "), "{got:?}");
    let why = bench.sh("run-report --why 1 TODO.md").run().out();
    assert!(why.contains("the work passes only once Makefile is there"), "{why}");
}

#[test]
fn work_on_the_code_beside_new_settings_is_proved() {
    let right = "echo 'echo 2' > two.sh";
    for worker in [
        format!("{right}; echo '# none' > pytest.ini"),
        format!("{right}; echo '# none' > pytest.ini; echo true > tests/test_three.sh"),
        // The settings name a file of the work, so that nothing runs without it.
        format!("{right}; echo > more.mk; printf 'include more.mk\\ntest:\\n\\t@sh run.sh\\n' > Makefile"),
        format!("{right}; echo > extra; printf 'test: extra\\n\\t@sh run.sh\\n' > Makefile"),
    ] {
        let bench = bench_with_settings("`make test`", &worker);
        let got = carry(&bench);
        assert!(got.out().contains("✓ 1 Make it: proved, "), "{worker}: {got:?}");
    }
}

#[test]
fn where_fewer_tests_run_after_the_work_it_is_not_proved() {
    // The list of tests is in the code, and the one that fails is taken from it.
    let bench = bench_with("`sh run.sh` → exit 0", "sed -i /two/d run.sh");
    bench.write("run.sh", "echo 1..2\necho ok 1 - one\necho not ok 2 - two; exit 1\n").commit_all("a suite");
    bench.set_worker(&format!("printf 'echo 1..1\\necho ok 1 - one\\n' > run.sh\n{SUCCESS}"));
    let got = carry(&bench);
    assert!(got.out().contains("✓ 1 Make it: passes, "), "{got:?}");
    let why = bench.sh("run-report --why 1 TODO.md").run().out();
    assert!(why.contains("2 tests ran before it, and 1 after it"), "{why}");
}

#[test]
fn a_test_that_failed_and_is_gone_proves_nothing_whatever_takes_its_place() {
    let bench = bench_with("`sh run.sh` → exit 0", "");
    bench.write("run.sh", "echo 1..2\necho ok 1 - one\necho not ok 2 - two; exit 1\n").commit_all("a suite");
    bench.set_worker(&format!(
        "printf 'echo 1..2\\necho ok 1 - one\\necho ok 2 - three\\n' > run.sh\n{SUCCESS}"
    ));
    let got = carry(&bench);
    assert!(got.out().contains("✓ 1 Make it: passes, "), "{got:?}");
    let why = bench.sh("run-report --why 1 TODO.md").run().out();
    assert!(why.contains("tests that failed before it are gone: two"), "{why}");
}

#[test]
fn tests_that_failed_must_pass_as_they_were() {
    let test = "import unittest, sums\nclass T(unittest.TestCase):\n    def test_two(self): self.assertEqual(sums.two(), 2)\n";
    let begin = |worker: &str| {
        let bench = bench_with("`python3 -B -m unittest test_sums`", worker);
        bench.write("test_sums.py", test).write("sums.py", "def two(): return 3\n").commit_all("a test");
        bench
    };
    // The tests are moved into the code, so that nothing runs without it.
    let inner =
        "printf 'import unittest\\nclass T(unittest.TestCase):\\n    def test_two(self): pass\\n' > inner.py";
    for worker in [
        format!("{inner}; echo 'from inner import *' > test_sums.py"),
        format!("{inner}; ln -sf inner.py test_sums.py"),
    ] {
        let bench = begin(&worker);
        let got = carry(&bench);
        assert!(got.out().contains("✓ 1 Make it: passes, "), "{worker}: {got:?}");
    }
    // A script that says nothing.
    let quiet = |worker: &str| {
        let bench = bench_with("`sh tests/run.sh`", worker);
        bench.write("tests/run.sh", "test $(cat v) = 2\n").write("v", "1\n").commit_all("a script");
        carry(&bench)
    };
    let got = quiet("echo true > inner.sh; echo '. ./inner.sh' > tests/run.sh");
    assert!(got.out().contains("✓ 1 Make it: passes, "), "{got:?}");
    let got = quiet("echo 2 > v; echo 3 > w.sh; echo 'test $(cat w.sh) = 3' >> tests/run.sh");
    assert!(got.out().contains("✓ 1 Make it: proved, "), "{got:?}");
    // More tests beside it, for code that is new.
    let more = "printf 'import more\\nclass M(unittest.TestCase):\\n    def test_m(self): more.run()\\n' >> test_sums.py; \
                echo 'def run(): pass' > more.py; sed -i s/3/2/ sums.py";
    let bench = begin(more);
    let got = carry(&bench);
    assert!(got.out().contains("✓ 1 Make it: proved, "), "{got:?}");
}

#[test]
fn a_command_that_was_given_another_meaning_proves_nothing() {
    let begin = |check: &str, worker: &str| {
        let bench = bench_with(check, &format!("{worker}; echo more > more.txt"));
        bench.write("Makefile", "lint:\n\t@grep -q done result\n").write("check.sh", "grep -q done result\n");
        bench.write("result", "open\n").commit_all("a target and a script");
        bench
    };
    for (check, worker) in [
        ("`make lint` → exit 0", "printf 'lint:\\n\\t@true\\n' > Makefile"),
        ("`make lint` → exit 0", "printf 'lint:\\n\\t@true\\n' > GNUmakefile"),
        ("`CI=1 sh -c 'make lint'` → exit 0", "printf 'lint:\\n\\t@test -f more.txt\\n' > Makefile"),
        ("`sh check.sh` → exit 0", "echo true > check.sh"),
    ] {
        let bench = begin(check, worker);
        let got = carry(&bench);
        assert!(got.out().contains("✓ 1 Make it: passes, "), "{check}: {got:?}");
        // Work beside a change of the file is work; so is a target that was not there.
        let bench = begin(check, "echo done > result; echo '# more' >> Makefile; echo '# more' >> check.sh");
        let got = carry(&bench);
        assert!(got.out().contains("✓ 1 Make it: proved, "), "{check}: {got:?}");
    }
    let bench = begin("`make other` → exit 0", "printf 'other:\\n\\t@true\\n' >> Makefile");
    let got = carry(&bench);
    assert!(got.out().contains("✓ 1 Make it: proved, "), "{got:?}");
    // A module that takes the place of the runner.
    let bench = bench_with(
        "`python3 -B -m unittest test_sums`",
        "printf 'import sys\\nsys.stderr.write(\"Ran 1 test in 0.1s\\\\n\\\\nOK\\\\n\")\\n' > unittest.py; echo '# more' >> sums.py",
    );
    let test = "import unittest, sums\nclass T(unittest.TestCase):\n    def test_two(self): self.assertEqual(sums.two(), 2)\n";
    bench.write("test_sums.py", test).write("sums.py", "def two(): return 3\n").commit_all("a test");
    let got = carry(&bench);
    assert!(got.out().contains("✓ 1 Make it: already true, "), "{got:?}");
}

#[test]
fn a_check_that_needs_nothing_but_its_own_second_run_has_no_verdict() {
    // It leaves a file, which git ignores or not, and passes ever after.
    for ignored in ["state\n", "other\n"] {
        let bench = bench_with("`sh check.sh` → exit 0", "echo more >> work.txt");
        bench.write("check.sh", "echo x >> ../home/ran; test -f state || { touch state; false; }\n");
        bench.write(".gitignore", ignored).commit_all("check");
        let got = carry(&bench);
        assert_eq!((bench.count("tick"), got.status), (0, 5), "{ignored}: {got:?}");
        assert!(
            got.out().contains("flaky: before the work it failed, and passed when it ran again"),
            "{got:?}"
        );
    }
    // The cost: one run more of a check that fails and leaves something, none of another.
    let bench = bench_with("`sh check.sh` → exit 0", "echo a > a");
    bench.write("check.sh", "echo x >> ../home/ran; date +%N > cache; test -f a\n");
    bench.write(".gitignore", "cache\n").commit_all("check");
    let got = carry(&bench);
    assert!(got.out().contains("✓ 1 Make it: proved, "), "{got:?}");
    assert_eq!(bench.text("../home/ran").lines().count(), 3, "twice before, once after: {got:?}");
}

#[test]
fn the_same_holds_for_work_that_lands_from_a_tree_of_its_own() {
    let land = |bench: &Bench| {
        let worker = bench.outside().join("home/w.sh").display().to_string();
        let config = bench.text("plantools.toml").replace("../home/w.sh", &worker);
        bench.write("plantools.toml", config).commit_all("the worker");
        bench.command("orchestrate").args(["--jobs", "2", "TODO.md"]).within(120).run()
    };
    let bench = bench_with("`sh check.sh` → exit 0", "echo more >> work.txt");
    bench.write("check.sh", "test -f state || { touch state; false; }\n").write(".gitignore", "state\n");
    let got = land(&bench);
    assert_eq!((bench.count("tick"), got.status), (0, 5), "{got:?}");
    let lint = "printf 'lint:\\n\\t@true\\n' > Makefile; echo more > more.txt";
    let two = "echo true > inner.sh; echo '. ./inner.sh' > tests/test_two.sh";
    for (check, worker, level) in [
        ("`make lint` → exit 0", lint, "passes"),
        ("`make lint` → exit 0", "echo done > result", "proved"),
        ("`make test`", two, "passes"),
        ("`make test`", "echo ' tests/test_two.sh ' > setup.cfg; echo '# more' >> two.sh", "already true"),
        ("`make test`", "echo 'echo 2' > two.sh", "proved"),
    ] {
        let bench = bench_with_settings(check, worker);
        bench
            .write("Makefile", "test:\n\t@sh run.sh\nlint:\n\t@grep -q done result\n")
            .write("result", "open\n");
        let got = land(&bench);
        assert!(got.out().contains(&format!("✓ 1 Make it: {level}, ")), "{worker}: {got:?}");
    }
}

#[test]
fn criteria_that_were_edited_between_two_attempts_have_a_result_before() {
    let plan = |check: &str| format!("# Todo\n\n- [ ] Make it\n  - Verify: {check}\n");
    let again = |bench: &Bench| {
        bench.commit_all("another check");
        bench.command("orchestrate").args(["--accept-change", "it was wrong", "TODO.md"]).within(60).run()
    };
    // Nothing was ever done: the check holds without it.
    let bench = bench_with("`test -f a` → exit 0", ":");
    carry(&bench).exits(5);
    bench.write("TODO.md", plan("`test -f TODO.md` → exit 0"));
    let got = again(&bench);
    assert_eq!(bench.count("tick"), 0, "{got:?}");
    assert!(got.out().contains("already true: check 1:1 passed before the work"), "{got:?}");
    // The second attempt makes the new check true.
    let bench = bench_with("`test -f a` → exit 0", "test ! -f once || echo b > b; touch once");
    carry(&bench).exits(5);
    bench.write("TODO.md", plan("`grep -q b b` → exit 0"));
    let got = again(&bench);
    assert!(got.out().contains("✓ 1 Make it: proved, "), "{got:?}");
}

/// A task with this check, whose worker does this.
fn bench_with(check: &str, worker: &str) -> Bench {
    let bench = bench!(empty);
    let config = "[defaults]\nworker = \"w\"\nrecheck = false\nmax_attempts = 1\n[workers.w]\n\
                  command = [\"../home/w.sh\"]\n[proof]\naccept = \"already-true\"\n";
    bench.write("plantools.toml", config);
    bench.write("TODO.md", format!("# Todo\n\n- [ ] Make it\n  - Verify: {check}\n")).commit_all("plan");
    bench.set_worker(&format!("{worker}\n{SUCCESS}"));
    bench
}

fn carry(bench: &Bench) -> Got {
    bench.command("orchestrate").args(["TODO.md"]).within(120).run()
}
