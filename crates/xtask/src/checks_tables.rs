//! The tables of plantools-checks(7): clauses and synonyms, from the crate that reads them.

use checks::{examples, reports, synonyms};
use std::fmt::Write;

/// A text with its places filled.
pub(crate) fn fill(text: &str) -> String {
    if !text.contains("@clauses@") {
        return text.to_owned();
    }
    let runners: Vec<&str> = reports::runners().collect();
    text.replace("@clauses@", &clauses())
        .replace("@synonyms@", &phrases())
        .replace("@runners@", &runners.join(", "))
}

/// One row a clause, with its example.
fn clauses() -> String {
    let mut out = String::from("| clause | meaning | example |\n|---|---|---|\n");
    for example in examples::CLAUSES {
        let check = wire::plan::clause::literal(example.check);
        let row = [example.form, example.meaning, &check].map(escaped);
        let _ = writeln!(out, "| {} | {} | {} |", row[0], row[1], row[2]);
    }
    out
}

/// One list a class of commands.
fn phrases() -> String {
    let mut out = String::new();
    for (classes, rows) in synonyms::section_rows() {
        let _ = writeln!(out, "### For commands of the class {}\n\n````", classes.replace(' ', ", "));
        for (phrase, clauses) in rows {
            let meant = if clauses.is_empty() { "(decoration)" } else { &clauses };
            let _ = writeln!(out, "{phrase}\n    = {meant}");
        }
        out.push_str("````\n\n");
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}
