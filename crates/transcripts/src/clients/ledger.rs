//! The ledger of these tools as the record of an orchestrator: the tasks that it handed out, and whether it touched
//! the work itself.
//!
//! An attempt is a started child, its end the child's return; the supervisor writes both. If the tree at the start of
//! a child differs from the tree after the last check, that is an edit that no child made. The session of a ledger is
//! a plan's path.

use crate::calls::window::Window;
use crate::client::head::Head;
use crate::json::lenient::{Maybe, Number, Word};
use crate::json::lines::{At, Lines, read_lines};
use crate::{Call, Kind, Record, Source};
use serde::Deserialize;
use std::path::Path;
use toolkit::Fail;

pub(crate) fn detect(_: &Path, head: &Head) -> bool {
    head.line_has(&["schema", "seq", "plan", "type", "run", "prev", "hash"])
}

pub(crate) fn read(source: &Source<'_>, sink: &mut dyn FnMut(Call)) -> Result<Record, Fail> {
    let mut record = Record { sessions: 1, mode: Some("orchestrate".to_owned()), ..Record::default() };
    record.session_id = source.session.map(str::to_owned);
    record.add_source(source.path);
    let window = Window::new(sink);
    let mut reader = Reader {
        plan: source.session,
        window,
        open: 0,
        run: String::new(),
        tree: String::new(),
        messages: 0,
    };
    record.unknown = read_lines(source.path, &mut reader)?;
    reader.window.flush();
    record.messages = reader.messages;
    record.calls = reader.window.calls;
    record.orphans = reader.window.orphans;
    Ok(record)
}

/// The mode of a child that inspects the preparation.
const INSPECTOR: &str = "architect";

struct Reader<'s> {
    plan: Option<&'s str>,
    window: Window<'s>,
    /// The number of running children.
    open: u32,
    /// The run, and the last tree seen; empty if unknown, or if a person has accepted another.
    run: String,
    tree: String,
    messages: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line<'a> {
    #[serde(borrow)]
    plan: Word<'a>,
    #[serde(borrow)]
    task: Word<'a>,
    attempt: Number,
    #[serde(borrow)]
    run: Word<'a>,
    #[serde(borrow, rename = "type")]
    what: Word<'a>,
    #[serde(borrow)]
    key: Word<'a>,
    #[serde(borrow)]
    observed_at: Word<'a>,
    #[serde(borrow)]
    tree: Word<'a>,
    #[serde(borrow)]
    trust: Word<'a>,
    #[serde(borrow)]
    data: Maybe<Data<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Data<'a> {
    #[serde(borrow)]
    status: Word<'a>,
    /// The mode that a child was asked to run in.
    #[serde(borrow)]
    mode: Word<'a>,
}

impl Lines for Reader<'_> {
    type Line<'a> = Line<'a>;

    fn line(&mut self, place: &At<'_>, line: Line<'_>) {
        self.messages += 1;
        if self.plan.is_some_and(|plan| !line.plan.is(plan)) {
            return;
        }
        if line.trust.is("typed") && !(line.what.is("override") && line.key.is("accept-change")) {
            return;
        }
        if !line.run.is(&self.run) {
            line.run.text().clone_into(&mut self.run);
            // A child that was cut off with its run left the tree in any state.
            if self.open > 0 {
                self.tree.clear();
            }
            self.open = 0;
        }
        match line.what.text() {
            "attempt_begin" | "child_spawn" => {
                let mode = line.data.get().and_then(|data| data.mode.get());
                // A preparation may be made anew before it is inspected.
                let inspects = mode == Some(INSPECTOR);
                let moved = self.open == 0 && !inspects && !self.tree.is_empty() && !line.tree.is(&self.tree);
                if moved && line.tree.get().is_some() {
                    let call = Call {
                        kind: Kind::Edit,
                        line: place.number,
                        ..Call::new("", "edit between children", "")
                    };
                    self.window.push(call.when(line.observed_at.get()));
                }
                self.open += 1;
                let call = Call {
                    kind: Kind::Spawn,
                    line: place.number,
                    ..Call::new("", "worker-run", &name(&line))
                };
                self.window.push(call.about(mode.or(line.key.get())).when(line.observed_at.get()));
            }
            "attempt_end" | "child_complete" => {
                self.open = self.open.saturating_sub(1);
                let ok = line.data.get().map(|data| data.status.is("SUCCESS"));
                self.window.resolve("", &name(&line), ok, None);
                self.seen(&line);
            }
            // A person has accepted the tree as it is.
            "override" if line.key.is("accept-change") => self.tree.clear(),
            _ => self.seen(&line),
        }
    }
}

impl Reader<'_> {
    /// The tree that a check or a tick saw is the current tree; the orchestrator changed none of it.
    fn seen(&mut self, line: &Line<'_>) {
        if let Some(tree) = line.tree.get() {
            tree.clone_into(&mut self.tree);
        }
    }
}

/// The name of a child: the run, the task and the attempt.
fn name(line: &Line<'_>) -> String {
    let errand = if line.what.text().starts_with("child") { "/fitter" } else { "" };
    format!("{}/{}/{}{errand}", line.run.text(), line.task.text(), line.attempt.whole().unwrap_or_default())
}
