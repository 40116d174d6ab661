//! Bad workers: the box stays open, the ledger says why, nothing is lost, no process is left. And an honest one
//! passes.

use pipeline_tests::{Bench, SMALL_PLAN, SUCCESS, bench};
use std::time::{Duration, Instant};

#[test]
fn an_honest_worker_gets_its_box_and_its_commit() {
    let bench = bench!(small, &format!("echo done > made.txt\n{SUCCESS}"));
    bench.worker_round().exits(0);
    passed(&bench);
}

#[test]
fn the_worker_gets_its_prompt_on_standard_input() {
    let bench = bench!(small, &format!("cat > ../home/prompt; echo done > made.txt\n{SUCCESS}"));
    bench.worker_round().exits(0);
    let prompt = bench.text("../home/prompt");
    assert!(prompt.contains("Make it") && prompt.contains("grep -c done made.txt"), "{prompt}");
}

const CLAIMS: &str = r#"{
  "status": "SUCCESS",
  "outputs": { "made": "made.txt" },
  "acceptance_criteria": [
    { "id": "1:1", "category": "functional", "command": "test -f made.txt", "status": "PASS" },
    { "id": "1:2", "category": "functional", "command": "grep -c done made.txt", "status": "PASS" }
  ]
}"#;

#[test]
fn claims_without_work_tick_nothing_and_are_recorded_as_false() {
    let bench = bench!(small, &format!("cat <<'JSON'\n{}\nJSON", CLAIMS.replace('\n', "")));
    let got = bench.worker_round();
    bench.stays_open(&got, "gate-run checks-failed");
    let halt = bench.records().into_iter().find(|r| r["type"] == "halt").unwrap().to_string();
    assert!(halt.contains("\"mismatches\":[\"1:1\",\"1:2\"]"), "{halt}");
}

#[test]
fn an_answer_that_is_printed_over_several_lines_is_taken_whole() {
    let bench = bench!(
        small,
        &format!("echo done > made.txt\ncat <<'JSON'\nAll done:\n```json\n{CLAIMS}\n```\nJSON")
    );
    bench.worker_round().exits(0);
    passed(&bench);
    let outputs = bench.text("context/outputs.json");
    assert!(outputs.contains("made.txt"), "the outputs were lost: {outputs}");
}

#[test]
fn a_worker_that_prints_no_json_is_malformed() {
    let bench = bench!(small, "echo done > made.txt; echo 'All done, every check passed!'");
    let got = bench.worker_round();
    bench.stays_open(&got, "worker-run malformed");
    assert_eq!(bench.text("made.txt"), "done\n", "its work is not thrown away");
}

#[test]
fn a_worker_that_exits_1_has_crashed_whatever_it_says() {
    let bench = bench!(small, &format!("echo done > made.txt\n{SUCCESS}\nexit 1"));
    let got = bench.worker_round();
    bench.stays_open(&got, "worker-run crashed");
}

#[test]
fn a_worker_that_hangs_is_ended_in_time_even_if_it_will_not_listen() {
    let bench =
        bench!(small, "trap '' TERM INT HUP\necho done > made.txt\nwhile :; do sleep 60 & wait $!; done");
    let start = Instant::now();
    let got = bench.worker_round();
    assert!(start.elapsed() < Duration::from_secs(20), "it took {:?}", start.elapsed());
    bench.stays_open(&got, "worker-run timeout");
}

#[test]
fn a_worker_that_is_not_there_is_said() {
    let bench = bench!(small, "");
    let got = bench.round("PLAN.md", "worker-run -- ../home/no-such-worker");
    bench.stays_open(&got, "worker-run worker-missing");
}

#[test]
fn a_worker_that_ticks_its_own_box_gains_nothing() {
    let bench = bench!(small, &format!("sed -i 's/\\[ \\]/[x]/' PLAN.md\n{SUCCESS}"));
    let got = bench.worker_round();
    bench.stays_open(&got, "worker-run plan-touched");
    let halt = bench.records().into_iter().find(|r| r["type"] == "halt").unwrap();
    let kept = bench.text(halt.pointer("/data/detail/kept").and_then(|v| v.as_str()).unwrap());
    assert!(kept.contains("### [x] TODO 1"), "what it left is not kept: {kept}");
}

#[test]
fn a_worker_that_weakens_its_criterion_gains_nothing() {
    let script = "sed -i -e 's/grep -c done made.txt/echo 1/' -e 's/test -f made.txt/true/' PLAN.md";
    let bench = bench!(small, &format!("{script}\n{SUCCESS}"));
    let got = bench.worker_round();
    bench.stays_open(&got, "worker-run plan-touched");
}

