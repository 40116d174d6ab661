//! Changes of earlier attempts that have not been undone: changing nothing more does not restore a file.
//!
//! At the end of each attempt `worker-run` records how it left every file that it changed. A file that is still in
//! that state counts for the attempt that continues with it; a file changed by others since does not.

use crate::evidence::book::Book;
use crate::evidence::scope::Scope;
use ledger::pins::ACCEPT;
use repo::tree::Tree;
use serde_json::{Map, Value};
use wire::Punch;
use wire::punch::{Trust, Type};

/// Whether there are earlier attempts to look at.
pub(crate) fn any(book: &Book, scope: &Scope) -> bool {
    ends(book, scope).next().is_some()
}

/// The files that are still as an earlier attempt left them, each with its line in the ledger.
pub(crate) fn edits<'b>(book: &'b Book, scope: &Scope, tree: &Tree) -> Vec<(u64, &'b str)> {
    let mut out: Vec<(u64, &str)> = Vec::new();
    for (line, left) in ends(book, scope) {
        for (path, what) in left {
            let stands = tree.at(path) == what.as_str();
            if stands && !out.iter().any(|(_, known)| known == path) {
                out.push((line, path));
            }
        }
    }
    out
}

/// The results of the earlier attempts, the latest first: back to a tick, or to a person's acceptance.
fn ends<'b>(book: &'b Book, scope: &Scope) -> impl Iterator<Item = (u64, &'b Map<String, Value>)> {
    let mine = book.records.iter().rev().filter(|(_, punch)| is_of_task(punch, scope));
    let open = mine.take_while(|(_, punch)| !is_settled(punch));
    open.filter(|(_, p)| p.kind == Type::AttemptEnd && p.trust != Trust::Typed && p.attempt != scope.attempt)
        .filter_map(|(line, punch)| Some((*line, punch.data.get("left")?.as_object()?)))
}

fn is_of_task(punch: &Punch, scope: &Scope) -> bool {
    punch.plan == scope.plan
        && punch.task.as_ref() == Some(&scope.task)
        && punch.fingerprint == scope.fingerprint
}

fn is_settled(punch: &Punch) -> bool {
    matches!(punch.kind, Type::Tick | Type::Untick) || (punch.kind == Type::Override && punch.key == ACCEPT)
}
