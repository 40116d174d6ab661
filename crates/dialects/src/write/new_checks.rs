//! Adds checks to a task in the form that its dialect has for them.
//!
//! A dialect names its forms in the table, the usual one first. Each form offers edits; the caller takes the first that
//! reads back as the same checks with everything else as it was. No byte of the plan is changed or removed: every edit is an
//! insertion.

mod lines;
mod members;
mod tables;
mod yaml;

use super::{Edit, bytes_of};
use crate::{PlanSnapshot, row};
use toolkit::Fail;
use wire::Task;

/// A check to add.
#[derive(Debug, Clone, Copy)]
pub struct NewCheck<'a> {
    /// The check in the grammar, on one line.
    pub text: &'a str,
    /// Its command.
    pub command: &'a str,
    /// What it must give, in the grammar; empty where that is exit 0.
    pub expected: &'a str,
}

/// Where and how checks stand in plans of a dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `Verify:` below the item or the heading of a task.
    Lines,
    /// `Run:` and `Expected:` at the end of the section.
    RunExpected,
    /// Boxes below a label, which is made where it is missing.
    Boxes {
        /// The words of the label, in lowercase.
        label: &'static str,
        /// The lines of a new one.
        new: &'static str,
    },
    /// An element in the element of the task.
    Element(&'static str),
    /// A member of the task's object, by its path; outer objects are made where they are missing.
    Members(&'static [Member]),
    /// The same in the JSON file of the task.
    TaskFile(&'static [Member]),
    /// The key `verify` of the front matter of the task's file.
    FrontMatter,
    /// The key `verify` of an entry of a YAML list.
    Entry,
    /// A map `verify` of the file, from the key of a task to its checks.
    Map,
    /// A column of this name in the task's table.
    Column(&'static str),
}

/// A member of an object that holds checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Its path.
    pub path: &'static [&'static str],
    /// Whether it is a list of strings, and not one string.
    pub is_list: bool,
}

impl Member {
    /// A string.
    pub(crate) const fn text(path: &'static [&'static str]) -> Self {
        Self { path, is_list: false }
    }

    /// A list of strings.
    pub(crate) const fn list(path: &'static [&'static str]) -> Self {
        Self { path, is_list: true }
    }
}

/// The ways to add checks to a task, the usual one first.
pub fn new_checks(
    field: &PlanSnapshot,
    task: &Task,
    checks: &[NewCheck<'_>],
) -> Result<Vec<Vec<Edit>>, Fail> {
    let mut ways = Vec::new();
    for form in row(&field.plan.source.dialect).checks {
        let path = match form {
            Form::TaskFile(_) => match &task.detail {
                Some(detail) => detail.path.clone(),
                None => continue,
            },
            _ => task.span.path.to_string(),
        };
        let bytes = bytes_of(field, &path)?;
        // Offsets are those of the file, so that a file that is not UTF-8 is left alone.
        let Ok(text) = std::str::from_utf8(&bytes) else { continue };
        let page = Page { field, task, path: &path, text };
        ways.extend(match form {
            Form::Lines => lines::verify(&page, checks),
            Form::RunExpected => lines::run_expected(&page, checks),
            Form::Boxes { label, new } => lines::boxes(&page, checks, label, new),
            Form::Element(name) => lines::element(&page, checks, name),
            Form::Members(list) => members::add(&page, checks, list, page.start()),
            Form::TaskFile(list) => members::add(&page, checks, list, 0),
            Form::FrontMatter => yaml::front_matter(&page, checks),
            Form::Entry => yaml::entry(&page, checks),
            Form::Map => yaml::map(&page, checks),
            Form::Column(name) => tables::column(&page, checks, name),
        });
    }
    ways.retain(|way: &Vec<Edit>| !way.is_empty());
    Ok(ways)
}

/// A file of the plan, and the task that gets checks.
struct Page<'p> {
    field: &'p PlanSnapshot,
    task: &'p Task,
    path: &'p str,
    text: &'p str,
}

impl Page<'_> {
    /// The first byte of the task.
    fn start(&self) -> usize {
        usize::try_from(self.task.span.start).unwrap_or(usize::MAX).min(self.text.len())
    }

    /// The end of the task without the tasks within it.
    fn end(&self) -> usize {
        let offset = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(self.text.len());
        let (start, end) = (self.task.span.start, self.task.span.end);
        let tasks = self.field.plan.tasks.iter().filter(|task| task.span.path == self.task.span.path);
        let inner = tasks.map(|task| task.span.start).filter(|at| *at > start && *at < end).min();
        inner.map_or(offset(end), |at| self.line_start(offset(at)))
    }

    fn line_start(&self, at: usize) -> usize {
        self.text.get(..at).and_then(|head| head.rfind('\n')).map_or(0, |end| end + 1)
    }

    /// One past the end of the line at an offset, with its line end.
    fn line_end(&self, at: usize) -> usize {
        self.text.get(at..).and_then(|rest| rest.find('\n')).map_or(self.text.len(), |end| at + end + 1)
    }

    /// The line end of the file.
    fn eol(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// Inserts whole lines at the beginning of a line, or at the end of the file.
    fn insert(&self, at: usize, lines: &str) -> Vec<Edit> {
        let is_open = self.text.get(..at).is_some_and(|head| !head.is_empty() && !head.ends_with('\n'));
        let text = match (is_open, lines.strip_suffix(self.eol())) {
            // A file without a line end at its end stays one.
            (true, Some(lines)) => format!("{}{lines}", self.eol()),
            _ => lines.to_owned(),
        };
        self.put(at, text)
    }

    /// Inserts a text.
    fn put(&self, at: usize, text: String) -> Vec<Edit> {
        vec![Edit { path: self.path.to_owned(), start: at, end: at, text }]
    }

    /// After the last line of a range that is neither blank nor a rule across the page.
    fn after_text(&self, start: usize, end: usize) -> usize {
        let mut last = self.line_end(start).min(end.max(start));
        let mut at = self.line_start(start);
        for line in self.text.get(at..end).unwrap_or_default().split_inclusive('\n') {
            at += line.len();
            let bare = line.trim();
            let is_rule = bare.len() >= 3 && bare.chars().all(|c| c == '-' || c == '*' || c == '_');
            if !bare.is_empty() && !is_rule {
                last = at;
            }
        }
        last
    }
}
