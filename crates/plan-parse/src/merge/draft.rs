//! The merged text while it is made: text that stands, and conflicts, which are whole lines.

use crate::merge::side::Side;
use crate::merge::{Markers, Merged};

/// A part of the merged text.
#[derive(Debug)]
enum Part {
    Clean(Vec<u8>),
    Conflict(Vec<u8>, Vec<u8>),
}

/// The merged text so far.
#[derive(Debug, Default)]
pub(crate) struct Draft(Vec<Part>);

impl Draft {
    /// Everything between the first and the last difference of two versions as one conflict.
    pub(crate) fn of_whole(base: &Side, ours: &Side, theirs: &Side) -> Self {
        let text = |side: &Side, at: usize| side.text(at..at + 1).to_vec();
        let (a, b) = (ours.pieces.len(), theirs.pieces.len());
        let most = a.min(b).min(base.pieces.len());
        let same = |from_start: bool, by: usize| {
            let at = |len: usize| if from_start { by } else { len - 1 - by };
            let base = text(base, at(base.pieces.len()));
            text(ours, at(a)) == base && text(theirs, at(b)) == base
        };
        let head = (0..most).take_while(|by| same(true, *by)).count();
        let tail = (0..most - head).take_while(|by| same(false, *by)).count();
        let mut draft = Self::default();
        draft.clean(ours.text(0..head));
        draft.conflict(ours.text(head..a - tail), theirs.text(head..b - tail));
        draft.clean(ours.text(a - tail..a));
        draft
    }

    /// Adds text that stands.
    pub(crate) fn clean(&mut self, bytes: &[u8]) {
        match self.0.last_mut() {
            Some(Part::Clean(text)) => text.extend_from_slice(bytes),
            _ if bytes.is_empty() => {}
            _ => self.0.push(Part::Clean(bytes.to_vec())),
        }
    }

    /// Adds a conflict.
    pub(crate) fn conflict(&mut self, ours: &[u8], theirs: &[u8]) {
        self.0.push(Part::Conflict(ours.to_vec(), theirs.to_vec()));
    }

    /// The text with markers around whole lines.
    pub(crate) fn finish(self, markers: &Markers, conflicts: Vec<String>, reopened: Vec<String>) -> Merged {
        let mut bytes = Vec::new();
        for part in whole_lines(self.0) {
            match part {
                Part::Clean(text) => bytes.extend(text),
                Part::Conflict(ours, theirs) => {
                    let line_end: &[u8] = if [&ours, &theirs].iter().any(|text| text.ends_with(b"\r\n")) {
                        b"\r\n"
                    } else {
                        b"\n"
                    };
                    let marker = |sign: char, label: &str| {
                        let mut line = sign.to_string().repeat(markers.size);
                        if !label.is_empty() {
                            line.push(' ');
                            line.push_str(label);
                        }
                        [line.as_bytes(), line_end].concat()
                    };
                    let ended = |mut text: Vec<u8>| {
                        if !text.is_empty() && !text.ends_with(b"\n") {
                            text.extend_from_slice(line_end);
                        }
                        text
                    };
                    bytes.extend(marker('<', &markers.ours));
                    bytes.extend(ended(ours));
                    bytes.extend(marker('=', ""));
                    bytes.extend(ended(theirs));
                    bytes.extend(marker('>', &markers.theirs));
                }
            }
        }
        Merged { bytes, conflicts, reopened }
    }
}

/// The same parts, where each conflict takes in the rest of the lines that it begins and ends in.
fn whole_lines(parts: Vec<Part>) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::new();
    for part in parts {
        match part {
            Part::Conflict(mut ours, mut theirs) => {
                // The beginning of its line, which an earlier conflict may share.
                if let Some(Part::Clean(text)) = out.last_mut() {
                    let from = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                    let begun = text.split_off(from);
                    ours.splice(0..0, begun.iter().copied());
                    theirs.splice(0..0, begun);
                    if text.is_empty() {
                        out.pop();
                    }
                }
                match out.last_mut() {
                    Some(Part::Conflict(before, earlier)) if !is_ended(before) || !is_ended(earlier) => {
                        before.extend(ours);
                        earlier.extend(theirs);
                    }
                    _ => out.push(Part::Conflict(ours, theirs)),
                }
            }
            Part::Clean(text) => match out.last_mut() {
                Some(Part::Conflict(ours, theirs)) if !is_ended(ours) || !is_ended(theirs) => {
                    let to = text.iter().position(|byte| *byte == b'\n').map_or(text.len(), |at| at + 1);
                    ours.extend_from_slice(&text[..to]);
                    theirs.extend_from_slice(&text[..to]);
                    if to < text.len() {
                        out.push(Part::Clean(text[to..].to_vec()));
                    }
                }
                _ => out.push(Part::Clean(text)),
            },
        }
    }
    out
}

/// Whether a side of a conflict ends with its line.
fn is_ended(text: &[u8]) -> bool {
    text.is_empty() || text.ends_with(b"\n")
}
