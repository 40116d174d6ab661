//! Cards and records: counts, order, paths, agents, children, and the end itself.

use crate::bench::{Bench, events, shown};
use serde_json::json;
use wire::punch::Type;

fn judged(bench: &Bench, card: &str, calls: &[(&str, &str, Option<i32>)]) -> serde_json::Value {
    bench.write("plantools.toml", &format!("[cards.c]\n{card}\n"));
    let record = events(bench, "record.ndjson", calls);
    let got = bench.punch(&["evaluate", "x", "c", shown(&record)]);
    got.json()["card"].clone()
}

#[test]
fn rows_count_and_have_an_order() {
    let bench = Bench::new();
    let card = "rows = [{ type = 'command_exec', like = '%test%', min = 2, after = 'last-edit' },
                        { type = 'kind', pattern = 'shell', max = 3 }]";
    let test = ("Bash", "make test", Some(0));
    let edit = ("Edit", "a", None);
    for (calls, status, hits) in [
        (vec![edit, test, test], "pass", 2),
        (vec![test, edit, test], "fail", 1),
        (vec![test, test, edit], "fail", 0),
        (vec![test, test], "pass", 2),
        (vec![test, test, test, test], "fail", 4),
    ] {
        let card = judged(&bench, card, &calls);
        assert_eq!((&card["status"], &card["rows"][0]["hits"]), (&json!(status), &json!(hits)), "{calls:?}");
    }
}

#[test]
fn what_failed_meets_nothing_and_an_edit_that_was_refused_breaks_nothing() {
    let bench = Bench::new();
    let failed = |tool, target| [(tool, target, Some(1))];
    assert_eq!(judged(&bench, "required = ['command_exec:*']", &failed("Bash", "make"))["status"], "fail");
    assert_eq!(
        judged(&bench, "forbidden = ['command_exec:*push*']", &failed("Bash", "git push"))["status"],
        "fail"
    );
    assert_eq!(judged(&bench, "forbidden = ['kind:edit']", &failed("Edit", "a"))["status"], "pass");
}

#[test]
fn a_path_row_sees_tools_and_git() {
    let bench = Bench::new();
    let card = "forbidden = ['path:tests/**']";
    for path in ["tests/a.rs", "./tests/a.rs", "src/../tests/a.rs", shown(&bench.path("tests/a.rs"))] {
        assert_eq!(
            judged(&bench, card, &[("Edit", path, None)])["violations"],
            json!(["path:tests/**"]),
            "{path}"
        );
    }
    assert_eq!(judged(&bench, card, &[("Read", "tests/a.rs", None)])["status"], "pass");
    // No tool reports it, but git does.
    bench.attempt(&["tests/a.rs"]);
    bench.punch(&["evaluate", "1", "c"]).exits(1).says("ledger line 2: tests/a.rs");
}

#[test]
fn the_main_agent_is_told_from_those_below_it() {
    let bench = Bench::new();
    bench.write(
        "plantools.toml",
        "[cards.c]\nagent = 'main'\nforbidden = ['kind:edit']\nrequired = ['kind:spawn']\n",
    );
    let below = json!({ "name": "Edit", "target": "a", "agent": "sub1" });
    let text = format!("{}\n{below}\n", json!({ "name": "Task", "target": "code", "ok": true }));
    let record = bench.write("record.ndjson", &text);
    bench.punch(&["evaluate", "x", "c", shown(&record)]).exits(0);
    bench.write("plantools.toml", "[cards.c]\nforbidden = ['kind:edit']\n");
    bench.punch(&["evaluate", "x", "c", shown(&record)]).exits(1);
}

#[test]
fn no_evidence_is_exit_3_and_never_a_pass() {
    let bench = Bench::new();
    bench.write(
        "plantools.toml",
        "[cards.c]\nforbidden = ['kind:edit']\n[cards.g]\nrequired = ['gate_pass:lint']\n",
    );
    let silent =
        bench.write("silent.ndjson", "{\"type\":\"end\",\"ok\":true,\"name\":\"\",\"target\":\"\"}\n");
    for args in [
        vec!["evaluate", "x", "c"],
        vec!["evaluate", "x", "c", "no/such"],
        vec!["evaluate", "x", "c", shown(&silent)],
    ] {
        let got = bench.punch(&args);
        got.exits(3);
        assert_eq!(got.json()["card"]["status"], "no_evidence", "{args:?}");
    }
    // Records in the ledger do not make up for a missing transcript.
    bench.attempt(&[]);
    bench.gate(Type::GatePass, "gate:lint");
    bench.punch(&["evaluate", "1", "c"]).exits(3);
    bench.punch(&["evaluate", "1", "g"]).exits(0);
    bench.punch(&["evaluate", "1", "nobody-s"]).exits(65).says("there is no card 'nobody-s'");
}

#[test]
fn the_end_itself_may_be_left_open_before_the_end() {
    let bench = Bench::new();
    bench.write("plantools.toml", "[cards.c]\nrequired = ['kind:edit', 'step_complete:task_exit']\n");
    let record = events(&bench, "record.ndjson", &[("Edit", "a", None)]);
    bench.punch(&["evaluate", "x", "c", shown(&record)]).exits(1);
    bench.punch(&["evaluate", "x", "c", "--pre-exit", shown(&record)]).exits(0);
    let text = std::fs::read_to_string(&record).unwrap() + "{\"type\":\"end\",\"ok\":true}\n";
    std::fs::write(&record, text).unwrap();
    bench.punch(&["evaluate", "x", "c", shown(&record)]).exits(0);
}

