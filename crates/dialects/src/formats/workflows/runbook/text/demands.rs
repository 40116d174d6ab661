//! The demands of a step beyond its text: files, checks, a report, the number of turns.

use super::label::Label;
use crate::criteria::locate;
use checks::Role;
use markdown::{Extent, Outline, code_spans};
use wire::Task;
use wire::plan::FileUse;

/// Reads one labelled line into the task; the range that it took, or `None` if it is not one of these.
pub(crate) fn take(outline: &Outline, label: &Label, task: &mut Task) -> Option<Extent> {
    let value = outline.shown(label.value);
    let mut end = label.value.end;
    match label.name.as_str() {
        "report path" | "report" => {
            if task.report_path.is_none() {
                task.report_path = path(&value);
            }
        }
        "max turns" => task.max_turns = task.max_turns.or_else(|| leading_number(&value)),
        "verify green" | "verify no regression" | "verify lint" => end = check(outline, label, task),
        // Prose after these labels is usually a report of an observation; only a command is a check.
        "verify" | "verification" | "validation" if value.contains('`') => end = check(outline, label, task),
        "verify" | "verification" | "validation" if !value.is_empty() => {}
        "verify red" => {
            if let Some(command) = coded(&value) {
                task.extra.insert("verify_red".to_owned(), command.into());
            }
        }
        "requirements" => {
            let text = value.trim_end_matches('.').to_owned();
            task.extra.insert("requirements".to_owned(), text.into());
        }
        _ => return None,
    }
    Some(Extent { start: label.start, end: end.max(label.start) })
}

/// The lines `- File: path` with `Action: Create` below, and `**Files:** one, two`.
pub(crate) fn files(text: &str, task: &mut Task) {
    let mut open: Option<FileUse> = None;
    for line in text.lines() {
        let bare = line.trim_start().trim_start_matches(['-', ' ']).replace("**", "");
        let (name, value) = bare.split_once(':').unwrap_or((&bare, ""));
        match name.trim() {
            "File" => {
                task.files.extend(open.take());
                open = path(value).map(|path| FileUse {
                    path: without_lines(&path).to_owned(),
                    action: "write".to_owned(),
                });
            }
            "Files" => {
                task.files.extend(open.take());
                let coded = code_spans::spans(value)
                    .into_iter()
                    .filter_map(|span| value.get(span.inner.start..span.inner.end));
                let paths = coded.filter(|text| text.contains(['/', '.']) && !text.contains(' '));
                task.files.extend(paths.map(|path| FileUse {
                    path: without_lines(path).to_owned(),
                    action: "write".to_owned(),
                }));
            }
            "Action" => {
                if let Some(file) = &mut open {
                    action(value).clone_into(&mut file.action);
                }
            }
            _ => {}
        }
    }
    task.files.extend(open);
    let mut seen = std::collections::HashSet::new();
    task.files.retain(|file| seen.insert((file.path.clone(), file.action.clone())));
}

/// `a.py:199-213` is the file `a.py`.
fn without_lines(path: &str) -> &str {
    let is_lines = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || b"-,".contains(&byte))
    };
    path.rsplit_once(':').filter(|(_, lines)| is_lines(lines)).map_or(path, |(file, _)| file)
}

fn action(value: &str) -> &'static str {
    let word = value.trim().split([' ', ',', '/', '.']).next().unwrap_or_default().to_lowercase();
    match word.as_str() {
        "create" | "add" | "new" => "create",
        "modify" | "edit" | "update" | "extend" | "replace" | "refactor" => "modify",
        "delete" | "remove" => "delete",
        "read" => "read",
        _ => "write",
    }
}

/// A command after a label that must pass when the step is done, with what belongs to it; where that ends.
fn check(outline: &Outline, label: &Label, task: &mut Task) -> usize {
    let category = label.name.trim_start_matches("verify ").to_owned();
    let (found, end) = locate::labelled(outline, label.value, label.body.end, Role::Criterion);
    locate::add(task, &category, found);
    end
}

/// The path in a value, in backticks or as its first word.
fn path(value: &str) -> Option<String> {
    if let Some(path) = coded(value) {
        return Some(path).filter(|path| !path.contains([' ', '\n']));
    }
    let word = value.split_whitespace().next()?.trim_end_matches(['.', ',', ')']);
    word.contains(['/', '.']).then(|| word.to_owned())
}

fn coded(value: &str) -> Option<String> {
    let span = code_spans::spans(value).into_iter().next()?;
    let text = value.get(span.inner.start..span.inner.end)?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn leading_number(value: &str) -> Option<u32> {
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    value.get(..digits)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_their_action() {
        let mut task = Task::default();
        files(
            "- File: `a/b.py`\n  Action: Create it\n- **File:** `c.md`\n\nText\n- File: `d`\n  Action: Modify",
            &mut task,
        );
        let found: Vec<_> = task.files.iter().map(|f| (f.path.as_str(), f.action.as_str())).collect();
        assert_eq!(found, [("a/b.py", "create"), ("c.md", "write"), ("d", "modify")]);
    }

    #[test]
    fn several_files_are_listed_and_lines_are_no_part_of_a_path() {
        let mut task = Task::default();
        files("**Files:** `a/b.py:12-40`, `c.md` (rewrite), `make all`\n**File:** `d/e.py:7`\n", &mut task);
        let found: Vec<_> = task.files.iter().map(|f| f.path.as_str()).collect();
        assert_eq!(found, ["a/b.py", "c.md", "d/e.py"]);
    }

    #[test]
    fn a_path_is_in_backticks_or_looks_like_one() {
        assert_eq!(path("`plans/x/reports/a.md` (created)").as_deref(), Some("plans/x/reports/a.md"));
        assert_eq!(path("plans/x/reports/a.md").as_deref(), Some("plans/x/reports/a.md"));
        assert_eq!(path("none"), None);
    }
}
