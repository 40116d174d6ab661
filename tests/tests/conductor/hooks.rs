//! `[hooks]` of plantools.toml: they run at the events of a run, and no hook changes anything in the run.

use pipeline_tests::{Bench, SMALL_PLAN, SUCCESS, bench};
use serde_json::Value;

/// A plan whose worker fails once and then does the work, and these hooks.
fn bench_with(hooks: &str) -> Bench {
    let bench = bench!(empty);
    bench.write("PLAN.md", SMALL_PLAN).write("plantools.toml", format!("[hooks]\n{hooks}"));
    let once = "[ -e ../home/again ] || { touch ../home/again; exit 1; }";
    bench.program("../home/w.sh", &format!("#!/bin/sh\n{once}\necho done > made.txt; {SUCCESS}\n"));
    bench.commit_all("a plan");
    bench
}

/// What must be so after the run, whatever the hooks do.
#[track_caller]
fn carried(bench: &Bench) -> String {
    let got = bench.sh("orchestrate PLAN.md -- ../home/w.sh").within(120).run();
    got.exits(0);
    assert_eq!(bench.boxes("PLAN.md"), (1, 0), "{got:?}");
    assert!(bench.subjects().contains(&"feat: make it".to_owned()), "{got:?}");
    assert_eq!(bench.git(&["status", "--porcelain"]), "", "{got:?}");
    bench.sh("punch verify").run().exits(0);
    assert!(bench.processes().is_empty(), "{:?}", bench.processes());
    got.err()
}

#[test]
fn each_hook_is_told_with_the_event_on_standard_input() {
    let line = |name: &str| format!("{name} = 'cat >> ../home/{name}'\n");
    let bench = bench_with(&["attempt_end", "tick", "halt", "needs_person", "end"].map(line).concat());
    carried(&bench);
    let told = |name: &str| -> Vec<Value> {
        let text = std::fs::read_to_string(bench.path(&format!("../home/{name}"))).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let outcomes: Vec<Value> = told("attempt_end").iter().map(|event| event["outcome"].clone()).collect();
    assert_eq!(outcomes, ["crashed", "done"]);
    assert_eq!(told("tick").len(), 1);
    assert_eq!(told("tick")[0]["task"], "1");
    assert_eq!(told("halt").len(), 1);
    assert!(told("needs_person").is_empty(), "{:?}", told("needs_person"));
    let [end] = told("end").try_into().unwrap();
    assert_eq!((&end["schema"], &end["exit"], &end["code"]), (&"event/1".into(), &0.into(), &"done".into()));
}

#[test]
fn what_waits_for_a_person_is_told_once() {
    let bench = bench_with("needs_person = 'cat >> ../home/told'\n");
    bench.program(
        "../home/w.sh",
        "#!/bin/sh\necho '{\"status\":\"ERROR\",\"error\":{\"code\":\"blocked\",\"message\":\"no key\"}}'\n",
    );
    bench.sh("orchestrate PLAN.md -- ../home/w.sh").within(120).run().exits(5);
    let told = bench.text("../home/told");
    assert_eq!(told.lines().count(), 1, "{told}");
    assert!(told.contains("blocked"), "{told}");
}

#[test]
fn a_hook_that_hangs_fails_or_floods_changes_nothing() {
    for (hook, named) in [
        ("sleep 600", true),
        ("trap '' TERM INT; sleep 600 & sleep 600", true),
        ("exit 3", true),
        ("no-such-program", true),
        ("yes", true),
        ("yes | head -c 100000000; true", false),
        ("checkbox tick 1 PLAN.md --reason mine", true),
        ("true", false),
    ] {
        let line = |name: &str| format!("{name} = \"{hook}\"\n");
        let all = ["attempt_end", "tick", "halt", "end"].map(line).concat();
        let bench = bench_with(&format!("{all}timeout_seconds = 2\n"));
        let err = carried(&bench);
        assert_eq!(err.contains("failed; the run goes on"), named, "{hook}: {err}");
    }
}

#[test]
fn a_misspelt_hook_is_refused() {
    let bench = bench_with("on_tick = 'true'\n");
    bench.sh("orchestrate PLAN.md -- ../home/w.sh").run().exits(78);
}
