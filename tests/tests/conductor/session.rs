//! `orchestrate mcp`: an agent in a session of its own takes tasks, and can tick nothing by itself. The client here is a
//! shell: what it starts is what an agent starts.

use pipeline_tests::{Bench, Got, SMALL_PLAN, bench, workspace};
use serde_json::Value;
use std::io::Write;

/// Starts the server as a client does; `call TOOL ARGUMENTS` prints the answer on a line.
const CLIENT: &str = r#"
mkfifo ../home/in ../home/out
orchestrate mcp PLAN.md < ../home/in > ../home/out &
server=$!
exec 3> ../home/in 4< ../home/out
call() {
  printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "${2:-{\}}" >&3
  IFS= read -r line <&4 && printf '%s\n' "$line"
}
hook() { printf '{"hook_event_name":"%s","cwd":"%s"}' "$1" "$PWD" | gate-run --hook --taken; }
printf '{"jsonrpc":"2.0","id":0,"method":"ping"}\n' >&3
IFS= read -r line <&4
finish() { exec 3>&-; wait "$server"; echo "{\"exit\":$?}"; }
"#;

const DONE: &str = r#"call plan_done '{"summary":"made it","outputs":{"made":"made.txt"}}'"#;

fn small() -> Bench {
    let bench = bench!(empty);
    bench.write("PLAN.md", SMALL_PLAN).commit_all("a plan");
    bench
}

/// Runs the steps of a client, and returns what each printed: the answer of a tool without its wrapping.
fn session(bench: &Bench, steps: &str) -> Vec<Value> {
    let got: Got = bench.sh(&format!("{CLIENT}\n{steps}")).within(120).run();
    let printed = got.out();
    let lines = printed
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap_or_else(|error| panic!("{error}: {line}")));
    let bare = |line: Value| match line.pointer("/result/structuredContent") {
        Some(answer) => answer.clone(),
        None => line,
    };
    let lines: Vec<Value> = lines.map(bare).collect();
    assert!(!lines.is_empty(), "{got:?}");
    lines
}

#[test]
fn a_lie_ticks_nothing_and_the_truth_is_proved() {
    let bench = small();
    let said = session(
        &bench,
        &format!(
            "call plan_task\n{DONE}\necho done > made.txt\ncall plan_check\n{DONE}\ncall plan_next\nfinish"
        ),
    );
    let [taken, lie, check, truth, next, end] = said.as_slice() else { panic!("{said:?}") };
    assert!(taken["prompt"].as_str().unwrap().contains("Make it"), "{taken}");
    assert_eq!((&lie["done"], &lie["again"]["attempt"]), (&false.into(), &2.into()), "{lie}");
    let missing: Vec<&str> =
        lie["missing"].as_array().unwrap().iter().map(|one| one["command"].as_str().unwrap()).collect();
    assert_eq!(missing, ["test -f made.txt", "grep -c done made.txt"], "{lie}");
    assert!(lie["again"]["prompt"].as_str().unwrap().contains("test -f made.txt"), "{lie}");
    assert_eq!((&check["pass"], &check["passed"]), (&true.into(), &2.into()), "{check}");
    assert_eq!((&truth["done"], &truth["level"]), (&true.into(), &"proved".into()), "{truth}");
    assert_eq!(truth["plan"]["done"], true, "{truth}");
    assert_eq!((&next["answer"], &end["exit"]), (&"done".into(), &0.into()), "{said:?}");
    assert_eq!(bench.boxes("PLAN.md"), (1, 0));
    assert!(bench.subjects().contains(&"feat: make it".to_owned()));
    bench.sh("punch verify").run().exits(0);
}

#[test]
fn the_agent_can_tick_nothing_by_itself() {
    let bench = small();
    let tick = "checkbox tick 1 PLAN.md --reason mine > /dev/null 2>&1; echo \"{\\\"exit\\\":$?}\"";
    let steps = format!(
        "{tick}\nsed -i 's/### \\[ \\] TODO 1/### [x] TODO 1/' PLAN.md\ncall plan_next\ncall plan_task\n\
         sed -i 's/### \\[ \\] TODO 1/### [x] TODO 1/' PLAN.md\n{tick}\n{DONE}\nfinish\n{tick}"
    );
    let said = session(&bench, &steps);
    let [by_command, by_hand, taken, meanwhile, done, end, person] = said.as_slice() else {
        panic!("{said:?}")
    };
    assert_eq!((&by_command["exit"], &meanwhile["exit"]), (&1.into(), &1.into()), "{said:?}");
    let found = by_hand["found"][0].as_str().unwrap();
    assert!(found.contains("the box of task 1 was ticked and nothing proves it"), "{by_hand}");
    assert_eq!((&taken["task"], &done["done"]), (&"1".into(), &false.into()), "{said:?}");
    assert_eq!(end["exit"], 0);
    // Where no session is served any more, a person types.
    assert_eq!(person["exit"], 0, "{said:?}");
}

#[test]
fn beside_a_client_that_has_the_server_among_its_arguments_a_person_decides() {
    let bench = small();
    let client = "sh -c 'sleep 60; :' orchestrate mcp & client=$!";
    let tick = "checkbox tick 1 PLAN.md --reason mine; said=$?; kill $client; exit $said";
    bench.sh(&format!("{client}\n{tick}")).within(60).run().exits(0);
}

