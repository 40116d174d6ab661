//! Files that checks write are neither committed nor part of the evidence, and no fault of the work.

use pipeline_tests::{Bench, Got, SUCCESS, bench};

/// Each with the check that writes it, and the line for .gitignore.
const PRODUCTS: [(&str, &str, &str); 5] = [
    ("coverage.xml", "date +%N > coverage.xml && test -f a", "/coverage.xml"),
    ("test.db", "date +%N >> test.db && test -f a", "/test.db"),
    (
        "dist/app.js",
        "mkdir -p dist/b && date +%N > dist/app.js && date +%N > dist/b/c && test -f a",
        "/dist/",
    ),
    (
        "__pycache__/a.pyc",
        "mkdir -p __pycache__ && date +%N > __pycache__/a.pyc && test -f a",
        "/__pycache__/",
    ),
    ("pkg/__pycache__", "python3 -c 'import pkg.tools' && test -f a", "/pkg/__pycache__/"),
];

#[test]
fn an_honest_run_completes_in_one_attempt_whatever_its_checks_write() {
    for (file, check, line) in PRODUCTS {
        for by_gate in [false, true] {
            let own = if by_gate { "test -f a" } else { check };
            let plan =
                format!("# Todo\n\n- [ ] One\n  - Verify: `{own}`\n- [ ] Two\n  - Verify: `test -f b`\n");
            let gate = format!("[[gates]]\nid = \"g\"\ninvocation = \"{check}\"\nwhen = [\"task\"]\n");
            let bench =
                bench_with(&plan, if by_gate { &gate } else { "" }, "test -e a && echo b > b || echo a > a");
            bench.write("pkg/tools.py", "N = 1\n").commit_all("a module");
            let got = carry(&bench);
            got.exits(0);
            assert_eq!((bench.count("attempt_begin"), bench.count("tick")), (2, 2), "{file}: {got:?}");
            assert!(bench.path(file).exists(), "{file} is left where it is");
            let committed = bench.git(&["ls-files"]);
            assert!(!committed.contains(file), "{committed}");
            assert_eq!(got.err().matches("lines for .gitignore: ").count(), 1, "{file}: {got:?}");
            assert!(got.err().contains(&format!("lines for .gitignore: {line}\n")), "{file}: {got:?}");
            bench.sh("run-report --check TODO.md").run().exits(0);
        }
    }
}

#[test]
fn a_tracked_file_that_a_check_changes_is_put_back_and_its_bytes_are_kept() {
    let plan = "# Todo\n\n- [ ] One\n  - Verify: `echo changed > golden.txt && test -f a`\n";
    let bench = bench_with(plan, "", "echo a > a");
    bench.write("golden.txt", "golden\n").commit_all("golden");
    let got = carry(&bench);
    got.exits(0);
    assert_eq!((bench.text("golden.txt").as_str(), bench.count("attempt_begin")), ("golden\n", 1), "{got:?}");
    assert!(got.err().contains("changed by a check and put back: golden.txt"), "{got:?}");
    let aside = bench.sh("cat .plantools/aside/*/golden.txt").run();
    assert_eq!(aside.out(), "changed\n", "{aside:?}");
}

#[test]
fn what_a_worker_left_that_ran_the_tests_itself_is_a_product_all_the_same() {
    let tests = "date +%N > coverage.xml && date +%N > test.db && test -f a";
    for by_gate in [false, true] {
        let own = if by_gate { "test -f a" } else { "sh tests.sh" };
        let gate = "[[gates]]\nid = \"g\"\ninvocation = \"sh tests.sh\"\nwhen = [\"task\"]\n";
        let plan = format!("# Todo\n\n- [ ] One\n  - Verify: `{own}` → exit 0\n");
        let bench = bench_with(&plan, if by_gate { gate } else { "" }, "echo a > a; sh tests.sh");
        bench.write("tests.sh", format!("{tests}\n")).commit_all("tests");
        let got = carry(&bench);
        got.exits(0);
        assert_eq!((bench.count("attempt_begin"), bench.count("tick")), (1, 1), "{got:?}");
        assert!(got.err().contains("lines for .gitignore: /coverage.xml /test.db\n"), "{got:?}");
        let committed = bench.git(&["ls-files"]);
        assert!(!committed.contains("coverage.xml") && !committed.contains("test.db"), "{committed}");
    }
}

#[test]
fn a_check_that_changes_the_work_itself_has_no_verdict() {
    let plan = "# Todo\n\n- [ ] One\n  - Verify: `date +%N >> a && test -f a`\n";
    let bench = bench_with(plan, "", "echo a > a");
    let got = carry(&bench);
    got.exits(5);
    assert_eq!(bench.count("tick"), 0, "{got:?}");
    assert!(got.out().contains("files changed while the checks ran: a"), "{got:?}");
}

#[test]
fn a_list_of_products_that_nobody_recorded_hides_nothing() {
    let plan = "# Todo\n\n- [ ] One\n  - Verify: `test -f a`\n";
    let hide = "mkdir -p .plantools; echo '{\"plan\":\"TODO.md\",\"files\":[\"a\"]}' > .plantools/products.json; echo a > a";
    let bench = bench_with(plan, "", hide);
    let got = carry(&bench);
    got.exits(0);
    assert!(bench.git(&["ls-files"]).lines().any(|file| file == "a"), "{got:?}");
}

fn bench_with(plan: &str, config: &str, worker: &str) -> Bench {
    let bench = bench!(empty);
    let own = "[defaults]\nworker = \"w\"\n[workers.w]\ncommand = [\"../home/w.sh\"]\n";
    bench.write("plantools.toml", format!("{own}{config}")).write("TODO.md", plan).commit_all("plan");
    bench.set_worker(&format!("{worker}\n{SUCCESS}"));
    bench
}

fn carry(bench: &Bench) -> Got {
    bench.command("orchestrate").args(["TODO.md"]).within(60).run()
}

#[test]
fn what_a_person_had_changed_or_left_untracked_stays_whatever_a_check_does_to_it() {
    let plan = "# Todo\n\n- [ ] One\n  - Verify: `echo check >> notes.txt && echo check >> draft.txt && test -f a`\n";
    let bench = bench_with(plan, "", "echo a > a");
    bench.write("draft.txt", "committed\n").commit_all("a draft");
    bench.write("draft.txt", "edited\n").write("notes.txt", "mine\n");
    carry(&bench);
    assert!(bench.text("draft.txt").starts_with("edited\n"), "{}", bench.text("draft.txt"));
    assert!(bench.text("notes.txt").starts_with("mine\n"), "{}", bench.text("notes.txt"));
}
