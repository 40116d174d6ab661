//! What the plain items below a task say about it: `Depends on: T1`, `Verify:` with a command, `Files: a.rs`, `Status: done`.
//!
//! Only a label at the beginning counts; all else is the task's own text, except a line of it that is a check with its
//! command. The box decides the state: a status that says something else is reported.

use crate::list::Entry;
use crate::needs::{Found, Needs};
use crate::plan_md::{commit, input, item};
use crate::tracker::status;
use crate::{Extent, Item, Outline, Plan, expect, list, numbered};
use memchr::memchr2_iter;
use wire::Task;
use wire::plan::{Criterion, Diagnostic, FileUse, Severity};

/// Reads what stands below every entry.
pub(crate) fn read(outline: &Outline, entries: &[Entry], plan: &mut Plan) {
    let mut needs: Option<Needs> = None;
    for (index, entry) in entries.iter().enumerate() {
        let said = inline(outline.str(entry.line));
        let checks = plain_checks(outline, entry);
        if said.is_none() && entry.below.is_empty() && checks.is_empty() {
            continue;
        }
        // In a plain list nobody asks for them.
        let needs = &*needs.get_or_insert_with(|| Needs::new(&plan.tasks));
        let Some(task) = plan.tasks.get_mut(index) else { continue };
        if let Some(said) = said {
            wait(outline, task, needs.of(index, said, |_| None), entry.line, &mut plan.diagnostics);
        }
        let items = entry.below.iter().filter_map(|&index| outline.items.get(index));
        let mut checks = checks.into_iter().peekable();
        let mut open: Option<(Label, &Item)> = None;
        for item in items.filter(|item| item.mark.is_none() && !item.quoted) {
            let at = list::line_of(outline, item);
            // Checks are numbered in the order of the plan, however they are written.
            while let Some((said, at)) = checks.next_if(|(_, check)| check.start < at.start) {
                take(outline, task, Label::Check, said, at, needs, index, &mut plan.diagnostics);
            }
            // What is indented below a label without a text of its own belongs to it.
            if let Some((label, _)) = open.filter(|(_, above)| item.depth > above.depth) {
                take(outline, task, label, outline.str(at), at, needs, index, &mut plan.diagnostics);
                continue;
            }
            open = None;
            let Some((label, said)) = label(outline.str(at)) else { continue };
            if said.is_empty() {
                open = Some((label, item));
            } else {
                take(outline, task, label, said, at, needs, index, &mut plan.diagnostics);
            }
        }
        for (said, at) in checks {
            take(outline, task, Label::Check, said, at, needs, index, &mut plan.diagnostics);
        }
    }
}

/// The lines of an entry's own text that are a check with its command. What a sentence was wrapped at is none: a label
/// without a command says nothing there.
fn plain_checks<'a>(outline: &'a Outline, entry: &Entry) -> Vec<(&'a str, Extent)> {
    let text = Extent { start: entry.line.end, end: entry.own.end };
    let lines = outline.lines_in(text).filter(|line| line.veil.is_none());
    let checks = lines.filter_map(|line| {
        let at = outline.trimmed(line.at);
        let (label, said) = label(outline.str(at))?;
        (label == Label::Check && said.starts_with('`')).then_some((said, at))
    });
    checks.collect()
}

/// What a label is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Depends,
    Check,
    /// A check if it is a command.
    Command,
    Files,
    Status,
}

#[expect(clippy::too_many_arguments, reason = "they are what one line of a list is about")]
fn take(
    outline: &Outline,
    task: &mut Task,
    label: Label,
    said: &str,
    at: Extent,
    needs: &Needs,
    index: usize,
    found: &mut Vec<Diagnostic>,
) {
    match label {
        Label::Depends => wait(outline, task, needs.of(index, said, |_| None), at, found),
        Label::Check | Label::Command => {
            task.criteria.push(Criterion {
                id: format!("{}:{}", task.id, task.criteria.len() + 1),
                text: said.to_owned(),
                span: outline.span(at),
                ..expect::told(said)
            });
        }
        Label::Files => {
            let paths = commit::paths(said).into_iter().filter(|path| input::is_path(path));
            task.files.extend(paths.map(|path| FileUse { path, action: "write".to_owned() }));
        }
        Label::Status => {
            let state = status::state(said.trim_matches(['`', '*', ' ']));
            if state.is_some_and(|state| state != task.state) {
                let own = task.state.word();
                let message = format!("the status says '{said}' and the box says '{own}': the box decides");
                let mut warning = outline.diagnostic(Severity::Warning, "status-conflict", message, at.start);
                warning.task = Some(task.id.clone());
                found.push(warning);
            }
        }
    }
}

fn wait(outline: &Outline, task: &mut Task, said: Found, at: Extent, found: &mut Vec<Diagnostic>) {
    numbered::depend(task, said.tasks);
    for other in said.others {
        let message =
            format!("task '{}' waits for '{other}', which is no task of this plan: left out", task.id);
        let mut hint = outline.diagnostic(Severity::Hint, "unresolved-requirement", message, at.start);
        hint.task = Some(task.id.clone());
        found.push(hint);
    }
}

/// The label that an item begins with, and the text behind it.
fn label(line: &str) -> Option<(Label, &str)> {
    let (name, said) = line.split_once([':', '：'])?;
    // `_Depends: 1.1_` is a field of the dialects that have it, and read there.
    if name == "_Depends" {
        return None;
    }
    let name = name.trim_matches(['*', '_', '`', ' ']).to_lowercase();
    let label = LABELS.iter().find(|(names, _)| names.contains(&name.as_str()))?.1;
    let said = said.trim_matches(['*', '_']).trim();
    // `Test: the button` is what is to be written; only a command is what is to be run.
    let label = match label {
        Label::Command if said.starts_with('`') => Label::Check,
        Label::Command => return None,
        other => other,
    };
    (label != Label::Depends || !item::is_none(said)).then_some((label, said))
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

/// What stands in `(depends on T1, T2)` at any place of a line.
fn inline(line: &str) -> Option<&str> {
    // Few lines open a bracket at all. Of several remarks the one whose word stands first in the list counts.
    let opened = memchr2_iter(b'(', b'[', line.as_bytes());
    let (_, said) = opened.filter_map(|at| remark(line.get(at..)?)).min_by_key(|(word, _)| *word)?;
    let said = said.trim_start_matches([':', ' ']);
    said.split([')', ']']).next().filter(|said| !item::is_none(said))
}

/// Which of the words a text begins with, and what stands behind it.
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
