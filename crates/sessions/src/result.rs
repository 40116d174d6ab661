//! A child's Markdown result as data: `## Status` … `## Runtime Attestation`, or `## Subtask Result`.
//!
//! Fences around it are ignored; if a text has several results, the last one counts. Missing or unfitting parts are
//! reported; nothing is guessed.

mod lines;
#[cfg(test)]
mod tests;

use crate::result::lines::{Part, parts};
use toolkit::Fail;
use wire::result::{Claimed, Deliverable, ResultDoc, SCHEMA};

/// Reads a child's result; `model` is the requested one.
pub fn read(path: &str, text: &str, model: Option<&str>) -> Result<ResultDoc, Fail> {
    let parts = parts(text);
    let start = parts
        .iter()
        .rposition(|part| part.level == 2 && matches!(part.name.as_str(), "status" | "subtask result"));
    let Some(start) = start else {
        return Err(
            Fail::data("no-result", "there is neither '## Status' nor '## Subtask Result'").at(path, 1)
        );
    };
    let shape = if parts[start].name == "status" { Shape::Return } else { Shape::Subtask };
    let mut reader = Reader { parts: &parts[start..], shape, problems: Vec::new() };
    let mut result = reader.result();
    result.model_match =
        model.map(|model| same_model(model, result.runtime_model_reported.as_deref()).to_owned());
    result.problems = reader.problems;
    Ok(result)
}

/// The two shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Return,
    Subtask,
}

/// `same`, `other` or `unknown`: a provider prefix does not make another model.
fn same_model(asked: &str, reported: Option<&str>) -> &'static str {
    let bare = |name: &str| name.rsplit('/').next().unwrap_or(name).to_lowercase();
    match reported {
        None => "unknown",
        Some(name) if matches!(bare(name).as_str(), "unknown" | "none" | "") => "unknown",
        Some(name) if bare(name) == bare(asked) => "same",
        Some(_) => "other",
    }
}

struct Reader<'p> {
    parts: &'p [Part],
    shape: Shape,
    problems: Vec<String>,
}

impl Reader<'_> {
    fn result(&mut self) -> ResultDoc {
        let status = self.part("status");
        let evidence = self.part("evidence");
        // One shape attests below its evidence, the other below a separate heading.
        let attested = match self.shape {
            Shape::Return => self.part("runtime attestation"),
            Shape::Subtask => evidence.clone(),
        };
        let deliverables = self.part("deliverables");
        let state = self.state(&status);
        let result = ResultDoc {
            schema: SCHEMA.to_owned(),
            shape: if self.shape == Shape::Return { "return" } else { "subtask" }.to_owned(),
            summary: self.need(&status, "summary").unwrap_or_default(),
            error_code: status.value("error_code"),
            retry_recommended: self.retry(&status, state.as_deref()),
            retry_hint: status.value("retry_hint"),
            deliverables: deliverables.bullets().map(deliverable).collect(),
            evidence: evidence.bullets().filter(|line| !is_attested(line)).map(str::to_owned).collect(),
            criteria: self.optional("success criteria verification").bullets().map(claimed).collect(),
            gates: self.optional("quality gates").bullets().map(claimed).collect(),
            runtime_model_reported: self.need(&attested, "runtime_model_reported"),
            runtime_mode_reported: self.need(&attested, "runtime_mode_reported"),
            files_created: self.files(&attested, "files_created"),
            files_modified: self.files(&attested, "files_modified"),
            limitations: attested.list("limitations").unwrap_or_default(),
            state,
            ..ResultDoc::default()
        };
        if self.shape == Shape::Subtask && result.criteria.is_empty() {
            self.problems.push("no success criterion is verified".to_owned());
        }
        result
    }

    /// A required part.
    fn part(&mut self, name: &str) -> Part {
        let found = self.find(name);
        if found.is_none() {
            let marks = if self.shape == Shape::Return { "##" } else { "###" };
            self.problems.push(format!("there is no '{marks} {}'", title(name)));
        }
        found.unwrap_or_default()
    }

    fn optional(&self, name: &str) -> Part {
        self.find(name).unwrap_or_default()
    }

    fn find(&self, name: &str) -> Option<Part> {
        let level = if self.shape == Shape::Return { 2 } else { 3 };
        self.parts.iter().find(|part| part.level == level && part.name == name).cloned()
    }

    fn need(&mut self, part: &Part, key: &str) -> Option<String> {
        let value = part.value(key);
        if value.is_none() {
            self.problems.push(format!("there is no '{key}'"));
        }
        value
    }

    fn state(&mut self, status: &Part) -> Option<String> {
        let word = self.need(status, "state")?.to_uppercase();
        let known = ["SUCCESS", "ERROR", "PARTIAL"].contains(&word.as_str());
        if !known {
            self.problems.push(format!("state '{word}' is not one of SUCCESS, ERROR, PARTIAL"));
        }
        known.then_some(word)
    }

    fn retry(&mut self, status: &Part, state: Option<&str>) -> Option<bool> {
        let word = status.value("retry_recommended").map(|word| word.to_lowercase());
        match word.as_deref() {
            Some("yes" | "true") => Some(true),
            Some("no" | "false") => Some(false),
            Some(other) => {
                self.problems.push(format!("retry_recommended '{other}' is neither yes nor no"));
                None
            }
            None => {
                if state == Some("ERROR") && self.shape == Shape::Return {
                    self.problems.push("an ERROR must say 'retry_recommended'".to_owned());
                }
                None
            }
        }
    }

    fn files(&mut self, part: &Part, key: &str) -> Vec<String> {
        let Some(files) = part.list(key) else {
            self.problems.push(format!("there is no '{key}'"));
            return Vec::new();
        };
        for file in
            files.iter().filter(|file| file.starts_with('/') || file.split('/').any(|part| part == ".."))
        {
            self.problems.push(format!("'{file}' is not below the root"));
        }
        files
    }
}

const ATTESTED: [&str; 5] =
    ["runtime_model_reported", "runtime_mode_reported", "files_created", "files_modified", "limitations"];

fn is_attested(line: &str) -> bool {
    ATTESTED.iter().any(|key| line.trim_start_matches('*').starts_with(key))
}

fn deliverable(line: &str) -> Deliverable {
    let cut = [" — ", " – ", " - ", ": "].iter().find_map(|cut| line.split_once(cut));
    let (path, description) = cut.unwrap_or((line, ""));
    Deliverable { path: path.trim().trim_matches('`').to_owned(), description: description.trim().to_owned() }
}

fn claimed(line: &str) -> Claimed {
    let (claim, evidence) =
        [" — ", " – ", " - "].iter().find_map(|cut| line.split_once(cut)).unwrap_or((line, ""));
    // A criterion may contain a colon itself: the status follows the last one.
    let (name, status) = claim.rsplit_once(':').unwrap_or((claim, ""));
    Claimed {
        name: name.trim().to_owned(),
        status: status.trim().trim_matches('*').to_owned(),
        evidence: evidence.trim().to_owned(),
    }
}

fn title(name: &str) -> String {
    let upper = |word: &str| {
        let mut letters = word.chars();
        letters
            .next()
            .map(|first| first.to_uppercase().chain(letters).collect::<String>())
            .unwrap_or_default()
    };
    name.split(' ').map(upper).collect::<Vec<_>>().join(" ")
}
