//! Work that a weak reading would call proved: flaky checks, tests inside the code, files that only tests read, tests that
//! were weakened, criteria that were edited in between.

use pipeline_tests::{Bench, Got, SUCCESS, bench};

#[test]
fn a_flaky_check_that_writes_an_ignored_file_is_named() {
    let flaky = "n=$(cat ../home/runs 2>/dev/null || echo 0); echo $((n + 1)) > ../home/runs; date > cache; test $((n % 2)) = 1\n";
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
