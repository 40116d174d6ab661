//! The files of `scripts/integrations`, used as their README says.

use pipeline_tests::{bench, workspace};

#[test]
fn the_makefile_runs_a_plan_and_says_what_is_left() {
    let bench = bench!(empty);
    if bench.lacks("make") {
        return;
    }
    bench.write("PLAN.md", PLAN).write("Makefile", format!("include {}\n", place("make/plantools.mk")));
    bench.commit_all("plan");
    let out = bench.sh("make -s plan-next").run().exits(0).out();
    assert!(out.contains("1 task: 1 pending"), "{out}");
    bench.sh("make -s plan-check").run().exits(2);
    bench.sh("make -s plan-run").within(120).run();
    let out = bench.sh("make -s plan-next").run().exits(0).out();
    assert!(out.contains("1 task: 1 completed"), "{out}");
}

#[test]
fn the_pre_commit_hook_refuses_a_plan_that_cannot_be_read() {
    let bench = bench!(empty);
    bench.sh(&format!("cp {} .git/hooks/pre-commit", place("git/pre-commit"))).run().exits(0);
    bench.write("PLAN.md", PLAN).commit_all("a plan");
    bench.write("new\nname/PLAN.md", format!("{PLAN}\n### [ ] TODO 1: Again\n"));
    let got = bench.sh("git add -A && git commit -q -m broken").run();
    assert!(got.exits(1).err().contains("pre-commit: new\nname/PLAN.md cannot be read"), "{got:?}");
    bench.write("new\nname/PLAN.md", PLAN).commit_all("mended");
}

#[test]
fn the_action_refuses_a_plan_that_cannot_be_read_and_a_gate_that_fails() {
    let bench = bench!(empty);
    for file in ["github/plantools.yml", "github/action/action.yml"] {
        if !bench.lacks("python3") {
            let load = ["-c", "import sys, yaml; yaml.safe_load(open(sys.argv[1]))", &place(file)];
            let parsed = bench.command("python3").args(load).run();
            // The parser is another package's; what counts is that no line is refused where there is one.
            assert!(parsed.status == 0 || parsed.err().contains("No module named 'yaml'"), "{parsed:?}");
        }
    }
    // A stand-in for the program that writes the comment.
    bench.program("../home/gh", "#!/bin/sh\nprintf '%s\\n' \"$@\" >> ../home/gh.log\n");
    let base = bench.git(&["rev-parse", "HEAD"]);
    let runs = || {
        let line = format!("PATH=\"$PWD/../home:$PATH\" {}", place("github/action/run"));
        let run = bench.sh(&line).env("BASE", base.trim()).env("PULL", "7").within(120);
        let got = run.env("GITHUB_STEP_SUMMARY", "../home/summary").run();
        (got.status, got.out())
    };
    bench
        .write("PLAN.md", CLEAN)
        .write("plantools.toml", "[[gates]]\nid = \"a\"\ninvocation = \"test -e ../home/done\"\n");
    bench.commit_all("a plan");
    let (code, said) = runs();
    assert!(
        code == 1 && said.contains("✓ can be read") && said.contains("✗ gates of plantools.toml"),
        "{said}"
    );
    bench.write("../home/done", "");
    let (code, said) = runs();
    assert!(code == 0 && said.contains("<details><summary>report</summary>"), "{said}");
    bench.write("new name/PLAN.md", format!("{PLAN}\n### [ ] TODO 1: Again\n"));
    bench.commit_all("a plan that cannot be read");
    let (code, said) = runs();
    assert!(code == 1 && said.contains("### new name/PLAN.md\n\n- ✗ can be read"), "{said}");
    assert!(bench.text("../home/gh.log").starts_with("pr\ncomment\n7\n--edit-last\n"));
    assert!(bench.text("../home/summary").contains("## Plans"));
}

#[test]
fn the_hooks_of_pre_commit_refuse_what_they_say() {
    let bench = bench!(empty);
    let lint = place("git/plan-lint");
    bench.write("good/PLAN.md", PLAN).write("b ad/PLAN.md", format!("{PLAN}\n### [ ] TODO 1: Again\n"));
    bench.sh(&format!("{lint} good/PLAN.md")).run().exits(0);
    bench.sh(&format!("{lint} good/PLAN.md 'b ad/PLAN.md'")).run().exits(1);
    bench.sh(&format!("{lint} --lint good/PLAN.md")).run().exits(1);
    bench.write("clean.md", CLEAN);
    bench.sh(&format!("{lint} --lint clean.md")).run().exits(0);
    let hooks = std::fs::read_to_string(workspace().join(".pre-commit-hooks.yaml")).unwrap();
    for entry in hooks.lines().filter_map(|line| line.trim().strip_prefix("entry: ")) {
        assert!(workspace().join(entry.split(' ').next().unwrap()).exists(), "{entry}");
    }
}

#[test]
fn an_installation_works_and_leaves_no_trace() {
    let bench = bench!(demo);
    let from = bench.outside().join("bin");
    std::os::unix::fs::symlink(from.join("orchestrate"), from.join("plantools")).unwrap();
    let prefix = bench.outside().join("pre fix");
    let install = |more: &[&str]| {
        bench
            .command(&workspace().join("scripts/install").to_string_lossy())
            .args(["--prefix", &prefix.to_string_lossy(), "--from", &from.to_string_lossy()])
            .args(more)
            .run()
    };
    install(&[]).exits(0);
    let line = format!("PATH='{}/bin':$PATH; unset PLANTOOLS_BIN; orchestrate plans", prefix.display());
    assert!(bench.sh(&line).run().exits(0).out().contains("plan-md, 6 tasks"));
    assert!(prefix.join("share/man/man7/plantools-errors.7").exists());
    let loops = format!(
        "PATH='{0}/bin':$PATH; '{0}/share/plantools/round' -w shell {PLAN_OF_DEMO}",
        prefix.display()
    );
    bench.sh(&loops).run().exits(0);
    assert_eq!(bench.boxes(PLAN_OF_DEMO), (1, 5), "one round with what is installed");
    let page = format!("! command -v man >/dev/null || man -M '{}/share/man' plantools", prefix.display());
    let page = bench.sh(&page).run().exits(0).out();
    assert!(page.is_empty() || page.contains("SEE ALSO"), "{page}");
    std::fs::create_dir_all(prefix.join("bin")).unwrap();
    bench.sh(&format!("touch '{}/bin/mine'", prefix.display())).run().exits(0);
    install(&["--uninstall"]).exits(0);
    let left = pipeline_tests::snapshot(&prefix);
    let left: Vec<_> = left.keys().map(|path| path.display().to_string()).collect();
    assert_eq!(left, ["bin", "bin/mine"]);
    install(&["--uninstall"]).exits(66);
}

const PLAN_OF_DEMO: &str = pipeline_tests::DEMO_PLAN;

/// A plan of which no rule warns.
const CLEAN: &str = "# Note\n\n- [ ] Write the note\n\n  Verify: `test -s note.txt`\n";

const PLAN: &str = "# Note\n\n## TODOs\n\n### [ ] TODO 1: Write\n\n```sh\necho hello > note.txt\n```\n\n\
                    **Acceptance Criteria**:\n- [ ] It is there: `test -s note.txt`\n";

fn place(name: &str) -> String {
    workspace().join("scripts/integrations").join(name).display().to_string()
}
