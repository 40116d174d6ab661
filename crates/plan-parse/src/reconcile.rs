//! `--reconcile`: where the files of a session disagree, and which rule decided.
//!
//! One `reconcile/1` document, or text with `--format text`: a line for each disagreement, one for each place, one for the
//! rule. Exits 0 if nothing disagrees and 1 otherwise. Changes nothing.

use crate::args::Args;
use std::fmt::Write;
use std::path::Path;
use toolkit::files::root;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::reconcile::Reconcile;

/// Prints the report.
pub(crate) fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let path = args.file.as_deref().unwrap_or(Path::new("."));
    let found = dialects::reconcile(path, &root::find(path)?, &crate::ask(args))?;
    if args.format.is_text() {
        out.shown(&text(&found))?;
    } else {
        out.document(&found, args.pretty)?;
    }
    Ok(if found.conflicts.is_empty() { Exit::Ok } else { Exit::No })
}

fn text(found: &Reconcile) -> String {
    let mut text = String::new();
    for conflict in &found.conflicts {
        let task = conflict.task.as_ref().map(|id| format!(" {id}")).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}{task}", conflict.code);
        for saying in &conflict.says {
            let _ = writeln!(text, "  {}:{}: {}", saying.place.path, saying.place.line, saying.what);
        }
        let _ = writeln!(text, "  decided: {}", conflict.decided);
    }
    let count = found.conflicts.len();
    let _ =
        writeln!(text, "{}: {} of {} tasks done, {count} disagreements", found.path, found.done, found.tasks);
    text
}
