//! Classifies a heading or item of a runbook: a phase, a step, the end of a phase, or something else.
//!
//! Accepts what people write, not only what one script read: any level, a missing colon, `1.2a`, a range.

use crate::formats::workflows::runbook::deps::number::{self, Number};
use markdown::marks;

/// The kind of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    Phase(PhaseHead),
    Step(StepHead),
    /// The text of a phase's checkpoint; of the enclosing phase if none is named.
    Boundary(Option<String>),
    /// A checkpoint within a phase.
    Midway,
    /// Says `Step` or `Cycle` but has no number.
    Unnumbered,
    Other,
}

/// `### Phase 2: title (type: tdd, model: sonnet)`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PhaseHead {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) kind: Option<String>,
    pub(crate) model: Option<String>,
}

/// `## Cycle 1.2: title`, `## Steps 2.1-2.3: title`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StepHead {
    /// `step`, `cycle` or `item`.
    pub(crate) word: &'static str,
    pub(crate) number: Number,
    /// All numbers, if the heading stands for several steps.
    pub(crate) all: Vec<String>,
    pub(crate) title: String,
    /// An irregularity to report.
    pub(crate) odd: Option<&'static str>,
}

/// Classifies the text of a heading or item, without its `#` or bullet.
pub(crate) fn what(text: &str) -> What {
    // `✅ Step 1.1` is an ordinary step.
    let text = marks::without_signs(text.trim_matches(['#', ' ', '\t']));
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let lower = word.to_ascii_lowercase();
    match lower.as_str() {
        "phase" | "fase" | "etapa" => phase(rest),
        "checkpoint" if rest.to_lowercase().starts_with(": after ") => What::Midway,
        "checkpoint" if rest.starts_with(':') || rest.is_empty() => What::Boundary(None),
        "final" if rest.trim().eq_ignore_ascii_case("checkpoint") => What::Boundary(None),
        "step" | "steps" => step("step", rest, lower.ends_with('s')),
        "cycle" | "cycles" => step("cycle", rest, lower.ends_with('s')),
        "item" | "items" => step("item", rest, lower.ends_with('s')),
        _ => What::Other,
    }
}

fn phase(rest: &str) -> What {
    let text = rest.trim_start();
    if text.len() == rest.len() {
        return What::Other;
    }
    let Some((number, length)) = number::leading(text) else {
        let is_end = text.eq_ignore_ascii_case("checkpoint");
        return if is_end { What::Boundary(None) } else { What::Other };
    };
    let after = text.get(length..).unwrap_or_default();
    let lower = after.trim_start().to_lowercase();
    if !after.starts_with(':') && (lower.starts_with("checkpoint") || lower.starts_with("completion")) {
        return What::Boundary(Some(number.text));
    }
    if number.is_dotted() || after.starts_with(|c: char| c.is_alphanumeric()) {
        return What::Other;
    }
    let (title, kind, model) = attributes(after);
    What::Phase(PhaseHead { id: number.text, title, kind, model })
}

/// The title without `(type: tdd, model: sonnet)`, and the values in it.
fn attributes(text: &str) -> (String, Option<String>, Option<String>) {
    let lower = text.to_lowercase();
    let of = |key: &str| {
        let at = lower.find(key)? + key.len();
        let value = lower.get(at..)?.trim_start();
        let end = value.find(|c: char| !(c.is_alphanumeric() || "-._".contains(c))).unwrap_or(value.len());
        value.get(..end).filter(|value| !value.is_empty()).map(str::to_owned)
    };
    let kind = of("type:").or_else(|| lower.ends_with("— inline").then(|| "inline".to_owned()));
    let model = of("model:");
    let cut = ["(type:", "(model:", "— inline"].iter().filter_map(|mark| lower.find(mark)).min();
    let title = cut.and_then(|cut| text.get(..cut)).unwrap_or(text);
    (clean(title), kind, model)
}

fn step(word: &'static str, rest: &str, plural: bool) -> What {
    let text = rest.trim_start();
    if text.is_empty() || text.len() == rest.len() {
        return if text.starts_with(':') && !plural { What::Unnumbered } else { What::Other };
    }
    let Some((number, length)) = number::leading(text) else {
        return if plural { What::Other } else { What::Unnumbered };
    };
    let mut after = text.get(length..).unwrap_or_default();
    let mut all = vec![number.text.clone()];
    let mut odd = None;
    let until = after.strip_prefix(['-', '–']).and_then(number::leading);
    if let Some((to, length)) = until.filter(|_| plural || number.is_dotted()) {
        if let Some(filled) = number.fill(&to) {
            all = filled;
            odd = Some("stands for several steps that share its text");
        }
        let sign = after.chars().next().map_or(0, char::len_utf8);
        after = after.get(sign + length..).unwrap_or_default();
    }
    if let Some(dotless) = after.strip_prefix('.') {
        after = dotless;
        odd = Some("has a number that ends with a dot");
    }
    if after.starts_with(|c: char| c.is_alphanumeric()) {
        return What::Unnumbered;
    }
    let bare = after.trim_start_matches('*').trim_start();
    if !bare.is_empty() && !bare.starts_with(':') {
        odd = odd.or(Some("has no colon behind its number"));
    }
    What::Step(StepHead { word, number, all, title: clean(after), odd })
}

/// A title without separators and bold marks at either end.
fn clean(text: &str) -> String {
    let text = text.trim().trim_start_matches([':', '*', ' ', '—', '–', '-', '.']).trim();
    text.trim_end_matches(['#', ' ']).trim_end_matches("**").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<String> {
        match what(text) {
            What::Step(head) => head.all,
            _ => Vec::new(),
        }
    }

    #[test]
    fn every_heading_of_a_step_is_taken() {
        for (text, all) in [
            ("## Step 1.1: A", vec!["1.1"]),
            ("#### Cycle 2.10: A", vec!["2.10"]),
            ("## Step 1.2a: A", vec!["1.2a"]),
            ("## Steps 2.1-2.3: A", vec!["2.1", "2.2", "2.3"]),
            ("## Step 1.1 no colon", vec!["1.1"]),
            ("## Step 1.: A", vec!["1"]),
            ("### ✅ Step 0.1: A", vec!["0.1"]),
            ("**Item 2.1:** `a` — b", vec!["2.1"]),
            ("## Steps", vec![]),
            ("## Stepwise 1", vec![]),
        ] {
            assert_eq!(numbers(text), all, "{text}");
        }
        assert_eq!(what("## Cycle X.Y: [name]"), What::Unnumbered);
    }

    #[test]
    fn phases_have_type_and_model() {
        let What::Phase(phase) = what("### Phase 2: Hooks (type: tdd, model: sonnet)") else { panic!() };
        assert_eq!((phase.id.as_str(), phase.title.as_str()), ("2", "Hooks"));
        assert_eq!((phase.kind.as_deref(), phase.model.as_deref()), (Some("tdd"), Some("sonnet")));
        assert_eq!(what("## Phase 1 Checkpoint"), What::Boundary(Some("1".to_owned())));
        assert_eq!(what("## Phase 1 Completion Validation"), What::Boundary(Some("1".to_owned())));
        assert_eq!(what("## Phase Checkpoint"), What::Boundary(None));
        assert_eq!(what("## CHECKPOINT: After Cycle 1.3"), What::Midway);
        assert_eq!(what("## Phase Structure"), What::Other);
    }
}
