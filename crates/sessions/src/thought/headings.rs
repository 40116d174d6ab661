//! Headings inside a thought: `Decision: …`, `## Risks`, `- Mitigation: …`, and the text below or after them.

/// A known heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heading {
    /// The chosen approach.
    Decision,
    /// The reason.
    Rationale,
    /// The success criteria.
    Success,
    /// The risks.
    Risk,
    /// The mitigation of a risk.
    Mitigation,
    /// The tests to write.
    Tests,
    /// Any other heading, which ends the previous part.
    Other,
}

#[rustfmt::skip]
const HEADINGS: &[(&str, Heading)] = &[
    ("decision", Heading::Decision), ("chosen approach", Heading::Decision), ("selected approach", Heading::Decision),
    ("approach selected", Heading::Decision),
    ("rationale", Heading::Rationale), ("why", Heading::Rationale),
    ("success criteria", Heading::Success), ("success criterion", Heading::Success), ("success", Heading::Success),
    ("risks and mitigations", Heading::Risk), ("risks", Heading::Risk), ("risk", Heading::Risk),
    ("mitigations", Heading::Mitigation), ("mitigation", Heading::Mitigation),
    ("implementation subtasks", Heading::Other), ("subtasks", Heading::Other), ("pros", Heading::Other),
    ("cons", Heading::Other), ("effort", Heading::Other), ("estimated effort", Heading::Other), ("files", Heading::Other),
    ("edit strategy", Heading::Other), ("next steps", Heading::Other), ("tests", Heading::Tests),
];

/// Every known heading with the text up to the next.
pub(crate) fn sections(text: &str) -> Vec<(Heading, &str)> {
    let mut found: Vec<(Heading, usize, usize)> = Vec::new();
    for start in starts(text) {
        if let Some((heading, body)) = heading_at(text, start) {
            found.push((heading, start, body));
        }
    }
    let ends: Vec<usize> = found.iter().skip(1).map(|(_, start, _)| *start).chain([text.len()]).collect();
    let body = |((heading, _, body), end): (&(Heading, usize, usize), usize)| (*heading, &text[*body..end]);
    found.iter().zip(ends).map(body).collect()
}

/// The points of a text: its list items, else its parts between semicolons.
pub(crate) fn items(text: &str) -> impl Iterator<Item = String> {
    let bare = |line: &str| -> Option<usize> {
        let line = line.trim_start();
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let rest = &line[digits..];
        let mark = match rest.as_bytes() {
            [b'.' | b')', b' ', ..] if digits > 0 => digits + 2,
            [b'-' | b'*' | b'+', b' ', ..] if digits == 0 => 2,
            _ if rest.starts_with("• ") => "• ".len(),
            _ => return None,
        };
        Some(mark)
    };
    let listed = text.lines().filter_map(|line| Some(&line.trim_start()[bare(line)?..]));
    let listed: Vec<&str> = listed.filter(|item| !item.trim().is_empty()).collect();
    let parts: Vec<&str> = if listed.is_empty() { text.split(';').collect() } else { listed };
    let parts: Vec<String> = parts.into_iter().map(clean).filter(|part| !part.is_empty()).collect();
    parts.into_iter()
}

/// A point without its box, its stars and its closing punctuation.
fn clean(text: &str) -> String {
    let text = text.trim();
    let text = text.strip_prefix("[ ]").or_else(|| text.strip_prefix("[x]")).unwrap_or(text);
    let text =
        text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '#' | '→' | '—' | '-' | '|'));
    text.trim_end_matches(['.', ',', ' ']).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Where a heading may begin: at a line's first word, or after the end of a sentence or an arrow.
fn starts(text: &str) -> impl Iterator<Item = usize> {
    let mut fresh = true;
    text.char_indices().filter_map(move |(at, c)| {
        let begins = fresh && c.is_alphabetic();
        fresh = match c {
            '\n' | '.' | ';' | '→' | '—' | '>' | '|' => true,
            '#' | '*' | '-' | ' ' | '\t' | '(' => fresh,
            _ => false,
        };
        begins.then_some(at)
    })
}

fn heading_at(text: &str, start: usize) -> Option<(Heading, usize)> {
    let rest = text.get(start..)?;
    HEADINGS.iter().find_map(|(name, heading)| {
        rest.get(..name.len()).filter(|head| head.eq_ignore_ascii_case(name))?;
        let after = &rest[name.len()..];
        let tail = after.trim_start_matches('*');
        let closed =
            tail.starts_with(':') || is_title(text, start) && after.lines().next()?.trim().is_empty();
        let skip = after.len() - tail.trim_start_matches(':').trim_start_matches('*').len();
        closed.then_some((*heading, start + name.len() + skip))
    })
}

/// Whether a word is part of a Markdown heading.
fn is_title(text: &str, start: usize) -> bool {
    let line = text[..start].rsplit('\n').next().unwrap_or_default();
    line.trim_start().starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::{Heading, items, sections};

    #[test]
    fn headings_are_found_in_sentences_and_in_titles() {
        let text = "We looked. **Decision:** B. Rationale: exact\n### Risks\n- Risk: x\n";
        let found: Vec<_> =
            sections(text).into_iter().map(|(heading, body)| (heading, body.trim())).collect();
        assert_eq!(found[0], (Heading::Decision, "B."));
        assert_eq!(found[1].0, Heading::Rationale);
        assert_eq!((found[2].0, found[3]), (Heading::Risk, (Heading::Risk, "x")));
    }

    #[test]
    fn a_word_in_a_sentence_is_no_heading() {
        assert!(sections("The risk of success is small, and my decision: no").is_empty());
        assert!(sections("no riskier: way").is_empty());
    }

    #[test]
    fn points_are_list_items_or_parts() {
        assert_eq!(items("1. a\n2) b\n   more").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(items("a; b.").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(items("- [ ] a\n- **b**").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(items(" \n").count(), 0);
    }
}
