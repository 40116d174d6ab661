//! Order in words: `IMPL-2 must run after IMPL-1`, `IMPL-1 before IMPL-2`, `IMPL-1, IMPL-2 and IMPL-3 in sequence`.
//!
//! A statement is a sentence with ids on both sides of one relation. Everything else is not understood, and its reader says
//! so.

use crate::formats::workflows::workflow::list::id::{Ids, Mention};

/// Words between two groups of ids: the left group comes first.
const BEFORE: [&str; 12] = [
    "before",
    "precede",
    "then",
    "followed by",
    "prior to",
    "blocks",
    "block",
    "unblocks",
    "gates",
    "ahead of",
    "先于",
    "完成后",
];

/// Words between two groups of ids: the right group comes first.
const AFTER: [&str; 16] = [
    "after",
    "depend",
    "require",
    "wait",
    "follow",
    "need",
    "blocked by",
    "blocked on",
    "only once",
    "once",
    "until",
    "when",
    "builds on",
    "relies on",
    "依赖",
    "等待",
];

/// Words of a sentence whose ids are a chain in the order in which they stand.
const IN_ORDER: [&str; 10] = [
    "sequential",
    "in sequence",
    "in order",
    "in this order",
    "one after",
    "one by one",
    "serial",
    "顺序",
    "依次",
    "串行",
];

/// The chains that a line states; `None` if it states none that is understood.
pub(crate) fn chains(line: &str, ids: &Ids) -> Option<Vec<Vec<String>>> {
    let mut found = Vec::new();
    for sentence in sentences(line) {
        let mentions: Vec<Mention> =
            ids.mentions(sentence).into_iter().filter(|mention| ids.known(&mention.id).is_some()).collect();
        if mentions.is_empty() {
            continue;
        }
        found.extend(sentence_chains(sentence, &mentions)?);
    }
    (!found.is_empty()).then_some(found)
}

/// Sentences end at a semicolon, or at a full stop before a blank; an id such as `IMPL-1.2` has none.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    line.split([';', '；', '。']).flat_map(|part| part.split(". "))
}

fn sentence_chains(sentence: &str, mentions: &[Mention]) -> Option<Vec<Vec<String>>> {
    let lower = sentence.to_lowercase();
    // The text is only looked at between ids, and lowering it must not move them.
    let text = if lower.len() == sentence.len() { lower.as_str() } else { sentence };
    let first = mentions.first()?;
    let lead = text.get(..first.start).unwrap_or_default();
    let list = |from: usize, to: usize| -> Vec<String> {
        let mut all: Vec<String> =
            mentions.get(from..to).unwrap_or_default().iter().map(|m| m.id.clone()).collect();
        all.dedup();
        all
    };
    // Where one relation stands between two ids, the groups on its sides are ordered by it.
    let mut relation = None;
    for (at, pair) in mentions.windows(2).enumerate() {
        let [left, right] = pair else { continue };
        let between = text.get(left.end..right.start).unwrap_or_default();
        let Some(is_before) = relation_in(between) else {
            if !is_list(between) && !has(between, &IN_ORDER) {
                return None;
            }
            continue;
        };
        if relation.replace((at + 1, is_before)).is_some() {
            return None;
        }
    }
    if let Some((at, is_before)) = relation {
        let (left, right) = (list(0, at), list(at, mentions.len()));
        return Some(if is_before { pairs(&left, &right) } else { pairs(&right, &left) });
    }
    // `After IMPL-1, run IMPL-2`: the relation stands before both, and the comma divides them.
    if mentions.len() > 1
        && let Some(is_before) = relation_in(lead)
    {
        let divided = mentions.windows(2).position(|pair| {
            matches!(pair, [left, right] if text.get(left.end..right.start).is_some_and(|t| t.trim_start().starts_with(',')))
        })?;
        let (left, right) = (list(0, divided + 1), list(divided + 1, mentions.len()));
        return Some(if is_before { pairs(&right, &left) } else { pairs(&left, &right) });
    }
    let all = list(0, mentions.len());
    (all.len() > 1 && (has(text, &IN_ORDER) || is_bare(text, mentions))).then(|| vec![all])
}

