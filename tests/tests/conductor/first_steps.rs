//! What one does first in a repository: `orchestrate init`, `orchestrate doctor`, `orchestrate plans`.

use pipeline_tests::{Bench, DEMO_PLAN, bench};

#[test]
fn init_writes_gates_that_were_tried_here() {
    let bench = bench!(demo);
    if bench.lacks("make") {
        return;
    }
    bench.write("Makefile", "test:\n\t@true\nlint:\n\t@false\n");
    let got = orchestrate(&bench, "init");
    got.exits(0);
    let text = bench.text("plantools.toml");
    assert!(text.contains("# Tried: passes"), "{text}");
    assert!(text.contains("# Tried: fails at present"), "{text}");
    assert!(text.contains(&format!("#   orchestrate --dry-run {DEMO_PLAN}")), "{text}");
    bench.sh("gate-run --gate test").run().exits(0);
    bench.sh("gate-run --gate lint").run().exits(1);
}

#[test]
fn a_gate_whose_program_is_missing_is_left_out_with_the_reason() {
    let bench = bench!(empty);
    bench.write("go.mod", "module example\n");
    bench.program("only/go", "#!/bin/sh\nexit 127\n").program("only/gofmt", "#!/bin/sh\nexit 0\n");
    let line = "PATH=$PWD/only:$PATH orchestrate init";
    bench.sh(line).run().exits(0);
    let text = bench.text("plantools.toml");
    assert!(text.contains("\n[[gates]]\nid = \"format\"\n"), "{text}");
    assert!(text.contains("\n# [[gates]]\n# id = \"test\"\n# invocation = 'go test ./...'\n"), "{text}");
    bench.sh("gate-run --gate test").run().exits(2);
    bench.sh("gate-run --gate format").run();
}

#[test]
fn two_languages_have_gates_of_their_own_and_a_makefile_adds_what_is_left() {
    let bench = bench!(empty);
    bench
        .write("go.mod", "module example\n")
        .write("setup.py", "")
        .write("test_a.py", "")
        .write("Makefile", "check:\n\t@true\ntest:\n\t@true\n");
    let out = orchestrate(&bench, "init --dry-run");
    let text = out.exits(0).out();
    assert!(text.contains("'python3 -m unittest discover'") && text.contains("id = \"go-test\""), "{text}");
    assert!(text.contains("'make check'") && !text.contains("'make test'"), "{text}");
    assert!(!bench.path("plantools.toml").exists());
}

#[test]
fn init_names_the_first_agent_that_is_installed() {
    let bench = bench!(empty);
    bench.program("only/goose", "#!/bin/sh\n").program("only/codex", "#!/bin/sh\n");
    let line = "PATH=$PWD/only:$PATH orchestrate init --dry-run";
    let text = bench.sh(line).run().exits(0).out();
    assert!(text.contains("Installed:") && text.contains("codex") && text.contains("goose"), "{text}");
    assert!(text.contains("\nworker = \""), "{text}");
}

#[test]
fn init_takes_the_gates_of_a_fitter_in_so_that_they_are_pinned() {
    let bench = bench!(demo);
    bench.write("fitter.toml", "[[gates]]\nid = \"unit\"\ninvocation = \"true\"\n");
    orchestrate(&bench, "init").exits(0);
    let text = bench.text("plantools.toml");
    assert!(text.contains("\n[fitter]\nfile = \"fitter.toml\"\n"), "{text}");
    assert!(!text.contains("--config fitter.toml"), "{text}");
    bench.sh("gate-run --gate unit").run().exits(0);
}

#[test]
fn init_overwrites_nothing() {
    let bench = bench!(empty);
    bench.write("plantools.toml", "# mine\n");
    let got = orchestrate(&bench, "init");
    assert!(got.exits(1).err().contains("stays as it is"), "{got:?}");
    assert_eq!(bench.text("plantools.toml"), "# mine\n");
}

#[test]
fn doctor_finds_nothing_in_a_sound_repository() {
    let bench = bench!(demo);
    let got = orchestrate(&bench, "doctor");
    let out = got.exits(0).out();
    assert!(out.ends_with("\nall is well\n"), "{out}");
    assert!(out.contains("ok    plans: 1"), "{out}");
}

