//! Results that a plan states outside of the check's own line: below it, or before its block.

use crate::criteria::expected::{self, StatedResult};
use checks::criterion::ARROW_WORDS;
use checks::{expectation, request_words};
use markdown::{Extent, Outline};
use wire::plan::{Criterion, Expect, ExpectKind};

/// The results stated below a command: `Expected:`, a line with an arrow, or the block at the beginning of the range.
pub(crate) fn below(outline: &Outline, at: Extent) -> Vec<StatedResult> {
    let mut said = expected::read(outline, at);
    for line in outline.lines_in(at).filter(|line| line.veil.is_none()) {
        let text = outline.str(line.at).trim();
        let words = ARROW_WORDS.iter().find_map(|arrow| text.strip_prefix(arrow));
        said.extend(words.map(|words| StatedResult::Words(words.trim().to_owned())));
    }
    if said.is_empty() {
        let shown = expected::fence(outline, at).filter(|fence| OUTPUT.contains(&fence.language.as_str()));
        said.extend(shown.map(|fence| StatedResult::Printed(checks::fenced::text(outline, fence))));
    }
    said
}

/// The languages of blocks that show an output.
const OUTPUT: &[&str] = &["", "text", "txt", "output", "plaintext", "log"];

/// Applies the stated results; `intro` is the text before the command's block.
pub(crate) fn settle(criterion: &mut Criterion, said: &[StatedResult], intro: &str) {
    let Some(run) = criterion.command.clone().filter(|_| criterion.skip.is_none()) else { return };
    let said: Vec<&StatedResult> = said.iter().collect();
    let found = if said.is_empty() { announced(&run, intro) } else { expected::expect(&run, &said) };
    let Some(found) = found else { return };
    let own = criterion.expect.take();
    let weak = own.as_ref().is_none_or(|own| own.kind == ExpectKind::Exit && own.number == Some(0));
    let same = |own: &Expect| {
        let told = |e: &Expect| (e.kind, e.number, e.op.clone(), e.literal.clone());
        told(own) == told(&found) || found.kind == ExpectKind::Exit && found.number == Some(0)
    };
    let expect = match own {
        Some(own) if !weak && same(&own) => own,
        Some(_) if !weak => Expect { kind: ExpectKind::Unclear, text: found.text, ..Expect::default() },
        _ => found,
    };
    criterion.runnable &= expect.kind != ExpectKind::Unclear;
    criterion.expect = Some(expect);
}

/// The meaning of the text before a block: a result, nothing, or something that only a person can judge.
fn announced(run: &str, intro: &str) -> Option<Expect> {
    let intro = intro.trim().trim_end_matches([':', '：', '*']);
    let lower = intro.to_lowercase();
    let words = || lower.split(|c: char| !c.is_alphanumeric());
    if !words().any(|word| RESULTS.contains(&word)) || request_words::is_praise(intro) {
        return None;
    }
    Some(expectation::judge(run, intro))
}

/// Words that describe a result.
#[rustfmt::skip]
const RESULTS: &[&str] = &[
    "fail", "fails", "failing", "error", "errors", "should", "must", "print", "prints", "printed", "output", "outputs",
];
