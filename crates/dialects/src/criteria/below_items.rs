//! The plain items below a task: `Depends on: T1`, `Verify:` with a command, `Files: a.rs`, `Status: done`.
//!
//! Only a label at the beginning counts. Everything else is the task's own text, except for a line that is a check
//! with its command. The box decides the state; a status that contradicts it is reported.

use crate::Plan;
use crate::criteria::expected::{self, StatedResult};
use crate::criteria::results;
use crate::deps::needs::{NamedTasks, Needs};
use crate::fields::{inputs, item_text, paths};
use crate::lists::items::Entry;
use crate::lists::{items, numbered};
use crate::states::status_cell;
use checks::request_words::{self, Asked};
use checks::{criterion, fenced};
use markdown::{Extent, Item, Outline};
use memchr::memchr2_iter;
use wire::Task;
use wire::plan::{Criterion, Diagnostic, FileUse, Severity};

/// Reads the items below every entry.
pub(crate) fn read(outline: &Outline, entries: &[Entry], plan: &mut Plan) {
    let mut needs: Option<Needs> = None;
    for (index, entry) in entries.iter().enumerate() {
        let said = inline(outline.str(entry.line));
        let checks = plain_checks(outline, entry);
        let own = plan.tasks.get(index).and_then(|task| itself(&task.title));
        if said.is_none() && entry.below.is_empty() && checks.is_empty() && own.is_none() {
            continue;
        }
        // Built on demand: a plain list does not need them.
        let needs = &*needs.get_or_insert_with(|| Needs::new(&plan.tasks));
        let Some(task) = plan.tasks.get_mut(index) else { continue };
        if let Some(said) = said {
            wait(outline, task, needs.of(index, said, |_| None), entry.line, &mut plan.diagnostics);
        }
        let at = outline.span(entry.line);
        push(task, own.map(|own| Criterion { text: task.title.clone(), span: at, ..own }));
        let mut below = Below { outline, needs, index, task, found: &mut plan.diagnostics, last: None };
        let items = entry.below.iter().filter_map(|&index| outline.items.get(index));
        let mut checks = checks.into_iter().peekable();
        let mut open: Option<(Label, &Item)> = None;
        for item in items.filter(|item| item.mark.is_none() && !item.quoted) {
            let at = items::line_of(outline, item);
            // Number the checks in document order, whatever their form.
            while let Some((_, check)) = checks.next_if(|(check, _)| check.start < at.start) {
                push(below.task, Some(check));
            }
            open = below.item(item, at, open);
        }
        for (_, check) in checks {
            push(below.task, Some(check));
        }
    }
}

/// A task that is itself a check: ``Verify: `make` ``, ``[P] Run `make` and confirm that it passes``.
fn itself(title: &str) -> Option<Criterion> {
    let mut text = title;
    while let Some((_, rest)) = text.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        text = rest.trim_start();
    }
    // Few titles contain code.
    memchr::memchr(b'`', text.as_bytes())?;
    let labelled = request_words::label(text).filter(|(asked, _)| *asked != Asked::Expected);
    match labelled {
        Some((_, rest)) => Some(criterion::told(rest)).filter(|told| told.command.is_some()),
        None => request_words::sentence(text),
    }
}

fn push(task: &mut Task, criterion: Option<Criterion>) {
    if let Some(criterion) = criterion {
        let id = format!("{}:{}", task.id, task.criteria.len() + 1);
        task.criteria.push(Criterion { id, ..criterion });
    }
}

/// The checks in an entry's own text: lines with a command after the label, and shell blocks after a label. A label
/// without a command is ignored here: it may come from a wrapped sentence.
fn plain_checks(outline: &Outline, entry: &Entry) -> Vec<(Extent, Criterion)> {
    let text = Extent { start: entry.line.end, end: entry.own.end };
    let lines = outline.lines_in(text).filter(|line| line.veil.is_none());
    let checks = lines.filter_map(|line| {
        let at = outline.trimmed(line.at);
        let text = outline.str(at);
        if request_words::label(text).is_some_and(|(asked, rest)| asked != Asked::Expected && rest.is_empty())
        {
            return Some((at, behind(outline, at, entry.own.end)?));
        }
        // Items are read separately.
        let (label, said) = label(text).filter(|_| markdown::marks::after_bullet(text).is_none())?;
        let told = || Criterion { text: said.to_owned(), span: outline.span(at), ..criterion::told(said) };
        (label == Label::Check && said.starts_with('`')).then(|| (at, told()))
    });
    checks.collect()
}