#[test]
fn doctor_names_what_is_wrong_and_how_to_see_it() {
    let bench = bench!(demo);
    bench.write("plantools.toml", "[defaults]\nworker = \"nobody\"\n");
    bench.write("docs/plans/broken.md", "## TODOs\n\n### [ ] TODO 1: a\n\n### [ ] TODO 1: b\n");
    bench.write(".plantools/ledger.ndjson", "{\"schema\":\"punch/1\"}\n");
    bench.git(&["config", "--unset", "user.name"]);
    bench.git(&["config", "user.useConfigOnly", "true"]);
    let out = orchestrate(&bench, "doctor").exits(1).out();
    for word in [
        "fail  git does not know who you are",
        "there is no worker 'nobody'",
        "\n[workers.nobody]\ncommand = ",
        "fail  the ledger is damaged",
        "fail  docs/plans/broken.md: 5: ",
    ] {
        assert!(out.contains(word), "{word} is not in\n{out}");
    }
    let count = |word: &str| out.lines().filter(|line| line.starts_with(word)).count();
    assert_eq!(count("      fix: "), count("fail ") + count("warn "), "{out}");
    assert!(out.ends_with(&format!("\n{} to fix\n", count("fail "))), "{out}");
}

#[test]
fn doctor_shows_where_the_configuration_is_wrong() {
    let bench = bench!(demo);
    bench.write("plantools.toml", "[defaults]\n\n[[gate]]\nid = \"a\"\n");
    let out = orchestrate(&bench, "doctor").exits(1).out();
    assert!(out.contains("plantools.toml:3: unknown field `gate`"), "{out}");
}

#[test]
fn a_run_without_a_worker_says_so_once() {
    let bench = bench!(demo);
    let got = orchestrate(&bench, DEMO_PLAN);
    assert!(got.exits(78).err().contains("no worker is configured; use --worker NAME"), "{got:?}");
    assert_eq!(got.err().lines().count(), 1, "{got:?}");
    let got = orchestrate(&bench, &format!("--worker nobody {DEMO_PLAN}"));
    assert!(
        got.err().contains("workers are shell, acp:COMMAND, claude") && got.err().lines().count() == 3,
        "{got:?}"
    );
    assert!(!bench.path(".plantools/ledger.ndjson").exists());
}

#[test]
fn doctor_lists_the_gates() {
    let bench = bench!(demo);
    bench.write("plantools.toml", "[[gates]]\nid = \"lint\"\ninvocation = \"true\"\n");
    assert!(orchestrate(&bench, "doctor").out().contains("ok    plantools.toml, gates: lint\n"));
    bench.write("plantools.toml", "[defaults]\n");
    assert!(orchestrate(&bench, "doctor").out().contains("ok    plantools.toml, gates: none\n"));
}

#[test]
fn plans_lists_each_with_dialect_progress_and_what_comes_next() {
    let bench = bench!(demo);
    bench.write("TODO.md", "# List\n\n- [x] one\n- [ ] two\n").write("tasks.md", "no plan at all\n");
    bench.write("specs/a/tasks.md", "# Tasks\n\n## Phase 1: Setup\n\n- [x] T001 Make the folder\n");
    let out = orchestrate(&bench, "plans").exits(0).out();
    assert!(
        out.contains(&format!("{DEMO_PLAN}\n  plan-md, 6 tasks: 6 pending\n  next: 1 Configuration")),
        "{out}"
    );
    assert!(out.contains("TODO.md\n  checklist, 2 tasks: 1 completed, 1 pending\n  next: "), "{out}");
    assert!(
        out.contains("specs/a/tasks.md\n  spec-kit, 1 task: 1 completed\n  next: everything is done"),
        "{out}"
    );
    assert!(!out.contains("\ntasks.md"), "{out}");
}

