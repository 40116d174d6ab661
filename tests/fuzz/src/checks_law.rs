//! Checks. Laws: no panic; a word that is no word of the grammar, added behind the command of a check, makes it unclear; a
//! verdict that passes asks for no status that the run has not.

use checks::judge::{self, Output, Stages, Verdict};
use checks::{Check, Located, Reading, Synonyms, read, read_block, read_field};
use markdown::{Extent, Outline, Text};
use std::time::Duration;
use wire::plan::Clause;

/// A word of no language.
const WORD: &str = "zqxvwk";

/// A criterion: with everything that Markdown can put below it, as a field, and as a block.
pub(crate) fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let outline = Outline::new(&Text { path: "PLAN.md", bytes });
    let whole = Extent { start: 0, end: bytes.len() };
    let _ = read(&Located::range(&outline, whole, &[]), Synonyms::builtin());
    let _ = read(&Located::range(&outline, whole, &[]).as_step(), Synonyms::builtin());
    let (command, expected) = text.split_once('\n').unwrap_or((&text, ""));
    let _ = read_field(command, Some(expected), whole, Synonyms::builtin());
    for info in ["console", "bash", "text", ""] {
        let _ = read_block(info, &text, whole, Synonyms::builtin());
    }
    let _ = checks::conditions::commit(&text);
    let _ = checks::conditions::must_not(&text);
    let line = text.lines().next().unwrap_or_default();
    if let Reading::Check(Check { skip: None, .. }) = one(line)
        && line.contains('`')
        && line.ends_with(|c: char| c.is_alphanumeric() || c == '`')
    {
        let longer = format!("{line} {WORD}");
        assert!(
            !matches!(one(&longer), Reading::Check(Check { skip: None, .. }) | Reading::Prose),
            "a word is dropped: {longer}"
        );
    }
}

fn one(line: &str) -> Reading {
    read(&Located::text(line, Extent { start: 0, end: line.len() }), Synonyms::builtin())
}

/// The first line is a check, the rest is what its command printed; the first byte is its exit status.
pub(crate) fn verdict(bytes: &[u8]) {
    let (exit, rest) = bytes.split_first().map_or((0, bytes), |(exit, rest)| (i32::from(*exit), rest));
    let text = String::from_utf8_lossy(rest);
    let (line, printed) = text.split_once('\n').unwrap_or((&text, ""));
    let Reading::Check(check) = one(line) else { return };
    let output = Output {
        stdout: printed,
        stderr: "",
        both: printed,
        exit,
        stages: Stages::Single,
        elapsed: Duration::from_secs(1),
    };
    let passed = matches!(judge::judge(&check.command, &check.clauses, &output), Verdict::Pass(_));
    let fails = check.clauses.contains(&Clause::Fails);
    assert!(!(passed && fails && exit == 0), "a success is no failure: {line}");
    assert!(!(passed && check.clauses.is_empty() && exit != 0), "exit 0 is part of every check: {line}");
}
