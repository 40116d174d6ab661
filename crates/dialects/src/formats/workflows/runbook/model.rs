//! The model of a step, and which of several sources decides it.
//!
//! The step's own statements come first: the header of its file, its own field, its line in the metadata, its line in
//! the orchestrator plan; then its phase, then statements for all steps. Contradictions among a step's own
//! statements, or between the header and the runbook that it was made from, are reported.

use wire::plan::{Diagnostic, Place, Severity};
use wire::{Task, TaskId};

/// The sources that can name a model, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum From {
    Header,
    Body,
    Listed,
    Manifest,
    Phase,
    PhaseListed,
    AllListed,
    Frontmatter,
}

impl From {
    pub(crate) fn word(self) -> &'static str {
        match self {
            From::Header => "the step file's header",
            From::Body => "the step's own field",
            From::Listed => "the metadata's line for the step",
            From::Manifest => "the orchestrator plan's line",
            From::Phase => "the phase",
            From::PhaseListed => "the metadata's line for the phase",
            From::AllListed => "the metadata's line for all",
            From::Frontmatter => "the frontmatter",
        }
    }

    fn is_own(self) -> bool {
        self <= From::Manifest
    }
}

/// A model named by one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) from: From,
    pub(crate) model: String,
    pub(crate) place: Place,
}

/// The model that a value names: `Sonnet (reason)`, `haiku`, `gpt-5`.
pub(crate) fn of(value: &str) -> Option<String> {
    let value = value.trim().trim_matches(['*', '`', '_', '"', '\'', '.']).trim_start_matches([':', ' ']);
    let end = value.find(|c: char| !(c.is_alphanumeric() || "-._".contains(c))).unwrap_or(value.len());
    let word = value.get(..end)?.trim_end_matches('.').to_lowercase();
    let known = matches!(word.as_str(), "haiku" | "sonnet" | "opus");
    let rest = value.get(end..)?.trim_start_matches(['*', '`']).trim();
    // A sentence is not a model; an unknown name stands alone or has its reason in parentheses.
    let alone = rest.is_empty() || rest.starts_with('(');
    let none =
        word.is_empty() || matches!(word.as_str(), "none" | "n" | "inline" | "direct" | "varies" | "mixed");
    (known || alone && !none).then_some(word)
}

/// Sets the task's model from its sources, and reports contradictions.
pub(crate) fn decide(task: &mut Task, named: &mut [Named], found: &mut Vec<Diagnostic>) {
    named.sort_by_key(|named| named.from);
    let Some(first) = named.first() else { return };
    task.model = Some(first.model.clone());
    task.extra.insert("model_from".to_owned(), first.from.word().into());
    // A header is generated from the runbook, so it must agree with every statement of the runbook.
    let own = named.iter().skip(1).filter(|other| other.from.is_own());
    let made = named.iter().find(|other| other.from > From::Header).filter(|_| first.from == From::Header);
    let other = own.chain(made).find(|other| other.model != first.model);
    let Some(other) = other.filter(|_| first.from.is_own()) else { return };
    let message = format!(
        "step '{}' is for '{}' by {} and for '{}' by {} ({}:{}): the former decides",
        task.id,
        first.model,
        first.from.word(),
        other.model,
        other.from.word(),
        other.place.path,
        other.place.line
    );
    found.push(at(Severity::Warning, "model-conflict", message, &first.place, &task.id));
}

/// Reports a step without a model.
pub(crate) fn missing(task: &Task, severity: Severity) -> Diagnostic {
    let place = Place { path: task.span.path.clone(), line: task.span.line };
    let message = format!("no model is named for step '{}'", task.id);
    at(severity, NO_MODEL, message, &place, &task.id)
}

/// The code of [`missing`].
pub(crate) const NO_MODEL: &str = "no-model";

/// A diagnostic about a task.
pub(crate) fn at(
    severity: Severity,
    code: &'static str,
    message: String,
    place: &Place,
    task: &TaskId,
) -> Diagnostic {
    Diagnostic {
        severity,
        code: code.to_owned(),
        message,
        path: place.path.clone(),
        line: place.line,
        column: None,
        task: Some(task.clone()),
        offer: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_a_word_and_not_a_sentence() {
        for (value, model) in [
            ("Sonnet (reason)", Some("sonnet")),
            ("haiku", Some("haiku")),
            ("Opus — prose", Some("opus")),
            ("gpt-5.1", Some("gpt-5.1")),
            ("Requires separate planning session", None),
            ("inline", None),
            ("", None),
        ] {
            assert_eq!(of(value).as_deref(), model, "{value}");
        }
    }
}