/// The block of shell lines directly after a label.
fn behind(outline: &Outline, label: Extent, end: usize) -> Option<Criterion> {
    let fence = expected::fence(outline, Extent { start: label.end, end })?;
    let script = fenced::command(outline, fence)?;
    let mut check = Criterion {
        text: script.clone(),
        command: Some(script),
        runnable: true,
        span: outline.span(outline.trimmed(fence.at)),
        ..Criterion::default()
    };
    let next = outline.items.partition_point(|item| item.at.start < fence.at.end);
    let end = outline.items.get(next).map_or(end, |item| item.at.start.min(end));
    let below = Extent { start: fence.at.end, end: end.max(fence.at.end) };
    results::settle(&mut check, &results::below(outline, below), "");
    Some(check)
}

/// The meaning of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Depends,
    Check,
    /// A check if the value is a command.
    Command,
    Files,
    Status,
}

/// The items below one task.
struct Below<'b, 'o> {
    outline: &'b Outline<'o>,
    needs: &'b Needs,
    index: usize,
    task: &'b mut Task,
    found: &'b mut Vec<Diagnostic>,
    /// The check of the previous item.
    last: Option<usize>,
}

impl Below<'_, '_> {
    /// Reads one item, and returns the label that applies to the items indented below it.
    fn item<'i>(
        &mut self,
        item: &'i Item,
        at: Extent,
        open: Option<(Label, &'i Item)>,
    ) -> Option<(Label, &'i Item)> {
        let outline = self.outline;
        let text = outline.str(at);
        let (before, last) = (self.task.criteria.len(), self.last.take());
        // `Output: a list` describes the return value of a function.
        let expects = text.trim_start_matches('*').get(..6).is_some_and(|w| w.eq_ignore_ascii_case("expect"));
        if let Some((Asked::Expected, said)) =
            request_words::label(text).filter(|_| last.is_some() && expects)
        {
            let said = [StatedResult::Words(said.to_owned())];
            self.task.criteria.get_mut(last?).into_iter().for_each(|c| results::settle(c, &said, ""));
            return open;
        }
        let open = open.filter(|(_, above)| item.depth > above.depth);
        let found = label(text);
        let next = match (open, found) {
            // Text indented below a label belongs to the label.
            (Some((label, _)), _) => {
                self.take(label, text, at);
                open
            }
            (None, Some((label, said))) => {
                if !said.is_empty() {
                    self.take(label, said, at);
                }
                // If the label already has a text, only a command below it is a check.
                let label = if said.is_empty() { label } else { Label::Command };
                let opens = said.is_empty() || self.task.criteria.len() > before;
                opens.then_some((label, item))
            }
            (None, None) => {
                let asks = request_words::sentence(text).filter(|told| !request_words::is_work(text, told));
                let span = outline.span(at);
                push(self.task, asks.map(|told| Criterion { text: text.to_owned(), span, ..told }));
                None
            }
        };
        self.last = (self.task.criteria.len() > before).then_some(before);
        next
    }

    fn take(&mut self, label: Label, said: &str, at: Extent) {
        let (outline, task) = (self.outline, &mut *self.task);
        match label {
            Label::Depends => {
                wait(outline, task, self.needs.of(self.index, said, |_| None), at, self.found);
            }
            Label::Check | Label::Command => {
                let told = criterion::told(said);
                let is_one = label == Label::Check || told.command.is_some();
                let check = Criterion { text: said.to_owned(), span: outline.span(at), ..told };
                push(task, is_one.then_some(check));
            }
            Label::Files => {
                let paths = paths::listed(said).into_iter().filter(|path| inputs::is_path(path));
                task.files.extend(paths.map(|path| FileUse { path, action: "write".to_owned() }));
            }
            Label::Status => {
                let state = status_cell::state(said.trim_matches(['`', '*', ' ']));
                if state.is_some_and(|state| state != task.state) {
                    let own = task.state.word();
                    let message =
                        format!("the status says '{said}' and the box says '{own}': the box decides");
                    let mut warning =
                        outline.diagnostic(Severity::Warning, "status-conflict", message, at.start);
                    warning.task = Some(task.id.clone());
                    self.found.push(warning);
                }
            }
        }
    }
}

