//! What a plan says of a check's result elsewhere than on its own line: below it, or before its block.

use crate::expect::ARROW_WORDS;
use crate::expected::{self, Said};
use crate::{Extent, Outline, asked, judge};
use wire::plan::{Criterion, Expect, ExpectKind};

/// What the range below a command says: `Expected:`, a line with an arrow, else the block that the range begins with.
pub(crate) fn below(outline: &Outline, at: Extent) -> Vec<Said> {
    let mut said = expected::read(outline, at);
    for line in outline.lines_in(at).filter(|line| line.veil.is_none()) {
        let text = outline.str(line.at).trim();
        let words = ARROW_WORDS.iter().find_map(|arrow| text.strip_prefix(arrow));
        said.extend(words.map(|words| Said::Words(words.trim().to_owned())));
    }
    if said.is_empty() {
        let shown = expected::fence(outline, at).filter(|fence| OUTPUT.contains(&fence.language.as_str()));
        said.extend(shown.map(|fence| Said::Printed(crate::block::text(outline, fence))));
    }
    said
}

/// The languages of blocks that show an output.
const OUTPUT: &[&str] = &["", "text", "txt", "output", "plaintext", "log"];

/// Takes over what is said of the result; `intro` are the words before the command's block.
pub(crate) fn settle(criterion: &mut Criterion, said: &[Said], intro: &str) {
    let Some(run) = criterion.command.clone().filter(|_| criterion.skip.is_none()) else { return };
    let said: Vec<&Said> = said.iter().collect();
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

/// What the words before a block say: a result, nothing, or something that only a person can tell.
fn announced(run: &str, intro: &str) -> Option<Expect> {
    let intro = intro.trim().trim_end_matches([':', '：', '*']);
    let lower = intro.to_lowercase();
    let words = || lower.split(|c: char| !c.is_alphanumeric());
    if !words().any(|word| RESULTS.contains(&word)) || asked::is_praise(intro) {
        return None;
    }
    Some(judge::judge(run, intro))
}

/// Words that speak of a result.
#[rustfmt::skip]
const RESULTS: &[&str] = &[
    "fail", "fails", "failing", "error", "errors", "should", "must", "print", "prints", "printed", "output", "outputs",
];