#[test]
fn a_worker_that_removes_the_plan_gains_nothing() {
    let bench = bench!(small, &format!("rm PLAN.md\n{SUCCESS}"));
    let got = bench.worker_round();
    bench.stays_open(&got, "worker-run plan-touched");
}

#[test]
fn a_forged_pass_in_the_ledger_is_found() {
    let forge = r#"
last=$(tail -n 1 .plantools/ledger.ndjson)
hash=${last##*\"hash\":\"}; hash=${hash%%\"*}
before=${last%%,\"hash\"*}
forged=$(printf '%s' "$before" | sed -e 's/"attempt_begin"/"gate_pass"/' -e 's/"seq":[0-9]*/"seq":2/' \
  -e 's/"key":"[^"]*"/"key":"1:1"/' -e 's/"kind":"supervisor"/"kind":"gate"/' -e "s/\"prev\":\"[^\"]*\"/\"prev\":\"$hash\"/")
sum=$(printf '%s' "$forged" | sha256sum | cut -d ' ' -f 1)
printf '%s,"hash":"%s"}\n' "$forged" "$sum" >> .plantools/ledger.ndjson"#;
    let bench = bench!(small, &format!("{forge}\n{SUCCESS}"));
    let got = bench.worker_round();
    bench.stays_open(&got, "worker-run ledger-touched");
}

#[test]
fn an_index_of_the_ledger_that_a_worker_writes_is_removed() {
    let forged = r#"{"schema":"ledger-index/1","blocks":[{"line":0,"end":9,"lines":1,"sha256":""}],"last":"","places":{}}"#;
    let bench =
        bench!(small, &format!("echo '{forged}' > .plantools/ledger.index; echo done > made.txt\n{SUCCESS}"));
    let _ = bench.worker_round();
    assert_eq!(bench.text("made.txt"), "done\n");
    assert!(!bench.repo().join(".plantools/ledger.index").exists());
}

#[test]
fn a_ledger_that_is_deleted_during_the_first_attempt_is_noticed() {
    let bench = bench!(small, &format!("rm .plantools/ledger.ndjson; echo done > made.txt\n{SUCCESS}"));
    let got = bench.worker_round();
    bench.is_open(&got, "worker-run ledger-touched");
}

#[test]
fn a_ledger_that_is_deleted_during_a_later_attempt_is_noticed() {
    let bench = bench!(small, "echo nothing");
    let _ = bench.worker_round();
    bench.set_worker(&format!("rm .plantools/ledger.ndjson; echo done > made.txt\n{SUCCESS}"));
    let got = bench.worker_round();
    bench.is_open(&got, "worker-run ledger-touched");
}

#[test]
fn a_process_that_is_left_behind_is_ended_before_the_checks() {
    let late = "(setsid sh -c 'sleep 3; echo done > made.txt; sleep 600' >/dev/null 2>&1 &)";
    let bench = bench!(small, &format!("{late}\n{SUCCESS}"));
    let got = bench.worker_round();
    bench.stays_open(&got, "gate-run checks-failed");
    assert!(!bench.path("made.txt").exists());
}

#[test]
fn a_process_that_forks_on_and_on_does_not_get_away() {
    let late = "nohup setsid bash -c 'trap \"\" HUP TERM; (while :; do sleep 0.1; done) & (sleep 600 &) ; wait' >/dev/null 2>&1 &";
    let bench = bench!(small, &format!("{late}\necho done > made.txt\n{SUCCESS}"));
    bench.worker_round().exits(0);
    passed(&bench);
}

#[test]
fn of_two_answers_the_last_one_wins() {
    let error = r#"echo '{"status":"ERROR","error":{"message":"it cannot be done"}}'"#;
    let bench = bench!(small, &format!("echo done > made.txt\n{SUCCESS}\n{error}"));
    let got = bench.worker_round();
    bench.stays_open(&got, "worker-run worker-error");
    assert!(got.out().contains("it cannot be done"), "{got:?}");
    bench.set_worker(&format!("echo done > made.txt\n{error}\n{SUCCESS}"));
    bench.worker_round().exits(0);
    passed(&bench);
}

#[test]
fn a_worker_that_edits_the_configuration_is_halted() {
    let bench = bench!(small, &format!("echo done > made.txt; echo '# looser' > plantools.toml\n{SUCCESS}"));
    let got = bench.worker_round();
    bench.stays_open(&got, "worker-run pins-touched");
    assert_eq!(bench.text("plantools.toml"), "# looser\n", "nobody's file is removed");
    // Until a person accepts the change, the next round stops before a worker starts.
    let begun = bench.count("attempt_begin");
    let got = bench.worker_round();
    bench.is_open(&got, "handoff pin-changed");
    assert_eq!(bench.count("attempt_begin"), begun);
}

#[test]
fn a_worker_that_sets_a_hook_is_halted() {
    let hook =
        "mkdir -p .git/hooks; printf '#!/bin/sh\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit";
    let bench = bench!(small, &format!("echo done > made.txt; {hook}\n{SUCCESS}"));
    let got = bench.worker_round();
    bench.stays_open(&got, "worker-run pins-touched");
}

#[test]
fn a_setting_of_git_for_the_user_halts() {
    // Only a file of the bench is ever written to: 'git config --global' would replace whatever the variable names.
    let hook = r#"case $GIT_CONFIG_GLOBAL in */gitconfig) printf '[core]\n\thooksPath = hooks\n' >> "$GIT_CONFIG_GLOBAL" ;; esac"#;
    let bench = bench!(small, &format!("echo done > made.txt; {hook}\n{SUCCESS}"));
    bench.write("../home/gitconfig", "[core]\n\tabbrev = 9\n");
    let global = bench.path("../home/gitconfig");
    let line =
        "plan-parse -q PLAN.md | dag-next | handoff | worker-run -- ../home/w.sh | gate-run | checkbox";
    let got = bench.sh(line).env("GIT_CONFIG_GLOBAL", &global.to_string_lossy()).run();
    assert!(got.out().contains("pins-touched"), "{got:?}");
    assert_eq!(bench.boxes("PLAN.md"), (0, 1), "{got:?}");
}

#[test]
fn after_every_failure_an_honest_worker_gets_the_box() {
    for script in ["echo words", "exit 1", "kill -9 $$", "rm PLAN.md"] {
        let bench = bench!(small, script);
        bench.worker_round().exits(1);
        bench.set_worker(&format!("echo done > made.txt\n{SUCCESS}"));
        bench.worker_round().exits(0);
        passed(&bench);
    }
}

#[test]
fn attempts_run_out_and_then_it_is_stuck() {
    let bench = bench!(small, "exit 1");
    let round = |bench: &Bench| {
        let line = format!("worker-run -- ../home/w.sh | {}", pipeline_tests::PIPE);
        bench
            .sh(&format!("plan-parse -q PLAN.md | dag-next --max-attempts 2 | handoff | {line}"))
            .run()
            .status
    };
    let ends: Vec<_> = (0..4).map(|_| round(&bench)).collect();
    assert_eq!(ends[..2], [1, 1]);
    assert_eq!(ends[3], 5, "{ends:?}");
    assert!(bench.count("attempt_begin") <= 3, "two, and at most one to mend it");
    assert_eq!(bench.boxes("PLAN.md"), (0, 1));
}

#[track_caller]
fn passed(bench: &Bench) {
    assert_eq!(bench.boxes("PLAN.md"), (1, 0));
    assert_eq!(bench.subjects(), ["start", "plan", "feat: make it"]);
    assert_eq!(bench.processes(), Vec::<String>::new());
    bench.command("punch").args(["verify"]).run().exits(0);
}

#[test]
fn a_change_that_git_is_told_not_to_see_by_its_time_is_seen() {
    let bench = bench!(
        small,
        &format!(
            "touch -r kept.txt ../home/time; printf 'other\\n' > kept.txt; touch -r ../home/time kept.txt\n\
             echo done > made.txt; {SUCCESS}"
        )
    );
    let plan =
        SMALL_PLAN.replace("**Outputs**", "**Must NOT do**:\n- Do not change `kept.txt`\n\n**Outputs**");
    bench.write("PLAN.md", plan).write("kept.txt", "whole\n").commit_all("a file to keep");
    bench.git(&["config", "core.trustctime", "false"]);
    // What is of the same second as the index is looked at anyway.
    bench.sh("touch -d '2020-01-01' kept.txt && git update-index --refresh").run().exits(0);
    let got = bench.worker_round();
    assert_eq!(bench.halts(), ["worker-run must-not"], "{got:?}");
    assert_eq!(bench.count("tick"), 0);
}

#[test]
fn a_ledger_that_is_rewritten_before_its_last_line_is_noticed() {
    for edit in ["sed -i '1s/\"one\"/\"two\"/' $l", "sed -i 1d $l", "sed -i '1i {}' $l", "echo '{}' >> $l"] {
        let bench =
            bench!(small, &format!("l=.plantools/ledger.ndjson; {edit}; echo done > made.txt; {SUCCESS}"));
        bench.sh("punch append --type message --key one --plan PLAN.md").run().exits(0);
        let before = bench.records().len();
        assert!(before > 0, "a line to edit");
        let got = bench.worker_round();
        assert!(bench.halts().contains(&"worker-run ledger-touched".to_owned()), "{edit}: {got:?}");
        assert_eq!(bench.count("tick"), 0, "{edit}");
    }
}

#[test]
fn a_check_ticks_no_box_and_writes_no_evidence() {
    let goal = "\n## Definition of Done\n- [ ] A person has looked at it\n";
    for (deed, halt) in [
        ("sed -i '/Definition/,$s/\\[ \\]/[x]/' PLAN.md", "gate-run plan-touched"),
        ("checkbox criterion note:1 --reason seen PLAN.md && exit 0; exit 1", "gate-run checks-failed"),
        ("sed -i 1d .plantools/ledger.ndjson", "gate-run ledger-touched"),
        ("punch append --plan PLAN.md --task 2 --type gate_pass --key 2:1", "gate-run ledger-touched"),
        ("git commit -q --allow-empty -m x", "gate-run history-moved"),
        ("git checkout -q -b other", "gate-run history-moved"),
        ("git config core.hooksPath hooks", "gate-run pins-touched"),
    ] {
        let bench = bench!(
            small,
            &format!(
                "printf '%s\\n' \"{}\" 'exit 0' > t.sh; echo done > made.txt; {SUCCESS}",
                deed.replace('$', "\\$")
            )
        );
        let plan = SMALL_PLAN.replace("`test -f made.txt`", "`sh t.sh` → exit 0") + goal;
        bench.write("PLAN.md", &plan).commit_all("a check that runs what the worker wrote");
        let got = bench.worker_round();
        assert_eq!(bench.halts(), [halt], "{deed}: {got:?}");
        assert_eq!(bench.count("tick"), 0, "{deed}");
        // Nothing more is handed out while the box stands.
        if halt == "gate-run plan-touched" {
            let got = bench.worker_round();
            assert!(
                got.out().contains("changed since the first attempt") || bench.halts().len() > 1,
                "{got:?}"
            );
            assert_eq!(bench.count("tick"), 0);
        }
    }
}

#[test]
fn a_worker_that_removes_the_ledger_ends_the_run_whatever_is_left_to_do() {
    let bench = bench!(
        small,
        "echo 1 >> ../home/count; rm -f .plantools/ledger.ndjson; echo '{\"status\":\"SUCCESS\"}'"
    );
    let other = "\n### [ ] TODO 2: Another\n\n**Acceptance Criteria**:\n- [ ] It is: `test -f never`\n";
    bench.write("PLAN.md", SMALL_PLAN.to_owned() + other);
    bench.write("plantools.toml", "[workers.w]\ncommand = [\"../home/w.sh\"]\n").commit_all("two tasks");
    let got = bench.sh("orchestrate --worker w --max-attempts 1 PLAN.md").within(60).run();
    got.exits(5);
    assert!(got.err().contains("the ledger was cut or rewritten"), "{got:?}");
    assert!(bench.text("../home/count").lines().count() <= 3, "{got:?}");
}

#[test]
fn a_plan_is_not_put_back_through_a_folder_that_became_a_link() {
    let bench = bench!(small, "rm -rf dev; ln -s ../home/theirs dev; echo '{\"status\":\"SUCCESS\"}'");
    bench.write("../home/theirs/PLAN.md", "precious").write("dev/PLAN.md", SMALL_PLAN).commit_all("a folder");
    let got = bench.round("dev/PLAN.md", "worker-run --timeout-seconds 2 --grace-seconds 1 -- ../home/w.sh");
    assert_eq!(bench.text("../home/theirs/PLAN.md"), "precious", "{got:?}");
    assert_eq!(bench.text("dev/PLAN.md"), SMALL_PLAN, "{got:?}");
    assert_eq!(bench.count("tick"), 0);
}

/// A hook would run with the first commit: it stops every round and every run until a person has looked.
#[test]
fn a_hook_that_a_worker_left_stops_every_later_round_and_run() {
    let script = format!(
        "echo done > made.txt\n[ -e ../honest ] || {{ printf '#!/bin/sh\\ntouch ../ran\\n' > .git/hooks/pre-commit; \
         chmod +x .git/hooks/pre-commit; }}\n{SUCCESS}"
    );
    let bench = bench!(small, &script);
    bench.sh("mkdir -p .git/hooks").run().exits(0);
    let run = || bench.command("orchestrate").args(["PLAN.md", "--", "../home/w.sh"]).run();
    run().exits(5);
    assert_eq!(bench.halts()[0], "worker-run pins-touched");
    bench.write("../honest", "");
    for _ in 0..2 {
        let got = run();
        got.exits(5);
        assert_eq!(bench.halts().last().map(String::as_str), Some("handoff pin-changed"), "{got:?}");
        assert!(got.err().contains("git configuration or hooks"), "{got:?}");
        assert_eq!((bench.count("attempt_begin"), bench.boxes("PLAN.md")), (1, (0, 1)), "{got:?}");
    }
    bench.sh("rm .git/hooks/pre-commit").run().exits(0);
    run().exits(0);
    assert!(!bench.path("../ran").exists(), "the hook never ran");
}
