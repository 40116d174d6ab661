//! Sentences about order in the metadata and the preambles: `Step 7 depends on Steps 2-6`,
//! `Phase 1 → Phase 2 + Phase 3`, `All phases 1-4 must be complete before Step 5.4`, `Phase 5 must complete first`.
//!
//! Only a sentence that matches one of these forms completely counts; any other is prose and adds nothing.

use super::refs::{self, Ref};

/// The meaning of a sentence.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Clause {
    /// The first wait for the second.
    Waits(Vec<Ref>, Vec<Ref>),
    /// These come before the section that contains the sentence.
    First(Vec<Ref>),
    /// These do not wait for each other.
    Together(Vec<Ref>),
    /// These run one after the other.
    InOrder(Vec<Ref>),
}

/// The clauses of a line; a chain has several.
pub(crate) fn read(line: &str) -> Vec<Clause> {
    let line = line.trim().trim_start_matches(['-', '*', ' ']);
    let chain = chain(line);
    if chain.is_empty() { sentence(line).into_iter().collect() } else { chain }
}

/// The meaning of a `Depends on` value for its owner; the value may be about something else.
pub(crate) fn field(value: &str) -> Option<Clause> {
    let (found, rest) = refs::leading(value);
    if found.is_empty() {
        return None;
    }
    let rest = plain(rest);
    if rest.starts_with("is independent") || rest.starts_with("are independent") {
        // `Phase 3 is independent, but Step 4.2 depends on Step 4.1`.
        let but = value.split_once(", but ").and_then(|(_, rest)| sentence(rest));
        return but.or(Some(Clause::Together(found)));
    }
    sentence(value).filter(|said| matches!(said, Clause::Waits(..))).or(Some(Clause::First(found)))
}

fn chain(line: &str) -> Vec<Clause> {
    let line = line.replace("->", "→");
    if !line.contains('→') {
        return Vec::new();
    }
    // `Sequential (1.1 → 1.2)`, `Phase 1: Sequential (1.1 → 1.2, then …)`: the chain is in the parentheses.
    let inner = match (line.find('('), line.find('→')) {
        (Some(open), Some(arrow)) if open < arrow => line
            .get(open + 1..)
            .filter(|inner| !inner.get(..arrow - open).unwrap_or_default().contains(')'))
            .map_or(line.as_str(), |inner| inner.split(')').next().unwrap_or(inner)),
        _ => line.as_str(),
    };
    let links: Vec<Option<Vec<Ref>>> = inner.split('→').map(link).collect();
    links
        .windows(2)
        .filter_map(|pair| match pair {
            [Some(before), Some(after)] => Some(Clause::Waits(after.clone(), before.clone())),
            _ => None,
        })
        .collect()
}

fn link(text: &str) -> Option<Vec<Ref>> {
    let whole = refs::only(text);
    let head = text.split(", then").next().unwrap_or(text);
    whole.or_else(|| refs::only(head))
}

fn sentence(line: &str) -> Option<Clause> {
    let (left, rest) = refs::leading(line);
    if left.is_empty() {
        return None;
    }
    let text = rest.trim_start_matches([':', ' ', '*', ',', ';']);
    let lower = plain(rest);
    let behind =
        |word: &str| text.get(word.len()..).map(|rest| refs::leading(rest).0).filter(|on| !on.is_empty());
    for word in ["depends on", "depend on", "after", "requires", "require", "blocked by", "must run after"] {
        if lower.starts_with(word) {
            return behind(word).map(|right| Clause::Waits(left, right));
        }
    }
    for word in ["must complete before", "must be complete before", "must be completed before", "before"] {
        if lower.starts_with(word) {
            return behind(word).map(|right| Clause::Waits(right, left));
        }
    }
    for word in ["must complete first", "must be complete first", "must be completed first"] {
        if lower.starts_with(word) {
            return Some(Clause::First(left));
        }
    }
    if lower.starts_with("sequential") {
        return Some(Clause::InOrder(left));
    }
    let together =
        ["parallel", "are independent", "all steps independent", "can run parallel", "can run in parallel"];
    together.iter().any(|word| lower.starts_with(word)).then_some(Clause::Together(left))
}

/// The text after the references, in lowercase and without separators.
fn plain(rest: &str) -> String {
    rest.trim_start_matches([':', ' ', '*', ',', ';']).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::workflows::runbook::deps::number::Number;

    fn task(id: &str) -> Ref {
        let number = Number::of(id).unwrap();
        Ref::Task(number.clone(), number)
    }

    fn phase(id: &str) -> Ref {
        let number = Number::of(id).unwrap();
        Ref::Phase(number.clone(), number)
    }

    #[test]
    fn sentences_about_order_are_read() {
        assert_eq!(read("- Step 8 depends on Step 7"), [Clause::Waits(vec![task("8")], vec![task("7")])]);
        assert_eq!(read("- Step 7: After Step 6 (x)"), [Clause::Waits(vec![task("7")], vec![task("6")])]);
        assert_eq!(
            read("Step 1 must complete before Step 2"),
            [Clause::Waits(vec![task("2")], vec![task("1")])]
        );
        assert_eq!(
            read("Sequential (1.1 -> 1.2 -> checkpoint)"),
            [Clause::Waits(vec![task("1.2")], vec![task("1.1")])]
        );
        assert_eq!(
            read("Phase 1 → [Phase 2 ∥ Phase 3] → Phase 4"),
            [
                Clause::Waits(vec![phase("2"), phase("3")], vec![phase("1")]),
                Clause::Waits(vec![phase("4")], vec![phase("2"), phase("3")])
            ]
        );
        assert_eq!(read("Phase 5 must complete first (`x` exists)."), [Clause::First(vec![phase("5")])]);
        assert_eq!(read("Phase 1 creates skills → Phase 2 agents use them"), []);
        assert_eq!(read("Sequential within phases"), []);
    }

    #[test]
    fn a_field_may_be_about_something_else() {
        assert_eq!(
            field("Phase 3 (auto-format) is independent, but Step 4.2 depends on Step 4.1"),
            Some(Clause::Waits(vec![task("4.2")], vec![task("4.1")]))
        );
        assert_eq!(
            field("All phases 1 must be complete before Step 5.4 (sync)"),
            Some(Clause::Waits(vec![task("5.4")], vec![phase("1")]))
        );
        assert_eq!(field("None (foundation)"), None);
        assert_eq!(field("Item 1.2 — last"), Some(Clause::First(vec![task("1.2")])));
    }
}
