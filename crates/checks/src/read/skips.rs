//! Criteria that the plan itself leaves out.

/// The reason in a text that is nothing else: `(SKIP - …)`, `(no tests)`, `(deferred to …)`, `(manual: …)`.
pub(super) fn whole(text: &str) -> Option<String> {
    let text = text.trim();
    let inner = text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let said = inner.unwrap_or(text).trim_start();
    // Nearly every criterion begins with another letter or sign than any of the words.
    let first = said.chars().next()?;
    if !SKIPS.iter().any(|word| word.starts_with(first.to_ascii_lowercase())) || said.contains('`') {
        return None;
    }
    let lower = said.to_lowercase();
    if is_conditional(&lower) {
        return None;
    }
    let noted = inner.is_some() && SKIPS.iter().any(|word| begins(&lower, word));
    // Outside of parentheses only words that cannot begin an ordinary sentence count.
    let said = ["skip", "n/a"].iter().any(|word| begins(&lower, word));
    (noted || said).then(|| inner.unwrap_or(text).trim().to_owned())
}

/// The reason where the words behind a command are nothing but `skip …`.
pub(super) fn behind(text: &str) -> Option<String> {
    let said = text.trim().trim_matches(['(', ')', '.', ' ']);
    if !said.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("skip")) {
        return None;
    }
    let lower = said.to_lowercase();
    let reason = lower.trim_start_matches("skipped").trim_start_matches("skip");
    let skips =
        ["skip", "skipped"].iter().any(|word| begins(&lower, word)) && reason.contains(char::is_alphanumeric);
    (skips && !is_conditional(&lower) && !said.contains(['`', '→'])).then(|| said.to_owned())
}

/// `skip if offline`: whether it is the case a person has to say.
fn is_conditional(lower: &str) -> bool {
    let rest = lower.trim_start_matches("skipped").trim_start_matches("skip").trim_start();
    ["on ", "if ", "when ", "unless ", "in ", "where ", "for ", "only ", "while "]
        .iter()
        .any(|word| rest.starts_with(word))
}

fn begins(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}

const SKIPS: &[&str] = &[
    "skip",
    "skipped",
    "no tests",
    "no test",
    "no verification",
    "none",
    "n/a",
    "deferred",
    "manual",
    "manually",
    "not applicable",
    "없음",
    "해당 없음",
    "생략",
    "수동",
];
