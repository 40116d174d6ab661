//! The reader of what comes from outside, for tests that give it anything. It may not panic.

use crate::book::Book;
use crate::scan;
use std::path::Path;
use wire::Plan;

/// A ledger, sorted by the tasks of a plan.
pub fn ledger(path: &Path, plan: &Plan) {
    let mut book = Book::new(plan, None);
    let _ = scan::read(path, &[], &mut |record| {
        book.take(record);
    });
}
