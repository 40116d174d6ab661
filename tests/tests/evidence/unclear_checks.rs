//! A check that is not understood holds the box, whatever passes beside it, and is named before the first worker starts.

use pipeline_tests::{SUCCESS, bench};

const CONFIG: &str =
    "[defaults]\nworker = \"w\"\n[workers.w]\ncommand = [\"../home/w.sh\"]\n[proof]\naccept = \"gates\"\n";

/// Texts that are not wholly understood. What each of them says does not hold where `app.sh` prints `one` and exits with 0.
const UNCLEAR: [&str; 20] = [
    "`sh app.sh` → looks good",
    "`sh app.sh` → exit 0 (twice)",
    "`sh app.sh` → exit 0 unless offline",
    "`sh app.sh` → prints a table",
    "`sh app.sh` → neither `one` nor `two`",
    "`sh app.sh` → does not contain `one`",
    "`sh app.sh` → about 5",
    "`sh app.sh` → `two` or `three`",
    "`sh app.sh || true`",
    "`sh app.sh | tail -1`",
    "`sh app.sh; echo done` → exit 0",
    "`sh app.sh > log` → empty",
    "`sh app.sh # prints two`",
    "`sh app.sh` →",
    "`sh app.sh` → skip",
    "Rejects bad input: `sh app.sh`",
    "Prints nothing but numbers: `sh app.sh` → exit 0",
    "Keine Ausgabe mehr: `sh app.sh`",
    "`sh app.sh` then `sh app.sh`",
    "`sh app.sh`\n    - all rows are sorted",
];

#[test]
fn of_sixty_tasks_with_one_check_that_passes_and_one_that_is_unclear_none_is_ticked() {
    let bench = bench!(empty);
    let task = |number: usize| {
        let text = UNCLEAR[number % UNCLEAR.len()];
        format!("- [ ] Task {number}\n  - Acceptance:\n    - `test -f app.sh`\n    - {text}\n")
            .replace("\n    - all", "\n      - all")
    };
    let plan: String = (0..60).map(task).collect();
    bench
        .write("plantools.toml", CONFIG)
        .write("app.sh", "echo one\n")
        .write("TODO.md", format!("# Todo\n\n{plan}"));
    bench.commit_all("plan");
    bench.set_worker(&format!("cat > /dev/null; date +%s%N >> made.txt\n{SUCCESS}"));
    let got = bench.command("orchestrate").args(["--max-attempts", "1", "TODO.md"]).within(300).run();
    got.exits(5);
    assert_eq!(bench.count("tick"), 0, "{got:?}");
    assert!(!bench.text("TODO.md").contains("[x]"), "{}", bench.text("TODO.md"));
    assert_eq!(bench.count("attempt_begin"), 0, "no worker starts where nothing can be ticked: {got:?}");
    let lint = bench.sh("plan-parse --lint -q TODO.md").run().json();
    let said = lint["diagnostics"]
        .as_array()
        .map(|all| all.iter().filter(|one| one["code"] == "unclear-check").count());
    assert_eq!(said, Some(60), "{lint}");
}

#[test]
fn the_same_tasks_are_ticked_once_their_offers_are_taken() {
    let bench = bench!(empty);
    let plan = "# Todo\n\n- [ ] Say it\n  - Acceptance:\n    - `test -f app.sh`\n    - `sh app.sh` → exit 0 within 9s\n";
    bench.write("plantools.toml", CONFIG).write("TODO.md", plan).commit_all("plan");
    bench.set_worker(&format!("cat > /dev/null; echo 'echo one' > app.sh\n{SUCCESS}"));
    bench.command("orchestrate").args(["TODO.md"]).within(60).run().exits(5);
    bench.command("checkbox").args(["fix", "--all", "TODO.md"]).run().exits(0);
    assert!(bench.text("TODO.md").contains("→ exit 0, within 9s\n"), "{}", bench.text("TODO.md"));
    bench.commit_all("clear");
    bench.command("orchestrate").args(["TODO.md"]).within(60).run().exits(0);
    assert_eq!(bench.count("tick"), 1);
}