#[test]
fn a_row_that_is_not_enforced_is_shown_and_decides_nothing() {
    let bench = Bench::new();
    let card = "rows = [{ type = 'kind', pattern = 'edit', forbidden = true, enforced = false }]\nrequired = ['kind:edit']";
    let judged = judged(&bench, card, &[("Edit", "a", None)]);
    assert_eq!(judged["status"], "pass");
    assert_eq!((&judged["rows"][1]["ok"], &judged["rows"][1]["shown_only"]), (&json!(false), &json!(true)));
}

#[test]
fn the_table_for_people_shows_each_row_at_a_glance() {
    let bench = Bench::new();
    bench.write(
        "plantools.toml",
        "[cards.c]\nrequired = ['kind:edit', 'kind:spawn']\nforbidden = ['kind:write', 'path:b']\n",
    );
    let record = events(&bench, "record.ndjson", &[("Edit", "a", None), ("Edit", "b", None)]);
    let got = bench.punch(&["evaluate", "x", "c", "--text", shown(&record)]);
    got.exits(1);
    let want = "✅ kind:edit (2 hits)\n❌ kind:spawn MISSING\n🚫 kind:write none found\n❌ path:b FORBIDDEN (1 hit)\n     line 2: Edit b\n\
                c: FAIL — 1 missing row, 1 violation\n\
                from 2 calls in 0 messages (0 lines not understood), 0 checks, 0 records of the ledger\n";
    assert_eq!(got.out, want);
}

#[test]
fn a_parent_needs_the_cards_of_its_children() {
    let bench = Bench::new();
    bench.write(
        "plantools.toml",
        "[cards.child]\nrequired = ['kind:edit']\n[cards.parent]\nchildren = 'child'\n",
    );
    let good = events(&bench, "good.ndjson", &[("Edit", "a", None)]);
    let bad = events(&bench, "bad.ndjson", &[("Read", "a", None)]);
    bench.punch(&["evaluate", "p", "parent"]).exits(3);
    bench.punch(&["checkpoint", "k1", "child", shown(&good), "--parent", "p"]).exits(0);
    bench.punch(&["evaluate", "p", "parent"]).exits(0);
    bench.punch(&["checkpoint", "k2", "child", shown(&bad), "--parent", "p"]).exits(1);
    let got = bench.punch(&["evaluate", "p", "parent", "--text"]);
    got.exits(1);
    got.says("❌ child_card:child NOT ENOUGH (1 hit)")
        .says("task 'k2': card 'child' came out as fail in line ");
    bench.punch(&["checkpoint", "k2", "child", shown(&good), "--parent", "p"]).exits(0);
    bench.punch(&["evaluate", "p", "parent"]).exits(0);
    // A checkpoint cannot be typed: there is no such command.
    bench.punch(&["append", "--type", "checkpoint", "--key", "child", "--task", "k3"]).exits(2);
}

#[test]
fn cards_may_come_from_json_and_from_seeds() {
    let bench = Bench::new();
    let json = bench.write(
        "cards.json",
        r#"{"j":[{"punch_type":"tool_call","punch_key_pattern":"Ed_t","required":true,"forbidden":true}]}"#,
    );
    let record = events(&bench, "record.ndjson", &[("Edit", "a", None)]);
    bench
        .punch(&["evaluate", "x", "j", "--cards", shown(&json), shown(&record)])
        .exits(1)
        .says("tool_call:Ed_t");
    let sql = bench.write(
        "seeds.sql",
        "INSERT INTO punch_cards (card_id, punch_type, punch_key_pattern) VALUES ('s', 'tool_call', 'Edit');",
    );
    let toml = bench.punch(&["import-cards", shown(&sql)]).exits(0).out.clone();
    bench.write("plantools.toml", &toml);
    bench.punch(&["evaluate", "x", "s", shown(&record)]).exits(0);
}

#[test]
fn a_command_that_must_leave_a_receipt_is_a_required_row() {
    let bench = Bench::new();
    let commands = "[commands.checkpoint]\nskill = 'cli'\ntool = 'punch.py checkpoint {task_id}'\nreceipt_required = true\n";
    bench.write(".kilocode/commands.toml", commands);
    let config =
        "[commands]\nfile = '.kilocode/commands.toml'\ncard = 'c'\n[cards.c]\nforbidden = ['kind:spawn']\n";
    bench.write("plantools.toml", config);
    let judged = |name: &str, command: &str| {
        let record = events(&bench, name, &[("Bash", command, Some(0))]);
        bench.punch(&["evaluate", "x", "c", shown(&record)])
    };
    judged("without.ndjson", "make").exits(1).says("command_exec:*punch.py checkpoint **");
    judged("with.ndjson", "python3 punch.py checkpoint t-7").exits(0);
    // A card that allows it, and their own card.
    bench.write("plantools.toml", "[commands]\nfile = '.kilocode/commands.toml'\n");
    let record = events(&bench, "again.ndjson", &[("Bash", "make", Some(0))]);
    bench.punch(&["evaluate", "x", "receipts", shown(&record)]).exits(1);
}
