//! What a plan says of a command's result below it: `Expected:` with words, a list or a block behind it.

use crate::asked::{self, Asked};
use crate::judge::judge;
use crate::outline::Line;
use crate::plan_md::item;
use crate::{Extent, Fence, Outline, Veil, block};
use wire::plan::{Criterion, Expect, ExpectKind};

/// One thing that is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    /// In words.
    Words(String),
    /// As the output itself.
    Printed(String),
}

/// All that a range says of results.
pub(crate) fn read(outline: &Outline, at: Extent) -> Vec<Said> {
    let mut said = Vec::new();
    for line in outline.lines_in(at) {
        let Some(rest) = after(outline, &line) else { continue };
        if !rest.is_empty() {
            said.push(Said::Words(rest.to_owned()));
        }
        let below = Extent { start: line.at.end, end: at.end };
        if let Some(fence) = fence(outline, below).filter(|_| rest.is_empty() || rest.ends_with(':')) {
            said.push(Said::Printed(block::text(outline, fence)));
        } else if rest.is_empty() {
            said.extend(list(outline, below).map(Said::Words));
        }
    }
    said
}

/// What stands behind `Expected:` in a line.
pub(crate) fn after<'o>(outline: &'o Outline, line: &Line) -> Option<&'o str> {
    let open = line.veil.is_none_or(|veil| veil == Veil::Quote);
    let (asked, rest) = asked::label(outline.str(line.at)).filter(|_| open)?;
    (asked == Asked::Expected).then_some(rest)
}

/// The block that a range begins with.
pub(crate) fn fence<'o>(outline: &'o Outline, at: Extent) -> Option<&'o Fence> {
    let first = outline.fences_in(at).first()?;
    outline.str(Extent { start: at.start, end: first.at.start }).trim().is_empty().then_some(first)
}

/// The list or the line that a range begins with, as one line.
fn list(outline: &Outline, at: Extent) -> Option<String> {
    let items = items(outline, at);
    if !items.is_empty() {
        return Some(items.join("; "));
    }
    let mut lines = outline.lines_in(at).filter(|line| !outline.str(line.at).trim().is_empty());
    let line = lines.next().filter(|line| line.veil.is_none())?;
    let text = outline.str(line.at).trim();
    (!text.starts_with(['#', '*', '-', '+', '|']) && asked::label(text).is_none()).then(|| text.to_owned())
}

/// The items of the list that a range begins with.
pub(crate) fn items(outline: &Outline, at: Extent) -> Vec<String> {
    let mut end = at.start;
    let mut texts = Vec::new();
    for item in outline.items_in(at).iter().filter(|item| item.mark.is_none() && !item.quoted) {
        let nested = item.at.start < end;
        let between = outline.str(Extent { start: end, end: item.at.start }).trim().is_empty();
        if !nested && !between {
            break;
        }
        if !nested {
            end = item.at.end.min(at.end);
            texts.push(item::joined(outline, item::first(outline, item, at.end)));
        }
    }
    texts
}

/// Gives a criterion its command and what is said of its result; `called` is the name of the step.
pub(crate) fn apply(criterion: &mut Criterion, run: String, said: &[Said], called: &str) {
    let (fails, rest): (Vec<&Said>, Vec<&Said>) = said.iter().partition(|said| is_failure(said));
    let before = match fails.first() {
        Some(said) if rest.is_empty() => Some(text_of(said)),
        None if rest.is_empty() && sees_failure(called) => Some(called),
        _ => None,
    };
    if let Some(said) = before {
        // What fails before the change passes after it, so that nobody may judge by it later.
        criterion.skip = Some(format!("expected before the change only: {}", said.trim()));
    } else {
        criterion.expect = expect(&run, &rest);
        criterion.runnable = criterion.expect.as_ref().is_none_or(|e| e.kind != ExpectKind::Unclear);
    }
    criterion.command = Some(run);
}

fn text_of(said: &Said) -> &str {
    match said {
        Said::Words(text) | Said::Printed(text) => text,
    }
}

/// What must hold of all that is said.
pub(crate) fn expect(run: &str, said: &[&Said]) -> Option<Expect> {
    let words: Vec<&str> = said
        .iter()
        .filter_map(|s| if let Said::Words(text) = s { Some(text.as_str()) } else { None })
        .collect();
    let blocks = said.iter().filter(|said| matches!(said, Said::Printed(_)));
    let blocks: Vec<&str> = blocks.map(|said| text_of(said)).collect();
    let words = (!words.is_empty()).then(|| judge(run, &words.join("; ")));
    let blocks = (!blocks.is_empty()).then(|| printed(run, &blocks.join("\n"))).flatten();
    match (words, blocks) {
        (Some(words), Some(blocks)) if words.kind == ExpectKind::Exit && words.number == Some(0) => {
            Some(blocks)
        }
        (Some(words), Some(_)) => {
            Some(Expect { kind: ExpectKind::Unclear, text: words.text, ..Expect::default() })
        }
        (words, blocks) => words.or(blocks),
    }
}

/// The lines of an output that are the same each time: without numbers, and without what is left out or filled in.
pub(crate) fn printed(run: &str, text: &str) -> Option<Expect> {
    let text = text.trim();
    if let Some(remark) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        return Some(judge(run, remark));
    }
    let varies = |line: &str| {
        line.contains(|c: char| c.is_ascii_digit() || c == '…') || line.contains("...") || line.contains('<')
    };
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let same: Vec<&str> = lines.iter().copied().filter(|line| !varies(line)).collect();
    let kind = if lines.len() > LONG { ExpectKind::Unclear } else { ExpectKind::Contains };
    let literal = Some(same.join("\n"));
    (!same.is_empty()).then(|| Expect { kind, literal, text: text.to_owned(), ..Expect::default() })
}

/// How many lines an output may have that is meant to the letter.
const LONG: usize = 20;

/// Whether it is said that the command fails.
fn is_failure(said: &Said) -> bool {
    match said {
        Said::Words(text) => {
            let lower = text.trim_start_matches(['*', '_', '`', ' ', '"', '❌']).to_lowercase();
            ["fail", "all fail", "test fails", "tests fail"].iter().any(|words| lower.starts_with(words))
        }
        Said::Printed(text) => {
            let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            let words: Vec<String> = words.map(str::to_lowercase).collect();
            let denied = |at: usize| {
                let before = at.checked_sub(1).and_then(|before| words.get(before));
                before.is_some_and(|word| matches!(word.as_str(), "0" | "no" | "without"))
            };
            let fails = |word: &str| matches!(word, "fail" | "failed" | "error" | "errors" | "panicked");
            words.iter().enumerate().any(|(at, word)| fails(word) && !denied(at))
        }
    }
}

/// Whether a step is called after a failure that is to be seen: `Run the test to verify it fails`.
fn sees_failure(called: &str) -> bool {
    let lower = called.to_lowercase();
    let clause = lower.split(['(', '—', '–']).next().unwrap_or_default();
    let mut words = clause.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).rev();
    let last = words.next().unwrap_or_default();
    let who = words.next().unwrap_or_default();
    matches!(last, "fail" | "fails" | "failing")
        && matches!(
            who,
            "it" | "they" | "them" | "test" | "tests" | "to" | "both" | "is" | "are" | "all" | "check"
        )
        || last == "failure" && matches!(who, "verify" | "confirm" | "see" | "the")
}
