//! Minting: turns a client's record into deeds, in the order of the record and in bounded memory.
//!
//! Every minted deed exists in the record. A record that cannot be read mints nothing, with a reason.

use crate::evidence::deed::{Deed, Moment};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use toolkit::cli::clock::{at_millis, millis};
use toolkit::{Exit, Fail};
use transcripts::{Call, Ended, Kinds, Record, Source, find_session};
use wire::punch::Type;

/// A named record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) path: PathBuf,
    /// The session, if the file holds several.
    pub(crate) session: Option<String>,
    /// The client, if it is not detected by shape.
    pub(crate) client: Option<String>,
}

/// A deed and its position.
pub(crate) struct Minted<'d> {
    pub(crate) deed: &'d Deed,
    /// The index of the record's file; the first is the named one.
    pub(crate) source: usize,
    /// The line there; 0 for a statement about the whole record.
    pub(crate) line: u64,
    /// The time in the form of our records.
    pub(crate) at: Option<String>,
}

/// The result of minting a record.
#[derive(Debug)]
pub(crate) enum Came {
    Read(Box<Record>),
    /// Nothing could be minted, and why.
    Nothing(String),
}

/// Mints a record.
pub(crate) fn mint(
    named: &Named,
    kinds: &Kinds,
    sink: &mut dyn FnMut(Minted<'_>) -> Result<(), Fail>,
) -> Result<Came, Fail> {
    let mut pace = Pace::default();
    let mut failed = None;
    let mut exited = false;
    let mut last = Moment::default();
    let source = Source { path: &named.path, session: named.session.as_deref() };
    let read = transcripts::read_session(&source, named.client.as_deref(), &mut |mut call| {
        if failed.is_some() {
            return;
        }
        kinds.mark(&mut call);
        let at = pace.moment(&call);
        last = last.max(at);
        let besides = Deed::besides(&call, at);
        exited |= besides.as_ref().is_some_and(|deed| deed.kind == Type::StepComplete);
        for deed in std::iter::once(Deed::of(&call, at)).chain(besides) {
            let written = written(&call);
            let minted = Minted { deed: &deed, source: call.source, line: call.line, at: written };
            if let Err(fail) = sink(minted) {
                failed = Some(fail);
                return;
            }
        }
    });
    if let Some(fail) = failed {
        return Err(fail);
    }
    let record = match read {
        Ok(record) => record,
        Err(fail) if is_nothing(&fail) => return Ok(Came::Nothing(fail.to_string())),
        Err(fail) => return Err(fail),
    };
    for deed in as_a_whole(&record, exited, last) {
        sink(Minted { deed: &deed, source: 0, line: 0, at: None })?;
    }
    Ok(Came::Read(Box::new(record)))
}

/// A file that does not exist or is not a transcript: nothing is known, which is not our failure.
fn is_nothing(fail: &Fail) -> bool {
    fail.exit == Exit::NoInput || matches!(fail.code, "not-a-transcript" | "no-sqlite" | "is-a-folder")
}

/// Deeds that follow from the record as a whole.
fn as_a_whole(record: &Record, exited: bool, at: Moment) -> Vec<Deed> {
    let mut deeds = Vec::new();
    if record.ended == Some(Ended::Done) && !exited {
        deeds.push(Deed::plain(Type::StepComplete, "task_exit"));
    }
    for ended in &record.below {
        let key = if *ended == Ended::Done { "child_return" } else { "child_error" };
        deeds.push(Deed::plain(Type::ChildComplete, key));
    }
    let word = match record.ended {
        Some(Ended::Done) => "done",
        Some(Ended::Error) => "error",
        Some(Ended::Interrupted) => "interrupted",
        None => "open",
    };
    deeds.push(Deed::plain(Type::SessionLifecycle, word));
    if let Some(cost) = record.cost {
        deeds.push(Deed::plain(Type::CostCheckpoint, format!("{cost}")));
    }
    deeds.into_iter().map(|deed| Deed { at, ..deed }).collect()
}

/// Keeps the time of each agent monotonic.
#[derive(Default)]
struct Pace {
    clocks: HashMap<usize, i64>,
    place: u64,
}

impl Pace {
    fn moment(&mut self, call: &Call) -> Moment {
        self.place += 1;
        let clock = self.clocks.entry(call.source).or_default();
        *clock = (*clock).max(call.at.as_deref().and_then(told).unwrap_or_default());
        Moment { millis: *clock, place: self.place }
    }
}

/// The time in the form of our records.
fn written(call: &Call) -> Option<String> {
    let text = call.at.as_deref()?;
    if text.ends_with('Z') && text.len() < 40 {
        Some(text.to_owned())
    } else {
        told(text).and_then(at_millis)
    }
}

/// Milliseconds since the epoch, from a time in a client's form.
fn told(text: &str) -> Option<i64> {
    let number = || {
        let value: f64 = text.parse().ok()?;
        #[expect(clippy::cast_possible_truncation, reason = "times of this age fit")]
        let millis = if value > 1e11 { value as i64 } else { (value * 1000.0) as i64 };
        Some(millis)
    };
    millis(text).or_else(number)
}

/// The record meant by a name on a command line or in an order: a path, `path#session`, or `session:ID` for a record
/// in the client's usual location.
pub(crate) fn named(text: &str, base: &Path) -> Result<Named, Fail> {
    let whole = base.join(text);
    if whole.exists() {
        return Ok(Named { path: whole, session: None, client: None });
    }
    if let Some(id) = text.strip_prefix("session:") {
        let mut found = find_session(id);
        return match (found.pop(), found.is_empty()) {
            (Some(one), true) => Ok(Named { path: one.path, session: one.session, client: None }),
            (Some(_), false) => {
                Err(Fail::data("ambiguous-session", format!("several records bear the id '{id}'; name one")))
            }
            (None, _) => Ok(Named { path: whole, session: None, client: None }),
        };
    }
    match text.rsplit_once('#') {
        Some((path, session)) => {
            Ok(Named { path: base.join(path), session: Some(session.to_owned()), client: None })
        }
        None => Ok(Named { path: whole, session: None, client: None }),
    }
}