#[test]
fn a_task_that_asks_for_less_is_not_handed_out() {
    let bench = small();
    let weaker = "sed -i 's/`grep -c done made.txt` → 1/`true`/' PLAN.md";
    let said = session(&bench, &format!("{weaker}\ncall plan_next\ncall plan_task\nfinish"));
    assert!(said[0]["found"][0].as_str().unwrap().contains("task 1 asks for something else"), "{said:?}");
    assert_eq!(said[1]["code"], "plan-changed", "{said:?}");
    assert_eq!(bench.records().iter().filter(|record| record["type"] == "attempt_begin").count(), 0);
}

#[test]
fn the_hooks_hold_up_a_session_that_has_a_task() {
    let bench = small();
    let steps = format!(
        "hook Stop\ncall plan_task\nhook Stop\nhook TaskCompleted\necho done > made.txt\nhook TaskCompleted\nhook \
         TeammateIdle\n{DONE}\nhook Stop\nhook TaskCompleted\nfinish"
    );
    let said = session(&bench, &steps);
    let [nothing, _, early, before, later, idle, done, after, last, _] = said.as_slice() else {
        panic!("{said:?}")
    };
    let blocks = |answer: &Value| answer["decision"] == "block";
    assert_eq!(nothing.to_string(), "{}");
    assert!(blocks(early) && early["reason"].as_str().unwrap().contains("test -f made.txt"), "{early}");
    assert!(blocks(before) && !blocks(later), "{before} {later}");
    assert!(blocks(idle) && idle["reason"].as_str().unwrap().contains("call plan_done"), "{idle}");
    assert_eq!(done["done"], true, "{done}");
    assert_eq!((after.to_string(), last.to_string()), ("{}".to_owned(), "{}".to_owned()));
}

#[test]
fn a_session_that_ends_leaves_its_task_to_the_next() {
    for end in ["finish", "kill -9 \"$server\"; wait \"$server\"; echo '{}'"] {
        let bench = small();
        session(&bench, &format!("call plan_task\n{end}"));
        let began = || bench.records().iter().filter(|record| record["type"] == "attempt_begin").count();
        pipeline_tests::until(|| bench.processes().is_empty());
        assert_eq!(began(), 1, "{end}");
        let halts: Vec<bool> = bench
            .records()
            .iter()
            .filter(|record| record["type"] == "halt")
            .filter_map(|record| record["data"]["halt"]["counts"].as_bool())
            .collect();
        assert!(!halts.contains(&true), "{end}: {halts:?}");
        bench.sh("rm ../home/in ../home/out").run().exits(0);
        let said = session(&bench, &format!("call plan_task\necho done > made.txt\n{DONE}\nfinish"));
        assert_eq!(said[1]["done"], true, "{end}: {said:?}");
    }
}

#[test]
fn what_cannot_be_done_waits_for_a_person() {
    let bench = small();
    let said = session(
        &bench,
        "call plan_task\ncall plan_done '{\"summary\":\"no\",\"blocked\":\"the key is missing\"}'\ncall plan_task\nfinish",
    );
    assert_eq!(said[1]["done"], false, "{said:?}");
    assert!(
        said[1]["again"].is_null() && said[1]["refused"].to_string().contains("the key is missing"),
        "{said:?}"
    );
    assert_eq!(said[2]["status"], "failed", "{}", said[2]);
}

#[test]
fn suggestions_and_reports_write_nothing() {
    let bench = bench!(empty);
    bench.write("PLAN.md", "# Notes\n\n- [ ] Write docs/notes.md\n").commit_all("a plan");
    let said = session(&bench, "call plan_suggest_checks\ncall plan_report\nfinish");
    let checks = said[0]["suggestions"].as_array().unwrap();
    assert!(checks.iter().any(|one| one["check"].as_str().unwrap().contains("docs/notes.md")), "{said:?}");
    assert!(said[1]["report"].as_str().unwrap().contains("docs/notes.md"), "{said:?}");
    assert_eq!(bench.git(&["status", "--porcelain"]), "");
}

/// The official client, from `$PLANTOOLS_PYTHON` or the usual python3; without its package this says so and is done.
#[expect(clippy::disallowed_methods, reason = "which python the tests use is up to who runs them")]
#[test]
fn the_official_client_carries_out_a_plan() {
    let bench = bench!(empty);
    let python = std::env::var("PLANTOOLS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if bench.sh(&format!("{python} -c 'import mcp'")).run().status != 0 {
        let _ =
            writeln!(std::io::stderr(), "the package 'mcp' is not installed for {python}: nothing was tried");
        return;
    }
    let tests = workspace().join("tests");
    let plan = format!(
        "PYTHONPATH={}/agents {python} -B -c 'import story; print(story.PLAN, end=\"\")'",
        tests.display()
    );
    bench.sh(&format!("{plan} > PLAN.md")).run().exits(0);
    bench.commit_all("a plan");
    let client = tests.join("mcp/plan.py");
    let got = bench.sh(&format!("{python} {} orchestrate mcp PLAN.md", client.display())).within(240).run();
    assert_eq!(got.exits(0).out(), "held\n", "{got:?}");
}
