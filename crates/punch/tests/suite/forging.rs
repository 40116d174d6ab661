//! Every way to forge a record that we could think of; each is refused with its line.

use crate::bench::{Bench, events, shown};
use ledger::{Head, hash_of};
use std::fs;
use wire::punch::Type;

/// The expected message about a file, and the forgery.
type Forgery<'f> = (&'f str, &'f dyn Fn(&str) -> String);

const CARD: &str = "[cards.checked]\nrequired = ['gate_pass:lint']\n";

/// Four records: an attempt, a failed check, a passed check.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("plantools.toml", CARD);
    bench.attempt(&[]);
    bench.gate(Type::GateFail, "gate:lint");
    bench.gate(Type::GatePass, "gate:types");
    bench
}

fn lines(bench: &Bench) -> Vec<String> {
    bench.text().lines().map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_whole_ledger_is_whole() {
    let bench = bench();
    bench.anchor();
    bench.punch(&["verify"]).exits(0).says("4 records, 1 anchor, 0 problems");
    bench.punch(&["evaluate", "1", "checked"]).exits(1);
}

#[test]
fn an_edited_key_is_named_by_its_line() {
    let bench = bench();
    bench.set_text(&bench.text().replace("\"gate_fail\"", "\"gate_pass\""));
    bench.punch(&["verify"]).exits(1).says("ledger.ndjson:3: was edited");
    bench.punch(&["evaluate", "1", "checked"]).exits(65).says("ledger.ndjson:3: line 3 was edited");
}

#[test]
fn an_edited_line_with_a_new_hash_is_named_by_the_line_behind_it() {
    let bench = bench();
    let mut all = lines(&bench);
    let (before, _) = all[2].split_once(",\"hash\":").unwrap();
    let before = before.replace("\"gate_fail\"", "\"gate_pass\"");
    all[2] = format!("{before},\"hash\":\"{}\"}}\n", hash_of(&before));
    bench.set_text(&all.concat());
    bench.punch(&["verify"]).exits(1).says("ledger.ndjson:3: was replaced: line 4 follows another record");
    bench.punch(&["evaluate", "1", "checked"]).exits(65).says("ledger.ndjson:4");
}

#[test]
fn an_inserted_line_is_named() {
    let bench = bench();
    let other = self::bench();
    other.gate(Type::GatePass, "gate:lint");
    let mut all = lines(&bench);
    // A record that would fit at the end, inserted before the last one.
    all.insert(3, lines(&other)[4].clone());
    bench.set_text(&all.concat());
    bench.punch(&["verify"]).exits(1).says("ledger.ndjson:4: ");
    bench.punch(&["evaluate", "1", "checked"]).exits(65).says("ledger.ndjson:4");
}

#[test]
fn an_inserted_line_that_fits_the_one_before_it_is_named() {
    let bench = bench();
    let mut all = lines(&bench);
    let (before, _) = all[3].split_once(",\"hash\":").unwrap();
    let forged = before.replace("gate:types", "gate:lint");
    all.insert(3, format!("{forged},\"hash\":\"{}\"}}\n", hash_of(&forged)));
    bench.set_text(&all.concat());
    bench.punch(&["verify"]).exits(1).says("ledger.ndjson:4: was inserted: line 5 follows line 3");
}

#[test]
fn removed_copied_and_moved_lines_are_told_apart() {
    let bench = bench();
    let all = lines(&bench);
    let cases: [(&[usize], &str); 4] = [
        (&[0, 2, 3], "ledger.ndjson:2: has lost the records before it: 1 were removed, number 2 to 2"),
        (&[2, 3], "ledger.ndjson:1: has lost the records before it: 2 were removed, number 1 to 2"),
        (&[0, 1, 2, 1, 3], "ledger.ndjson:4: is a copy of line 2"),
        (&[0, 2, 1, 3], "ledger.ndjson:2: is out of order: it follows line 3, which comes later"),
    ];
    for (order, words) in cases {
        bench.set_text(&order.iter().map(|line| all[*line].as_str()).collect::<String>());
        let got = bench.punch(&["verify"]);
        got.exits(1).says(words);
        assert_eq!(got.err.lines().count(), 1, "{got:?}");
    }
}

#[test]
fn an_end_that_was_removed_past_the_last_anchor_is_named() {
    let bench = bench();
    bench.anchor();
    let all = lines(&bench);
    bench.set_text(&all[..2].concat());
    bench.punch(&["verify"]).exits(1).says("ledger.ndjson:2: is the last line, record 2; commit ");
    // Records after the last anchor can disappear without a trace; anchors exist for that reason.
    bench.set_text(&all.concat());
    bench.gate(Type::GatePass, "gate:lint");
    bench.set_text(&all.concat());
    bench.punch(&["verify"]).exits(0);
}

#[test]
fn a_ledger_that_was_rewritten_contradicts_the_commits_and_another_one_does_not() {
    let bench = bench();
    bench.anchor();
    let other = Bench::new();
    other.gate(Type::GatePass, "gate:lint");
    other.attempt(&[]);
    other.gate(Type::GatePass, "gate:types");
    let (own, text) = (bench.text(), other.text());
    bench.set_text(&text);
    // As in a clone, or where the folder was removed: the commits have nothing to say of it.
    bench.punch(&["verify"]).exits(0).says("1 commit names a record of another ledger");
    // What follows the first record of this one was written again, with a chain that holds.
    let mut head = Head { seq: 0, hash: String::new() };
    bench.set_text(&own);
    let records = bench.ledger().read().unwrap();
    let mut rewritten = own.lines().next().unwrap().to_owned() + "\n";
    (head.seq, head.hash) = (records[0].seq, records[0].hash.clone());
    for record in &records[1..] {
        let mut entry = bench.entry(record.kind, "other");
        entry.data = serde_json::to_value(&record.data).unwrap();
        rewritten += &ledger::line_of(entry, None, &mut head).unwrap();
    }
    bench.set_text(&rewritten);
    let words = "ledger.ndjson:4: is another record than the one that commit ";
    bench.punch(&["verify"]).exits(1).says(words).says("the ledger was rewritten");
}

#[test]
fn another_plans_ledger_proves_nothing() {
    let bench = bench();
    let other = Bench::new();
    let plan = other.entry(Type::AttemptBegin, "shell");
    other.append(ledger::Entry { plan: "OTHER.md".into(), ..plan });
    bench.set_text(&other.text());
    let words = "ledger.ndjson:1: is about plan 'OTHER.md', which is not here";
    bench.punch(&["evaluate", "1", "checked"]).exits(65).says(words);
    bench.punch(&["evaluate", "1", "checked", "--plan", "PLAN.md"]).exits(3);
    // The same plan with another text of the task.
    other.set_text("");
    let entry = other.entry(Type::AttemptBegin, "shell");
    other.append(ledger::Entry { fingerprint: Some("fp1:0".into()), ..entry });
    bench.set_text(&other.text());
    bench
        .punch(&["evaluate", "1", "checked"])
        .exits(65)
        .says("ledger.ndjson:1: is about task '1' as it does not stand");
}

#[test]
fn a_pass_that_somebody_typed_does_not_count() {
    let bench = bench();
    bench
        .punch(&["append", "--type", "gate_pass", "--key", "lint", "--task", "1", "--plan", "PLAN.md"])
        .exits(0);
    let got = bench.punch(&["evaluate", "1", "checked", "--text"]);
    got.exits(1);
    got.says("❌ gate_pass:lint MISSING").says("line 5 was typed by a person: it does not count");
}

#[test]
fn records_that_steer_the_pipe_cannot_be_typed() {
    let bench = bench();
    for kind in
        ["tick", "untick", "override", "attempt_end", "halt", "seal", "checkpoint", "commit", "skip", "torn"]
    {
        bench
            .punch(&["append", "--type", kind, "--key", "x"])
            .exits(2)
            .says("only the tool that does the work");
    }
    bench.punch(&["append", "--type", "prayer", "--key", "x"]).exits(2).says("there is no type 'prayer'");
}

#[test]
fn a_pass_from_an_older_tree_does_not_count() {
    let bench = bench();
    bench.gate(Type::GatePass, "gate:lint");
    bench.punch(&["evaluate", "1", "checked"]).exits(0);
    bench.write("code.txt", "changed since");
    let got = bench.punch(&["evaluate", "1", "checked", "--text"]);
    got.exits(1);
    got.says("line 5 is from another tree than the one that is there now: it does not count");
}

#[test]
fn a_later_failure_takes_a_pass_back_and_a_pass_of_another_run_is_none() {
    let bench = bench();
    bench.gate(Type::GatePass, "gate:lint");
    bench.gate(Type::GateFail, "gate:lint");
    bench.punch(&["evaluate", "1", "checked", "--text"]).exits(1).says("line 5 passed; line 6 takes it back");
    let bench = self::bench();
    let mut entry = bench.entry(Type::GatePass, "gate:lint");
    (entry.source, entry.tree, entry.run) = (wire::punch::SourceKind::Gate, Some(bench.tree()), "r0".into());
    bench.append(entry);
    bench
        .punch(&["evaluate", "1", "checked", "--run", "r1", "--text"])
        .exits(1)
        .says("line 5 is of run 'r0'");
}

#[test]
fn a_sealed_file_that_was_touched_is_named_by_its_line() {
    let card = "[cards.hands-off]\nforbidden = ['kind:edit']\n";
    let make = || {
        let bench = Bench::new();
        bench.write("plantools.toml", card);
        bench.attempt(&["a.rs"]);
        let calls = [("Read", "a.rs", None), ("Edit", "a.rs", None), ("Bash", "make", Some(0))];
        let record = events(&bench, "record.ndjson", &calls);
        bench.punch(&["mint", "--task", "1", shown(&record)]).exits(0);
        bench.punch(&["verify"]).exits(0).says("3 records, 1 seal, 0 problems");
        bench.punch(&["evaluate", "1", "hands-off"]).exits(1);
        bench
    };
    let file = ".plantools/punches/r1-1.ndjson";
    let cut = |text: &str, lines: usize| text.split_inclusive('\n').take(lines).collect::<String>();
    let forgeries: [Forgery<'_>; 4] = [
        ("r1-1.ndjson:2: was edited", &|text| text.replace("\"kind\":\"edit\"", "\"kind\":\"read\"")),
        ("r1-1.ndjson:2: does not follow the line before it", &|text| {
            text.split_inclusive('\n').enumerate().filter(|(at, _)| *at != 1).map(|(_, line)| line).collect()
        }),
        ("r1-1.ndjson:1: is the last line; 5 were sealed: the end was removed", &|text| cut(text, 1)),
        ("r1-1.ndjson: is empty; 5 records were sealed", &|_| String::new()),
    ];
    for (words, forge) in forgeries {
        let bench = make();
        let text = fs::read_to_string(bench.path(file)).unwrap();
        fs::write(bench.path(file), forge(&text)).unwrap();
        bench.punch(&["verify"]).exits(1).says(words).says("sealed by line 3 of the ledger");
        bench.punch(&["evaluate", "1", "hands-off"]).exits(65);
    }
    // The file of another ledger, intact by itself.
    let (bench, other) = (make(), make());
    other.punch(&["mint", "--task", "1", "record.ndjson"]).exits(0);
    fs::copy(other.path(file), bench.path(file)).unwrap();
    bench.punch(&["verify"]).exits(1).says("r1-1.ndjson:1: does not follow the line before it");
    fs::remove_file(bench.path(file)).unwrap();
    bench.punch(&["verify"]).exits(1).says("r1-1.ndjson: is not there; it held 5 records");
}
