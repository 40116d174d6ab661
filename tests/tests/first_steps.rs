//! What one does first in a repository: `orchestrate init`, `orchestrate doctor`, `orchestrate plans`.

use pipeline_tests::{Bench, DEMO_PLAN, bench};

#[test]
fn init_writes_gates_that_were_tried_here() {
    let bench = bench!(demo);
    bench.write("Makefile", "test:\n\t@true\nlint:\n\t@false\n");
    let got = orchestrate(&bench, "init");
    got.exits(0);
    let text = bench.text("plantools.toml");
    assert!(text.contains("# Tried: passes"), "{text}");
    assert!(text.contains("# Tried: fails at present"), "{text}");
    assert!(text.contains(&format!("#   orchestrate {DEMO_PLAN}")), "{text}");
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
    for word in ["git does not know who you are", "there is no worker 'nobody'", "ledger", "broken.md"] {
        assert!(out.contains(word), "{word} is not in\n{out}");
    }
    let bad = out.lines().filter(|line| line.starts_with("BAD ")).count();
    assert_eq!(out.matches("\n      see: ").count(), bad, "{out}");
    assert!(out.ends_with(&format!("\n{bad} to mend\n")), "{out}");
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
    assert!(got.err().contains("workers are shell, claude") && got.err().lines().count() == 1, "{got:?}");
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
    assert!(orchestrate(&bench, "plans").exits(66).err().contains("no plan found"));
}

fn orchestrate(bench: &Bench, words: &str) -> pipeline_tests::Got {
    bench.command("orchestrate").args(words.split(' ')).within(120).run()
}
