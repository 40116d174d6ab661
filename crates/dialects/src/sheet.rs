//! A file of data: its text, and spans, places and tasks in it.
//!
//! A task in data is an object; its box is the content of its status string. What a tool writes there when the
//! state changes (dates, reasons, summaries) is no part of what the task asks for.

use crate::json::{self, Node};
use crate::lines::{self, LineIndex};
use crate::{Extent, Text, outline, word};
use memchr::memmem;
use std::borrow::Cow;
use toolkit::Fail;
use toolkit::sha::Hasher;
use wire::plan::{Criterion, Diagnostic, Place, Severity, Span};
use wire::{Fingerprint, Seen, State, Task, TaskId, ids};

/// A file of data.
pub(crate) struct Sheet<'a> {
    /// The file as seen from the root.
    pub(crate) path: &'a str,
    /// The file's text, byte for byte as long as the file.
    pub(crate) text: Cow<'a, str>,
    seen: Seen,
    bytes: &'a [u8],
    lines: LineIndex,
}

impl<'a> Sheet<'a> {
    /// The file of a text.
    pub(crate) fn new(text: &Text<'a>) -> Self {
        let readable = outline::readable(text.bytes);
        Self {
            path: text.path,
            text: readable,
            seen: Seen::from(text.path),
            bytes: text.bytes,
            lines: LineIndex::new(),
        }
    }

    /// The one value that the file is, if it has any of these keys at all: looking for them is much quicker than
    /// reading a file that is something else.
    pub(crate) fn with_key(text: &Text<'a>, keys: &[&str]) -> Option<Node> {
        let sheet = Self::new(text);
        let named = keys
            .iter()
            .any(|key| memmem::find(sheet.text.as_bytes(), format!("\"{key}\"").as_bytes()).is_some());
        if named { sheet.json().ok() } else { None }
    }

    /// The one value that the file is.
    pub(crate) fn json(&self) -> Result<Node, Fail> {
        json::whole(&self.text).map_err(|at| self.bad_json(at))
    }

    /// The failure of a text that is no JSON.
    pub(crate) fn bad_json(&self, at: usize) -> Fail {
        self.bad("bad-json", "JSON", at)
    }

    /// The failure of a text that is not what it should be.
    pub(crate) fn bad(&self, code: &'static str, what: &str, at: usize) -> Fail {
        let column = lines::column(self.bytes, at);
        Fail::data(code, format!("not {what} from column {column} on")).at(self.path, self.line(at))
    }

    /// The text of a range.
    pub(crate) fn str(&self, at: Extent) -> &str {
        self.text.get(at.start..at.end).unwrap_or_default()
    }

    /// The line of an offset, counted from 1.
    pub(crate) fn line(&self, offset: usize) -> u64 {
        self.lines.line(self.bytes, offset)
    }

    /// The range as the contract has it.
    pub(crate) fn span(&self, at: Extent) -> Span {
        let path = self.seen.clone();
        Span { path, line: self.line(at.start), start: at.start as u64, end: at.end as u64 }
    }

    /// A diagnostic at an offset.
    pub(crate) fn diagnostic(
        &self,
        severity: Severity,
        code: &'static str,
        message: String,
        offset: usize,
    ) -> Diagnostic {
        Diagnostic {
            severity,
            code: code.to_owned(),
            message,
            path: self.seen.clone(),
            line: self.line(offset),
            column: Some(lines::column(self.bytes, offset)),
            task: None,
        }
    }

    /// The task of an object: its id, its title, and its state where `status` names one.
    pub(crate) fn task(
        &self,
        node: &Node,
        id: &str,
        title: &str,
        status: &str,
        found: &mut Vec<Diagnostic>,
    ) -> Task {
        let mut task = Task {
            id: TaskId(id.to_owned()),
            key: ids::key_of(id),
            title: title.trim().lines().next().unwrap_or_default().to_owned(),
            span: self.span(node.at),
            ..Task::default()
        };
        // A status of one character or none could not be told from a box and replaced by a word.
        if let Some(status) =
            node.get(status).filter(|status| status.str().is_some_and(|said| said.trim().chars().count() > 1))
        {
            task.mark = Some(self.span(status.inner()));
            task.state_from = Some(Place { path: self.seen.clone(), line: self.line(status.at.start) });
            task.state = self.state(status, id, found);
        }
        task
    }

    /// Moves the members of an object that are named into the task's extra fields.
    pub(crate) fn keep(node: &Node, names: &[&str], task: &mut Task) {
        for name in names {
            let Some(value) = node.get(name).map(Node::plain) else { continue };
            let empty = value.is_null()
                || value.as_array().is_some_and(Vec::is_empty)
                || value.as_str().is_some_and(str::is_empty);
            if !empty {
                task.extra.insert((*name).to_owned(), value);
            }
        }
    }

    /// Adds a criterion that stands at a range.
    pub(crate) fn criterion(&self, task: &mut Task, category: &str, text: &str, at: Extent) {
        let criterion = self.check(&task.id.0, task.criteria.len(), category, text, at);
        task.criteria.push(criterion);
    }

    /// A criterion of the name `owner` after `count` others.
    pub(crate) fn check(
        &self,
        owner: &str,
        count: usize,
        category: &str,
        text: &str,
        at: Extent,
    ) -> Criterion {
        let (command, expect, runnable, skip) = crate::expect::split(text);
        Criterion {
            id: format!("{owner}:{}", count + 1),
            category: category.to_owned(),
            text: text.trim().to_owned(),
            command,
            expect,
            runnable,
            skip,
            span: self.span(at),
            ..Criterion::default()
        }
    }

    /// What the object asks for: its members without those that change with its state.
    pub(crate) fn fingerprint(node: &Node, without: &[&str], depends_on: &[TaskId]) -> Fingerprint {
        let mut hash = Hasher::new();
        for (key, value) in node.members() {
            if !without.contains(&key.as_str()) && !VOLATILE.contains(&key.as_str()) {
                hash.update(key.as_bytes());
                hash.update(b"\0");
                hash.update(value.plain().to_string().as_bytes());
                hash.update(b"\0");
            }
        }
        let mut ids: Vec<_> = depends_on.iter().map(TaskId::as_str).collect();
        ids.sort_unstable();
        for id in ids {
            hash.update(b"\0");
            hash.update(id.as_bytes());
        }
        Fingerprint(hash.finish_as("fp1:"))
    }

    fn state(&self, status: &Node, id: &str, found: &mut Vec<Diagnostic>) -> State {
        let said = status.str().unwrap_or_default();
        word::state(said).unwrap_or_else(|| {
            let message = format!("unknown status '{said}' is taken as not done");
            let mut warning = self.diagnostic(Severity::Warning, "unknown-status", message, status.at.start);
            warning.task = Some(TaskId(id.to_owned()));
            found.push(warning);
            State::Pending
        })
    }
}

/// Members that tools write when the state of a task changes.
#[rustfmt::skip]
const VOLATILE: &[&str] = &[
    "status", "previousStatus", "state", "updatedAt", "updated_at", "updated", "created_at", "created_by",
    "closed_at", "close_reason", "closed", "started_at", "completed_at", "completedAt", "summary", "owner",
    "assignee", "comments", "comment_count", "dependency_count", "dependent_count", "compaction_level",
    "compacted_at", "compacted_at_commit", "original_size", "source_repo",
];
