//! A data file: its text, and the spans, positions and tasks in it.
//!
//! A task in data is an object; its box is the content of its status string. Fields that tools write when the state
//! changes (dates, reasons, summaries) are not part of the task's fingerprint.

use crate::criteria::unclear::without_rewrite;
use crate::criteria::{self, locate, locate::Purpose};
use crate::data::json::{self, Node};
use crate::read::fingerprint;
use crate::states::words;
use checks::{Located, Synonyms};
use markdown::line_index::{self, LineIndex};
use markdown::{Extent, Text, outline};
use memchr::memmem;
use std::borrow::Cow;
use toolkit::Fail;
use toolkit::files::sha::Hasher;
use wire::plan::{Criterion, Diagnostic, Place, Severity, Span};
use wire::{Fingerprint, Seen, State, Task, TaskId, ids};

/// A data file.
pub(crate) struct DataFile<'a> {
    /// The path relative to the root.
    pub(crate) path: &'a str,
    /// The file's text; it has the same length in bytes as the file.
    pub(crate) text: Cow<'a, str>,
    seen: Seen,
    bytes: &'a [u8],
    lines: LineIndex,
}

impl<'a> DataFile<'a> {
    /// Creates the file from a text.
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

    /// The root value, if the text contains any of these keys: searching for a key is much faster than parsing an
    /// unrelated file.
    pub(crate) fn with_key(text: &Text<'a>, keys: &[&str]) -> Option<Node> {
        let sheet = Self::new(text);
        let named = keys
            .iter()
            .any(|key| memmem::find(sheet.text.as_bytes(), format!("\"{key}\"").as_bytes()).is_some());
        if named { sheet.json().ok() } else { None }
    }

    /// The root value of the file.
    pub(crate) fn json(&self) -> Result<Node, Fail> {
        json::whole(&self.text).map_err(|at| self.bad_json(at))
    }

    /// The error for a text that is not JSON.
    pub(crate) fn bad_json(&self, at: usize) -> Fail {
        self.bad("bad-json", "JSON", at)
    }

    /// The error for a text in the wrong format.
    pub(crate) fn bad(&self, code: &'static str, what: &str, at: usize) -> Fail {
        let column = line_index::column(self.bytes, at);
        Fail::data(code, format!("not {what} from column {column} on")).at(self.path, self.line(at))
    }

    /// The text in a range.
    pub(crate) fn str(&self, at: Extent) -> &str {
        self.text.get(at.start..at.end).unwrap_or_default()
    }

    /// The line of an offset, starting at 1.
    pub(crate) fn line(&self, offset: usize) -> u64 {
        self.lines.line(self.bytes, offset)
    }

    /// The range as a span of the wire format.
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
        self.lines.diagnostic((&self.seen, self.bytes), severity, code, message, offset)
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
        // A status of at most one character is indistinguishable from a box, so it cannot be replaced by a word.
        if let Some(status) =
            node.get(status).filter(|status| status.str().is_some_and(|said| said.trim().chars().count() > 1))
        {
            task.mark = Some(self.span(status.inner()));
            task.state_from = Some(Place { path: self.seen.clone(), line: self.line(status.at.start) });
            task.state = self.state(status, id, found);
        }
        task
    }

    /// Copies the named members of an object into the task's extra fields.
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

    /// Adds the criteria of a text at a range.
    pub(crate) fn criterion(&self, task: &mut Task, category: &str, text: &str, at: Extent) {
        locate::add(task, category, self.checks(text, at));
    }

    /// The criteria of a text, which may be Markdown of several lines.
    pub(crate) fn checks(&self, text: &str, at: Extent) -> Vec<Criterion> {
        let span = self.span(at);
        if text.contains('\n') {
            return criteria::text::string(self.path, text, &span, Purpose::Criteria);
        }
        let base = Criterion { text: text.trim().to_owned(), span: span.clone(), ..Criterion::default() };
        checks::read(&Located::text(text.trim(), at), Synonyms::project()).criteria(&base, |_| span.clone())
    }

    /// Adds the check of a field that holds a command, and of the field for its result.
    pub(crate) fn command(
        &self,
        task: &mut Task,
        base: &Criterion,
        command: &str,
        expected: Option<&str>,
        at: Extent,
    ) {
        let reading = checks::read_field(command, expected, at, Synonyms::project());
        locate::add(task, "", without_rewrite(reading.criteria(base, |at| self.span(at))));
    }

    /// Hashes the object's members, without those that change with its state.
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
        fingerprint::finish(hash, depends_on)
    }

    fn state(&self, status: &Node, id: &str, found: &mut Vec<Diagnostic>) -> State {
        let said = status.str().unwrap_or_default();
        words::state(said).unwrap_or_else(|| {
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
