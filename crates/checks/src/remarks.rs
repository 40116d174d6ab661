//! Words beside an expectation: whether they only say in other words that a command succeeds, or ask for more.
//!
//! A remark that asks for something is never passed over: who cannot tell what it means leaves it to a person.

/// Words that only say in other words that the command succeeds: no number, no literal, no negation.
pub fn is_praise(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words: Vec<_> = words(&lower).collect();
    let praised = words.first().is_some_and(|word| PRAISE.contains(word))
        || words.last().is_some_and(|word| PRAISE.contains(word));
    let denied = words.iter().any(|word| DENIALS.contains(word)) || fails(&lower);
    let numbers = lower.contains(|c: char| c.is_ascii_digit());
    !denied && praised && !numbers && !lower.contains(['"', '`', '<', '>', '='])
}

/// Words about a command that prints nothing can only be about its success, unless they deny it.
pub fn is_mere(command: &str, text: &str) -> bool {
    let lower = text.to_lowercase();
    let denied =
        words(&lower).any(|word| DENIALS.contains(&word)) || NOTS.iter().any(|not| lower.contains(not));
    let fails =
        denies(&lower) || words(&lower).any(|word| matches!(word, "nothing" | "false" | "red" | "breaks"));
    !lower.contains(|c: char| c.is_ascii_digit() || matches!(c, '"' | '`'))
        && !fails
        && (!denied || command.starts_with("! "))
}

/// Whether a note or a label asks for something that a mere success would not show.
pub fn asks(text: &str) -> bool {
    let lower = text.to_lowercase();
    let asked = words(&lower).any(|word| ASKS.contains(&word));
    let signs = ["→", "->", ">=", "<=", "==", "!=", "≥", "≤", "≠"].iter().any(|sign| lower.contains(sign));
    asked || signs || denies(&lower)
}

/// Whether a text says that something fails, and not that it does not.
pub fn denies(text: &str) -> bool {
    let lower = text.to_lowercase();
    let negated = words(&lower).any(|word| NEGATIONS.contains(&word));
    fails(&lower) && !negated
}

/// A word, in the languages that plans are written in, for what does not succeed.
fn fails(lower: &str) -> bool {
    words(lower)
        .any(|word| STEMS.iter().any(|stem| word.starts_with(stem)) || matches!(word, "fehl" | "falla"))
        || PIECES.iter().any(|piece| lower.contains(piece))
}

fn words(lower: &str) -> impl Iterator<Item = &str> {
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

const PRAISE: &[&str] =
    &["pass", "passes", "passed", "ok", "success", "succeeds", "통과", "성공", "exists", "존재", "works"];

#[rustfmt::skip]
const DENIALS: &[&str] = &[
    "no", "not", "never", "without", "fail", "fails", "failure", "failures", "error", "errors", "없음", "nicht", "kein", "keine", "pas",
    "nunca", "não", "не",
];

/// The same in languages that do not part words.
const NOTS: &[&str] = &["不", "ない", "ません", "않", "못"];

const NEGATIONS: &[&str] = &[
    "no", "not", "never", "without", "zero", "0", "cannot", "doesn", "don", "ohne", "kein", "keine", "nicht",
    "sans", "sin", "없음", "없이",
];

#[rustfmt::skip]
const ASKS: &[&str] = &[
    "line", "lines", "output", "outputs", "prints", "printed", "print", "shows", "contains", "says", "stdout", "stderr", "returns",
    "return", "empty", "nothing", "twice", "times", "skip", "exactly", "expect", "expected", "expects", "must", "should", "nonzero", "false",
];

#[rustfmt::skip]
const STEMS: &[&str] = &[
    "fail", "error", "crash", "nonzero", "fehlschl", "fehlgeschl", "scheiter", "échou", "echou", "fallar", "falha", "ошиб", "упас",
    "упад", "провал",
];

const PIECES: &[&str] = &["non-zero", "失败", "失敗", "실패", "❌", "エラー"];