#[test]
fn plans_are_found_from_a_folder_below_and_their_absence_is_said() {
    let bench = bench!(demo);
    let out = bench.sh("mkdir -p deep/er && cd deep/er && orchestrate plans").run().exits(0).out();
    assert!(out.starts_with(DEMO_PLAN), "{out}");
    let bench = bench!(empty);
    assert!(orchestrate(&bench, "plans").exits(66).err().contains("no plan in the usual places"));
}

#[test]
fn a_word_that_is_nearly_right_is_told_the_right_one() {
    let bench = bench!(demo);
    bench.write("TODO.md", "- [ ] one\n  Verify: `true` → exit 0\n");
    for (words, right) in [
        ("docter", "a similar command exists: 'doctor'"),
        ("TOD.md", "a similar plan exists: 'TODO.md'"),
        ("--wroker shell TODO.md", "a similar argument exists: '--worker'"),
        ("--jobs many TODO.md", "invalid value 'many' for '--jobs <N>'"),
        ("--worker shell --only 9 TODO.md", "there is no task '9'; tasks are 1"),
        ("--dry-run --only 9 TODO.md", "there is no task '9'; tasks are 1"),
    ] {
        let got = orchestrate(&bench, words);
        assert!(got.err().contains(right), "{words}: {got:?}");
        let said = got.err().lines().filter(|line| !line.starts_with("profile: ")).count();
        assert_eq!(said, 1, "{words}: {got:?}");
    }
    assert!(!bench.path(".plantools/ledger.ndjson").exists());
}

#[test]
fn without_a_plan_those_that_are_here_are_named() {
    let bench = bench!(empty);
    let got = bench.sh("orchestrate </dev/null").run();
    assert!(got.exits(66).err().contains("there is no plan in the usual places"), "{got:?}");
    assert!(got.err().contains("; name one: orchestrate PLAN.md"), "{got:?}");
    bench.write("a folder/PLAN.md", "## TODOs\n\n### [ ] TODO 1: a\n").write("TODO.md", "no plan\n");
    let got = bench.sh("orchestrate </dev/null").run();
    assert!(got.exits(2).err().ends_with(":\n  a folder/PLAN.md\n"), "{got:?}");
}

/// What a block of the task itself says when it fails is the reason, and what is needed to go on is said too.
#[test]
fn a_block_that_fails_says_why_and_a_task_given_up_can_be_tried_again() {
    let bench = bench!(empty);
    let plan = "- [ ] One\n  ```sh\n  cat need.txt > out.txt\n  ```\n  Verify: `cat out.txt` → `fine`\n";
    bench.write("TODO.md", plan).commit_all("start");
    let got = orchestrate(&bench, "--worker shell TODO.md");
    assert!(got.exits(5).out().contains("exit 1, cat: need.txt: No such file"), "{got:?}");
    assert!(
        got.out().contains("or: without a change: orchestrate --retry --worker shell TODO.md"),
        "{got:?}"
    );
    bench.write("need.txt", "wrong\n").commit_all("what it needs");
    let got = orchestrate(&bench, "--worker shell --max-attempts 4 TODO.md");
    assert!(got.exits(5).out().contains("wanted `fine`\n      | wrong\n"), "{got:?}");
}

/// A file of an attempt whose check failed is part of what the next one proved, also where the check itself was wrong.
#[test]
fn what_a_failed_attempt_left_is_committed_with_what_was_proved() {
    let bench = bench!(empty);
    let plan =
        "- [ ] One\n  ```sh\n  test -e a.txt || echo a > a.txt\n  ```\n  - Verify: `cat a.txt` → `A`\n";
    bench.write("TODO.md", plan).commit_all("start");
    orchestrate(&bench, "--worker shell TODO.md").exits(5);
    bench.write("TODO.md", plan.replace("`A`", "`a`"));
    let got = orchestrate(&bench, "--worker shell --accept-change typo TODO.md");
    got.exits(0);
    assert_eq!(bench.git(&["status", "--porcelain"]), "", "{got:?}");
}

fn orchestrate(bench: &Bench, words: &str) -> pipeline_tests::Got {
    bench.command("orchestrate").args(words.split(' ')).within(120).run()
}
