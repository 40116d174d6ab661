//! Reads criteria, one JSON string a line, and prints what each is read as: for looking at many real texts at once.

use checks::{Check, Located, Reading, Synonyms, read};
use markdown::{Extent, Outline, Text};
use std::io::{self, BufRead, Write};
use wire::plan::clause;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let text: String = serde_json::from_str(&line?)?;
        let outline = Outline::new(&Text { path: "-", bytes: text.as_bytes() });
        let located = Located::range(&outline, Extent { start: 0, end: text.len() }, &[]);
        writeln!(out, "{}\t{}", shown(&read(&located, Synonyms::builtin())), text.replace('\n', "⏎"))?;
    }
    Ok(())
}

fn shown(reading: &Reading) -> String {
    let one = |check: &Check| match &check.skip {
        Some(reason) => format!("skip {reason}"),
        None => clause::text(&check.clauses),
    };
    match reading {
        Reading::Check(check) => format!("check\t{}", one(check)),
        Reading::Checks(checks) => {
            format!("checks\t{}", checks.iter().map(one).collect::<Vec<_>>().join(" & "))
        }
        Reading::Unclear(unclear) => {
            let rewrite = unclear.rewrite.as_deref().unwrap_or("no rewrite");
            format!("unclear {}\t{} [{}]", unclear.code, rewrite, unclear.group)
        }
        Reading::Skip(reason) => format!("skip\t{reason}"),
        Reading::Prose => "prose\t".to_owned(),
    }
}
