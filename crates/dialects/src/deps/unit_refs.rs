//! The units of work that a dependency statement names: `Phase 1, Phase 2 (why)`, `Task Groups 1-5`, `All previous phases`.
//!
//! Text in parentheses explains. A part that only advises, `Phase 3 recommended first`, is no dependency. `must complete
//! before Phase 4` makes the other unit wait.

use crate::deps::dangling::simple;
use crate::sections::units;

/// What a statement says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct UnitRefs {
    /// The units that must be done first.
    pub(crate) after: Vec<UnitRef>,
    /// The units that wait for this one.
    pub(crate) before: Vec<UnitRef>,
    /// The units before this one, in the order of the plan.
    pub(crate) earlier: Earlier,
    /// The parts that only advise.
    pub(crate) advice: Vec<String>,
}

/// One unit, or all from one to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnitRef {
    /// The word before the number, as in the table of units; `None` where a number stands alone.
    pub(crate) word: Option<&'static str>,
    /// The number without case and zeros.
    pub(crate) first: String,
    /// The number of the last one of a range.
    pub(crate) last: Option<String>,
}

/// How many of the units before this one a statement means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Earlier {
    /// None in particular.
    #[default]
    Unsaid,
    /// The one directly before.
    Previous,
    /// All of them.
    All,
}

/// Reads a statement.
pub(crate) fn read(text: &str) -> UnitRefs {
    let mut found = UnitRefs::default();
    let text = without_remarks(text);
    for clause in text.split([';', '；']) {
        let mut word = None;
        let mut advised = false;
        for part in clause.split([',', '，', '、', '—']) {
            // `in parallel with Tasks 4, 5`: the list goes on.
            if advised && starts_with_digit(part.trim_start()) {
                continue;
            }
            let before = found.advice.len();
            read_part(part, &mut word, &mut found);
            advised = found.advice.len() > before;
        }
    }
    found
}

/// The units of a plan that a reference means, as positions in `units`: their words and numbers in document order. `own`
/// is the word and the position of the unit that refers: its word holds for a number alone, and of several units with
/// the same number the nearest before it is meant.
pub(crate) fn resolve(found: &UnitRef, own: (&str, usize), units: &[(&str, String)]) -> Vec<usize> {
    let word = found.word.unwrap_or(own.0);
    // `Group 1` may be short for `Task Group 1`.
    let is_such =
        |other: &str| other == word || other.strip_suffix(word).is_some_and(|rest| rest.ends_with(' '));
    let place = |number: &str| {
        let is = |(_, (other, id)): &(usize, &(&str, String))| is_such(other) && id == number;
        let before = units.iter().enumerate().take(own.1).rev().find(is);
        before.or_else(|| units.iter().enumerate().find(is)).map(|(at, _)| at)
    };
    match (place(&found.first), found.last.as_deref().map(place)) {
        (Some(first), None) => vec![first],
        (Some(first), Some(Some(last))) => {
            let (first, last) = (first.min(last), first.max(last));
            (first..=last).filter(|at| units.get(*at).is_some_and(|(other, _)| is_such(other))).collect()
        }
        _ => Vec::new(),
    }
}

fn read_part(part: &str, word: &mut Option<&'static str>, found: &mut UnitRefs) {
    let tokens: Vec<String> =
        part.split_whitespace().map(|token| token.trim_matches(NOISE).to_lowercase()).collect();
    let says = |words: &[&str]| tokens.iter().any(|token| words.contains(&token.as_str()));
    if says(ADVICE) {
        found.advice.push(part.trim().to_owned());
        return;
    }
    let before = found.after.len();
    let refs = before + found.before.len();
    let mut reversed = false;
    let mut naming = word.is_some() || starts_with_digit(part.trim_start());
    let mut range = false;
    let mut at = 0;
    let alone = word.is_none() && naming;
    while let Some(token) = tokens.get(at) {
        let two = tokens.get(at + 1).map(|next| format!("{token} {next}"));
        if let Some(unit) = two.as_deref().and_then(units::word) {
            (*word, naming, range) = (Some(unit), true, false);
            at += 2;
            continue;
        }
        at += 1;
        if let Some(unit) = units::word(token) {
            (*word, naming) = (Some(unit), true);
        } else if naming && starts_with_digit(token.trim_start_matches('#')) {
            let list = if reversed { &mut found.before } else { &mut found.after };
            number(token.trim_start_matches('#'), *word, range, list);
            range = false;
        } else if token == "-" && !tokens.get(at).is_some_and(|next| starts_with_digit(next)) {
            // `003 - Title`
            break;
        } else if matches!(token.as_str(), "to" | "through" | "thru" | "–" | "-" | "~" | "bis") {
            range = naming;
        } else if token == "before" {
            (reversed, naming) = (true, false);
        } else if !matches!(token.as_str(), "and" | "&" | "+" | "") {
            // Without a word before it, a number in a sentence may be anything.
            if alone && naming && word.is_none() {
                found.after.truncate(before);
            }
            (naming, range) = (false, false);
        }
    }
    let named = tokens.iter().any(|token| units::word(token).is_some());
    let all = says(&["all", "every"]);
    if found.after.len() + found.before.len() == refs
        && (says(EARLIER) && named || all && (named || tokens.len() == 1))
    {
        found.earlier = if all { Earlier::All } else { Earlier::Previous };
    }
    if !naming {
        *word = None;
    }
}

