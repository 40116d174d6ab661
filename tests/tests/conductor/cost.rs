//! What a task costs besides its work does not grow with the plan or with the ledger: counts, not times.

use ledger::{Entry, Ledger};
use pipeline_tests::{Bench, CONDUCTOR, TOOLS, bench};
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use toolkit::files::root::Home;
use toolkit::files::stamp::Stamp;
use wire::RunId;
use wire::punch::Type;

const PLAN: &str = "PLAN.md";

/// A repository with a plan of so many tasks, each with a check that fails before its work.
fn with_tasks(bench: Bench, tasks: u32) -> Bench {
    let task = |number| {
        format!(
            "### [ ] TODO {number}: part {number}\n\n```sh\necho {number} >> n\n```\n\n**Acceptance Criteria**:\n- [ ] `grep -qx {number} n` → exit 0\n\n"
        )
    };
    let all: String = (1..=tasks).map(task).collect();
    bench.write(PLAN, format!("# P\n\n## TODOs\n\n{all}")).write("n", "0\n").commit_all("plan");
    bench
}

/// Carries the plan out, and gives what the processes of the run have read, in bytes.
fn read_by(bench: &Bench, tasks: u32) -> u64 {
    read_with(CONDUCTOR, bench, tasks)
}

/// The same for a conductor with variables of its own.
fn read_with(conductor: &str, bench: &Bench, tasks: u32) -> u64 {
    let got = bench.sh(&format!("{conductor} --worker shell {PLAN} >&2 && cat /proc/$$/io")).run();
    got.exits(0);
    assert_eq!(bench.text(PLAN).matches("[x] TODO").count(), tasks as usize, "{got:?}");
    let out = got.out();
    let read = out.lines().find_map(|line| line.strip_prefix("rchar: "));
    read.and_then(|read| read.parse().ok())
        .unwrap_or_else(|| panic!("the kernel does not count what is read: {got:?}"))
}

/// Puts a program that notes its name before each tool.
fn noted(bench: &Bench) -> std::io::Result<()> {
    for tool in TOOLS {
        let link = bench.outside().join("bin").join(tool);
        let behind = bench.outside().join("home").join(tool);
        fs::rename(&link, &behind)?;
        let log = bench.outside().join("tmp/started");
        let text =
            format!("#!/bin/sh\necho {tool} >>'{}'\nexec '{}' \"$@\"\n", log.display(), behind.display());
        testbench::write_file(&link, text.as_bytes());
        fs::set_permissions(&link, Permissions::from_mode(0o755))?;
    }
    Ok(())
}

#[test]
fn the_tools_start_once_a_run_however_many_tasks_it_has() {
    let started = |tasks| {
        let bench = with_tasks(bench!(empty), tasks);
        noted(&bench).unwrap();
        read_by(&bench, tasks);
        let log = fs::read_to_string(bench.outside().join("tmp/started")).expect("tools were started");
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for tool in log.lines() {
            *counts.entry(tool.to_owned()).or_default() += 1;
        }
        counts
    };
    let (few, more) = (started(2), started(5));
    assert!(few.contains_key("handoff"), "{few:?}");
    assert_eq!(few, more);
}

#[test]
fn a_task_reads_no_more_behind_a_long_ledger() {
    let each = |records: u32| {
        let read = |tasks: u32| {
            let bench = with_tasks(bench!(empty), tasks);
            let ledger = Ledger::new(Home::of(&bench.repo()).expect("a home"));
            let record = |number: u32| Entry {
                plan: PLAN.to_owned(),
                ..Entry::new(
                    RunId("before".into()),
                    Type::Message,
                    number.to_string(),
                    "2026-01-01T00:00:00Z".to_owned(),
                )
            };
            if records > 0 {
                ledger.append_all((0..records).map(record).collect()).expect("records");
            }
            (read_by(&bench, tasks), Stamp::of(&ledger.path()).is_some())
        };
        let ((few, _), (more, has_stamp)) = (read(2), read(6));
        // Where the file system does not tell whether a file was touched, the guard reads the ledger.
        has_stamp.then(|| more.saturating_sub(few) / 4)
    };
    let (Some(short), Some(long)) = (each(0), each(4000)) else { return };
    // One read of the long ledger is more than a megabyte.
    assert!(long < short + (500 << 10), "{short} bytes a task, and {long} behind 4000 records");
}

