//! `orchestrate init --for CLIENT`: the plugin of a client in a project, and out of it again.

use pipeline_tests::{Bench, DEMO_PLAN, bench};
use serde_json::{Value, json};
use std::path::Path;

const CLIENTS: [&str; 5] = ["claude", "codex", "gemini", "opencode", "agents"];

/// The files of the tree, without those of git and of ours.
fn files(bench: &Bench) -> Vec<String> {
    let line = "find . -type f -not -path './.git/*' -not -path './.plantools/*' | sort; find . -type d -empty -not -path './.git/*'";
    bench.sh(line).run().out().lines().map(str::to_owned).collect()
}

#[test]
fn a_plugin_goes_in_and_out_without_a_trace() {
    for client in CLIENTS {
        let bench = bench!(empty);
        let before = files(&bench);
        bench.sh(&format!("orchestrate init --for {client} --dry-run")).run().exits(0);
        assert_eq!(files(&bench), before, "{client}: --dry-run");
        bench.sh(&format!("orchestrate init --for {client}")).run().exits(0);
        let with = files(&bench);
        assert!(with.len() > before.len(), "{client}");
        // Once more is no error, and changes nothing.
        bench.sh(&format!("orchestrate init --for {client}")).run().exits(0);
        assert_eq!(files(&bench), with, "{client}");
        bench.sh(&format!("orchestrate init --for {client} --undo")).run().exits(0);
        assert_eq!(files(&bench), before, "{client}");
    }
}

#[test]
fn what_is_not_ours_stays() {
    let bench = bench!(empty);
    let path = ".agents/plugins/marketplace.json";
    bench.write(path, "{}\n");
    let before = files(&bench);
    let got = bench.sh("orchestrate init --for codex").run();
    assert!(got.exits(1).err().contains("is not ours"), "{got:?}");
    assert_eq!(files(&bench), before);
    let got = bench.sh("rm -r .agents && orchestrate init --for codex && echo more >> .agents/plugins/plantools/hooks/hooks.json").run();
    got.exits(0);
    let got = bench.sh("orchestrate init --for codex --undo").run();
    assert!(got.exits(1).err().contains("hooks.json was changed since and stays"), "{got:?}");
}

#[test]
fn the_client_itself_is_told_where_it_keeps_a_list() {
    let bench = bench!(empty);
    for client in ["codex", "gemini"] {
        let program = format!("../home/{client}");
        bench.program(&program, "#!/bin/sh\nprintf '%s\\n' \"$*\" >> ../home/calls\n");
    }
    let path = "PATH=\"$PWD/../home:$PATH\"";
    for client in ["codex", "gemini"] {
        bench.sh(&format!("{path} orchestrate init --for {client}")).run().exits(0);
        bench.sh(&format!("{path} orchestrate init --for {client} --undo")).run().exits(0);
    }
    let top = bench.repo().canonicalize().unwrap();
    let wanted = format!(
        "plugin marketplace add {top}\nplugin add plantools@plantools\nplugin remove plantools@plantools\n\
         plugin marketplace remove plantools\nextensions link {top}/.gemini/extensions/plantools --consent\n\
         extensions uninstall plantools\n",
        top = top.display()
    );
    assert_eq!(bench.text("../home/calls"), wanted);
}

#[test]
fn manifests_are_json_and_the_commands_of_hooks_answer() {
    let bench = bench!(empty);
    for client in CLIENTS {
        bench.sh(&format!("orchestrate init --for {client}")).run().exits(0);
    }
    let mut hooks = 0;
    for path in files(&bench).iter().filter(|path| Path::new(path).extension() == Some("json".as_ref())) {
        let value: Value = serde_json::from_str(&bench.text(path)).unwrap();
        assert!(!value.to_string().contains("@VERSION@"), "{path}");
        for (event, rows) in value["hooks"].as_object().into_iter().flatten() {
            let command = rows[0]["hooks"][0]["command"].as_str().unwrap();
            let input = json!({ "hook_event_name": event, "cwd": bench.repo(), "tool_name": "Read" });
            let got = bench.sh(command).stdin(input.to_string()).run();
            assert!(!got.exits(0).out().contains("\"block\""), "{event}: {got:?}");
            hooks += 1;
        }
        for server in value["mcpServers"].as_object().into_iter().flatten().map(|(_, server)| server) {
            assert_eq!(
                (&server["command"], &server["args"]),
                (&json!("orchestrate"), &json!(["mcp"])),
                "{path}"
            );
        }
    }
    assert_eq!(hooks, 9);
}

#[test]
fn every_command_that_an_agent_is_told_to_use_is_known() {
    let bench = bench!(demo);
    bench.sh("orchestrate init --for opencode").run().exits(0);
    for file in [".agents/skills/plantools/SKILL.md", ".opencode/command/plan.md"] {
        let text = bench.text(file);
        let commands = ["plan-parse", "gate-run", "run-report"];
        let is_command = |line: &&str| commands.iter().any(|name| line.starts_with(&format!("{name} ")));
        let mut tried = 0;
        for line in text.split('`').skip(1).step_by(2).filter(is_command) {
            let line = line.replace("$ARGUMENTS", "PLAN").replace("PLAN", DEMO_PLAN).replace("ID", "1");
            let got = bench.sh(&line).run();
            assert!(got.status < 2, "{line}: {got:?}");
            tried += 1;
        }
        assert!(tried > 0, "{file} names no command");
    }
}
