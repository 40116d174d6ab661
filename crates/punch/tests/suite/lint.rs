//! Cards that can never fail, workflows with false statements, and routes that lead nowhere.

use crate::bench::{Bench, events, shown};
use serde_json::Value;

fn codes(document: &Value) -> Vec<(String, String)> {
    let findings = document["findings"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    findings.iter().map(|finding| (text(&finding["code"]), text(&finding["row"]))).collect()
}

fn linted(bench: &Bench, card: &str, args: &[&str]) -> (i32, Vec<(String, String)>) {
    bench.write(
        "plantools.toml",
        &format!("[[gates]]\nid = 'lint'\ninvocation = 'true'\n[cards.c]\n{card}\n"),
    );
    let got = bench.punch(&[&["lint", "c"], args].concat());
    (got.code, codes(&got.json()))
}

fn found(code: &str, row: &str) -> (String, String) {
    (code.to_owned(), row.to_owned())
}

#[test]
fn each_way_in_which_a_row_cannot_work_has_its_name() {
    let bench = Bench::new();
    let cases = [
        ("forbidden = ['tool_call:scribble_file*']", "vacuous", "tool_call:scribble_file*"),
        ("required = ['tool_call:scribble']", "unsatisfiable", "tool_call:scribble"),
        ("required = ['mcp_call:process_thought']", "unsatisfiable", "mcp_call:process_thought"),
        ("required = ['governor_kill:*']", "unsatisfiable", "governor_kill:*"),
        ("forbidden = ['message:*']", "vacuous", "message:*"),
        ("required = ['step_complete:done']", "unsatisfiable", "step_complete:done"),
        ("required = ['gate_pass:tpyo']", "unknown-gate", "gate_pass:tpyo"),
        ("rows = [{ type = 'cost_checkpoint' }]", "toothless", ""),
        ("required = ['kind:edit']\nforbidden = ['kind:edit']", "both-ways", "kind:edit"),
        ("required = ['tool_call:Edit']\nforbidden = ['kind:edit']", "both-ways", "kind:edit"),
        ("required = ['child_spawn:code']\nforbidden = ['child_spawn:*']", "both-ways", "child_spawn:*"),
    ];
    for (card, code, row) in cases {
        assert_eq!(linted(&bench, card, &[]), (1, vec![found(code, row)]), "{card}");
    }
    for card in [
        "required = ['gate_pass:lint', 'gate_pass:*']",
        "forbidden = ['kind:edit', 'tool_call:apply_*']",
        "required = ['mcp_call:*thought*']",
    ] {
        assert_eq!(linted(&bench, card, &[]), (0, vec![]), "{card}");
    }
}

#[test]
fn the_end_that_waits_for_itself_is_a_warning() {
    let bench = Bench::new();
    let card = "required = ['step_complete:task_exit']";
    assert_eq!(linted(&bench, card, &[]), (0, vec![found("circular-exit", "step_complete:task_exit")]));
}

#[test]
fn one_clients_words_may_be_another_clients_nonsense() {
    let bench = Bench::new();
    let card = "forbidden = ['tool_call:write_to_file']";
    assert_eq!(linted(&bench, card, &["--vocabulary", "extension-api"]).0, 0);
    assert_eq!(
        linted(&bench, card, &["--vocabulary", "claude"]),
        (1, vec![found("vacuous", "tool_call:write_to_file")])
    );
    assert_eq!(linted(&bench, card, &["--vocabulary", "extension"]).0, 1);
    bench.punch(&["lint", "c", "--vocabulary", "klingon"]).exits(2).says("there is no such vocabulary");
}

#[test]
fn a_real_record_shows_what_a_row_misses() {
    let bench = Bench::new();
    let record = events(
        &bench,
        "record.ndjson",
        &[("appliedDiff", "a", None), ("appliedDiff", "b", None), ("Task", "Code Fabricator", None)],
    );
    let against = ["--against", shown(&record)];
    let card = "forbidden = ['tool_call:edit_file*', 'kind:edit']\nrequired = ['child_spawn:code']";
    let (code, findings) = linted(&bench, card, &against);
    assert_eq!(
        (code, findings),
        (1, vec![found("unsatisfiable", "child_spawn:code"), found("vacuous", "tool_call:edit_file*")])
    );
    let got = bench.punch(&[&["lint", "c", "--text"], against.as_slice()].concat());
    got.says("'appliedDiff' (2 times)").says("'Code Fabricator' (1 times)");
    // The absence of a forbidden action in one record does not make the row vacuous.
    assert_eq!(linted(&bench, "forbidden = ['mcp_call:*deploy*', 'kind:write']", &against), (0, vec![]));
    bench.punch(&["lint", "c", "--against", "no/such"]).exits(66);
}

#[test]
fn counts_in_a_workflow_must_be_the_cards_own() {
    let bench = Bench::new();
    bench.write("plantools.toml", "[cards.c]\nrequired = ['kind:edit']\nforbidden = ['kind:spawn']\n");
    let flow = |counts: &str| {
        bench.write("flow.md", &format!("---\npunch_card: c\n---\n\n**Punch Card:** `c` ({counts})\n"))
    };
    flow("2 rows, 1 required, 1 forbidden");
    bench.punch(&["lint", "flow.md"]).exits(0);
    flow("9 rows, 4 required, 4 forbidden");
    let got = bench.punch(&["lint", "flow.md", "--text"]);
    got.exits(1);
    got.says(
        "flow.md:5: c: error [count-differs]: says 9 rows, 4 required, 4 forbidden; the card has 2, 1 and 1",
    );
    bench.write("flow.md", "---\npunch_card: nobody-s\n---\n");
    bench.punch(&["lint", "flow.md", "--text"]).exits(1).says("flow.md:2: nobody-s: error [unknown-card]");
}

#[test]
fn routes_that_lead_nowhere_and_totals_that_are_none_are_named() {
    let bench = Bench::new();
    let table = "[meta]\ntotal_bindings = 5\n\n[commands.a]\nskill = 'cli'\ntool = '.kilocode/tools/gone.py run'\n\n\
                 [commands.b]\nskill = 'missing-skill'\ncomposite = ['a', 'ghost']\n\n\
                 [commands.check_lint]\nskill = 'cli'\ntool = 'lint .'\ngate_wrapper = 'runner'\n";
    let path = bench.write(".kilocode/commands.toml", table);
    bench.write("flow.md", "use [`commands.a`](../commands.toml), then `commands.nowhere`\n");
    let got = bench.punch(&["lint", shown(&path), "flow.md", "--text"]);
    got.exits(1);
    let got = got.says("commands.toml:2: error [wrong-total]: says 5 commands; there are 3");
    let got = got.says("commands.toml:4: error [dangling-route]: 'a' leads to '.kilocode/tools/gone.py'");
    let got = got.says("commands.toml:8: error [dangling-route]: 'b' is made of 'ghost'");
    let got = got.says("'b' asks for skill 'missing-skill'");
    got.says("flow.md:1: error [dangling-route]: refers to 'commands.nowhere'");
    // Its gates are gates.
    bench.write("plantools.toml", "[cards.c]\nrequired = ['gate_pass:check_lint']\n");
    let got = bench.punch(&["lint", "c", shown(&path)]);
    assert!(!got.out.contains("unknown-gate"), "{got:?}");
}

#[test]
fn the_cards_that_come_with_the_tool_can_bite() {
    let bench = Bench::new();
    let names = bench.punch(&["cards"]).exits(0).out.clone();
    let names: Vec<_> =
        names.lines().filter_map(|line| line.strip_prefix("[cards.")?.strip_suffix(']')).collect();
    assert_eq!(names.len(), 16);
    let gates = ["ruff-format", "ruff-check", "mypy", "pytest", "workflow-validation"];
    let gates: Vec<_> = gates.iter().flat_map(|gate| ["--gate", gate]).collect();
    let got = bench.punch(&[&["lint", "--text"], names.as_slice(), gates.as_slice()].concat());
    got.exits(0);
    assert!(!got.out.contains("error ["), "{got:?}");
}