fn wait(outline: &Outline, task: &mut Task, said: NamedTasks, at: Extent, found: &mut Vec<Diagnostic>) {
    numbered::depend(task, said.tasks);
    for other in said.others {
        let message =
            format!("task '{}' waits for '{other}', which is no task of this plan: left out", task.id);
        let mut hint = outline.diagnostic(Severity::Hint, "unresolved-requirement", message, at.start);
        hint.task = Some(task.id.clone());
        found.push(hint);
    }
}

/// The label at the beginning of an item, and the text after it.
fn label(line: &str) -> Option<(Label, &str)> {
    let (name, said) = line.split_once([':', '：'])?;
    // `_Depends: 1.1_` is a field of some dialects, which read it themselves.
    if name == "_Depends" {
        return None;
    }
    let name = name.trim_matches(['*', '_', '`', ' ']).to_lowercase();
    let said = said.trim_matches(['*', '_']).trim();
    let Some((_, label)) = LABELS.iter().find(|(names, _)| names.contains(&name.as_str())) else {
        // `Verify (integration)`, `Also verify`: accept other names if a command follows.
        let asks = matches!(request_words::named(&name), Some(Asked::Run | Asked::Check));
        let label = if said.starts_with('`') { Label::Check } else { Label::Command };
        return (asks && (said.is_empty() || said.starts_with('`'))).then_some((label, said));
    };
    let label = *label;
    // `Test: the button` describes work to do; only a command is a check to run.
    let label = match label {
        Label::Command if said.starts_with('`') => Label::Check,
        Label::Command => return None,
        other => other,
    };
    (label != Label::Depends || !item_text::is_none(said)).then_some((label, said))
}

#[rustfmt::skip]
const LABELS: &[(&[&str], Label)] = &[
    (&["depends on", "depends", "dependencies", "dependency", "deps", "blocked by", "requires", "prerequisites",
       "의존성", "선행 작업", "依赖", "依赖关系", "前置任务", "依存", "depende de", "dependencias", "dépend de"], Label::Depends),
    (&["verify", "verification", "acceptance", "acceptance criteria", "acceptance criterion", "done when", "validation",
       "validate", "success criteria", "dod", "definition of done",
       "验收", "验收标准", "验证", "검증", "수용 기준", "완료 조건", "検証"], Label::Check),
    (&["test", "tests", "check", "run"], Label::Command),
    (&["files", "file", "files to modify", "files to create", "文件", "파일"], Label::Files),
    (&["status", "state", "상태", "状态"], Label::Status),
];

/// The content of `(depends on T1, T2)` anywhere in a line.
fn inline(line: &str) -> Option<&str> {
    // Few lines contain a bracket. If there are several remarks, the one whose word comes first in the list counts.
    let opened = memchr2_iter(b'(', b'[', line.as_bytes());
    let (_, said) = opened.filter_map(|at| remark(line.get(at..)?)).min_by_key(|(word, _)| *word)?;
    let said = said.trim_start_matches([':', ' ']);
    said.split([')', ']']).next().filter(|said| !item_text::is_none(said))
}

/// The word that a text begins with, and the text after it.
fn remark(text: &str) -> Option<(usize, &str)> {
    OPEN.iter().enumerate().find_map(|(number, word)| {
        let (head, said) = text.split_at_checked(word.len())?;
        head.eq_ignore_ascii_case(word).then_some((number, said))
    })
}

const OPEN: &[&str] =
    &["(depends on", "(depends:", "(deps:", "(dep:", "(blocked by", "[depends on", "[depends:", "[deps:"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_remarks_are_found() {
        assert_eq!(label("**Depends on**: T1, T2"), Some((Label::Depends, "T1, T2")));
        assert_eq!(label("Dependencies: None"), None);
        assert_eq!(label("Verify: `make`"), Some((Label::Check, "`make`")));
        assert_eq!(label("VERIFY: it works"), Some((Label::Check, "it works")));
        assert_eq!(label("_Dependencies: #3, #5_"), Some((Label::Depends, "#3, #5")));
        assert_eq!(label("_Depends: 1.1_"), None);
        assert_eq!(label("Note: careful"), None);
        assert_eq!(label("Test: the button"), None);
        assert_eq!(label("Test: `make`"), Some((Label::Check, "`make`")));
        assert_eq!(inline("Do it (depends on: T1, T2)"), Some("T1, T2"));
        assert_eq!(inline("Do it (whatever depends on it)"), None);
        assert_eq!(inline("Do it [Deps: T1] (é) (Depends on T2)"), Some("T2"));
    }
}