/// Whether the left side comes first; `None` if the text relates nothing.
fn relation_in(text: &str) -> Option<bool> {
    // `must be done before`, `blocked by`: the more exact word is looked for first.
    let after = AFTER
        .iter()
        .filter_map(|word| text.find(word).map(|at| (at, word.len())))
        .max_by_key(|found| found.1);
    let before = BEFORE
        .iter()
        .filter_map(|word| text.find(word).map(|at| (at, word.len())))
        .max_by_key(|found| found.1);
    match (before, after) {
        (Some(_), None) => Some(true),
        (None, Some(_)) => Some(false),
        // `blocked by` holds `block`, `followed by` holds `follow`: the longer one is meant.
        (Some((at, long)), Some((other, short))) if at <= other && other + short <= at + long => Some(true),
        (Some((at, short)), Some((other, long))) if other <= at && at + short <= other + long => Some(false),
        // No relation, or `must complete before … after`: two at once.
        _ => None,
    }
}

/// Whether a text between two ids only lists them.
fn is_list(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.into_iter().all(|word| {
        matches!(word, "and" | "or" | "plus" | "to" | "through" | "then" | "和" | "与" | "至" | "到")
    })
}

/// Whether a text has nothing but ids and what lists them.
fn is_bare(text: &str, mentions: &[Mention]) -> bool {
    let mut from = 0;
    let mut rest = String::new();
    for mention in mentions {
        rest.push_str(text.get(from..mention.start).unwrap_or_default());
        rest.push(' ');
        from = mention.end.max(from);
    }
    rest.push_str(text.get(from..).unwrap_or_default());
    is_list(&rest)
}

fn has(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

fn pairs(first: &[String], second: &[String]) -> Vec<Vec<String>> {
    let pairs = first.iter().flat_map(|a| second.iter().map(move |b| vec![a.clone(), b.clone()]));
    pairs.filter(|pair| matches!(pair.as_slice(), [a, b] if a != b)).take(1000).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_in_words_are_read_in_their_direction() {
        let ids = Ids::new((1..=5).map(|number| format!("IMPL-{number}")));
        for (line, wanted) in [
            ("- IMPL-2 must run after IMPL-1", "1-2"),
            ("IMPL-1 must complete before IMPL-2 and IMPL-3", "1-2 1-3"),
            ("IMPL-3 depends on IMPL-1 and IMPL-2.", "1-3 2-3"),
            ("IMPL-1, then IMPL-2", "1-2"),
            ("IMPL-1 is followed by IMPL-2", "1-2"),
            ("IMPL-2 follows IMPL-1", "1-2"),
            ("IMPL-4 is blocked by IMPL-2", "2-4"),
            ("IMPL-2 waits for IMPL-1; IMPL-4 requires IMPL-3", "1-2 3-4"),
            ("After IMPL-1, IMPL-2 may begin", "1-2"),
            ("Before IMPL-3, IMPL-1 and IMPL-2 are done", "1-3 2-3"),
            ("IMPL-1, IMPL-2 and IMPL-3 must run sequentially", "1-2-3"),
            ("Run IMPL-1 to IMPL-3 in order", "1-2-3"),
            ("IMPL-1, IMPL-2, IMPL-3", "1-2-3"),
            ("IMPL-2 依赖 IMPL-1 完成后的测试基线", "1-2"),
            ("IMPL-2 shares a table with IMPL-1", "none"),
            ("IMPL-3 must run alone", "none"),
            ("Migrations come first", "none"),
        ] {
            let shown = chains(line, &ids).map_or_else(
                || "none".to_owned(),
                |found| {
                    let chain = |chain: &Vec<String>| {
                        chain
                            .iter()
                            .map(|id| id.trim_start_matches("IMPL-").to_owned())
                            .collect::<Vec<_>>()
                            .join("-")
                    };
                    found.iter().map(chain).collect::<Vec<_>>().join(" ")
                },
            );
            assert_eq!(shown, wanted, "{line}");
        }
    }
}
