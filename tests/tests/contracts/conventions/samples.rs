//! What each tool reads, taken from one real round of the demo.

use super::table::{Reads, Row};
use pipeline_tests::{Bench, DEMO_PLAN, Run, bench};

/// A demo after its first round, with what went into each stage kept in `home/`.
pub(crate) struct Samples {
    pub(crate) bench: Bench,
}

/// Fresh samples, so that no test meets what the stages of another did.
pub(crate) fn samples() -> Samples {
    Samples::new()
}

impl Samples {
    fn new() -> Self {
        let bench = bench!(demo);
        let tee = |name: &str| format!("tee ../home/{name}");
        let line = [
            format!("plan-parse {DEMO_PLAN}"),
            tee("plan"),
            "dag-next".to_owned(),
            tee("handoff"),
            "handoff".to_owned(),
            tee("worker-run"),
            "worker-run --worker shell".to_owned(),
            tee("gate-run"),
            "gate-run".to_owned(),
            tee("punch"),
            "punch checkpoint".to_owned(),
            tee("session-export"),
            "session-export".to_owned(),
            tee("context-save"),
            "context-save".to_owned(),
            tee("checkbox"),
            "checkbox".to_owned(),
            tee("commit-run"),
            "commit-run".to_owned(),
            tee("run-report"),
            "run-report".to_owned(),
        ];
        bench.sh(&line.join(" | ")).run().exits(0);
        Self { bench }
    }

    /// What goes into a tool.
    pub(crate) fn input(&self, row: &Row) -> String {
        match row.reads {
            Reads::PlanText => self.bench.text(DEMO_PLAN),
            Reads::PlanDocument => self.bench.text("../home/plan"),
            Reads::Orders => self.bench.text(&format!("../home/{}", row.tool)),
        }
    }

    /// What goes into a tool, without the line that closes the stream.
    pub(crate) fn orders(&self, row: &Row) -> String {
        let text = self.input(row);
        let orders = text.split_inclusive('\n').filter(|line| !line.starts_with("{\"schema\":\"end/1\""));
        orders.collect()
    }

    /// The tool as a stage.
    pub(crate) fn stage(&self, row: &Row) -> Run {
        self.bench.command(row.tool).args(row.args)
    }
}
