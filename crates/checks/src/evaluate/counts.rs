//! Numbers in what a command printed: as they stand, before or behind a noun, and of what nobody counted.

/// What a number is kept in.
pub(crate) const SCALE: i64 = 1000;

/// A number as it was printed.
pub(crate) struct Number<'a> {
    pub(crate) text: &'a str,
    pub(crate) thousandths: i64,
}

/// The numbers in a text: `12`, `-3`, `90.5`, `1,600`. What is longer than a number can be is none.
pub(crate) fn numbers(text: &str) -> Vec<Number<'_>> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !digit(at) {
            at += 1;
            continue;
        }
        let minus = at > 0 && bytes[at - 1] == b'-' && (at == 1 || bytes[at - 2] == b' ');
        let start = at - usize::from(minus);
        let mut whole = String::new();
        loop {
            while digit(at) {
                whole.push(char::from(bytes[at]));
                at += 1;
            }
            // Three digits behind a comma go on; any other comma ends it.
            let goes_on = bytes.get(at) == Some(&b',') && (1..4).all(|n| digit(at + n)) && !digit(at + 4);
            if !goes_on {
                break;
            }
            at += 1;
        }
        let mut part = String::new();
        if bytes.get(at) == Some(&b'.') && digit(at + 1) {
            at += 1;
            while digit(at) {
                part.push(char::from(bytes[at]));
                at += 1;
            }
        }
        let thousandths = whole.parse::<i64>().ok().and_then(|n| n.checked_mul(SCALE));
        let rest = format!("{part:0<3}").get(..3).and_then(|part| part.parse::<i64>().ok());
        if let (Some(whole), Some(rest)) = (thousandths, rest) {
            let value = whole.saturating_add(rest);
            let thousandths = if minus { -value } else { value };
            found.push(Number { text: text.get(start..at).unwrap_or_default(), thousandths });
        }
    }
    found
}

/// How many there are of what no report names.
pub(crate) fn unreported(noun: &str, stem: &str, text: &str, stdout: &str) -> Option<i64> {
    let count = |number: usize| i64::try_from(number).ok();
    if matches!(
        noun,
        "lines" | "line" | "rows" | "matches" | "results" | "hits" | "entries" | "files" | "items"
    ) {
        let mut lines = stdout.lines().filter(|line| !line.trim().is_empty());
        let first = lines.next();
        let rest = lines.count();
        // `wc -l` prints the number and a name.
        let told = first.filter(|_| rest == 0).and_then(|line| line.trim().split(' ').next()?.parse().ok());
        return told.or_else(|| count(rest + usize::from(first.is_some())));
    }
    if !PROBLEMS.iter().any(|problem| stem.starts_with(problem)) {
        return None;
    }
    // `error: …`, `warning[E1]: …` at the beginning of what a line says.
    let marks = [format!("{stem}:"), format!("{stem}[")];
    count(text.lines().filter(|line| marks.iter().any(|mark| begins_word(line, mark))).count())
}

/// What nobody speaks of where there is none.
const PROBLEMS: &[&str] = &[
    "error",
    "warning",
    "fail",
    "issue",
    "problem",
    "violation",
    "vulnerabilit",
    "offen",
    "skip",
    "todo",
    "conflict",
    "regression",
    "leak",
    "panic",
    "경고",
    "오류",
    "에러",
];

fn begins_word(line: &str, mark: &str) -> bool {
    let before = |at: usize| line.get(..at).and_then(|head| head.chars().next_back());
    line.match_indices(mark).any(|(at, _)| before(at).is_none_or(|c| !c.is_alphanumeric() && c != '_'))
}

/// The number behind a noun: `errors: 3`, `errors = 3`.
pub(crate) fn count_behind(line: &str, noun: &str) -> Option<i64> {
    let (at, _) = line.match_indices(noun).find(|(at, _)| begins_word(&line[*at..], noun))?;
    let rest = line.get(at + noun.len()..)?.trim_start();
    let rest = rest.strip_prefix([':', '='])?.trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest.get(..digits)?.parse().ok()
}

/// The number right before one of the words: `12 passed`, also behind a word that shouts: `FAILED. 5 passed; 3 failed`.
pub(crate) fn count_before(line: &str, words: &[&str]) -> Option<i64> {
    let tokens: Vec<_> = line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|t| !t.is_empty()).collect();
    let named = tokens.windows(2).filter(|w| words.iter().any(|word| w[1].eq_ignore_ascii_case(word)));
    named.into_iter().find_map(|w| w[0].parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, told) in [
            ("12", vec![12_000]),
            ("90.5%", vec![90_500]),
            ("1,600 rows", vec![1_600_000]),
            ("a-3 -3", vec![3_000, -3_000]),
            ("1,2 v1.2.3", vec![1_000, 2_000, 1_200, 3_000]),
            ("99999999999999999999", vec![]),
            ("0.0001", vec![0]),
        ] {
            let found: Vec<i64> = numbers(text).iter().map(|number| number.thousandths).collect();
            assert_eq!(found, told, "{text}");
        }
    }

    #[test]
    fn what_no_report_names_is_counted_where_it_can_be() {
        for (noun, text, told) in [
            ("lines", "a\nb\nc\n", Some(3)),
            ("lines", "3 three\n", Some(3)),
            ("matches", "", Some(0)),
            ("errors", "x.c:1: error: bad\n", Some(1)),
            ("warnings", "cc1: warning: odd\n", Some(1)),
            ("errors", "all is well, no terror: none\n", Some(0)),
            ("widgets", "nothing of them\n", None),
        ] {
            assert_eq!(unreported(noun, noun.trim_end_matches('s'), text, text), told, "{noun} in {text:?}");
        }
        assert_eq!(count_behind("errors: 3", "errors"), Some(3));
        assert_eq!(count_behind("no errors", "errors"), None);
    }
}
