//! Entry point for tests that feed the reader arbitrary input. It must not panic.

use crate::survey::book::Book;
use crate::survey::ledger_scan;
use repo::anchors::Anchors;
use std::path::Path;
use wire::Plan;

/// Reads a ledger and sorts it by the tasks of a plan.
pub fn ledger(path: &Path, plan: &Plan) {
    let mut book = Book::new(plan, None);
    let _ = ledger_scan::read(path, None, &Anchors::default(), &mut |record| {
        book.take(record);
    });
}