/// Adds `3`, `1-5` or the end of a range.
fn number(token: &str, word: Option<&'static str>, range: bool, refs: &mut Vec<UnitRef>) {
    let (first, last) = match token.split_once(['–', '—', '~']).or_else(|| token.split_once('-')) {
        Some((first, last)) if starts_with_digit(last) => (simple(first), Some(simple(last))),
        _ => (simple(token.trim_end_matches(':')), None),
    };
    match refs.last_mut().filter(|_| range) {
        Some(open) if open.last.is_none() => open.last = Some(first),
        _ => refs.push(UnitRef { word, first, last }),
    }
}

/// The text without what stands in parentheses.
fn without_remarks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut depth = 0usize;
    for c in text.chars() {
        match c {
            '(' | '（' => depth += 1,
            ')' | '）' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

const NOISE: [char; 8] = ['*', '_', '`', '.', ':', '[', ']', '"'];

/// Words of a part that advises and does not demand.
#[rustfmt::skip]
const ADVICE: &[&str] = &[
    "optional", "optionally", "recommended", "preferably", "ideally", "suggested", "overlap", "overlaps", "parallel",
    "concurrently", "informs", "inform",
];

const EARLIER: &[&str] = &["previous", "prior", "preceding", "earlier"];

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        let said = read(text);
        let one = |found: &UnitRef| {
            let word = found.word.map_or(String::new(), |word| format!("{word} "));
            let last = found.last.as_deref().map_or(String::new(), |last| format!("..{last}"));
            format!("{word}{}{last}", found.first)
        };
        let mut out: Vec<String> = said.after.iter().map(one).collect();
        out.extend(said.before.iter().map(|found| format!("<{}", one(found))));
        out.extend((said.earlier != Earlier::Unsaid).then(|| format!("{:?}", said.earlier)));
        out.join(", ")
    }

    #[test]
    fn statements_name_units_in_many_ways() {
        for (text, named) in [
            ("Phase 1", "phase 1"),
            ("Phase 02.5 (why), Phase 3", "phase 2.5, phase 3"),
            ("Phases 1, 2 and 4", "phase 1, phase 2, phase 4"),
            ("Phases 1-3", "phase 1..3"),
            ("Phases 1 through 3", "phase 1..3"),
            ("Task Group 1", "task group 1"),
            ("Task Groups 1, 2", "task group 1, task group 2"),
            ("Task Groups 1–5 (all of it)", "task group 1..5"),
            ("Steps 1 and 2 must be complete", "step 1, step 2"),
            ("1, 2", "1, 2"),
            ("003 - Express", "3"),
            ("Task 056: the chart", "task 56"),
            ("4 shovels", ""),
            ("Can run in parallel with Tasks 4, 5", ""),
            ("Nothing (first phase)", ""),
            ("None (can be done in parallel with Task Group 3)", ""),
            ("All previous phases", "All"),
            ("Previous phase", "Previous"),
            ("Phase 16 optional; a repository", ""),
            ("Phase 15 (release); can overlap with 16–18", "phase 15"),
            ("Phase 19 and 20 inform this; can run in parallel with 20", ""),
            ("Phase 15 cleanup; must complete before Phase 16 hardens", "phase 15, <phase 16"),
            ("Node 18 and Rust 2", ""),
            ("All tools installed", ""),
        ] {
            assert_eq!(told(text), named, "{text}");
        }
    }

    #[test]
    fn a_range_follows_the_order_of_the_plan() {
        let units: Vec<(&str, String)> =
            ["1", "1.1", "2", "3"].map(|number| ("phase", number.to_owned())).to_vec();
        let range = UnitRef { word: Some("phase"), first: "1".into(), last: Some("2".into()) };
        assert_eq!(resolve(&range, ("phase", 3), &units), [0, 1, 2]);
        let gone = UnitRef { word: None, first: "9".into(), last: None };
        assert_eq!(resolve(&gone, ("phase", 0), &units), [0usize; 0]);
    }
}
