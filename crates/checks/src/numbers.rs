//! Numbers in expectations: `>= 2`, `11`, `3 or more`, `71+ tests`, `0 warnings`.
//!
//! All texts are in lowercase.

use wire::plan::{Expect, ExpectKind};

/// `71+ tests`, `8 tests pass`.
pub fn tests(lower: &str) -> Option<Expect> {
    let (number, rest) = leading_number(lower.strip_prefix("all ").unwrap_or(lower))?;
    let rest = rest.trim_start_matches('+').trim_start();
    let first = rest.split([' ', ',', '.', ';']).next()?;
    let is_test = matches!(first, "test" | "tests" | "passed" | "passing" | "specs" | "테스트" | "test(s)");
    // What stands behind a comma says the same, or that none failed; anything else is another expectation.
    let mut more = rest.split([',', ';']).skip(1).map(|part| part.trim().trim_end_matches('.'));
    let same = |part: &str| {
        part.is_empty() || part.starts_with("0 fail") || part.ends_with("pass") || part == "all passing"
    };
    (is_test && more.all(same)).then(|| Expect {
        kind: ExpectKind::Tests,
        number: Some(number),
        ..Expect::default()
    })
}

/// A number, with or without a comparison.
pub fn number(lower: &str) -> Option<Expect> {
    let text = ["stdout", "count", "output", "matches", "result", "lines"]
        .iter()
        .find_map(|word| lower.strip_prefix(word).filter(|rest| rest.starts_with([' ', '>', '<', '='])))
        .unwrap_or(lower)
        .trim();
    for (sign, op) in SIGNS {
        let Some(rest) = text.strip_prefix(sign) else { continue };
        let (number, after) = leading_number(rest.trim_start_matches([' ', '`']))?;
        // `exactly 3 lines` is a number of lines.
        if *sign == "exactly" && !after.trim_matches(['`', '.', ' ']).is_empty() {
            return None;
        }
        return after_number(after).then(|| compare(op, number));
    }
    let (number, after) = leading_number(text)?;
    let after = after.trim();
    let op = match after.trim_end_matches('.') {
        "" => "==",
        "+" | "or more" | "이상" | "개 이상" | "건 이상" | "or greater" | "or higher" => ">=",
        "or less" | "or fewer" | "이하" | "개 이하" => "<=",
        _ => return None,
    };
    Some(compare(op, number))
}

const SIGNS: &[(&str, &str)] = &[
    (">=", ">="),
    ("≥", ">="),
    ("<=", "<="),
    ("≤", "<="),
    ("==", "=="),
    ("!=", "!="),
    ("≠", "!="),
    ("=", "=="),
    (">", ">"),
    ("<", "<"),
    ("at least", ">="),
    ("at most", "<="),
    ("more than", ">"),
    ("less than", "<"),
    ("minimum", ">="),
    ("exactly", "=="),
];

/// What may follow the number of a comparison: nothing, or the noun that is counted.
fn after_number(after: &str) -> bool {
    let after = after.trim().trim_matches(['`', '.']);
    if is_unit(after) {
        return false;
    }
    after.is_empty() || after.starts_with('(') || !after.contains(['<', '>', '=', ',', ';'])
}

/// A unit that what is printed may have, too, or not.
fn is_unit(after: &str) -> bool {
    let word = after.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    matches!(
        word,
        "kb" | "mb"
            | "gb"
            | "tb"
            | "kib"
            | "mib"
            | "gib"
            | "ms"
            | "s"
            | "sec"
            | "seconds"
            | "min"
            | "minutes"
            | "hours"
    )
}

/// `count > 0` anywhere in a note.
pub fn counted(note: &str) -> Option<Expect> {
    let lower = note.to_lowercase();
    let at = ["count", "stdout", "lines", "matches"].iter().find_map(|word| lower.find(word))?;
    number(lower.get(at..)?)
}

/// `0 warnings`, `3 matches`.
pub fn counted_noun(lower: &str) -> Option<Expect> {
    let (number, rest) = leading_number(lower.strip_prefix("exactly ").unwrap_or(lower))?;
    let noun = rest.trim().trim_end_matches('.');
    let plain = !noun.is_empty()
        && noun != "times"
        && !is_unit(noun)
        && !noun.contains(|c: char| !(c.is_alphabetic() || matches!(c, '(' | ')' | '-')));
    let literal = noun.strip_suffix("(s)").unwrap_or(noun).to_owned();
    plain.then(|| Expect {
        kind: ExpectKind::Count,
        number: Some(number),
        literal: Some(literal),
        ..Expect::default()
    })
}

fn leading_number(text: &str) -> Option<(i64, &str)> {
    let text = text.trim_start();
    let sign = usize::from(text.starts_with('-'));
    let digits = text.get(sign..)?.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.get(sign + digits..)?;
    if digits == 0 || rest.starts_with('.') && rest.get(1..)?.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    Some((text.get(..sign + digits)?.parse().ok()?, rest))
}

/// A comparison of the number that a command prints.
pub fn compare(op: &str, number: i64) -> Expect {
    Expect { kind: ExpectKind::Number, op: Some(op.to_owned()), number: Some(number), ..Expect::default() }
}
