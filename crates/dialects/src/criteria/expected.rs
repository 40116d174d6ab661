//! The result that a plan states below a command: `Expected:` followed by words, a list or a block.

use crate::fields::item_text;
use checks::expectation::judge;
use checks::fenced;
use checks::request_words::{self, Asked};
use markdown::outline::Line;
use markdown::{Extent, Fence, Outline, Veil};
use wire::plan::{BEFORE_ONLY, Criterion, Expect, ExpectKind};

/// One stated result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StatedResult {
    /// In words.
    Words(String),
    /// As the output itself.
    Printed(String),
}

/// All results stated in a range.
pub(crate) fn read(outline: &Outline, at: Extent) -> Vec<StatedResult> {
    let mut said = Vec::new();
    for line in outline.lines_in(at) {
        let Some(rest) = after(outline, &line) else { continue };
        if !rest.is_empty() {
            said.push(StatedResult::Words(rest.to_owned()));
        }
        let below = Extent { start: line.at.end, end: at.end };
        if let Some(fence) = fence(outline, below).filter(|_| rest.is_empty() || rest.ends_with(':')) {
            said.push(StatedResult::Printed(fenced::text(outline, fence)));
        } else if rest.is_empty() {
            said.extend(list(outline, below).map(StatedResult::Words));
        }
    }
    said
}

/// The text after `Expected:` in a line.
pub(crate) fn after<'o>(outline: &'o Outline, line: &Line) -> Option<&'o str> {
    let open = line.veil.is_none_or(|veil| veil == Veil::Quote);
    let (asked, rest) = request_words::label(outline.str(line.at)).filter(|_| open)?;
    (asked == Asked::Expected).then_some(rest)
}

/// The block at the beginning of a range.
pub(crate) fn fence<'o>(outline: &'o Outline, at: Extent) -> Option<&'o Fence> {
    let first = outline.fences_in(at).first()?;
    outline.str(Extent { start: at.start, end: first.at.start }).trim().is_empty().then_some(first)
}

/// The list or line at the beginning of a range, joined into one line.
fn list(outline: &Outline, at: Extent) -> Option<String> {
    let items = items(outline, at);
    if !items.is_empty() {
        return Some(items.join("; "));
    }
    let mut lines = outline.lines_in(at).filter(|line| !outline.str(line.at).trim().is_empty());
    let line = lines.next().filter(|line| line.veil.is_none())?;
    let text = outline.str(line.at).trim();
    (!text.starts_with(['#', '*', '-', '+', '|']) && request_words::label(text).is_none())
        .then(|| text.to_owned())
}

/// The items of the list at the beginning of a range.
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
            texts.push(item_text::joined(outline, item_text::first(outline, item, at.end)));
        }
    }
    texts
}

/// Gives a criterion its command and the stated result; `called` is the name of the step.
pub(crate) fn apply(criterion: &mut Criterion, run: String, said: &[StatedResult], called: &str) {
    let (fails, rest): (Vec<&StatedResult>, Vec<&StatedResult>) =
        said.iter().partition(|said| is_failure(said));
    let before = match fails.first() {
        Some(said) if rest.is_empty() => Some(text_of(said)),
        None if rest.is_empty() && sees_failure(called) => Some(called),
        _ => None,
    };
    if let Some(said) = before {
        // A check that fails before the change passes after it, so it must not be judged later.
        criterion.skip = Some(format!("{BEFORE_ONLY}: {}", said.trim()));
    } else {
        criterion.expect = expect(&run, &rest);
        criterion.runnable = criterion.expect.as_ref().is_none_or(|e| e.kind != ExpectKind::Unclear);
    }
    criterion.command = Some(run);
}

fn text_of(said: &StatedResult) -> &str {
    match said {
        StatedResult::Words(text) | StatedResult::Printed(text) => text,
    }
}

/// The expectation that covers all stated results.
pub(crate) fn expect(run: &str, said: &[&StatedResult]) -> Option<Expect> {
    let words: Vec<&str> = said
        .iter()
        .filter_map(|s| if let StatedResult::Words(text) = s { Some(text.as_str()) } else { None })
        .collect();
    let blocks = said.iter().filter(|said| matches!(said, StatedResult::Printed(_)));
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

/// The lines of an output that are the same each time: without numbers, omissions and placeholders.
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

/// The maximum number of lines of an output that is meant literally.
const LONG: usize = 20;

/// Whether the plan says that the command fails.
fn is_failure(said: &StatedResult) -> bool {
    match said {
        StatedResult::Words(text) => {
            let lower = text.trim_start_matches(['*', '_', '`', ' ', '"', '❌']).to_lowercase();
            ["fail", "all fail", "test fails", "tests fail"].iter().any(|words| lower.starts_with(words))
        }
        StatedResult::Printed(text) => {
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

/// Whether the name of a step asks to see a failure: `Run the test to verify it fails`.
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