#[test]
fn a_run_reads_little_of_a_long_ledger_of_another_plan() {
    let read = |megabytes: u64| {
        let bench = with_tasks(bench!(empty), 2);
        let ledger = Ledger::new(Home::of(&bench.repo()).expect("a home"));
        let entry = |number: u64| Entry {
            plan: "OLD.md".to_owned(),
            data: serde_json::json!({ "text": "x".repeat(1000) }),
            ..Entry::new(
                "before".into(),
                Type::Message,
                number.to_string(),
                "2026-01-01T00:00:00Z".to_owned(),
            )
        };
        if megabytes > 0 {
            // Somewhat more than whole blocks, so that few lines follow the index.
            ledger.append_all((0..megabytes * 800).map(entry).collect()).expect("records");
            ledger.keep_index().expect("an index");
        }
        let size = ledger.path().metadata().map_or(0, |about| about.len());
        // The run begins after the index was written.
        let began = bench.sh("date +%s.%N").run();
        let line = format!("PLANTOOLS_SINCE={} {CONDUCTOR}", began.out().trim());
        (read_with(&line, &bench, 2), size, Stamp::of(&ledger.path()).is_some())
    };
    let ((short, ..), (long, size, has_stamp)) = (read(0), read(20));
    if has_stamp {
        assert!(size > 20_000_000 && long < short + size / 2, "{short} bytes, and {long} behind {size}");
    }
}

#[test]
fn a_tick_is_told_without_the_rest_of_the_plan_and_leads_to_the_same_order() {
    let bench = with_tasks(bench!(empty), 3);
    let line = "mkfifo ../tmp/ask && { plan-parse --each PLAN.md <../tmp/ask >../tmp/told & } && exec 3>../tmp/ask && echo >&3 &&
        until [ -s ../tmp/told ]; do :; done && checkbox tick 1 --reason done PLAN.md >&2 && echo >&3 && exec 3>&- && wait &&
        dag-next --each <../tmp/told >../tmp/orders && head -n 1 ../tmp/told >../tmp/whole && plan-parse PLAN.md >>../tmp/whole &&
        dag-next --each <../tmp/whole >../tmp/wanted";
    bench.sh(line).run().exits(0);
    let told = bench.text("../tmp/told");
    let ticks: serde_json::Value = serde_json::from_str(told.lines().nth(1).unwrap()).unwrap();
    assert_eq!((&ticks["schema"], &ticks["tasks"]), (&"ticks/1".into(), &serde_json::json!(["1"])), "{told}");
    let orders = |name: &str| -> Vec<serde_json::Value> {
        let lines = bench.text(name);
        let read = lines.lines().map(|line| serde_json::from_str(line).unwrap());
        read.map(|mut order: serde_json::Value| {
            order["run"] = "r".into();
            order
        })
        .collect()
    };
    let got = orders("../tmp/orders");
    let of_first = got.iter().filter(|order| order["task"]["id"] == "1").count();
    assert_eq!(of_first, 1, "ticked, and handed out before: {got:?}");
    assert_eq!(got, orders("../tmp/wanted"));
}

#[test]
fn a_result_that_a_power_cut_took_is_given_back_by_the_record() {
    let bench = with_tasks(bench!(empty), 1);
    let stages =
        "plan-parse PLAN.md | dag-next | handoff | gate-run --before | worker-run --worker shell >&2";
    bench.sh(stages).run().exits(0);
    let sealed = "find .plantools/work -name result.json";
    let found = bench.sh(sealed).run().exits(0).out();
    assert_eq!(found.lines().count(), 1, "{found}");
    bench.write(found.trim(), "");
    bench.sh(&format!("{CONDUCTOR} --worker shell {PLAN} >&2")).run().exits(0);
    // A second worker would have added the line again.
    assert_eq!(bench.text("n"), "0\n1\n");
}
