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
fn the_workflow_refuses_a_plan_that_cannot_be_read_and_a_gate_that_fails() {
    let bench = bench!(empty);
    let file = place("github/plantools.yml");
    if !bench.lacks("python3") {
        let load = ["-c", "import sys, yaml; yaml.safe_load(open(sys.argv[1]))", &file];
        let parsed = bench.command("python3").args(load).run();
        // The parser is another package's; what counts is that no line is refused where there is one.
        assert!(parsed.status == 0 || parsed.err().contains("No module named 'yaml'"), "{parsed:?}");
    }
    let steps = steps(&std::fs::read_to_string(&file).unwrap());
    let [install, plans, gates] = steps.as_slice() else { panic!("{steps:?}") };
    assert!(install.starts_with("sudo dpkg "), "{install}");
    let base = bench.git(&["rev-parse", "HEAD"]);
    let runs = |line: &str| bench.sh(line).env("BASE", base.trim()).run().status;
    bench
        .write("PLAN.md", PLAN)
        .write("plantools.toml", "[[gates]]\nid = \"a\"\ninvocation = \"test -e done\"\n");
    bench.commit_all("a plan");
    assert_eq!((runs(plans), runs(gates)), (0, 1));
    bench.write("new name/PLAN.md", format!("{PLAN}\n### [ ] TODO 1: Again\n")).write("done", "");
    bench.commit_all("a plan that cannot be read");
    // xargs says 123 where a command has failed.
    assert_eq!((runs(plans), runs(gates)), (123, 0));
}

/// What the steps of a workflow run, in their order.
fn steps(workflow: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut below = None;
    for line in workflow.lines() {
        let depth = line.len() - line.trim_start().len();
        match line.trim_start().trim_start_matches("- ").strip_prefix("run: ") {
            Some("|") => {
                below = Some(depth);
                found.push(String::new());
            }
            Some(command) => found.push(command.to_owned()),
            None if below.is_some_and(|least| depth > least) => {
                let last = found.pop().unwrap_or_default();
                found.push(format!("{last}{}\n", line.trim_start()));
            }
            None => below = None,
        }
    }
    found
}

#[test]
fn the_hooks_are_json_and_their_commands_answer() {
    let bench = bench!(empty);
    bench.write("plantools.toml", "[[gates]]\nid = \"a\"\ninvocation = \"test -e done\"\n");
    for file in ["claude/settings.json", "codex/hooks.json"] {
        let text = std::fs::read_to_string(place(file)).unwrap();
        let settings: serde_json::Value = serde_json::from_str(&text).unwrap();
        for (event, rows) in settings["hooks"].as_object().unwrap() {
            let command = rows[0]["hooks"][0]["command"].as_str().unwrap();
            let input =
                serde_json::json!({ "hook_event_name": event, "cwd": bench.repo(), "tool_name": "Read" });
            bench.sh(command).stdin(input.to_string()).run().exits(0);
        }
    }
    let stop = serde_json::json!({ "hook_event_name": "Stop", "cwd": bench.repo() }).to_string();
    let refused = bench.sh("gate-run --hook").stdin(&stop).run().exits(0).out();
    assert!(refused.contains("\"decision\":\"block\""), "{refused}");
    bench.write("done", "");
    let passed = bench.sh("gate-run --hook").stdin(&stop).run().exits(0).out();
    assert!(!passed.contains("\"decision\":\"block\""), "{passed}");
}

#[test]
fn every_command_that_an_agent_is_told_to_use_is_known() {
    let bench = bench!(demo);
    let plan = pipeline_tests::DEMO_PLAN;
    for file in ["claude/SKILL.md", "codex/AGENTS.md", "opencode/plan.md"] {
        let text = std::fs::read_to_string(place(file)).unwrap();
        let lines = text.split('`').skip(1).step_by(2).filter(|line| line.starts_with("plan-parse"));
        let mut tried = 0;
        for line in lines {
            let line = line.replace("$ARGUMENTS", "PLAN").replace("PLAN", plan).replace("ID", "1");
            bench.sh(&line).run().exits(0);
            tried += 1;
        }
        assert!(tried > 0, "{file} names no command");
    }
}

#[test]
fn an_installation_works_and_leaves_no_trace() {
    let bench = bench!(demo);
    let from = bench.outside().join("bin");
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

const PLAN: &str = "# Note\n\n## TODOs\n\n### [ ] TODO 1: Write\n\n```sh\necho hello > note.txt\n```\n\n\
                    **Acceptance Criteria**:\n- [ ] It is there: `test -s note.txt`\n";

fn place(name: &str) -> String {
    workspace().join("scripts/integrations").join(name).display().to_string()
}
