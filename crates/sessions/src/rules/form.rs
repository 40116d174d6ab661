//! Rules about the form of a session, independent of its subject.

use super::{Found, Subject};
use crate::file::Format;
use crate::file::moment::Moment;
use crate::file::session_text;
use crate::thought::numbering::Odd;
use crate::thought::stage::STAGES;
use crate::{Thought, summary};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// How far a clock may be ahead of ours, in seconds.
const AHEAD: i64 = 24 * 3600;

/// The file was read; omitted parts are reported.
pub(super) fn readable(subject: &Subject<'_>) -> Found {
    let mut found = subject.file.format.name().to_owned();
    for problem in &subject.file.problems {
        found.push_str("; ");
        found.push_str(problem);
    }
    Found::new(true, found)
}

/// There are thoughts.
pub(super) fn not_empty(subject: &Subject<'_>) -> Found {
    let least = match subject.ask.against {
        super::Against::Prep => subject.ask.least.thoughts.max(1),
        super::Against::Execution => 1,
    };
    Found::least(subject.thoughts().len() as u64, least)
}

/// Every stage is one of the five.
pub(super) fn stages(subject: &Subject<'_>) -> Found {
    let unknown = subject.thoughts().iter().filter(|thought| thought.stage().is_none());
    let wrong =
        unknown.map(|thought| format!("thought {}: '{}'", thought.thought_number, thought.stage.str()));
    Found::none(wrong, "all known")
}

/// Every thought has a text.
pub(super) fn words(subject: &Subject<'_>) -> Found {
    let blank = subject.thoughts().iter().filter(|thought| thought.thought.str().trim().is_empty());
    let wrong = blank.map(|thought| format!("thought {} is empty", thought.thought_number));
    Found::none(wrong, "every thought says something")
}

/// The numbers are consecutive.
pub(super) fn numbering(subject: &Subject<'_>) -> Found {
    let wrong = subject.odd.iter().filter_map(|(_, odd)| match odd {
        Odd::Number(text) => Some(text.clone()),
        _ => None,
    });
    Found::none(wrong, "in order")
}

/// Revised thoughts and branch points exist.
pub(super) fn references(subject: &Subject<'_>) -> Found {
    let wrong = subject.odd.iter().filter_map(|(_, odd)| match odd {
        Odd::Reference(text) => Some(text.clone()),
        _ => None,
    });
    Found::none(wrong, "all there")
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(rename = "totalThoughts")]
    total: u64,
    stages: BTreeMap<String, u64>,
}

/// The metadata of the export matches its content. The live forms have no metadata.
pub(super) fn metadata(subject: &Subject<'_>) -> Found {
    let file = subject.file;
    let Some(raw) = file.member("metadata").map(RawValue::get) else {
        let exported = file.format == Format::V2 || file.member("exportedAt").is_some();
        return Found::new(!exported, if exported { "there is none" } else { "none to compare" });
    };
    let Ok(said) = serde_json::from_str::<Metadata>(raw) else {
        return Found::new(false, "cannot be read");
    };
    let counts = summary::count(&file.thoughts);
    let mut wrong = Vec::new();
    if said.total != file.thoughts.len() as u64 {
        wrong.push(format!("says {} thoughts, there are {}", said.total, file.thoughts.len()));
    }
    for stage in STAGES {
        let told = said.stages.get(stage.name()).copied().unwrap_or(0);
        let there = counts.get(stage.name()).copied().unwrap_or(0);
        if told != there {
            wrong.push(format!("says {told} of {stage}, there are {there}"));
        }
    }
    Found::none(wrong, "equal to the content")
}

/// Times are readable, ascending and not in the future.
pub(super) fn timestamps(subject: &Subject<'_>) -> Found {
    let mut wrong = Vec::new();
    let mut last: Option<Moment> = None;
    let latest = subject.ask.now.map(|now| now.plus(AHEAD));
    for thought in subject.thoughts() {
        let Some(at) = time(thought, &mut wrong) else { continue };
        if last.is_some_and(|last| last.is_after(at)) {
            wrong.push(format!("thought {} is older than the one before it", thought.thought_number));
        }
        if latest.is_some_and(|latest| at.is_after(latest)) {
            wrong.push(format!("thought {} is in the future", thought.thought_number));
        }
        last = Some(at);
    }
    let exported = subject.file.typed::<String>("exportedAt");
    match exported.as_deref().map(Moment::parse) {
        Some(None) => wrong.push("the time of the export cannot be read".to_owned()),
        Some(Some(at)) if last.is_some_and(|last| last.is_after(at)) => {
            wrong.push("exported before its last thought".to_owned());
        }
        _ => {}
    }
    Found::none(wrong, "in order")
}

fn time(thought: &Thought<'_>, wrong: &mut Vec<String>) -> Option<Moment> {
    let at = Moment::parse(thought.timestamp.str());
    if at.is_none() {
        let text = thought.timestamp.str();
        let number = thought.thought_number;
        wrong.push(if text.is_empty() {
            format!("thought {number} has no time")
        } else {
            format!("thought {number}: '{text}' is no time")
        });
    }
    at
}

/// If the session is a link of a chain, its thoughts match the seal.
pub(super) fn seal(subject: &Subject<'_>) -> Found {
    let link = match subject.sheet.link() {
        Err(fail) => return Found::new(false, fail.message),
        Ok(link) => link.unwrap_or_default(),
    };
    let raw = subject.sheet.compact().unwrap_or_default();
    let is = session_text::seal(raw.iter().map(String::as_str)) == link.seal;
    Found::new(is, if is { "unchanged since it was written" } else { "changed since it was written" })
}
