//! One file of `steps/`: the step that its name means, and its header.
//!
//! The header is the text before the first line `---`. Dashes separate the numbers in a name, so `step-2-10.md` is
//! step 2.10; the lexical order of names means nothing.

use crate::formats::workflows::runbook::deps::number::Number;
use crate::formats::workflows::runbook::model;
use crate::formats::workflows::runbook::text::head::{self, What};
use crate::formats::workflows::runbook::text::label;
use markdown::{Extent, Outline};

/// The parsed name of a step file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    /// `2.10`, `2.1-test`.
    pub(crate) id: String,
    /// The number without its part.
    pub(crate) number: String,
    /// `bootstrap`, `test` or `impl`.
    pub(crate) part: Option<&'static str>,
    /// The phase, if the name states it separately from the number.
    pub(crate) phase: Option<String>,
}

/// Parses a file name; `None` if it is not a step.
pub(crate) fn name(file: &str) -> Option<Name> {
    let stem = file.strip_suffix(".md")?;
    if let Some((phase, step)) = stem.strip_prefix("phase").and_then(|rest| rest.split_once("-step")) {
        let number = Number::of(step)?.text;
        let phase = Number::of(phase)?.text;
        return Some(Name { id: number.clone(), number, part: None, phase: Some(phase) });
    }
    let numbers = stem.strip_prefix("step-").or_else(|| stem.strip_prefix("cycle-"))?;
    let part = ["bootstrap", "test", "impl"]
        .into_iter()
        .find(|part| numbers.strip_suffix(part).is_some_and(|rest| rest.ends_with('-')));
    let plain =
        part.map_or(numbers, |part| numbers.get(..numbers.len() - part.len() - 1).unwrap_or_default());
    let number = Number::of(&plain.replace('-', "."))?.text;
    let id = part.map_or_else(|| number.clone(), |part| format!("{number}-{part}"));
    Some(Name { id, number, part, phase: None })
}

/// The header of a step file.
#[derive(Default)]
pub(crate) struct Header {
    /// The runbook that it was made from.
    pub(crate) plan: Option<String>,
    /// The model and its position.
    pub(crate) model: Option<(String, usize)>,
    pub(crate) phase: Option<(String, usize)>,
    pub(crate) report: Option<String>,
    /// The text after the header.
    pub(crate) body: Extent,
    /// The title in the step's own heading, which may stand above the header's fields.
    pub(crate) title: String,
    /// Whether the context of the phase is all that follows.
    pub(crate) empty: bool,
}

/// Reads the header.
pub(crate) fn header(outline: &Outline) -> Header {
    let whole = Extent { start: 0, end: outline.bytes.len() };
    let rule = outline.lines_in(whole).find(|line| outline.str(line.at).trim() == "---");
    let end = rule.map_or(whole.end, |line| line.at.end);
    let mut header = Header { body: Extent { start: end, end: whole.end }, ..Header::default() };
    for label in label::labels(outline, Extent { start: 0, end }) {
        let value = outline.shown(label.value);
        let bare = value.trim_matches('`').to_owned();
        match label.name.as_str() {
            "plan" => header.plan = Some(bare),
            "execution model" => header.model = model::of(&value).map(|model| (model, label.start)),
            "phase" => header.phase = Some((bare, label.start)),
            "report path" => header.report = Some(bare),
            _ => {}
        }
    }
    let title = |at: Extent| {
        outline.headings_in(at).iter().filter(|heading| heading.atx).find_map(|heading| {
            match head::what(outline.str(heading.at)) {
                What::Step(head) => Some(head.title).filter(|title| !title.is_empty()),
                _ => None,
            }
        })
    };
    let above = Extent { start: 0, end };
    header.title = title(header.body).or_else(|| title(above)).unwrap_or_default();
    header.empty = is_empty(outline, header.body);
    header
}

/// Whether the text consists only of rules and the context of the phase.
fn is_empty(outline: &Outline, body: Extent) -> bool {
    let mut context = false;
    for line in outline.lines_in(body) {
        let text = outline.str(line.at).trim();
        match text {
            "## Phase Context" => context = true,
            "---" => context = false,
            "" => {}
            _ if context => {}
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_a_step_file_is_known() {
        for (file, id) in [
            ("step-2-10.md", Some("2.10")),
            ("step-7.md", Some("7")),
            ("step-2-1-test.md", Some("2.1-test")),
            ("step-2-1-bootstrap.md", Some("2.1-bootstrap")),
            ("cycle-1-2.md", Some("1.2")),
            ("phase1-step3.md", Some("3")),
            ("README.md", None),
            ("phase1-execution-context.md", None),
            ("step-.md", None),
        ] {
            assert_eq!(name(file).map(|name| name.id).as_deref(), id, "{file}");
        }
    }
}
