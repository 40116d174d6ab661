//! The table of the manners matrix: what each tool reads and does, and where a manner cannot apply.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// One tool as a stage.
pub(crate) struct Row {
    /// Its name.
    pub(crate) tool: &'static str,
    /// What makes it read orders or a plan.
    pub(crate) args: &'static [&'static str],
    /// What it reads.
    pub(crate) reads: Reads,
    /// What a reader that leaves means to it.
    pub(crate) acts: Acts,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    /// A plan as it is written.
    PlanText,
    /// A `plan/1` document.
    PlanDocument,
    /// A stream of orders.
    Orders,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Acts {
    /// It only answers.
    No,
    /// It changes something beyond its output.
    Yes,
}

const fn row(tool: &'static str, args: &'static [&'static str], reads: Reads, acts: Acts) -> Row {
    Row { tool, args, reads, acts }
}

pub(crate) const TABLE: [Row; 12] = [
    row("plan-parse", &[], Reads::PlanText, Acts::No),
    row("dag-next", &[], Reads::PlanDocument, Acts::No),
    row("dag-export", &[], Reads::PlanDocument, Acts::No),
    row("handoff", &[], Reads::Orders, Acts::Yes),
    row("worker-run", &["--worker", "shell"], Reads::Orders, Acts::Yes),
    row("gate-run", &[], Reads::Orders, Acts::Yes),
    row("punch", &["checkpoint"], Reads::Orders, Acts::Yes),
    row("session-export", &[], Reads::Orders, Acts::Yes),
    row("context-save", &[], Reads::Orders, Acts::Yes),
    row("checkbox", &[], Reads::Orders, Acts::Yes),
    row("commit-run", &[], Reads::Orders, Acts::Yes),
    row("run-report", &[], Reads::Orders, Acts::No),
];

/// Cells that cannot be: manner, tool, why.
const NOT_FOR: &[(&str, &str, &str)] = &[
    ("wrong schema", "plan-parse", "a plan as people write it names no schema"),
    ("unknown fields", "plan-parse", "it writes no orders"),
    ("unknown fields", "dag-export", "it writes no orders"),
    ("unknown fields", "run-report", "it writes no orders"),
    ("cut stream", "plan-parse", "it reads no stream"),
    ("cut stream", "dag-next", "it reads no stream"),
    ("cut stream", "dag-export", "it reads no stream"),
    ("file without end", "plan-parse", "it reads no stream"),
    ("file without end", "dag-next", "it reads no stream"),
    ("file without end", "dag-export", "it reads no stream"),
    ("long line", "plan-parse", "it reads no lines"),
    ("long line", "dag-next", "it reads one document, which has no longest line"),
    ("long line", "dag-export", "it reads one document, which has no longest line"),
    ("not utf-8", "plan-parse", "such bytes of a plan survive, and `hostile` tests that"),
    ("same bytes", "handoff", "it acts, and the second run meets what the first one did"),
    ("same bytes", "worker-run", "it acts, and says how long that took"),
    ("same bytes", "gate-run", "it acts, and says how long that took"),
    ("same bytes", "checkbox", "it acts, and the second run has nothing to change"),
    ("same bytes", "commit-run", "it acts, and the second run has nothing to commit"),
];

/// Runs a cell for every tool that the manner applies to, and names all that fail.
#[track_caller]
pub(crate) fn each(manner: &str, cell: impl Fn(&Row)) {
    let applies = |row: &&Row| !NOT_FOR.iter().any(|(m, tool, _)| *m == manner && *tool == row.tool);
    let fails = |row: &&Row| catch_unwind(AssertUnwindSafe(|| cell(row))).is_err();
    let failed: Vec<_> = TABLE.iter().filter(applies).filter(fails).map(|row| row.tool).collect();
    assert!(failed.is_empty(), "'{manner}' fails for {}", failed.join(", "));
}

#[test]
fn every_tool_stands_in_the_table_once() {
    let rows: Vec<_> = TABLE.iter().map(|row| row.tool).collect();
    assert_eq!(rows, pipeline_tests::TOOLS);
    for (manner, tool, why) in NOT_FOR {
        assert!(rows.contains(tool), "{manner}: there is no tool {tool}");
        assert!(!why.is_empty(), "{manner}, {tool}: say why");
    }
}
