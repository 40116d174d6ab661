//! Compares a task's statements about files with the changes of its worker.

use crate::attempt::choose_worker::errand;
use checks::conditions::{self, MustNot};
use config::globs::FileRows;
use ledger::pins::ACCEPT;
use repo::tree::Tree;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use wire::order::{Category, Halt};
use wire::punch::{Punch, Type};
use wire::{Order, Task};

/// The changed files that the task does not declare, if it declares any.
pub(crate) fn undeclared(task: &Task, changed: &[String]) -> Vec<String> {
    let declared: Vec<String> = task.files.iter().map(|file| file.path.clone()).collect();
    if declared.is_empty() {
        return Vec::new();
    }
    let declared = FileRows::new(&declared);
    changed.iter().filter(|path| !declared.names(path)).cloned().collect()
}

/// A changed file that a rule of the task is about.
struct Forbidden<'a> {
    rule: &'a str,
    path: &'a str,
    /// Whether not every word of the rule is understood, so that a person has to say whether it forbids this.
    asked: bool,
}

/// A changed file that the task forbids to touch, with the rule.
fn forbidden<'a>(task: &'a Task, changed: &'a [String], tree: Option<&Tree>) -> Option<Forbidden<'a>> {
    task.must_not.iter().find_map(|rule| {
        let meant = conditions::must_not(rule);
        let path = changed.iter().find(|path| is_against(&meant, path, tree))?;
        Some(Forbidden { rule, path, asked: matches!(meant, MustNot::Asked(_)) })
    })
}

/// Whether a change of a file violates a rule: a file that only must not be deleted may be changed.
fn is_against(rule: &MustNot, path: &str, tree: Option<&Tree>) -> bool {
    let is_gone = || tree.is_none_or(|tree| tree.at(path).is_none());
    match rule {
        MustNot::Change(paths) | MustNot::Asked(paths) => FileRows::new(paths).names(path),
        MustNot::Delete(paths) => FileRows::new(paths).names(path) && is_gone(),
        MustNot::ChangeOnly(paths) => !FileRows::new(paths).names(path),
        MustNot::Prose => false,
    }
}

/// Why an order that changed a forbidden file must not proceed: changed in this attempt, or in an earlier one whose
/// change is still there.
pub(crate) fn halt(
    order: &Order,
    changed: &[String],
    tree: Option<&Tree>,
    records: &[Punch],
) -> Option<(Halt, Value)> {
    let Forbidden { rule, path, asked } =
        forbidden(&order.task, changed, tree).or_else(|| left_behind(order, tree?, records))?;
    let left = all_forbidden(&order.task, changed, tree);
    let left: BTreeMap<&str, Option<&str>> =
        left.iter().map(|path| (*path, tree.and_then(|tree| tree.at(path)))).collect();
    let halt = Halt {
        stage: crate::STAGE.into(),
        code: "must-not".into(),
        category: if asked { Category::PlanError } else { Category::CodeError },
        message: if asked {
            format!(
                "the worker changed '{path}', and it is unclear whether this rule forbids it: {rule}; write: Do not \
                 change `PATH`, or accept the change"
            )
        } else {
            format!("the worker changed '{path}', and the task says: {rule}")
        },
        retry: !asked,
        counts: true,
        not_before: None,
    };
    Some((halt, json!({ "rule": rule, "path": path, "left": left })))
}

/// The state in which each changed file was left: a later attempt that leaves it that way is responsible for it too.
pub(crate) fn left(changed: &[String], tree: Option<&Tree>) -> Value {
    changed.iter().map(|path| (path.clone(), json!(tree.and_then(|tree| tree.at(path))))).collect()
}

/// Combines two reasons: the first one halts the order, but the files of the second one are recorded too, so that the
/// next attempt is checked against them.
pub(crate) fn beside(first: Option<(Halt, Value)>, second: Option<(Halt, Value)>) -> Option<(Halt, Value)> {
    match (first, second) {
        (Some((halt, detail)), Some((_, left))) => {
            let mut detail = if detail.is_object() { detail } else { json!({}) };
            for name in ["rule", "left"] {
                detail[name] = left[name].clone();
            }
            Some((halt, detail))
        }
        (first, second) => first.or(second),
    }
}

/// All forbidden files that changed.
fn all_forbidden<'a>(task: &Task, changed: &'a [String], tree: Option<&Tree>) -> Vec<&'a str> {
    let rules: Vec<MustNot> = task.must_not.iter().map(|rule| conditions::must_not(rule)).collect();
    let is_one = |path: &&str| rules.iter().any(|rule| is_against(rule, path, tree));
    changed.iter().map(String::as_str).filter(is_one).collect()
}

/// A file that an earlier attempt was refused for, and that is still as that attempt left it: changing nothing more
/// does not restore it. A later change by someone else is not the worker's.
fn left_behind<'a>(order: &'a Order, tree: &Tree, records: &'a [Punch]) -> Option<Forbidden<'a>> {
    let mine = records.iter().rev().filter(|r| {
        r.plan == order.plan.path
            && r.task.as_ref() == Some(&order.task.id)
            && r.fingerprint.as_ref() == Some(&order.task.fingerprint)
    });
    let since = mine.take_while(|r| !(r.kind == Type::Override && r.key == ACCEPT));
    since.filter(|r| r.kind == Type::Halt).find_map(|r| {
        let left = r.data.pointer("/detail/left")?.as_object()?;
        let (path, _) = left.iter().find(|(path, what)| tree.at(path) == what.as_str())?;
        let rule = r.data.pointer("/detail/rule")?.as_str()?;
        let asked = matches!(conditions::must_not(rule), MustNot::Asked(_));
        Some(Forbidden { rule, path, asked })
    })
}

/// The Fitter, a reviewer and a worker that proposes checks change no file of the work.
pub(crate) fn strayed(order: &Order, changed: &[String]) -> Option<(Halt, Value)> {
    let path = changed.first()?;
    let (code, name) = match errand(order)? {
        "fitter" => ("fitter-strayed", "Fitter"),
        wire::order::CHECK => ("checker-strayed", "worker that was asked for checks"),
        _ => ("reviewer-strayed", "reviewer"),
    };
    let halt = Halt {
        stage: crate::STAGE.into(),
        code: code.into(),
        category: Category::CodeError,
        message: format!("the {name} changed '{path}'; it may change no file of the work"),
        retry: false,
        counts: code == "fitter-strayed",
        not_before: None,
    };
    Some((halt, json!({ "path": path })))
}

#[cfg(test)]
mod tests {
    use super::{forbidden, undeclared};
    use repo::tree::Tree;
    use wire::Task;
    use wire::plan::FileUse;

    fn changed(paths: &[&str]) -> Vec<String> {
        paths.iter().map(|path| (*path).to_owned()).collect()
    }

    #[test]
    fn a_rule_that_names_paths_as_code_forbids_them() {
        let task = Task {
            must_not: vec!["Do not modify `tests/**` or `Cargo.toml`".into(), "Do not call `foo.bar`".into()],
            ..Task::default()
        };
        let files = changed(&["src/a.rs", "tests/x/y.rs"]);
        let found = forbidden(&task, &files, None).map(|found| (found.rule, found.path, found.asked));
        assert_eq!(found, Some((task.must_not[0].as_str(), "tests/x/y.rs", false)));
        // What a rule says about a path may be anything: a person is asked.
        let files = changed(&["src/a.rs", "foo.bar"]);
        assert!(forbidden(&task, &files, None).is_some_and(|found| found.asked));
    }

    #[test]
    fn an_exception_is_allowed() {
        let task =
            Task { must_not: vec!["Do not change files outside `src/auth/`".into()], ..Task::default() };
        assert!(forbidden(&task, &changed(&["src/auth/a.rs"]), None).is_none());
        assert!(forbidden(&task, &changed(&["src/b.rs"]), None).is_some_and(|found| !found.asked));
    }

    #[test]
    fn a_rule_means_what_it_says_of_a_file() {
        let tree = |paths: &[&str]| {
            let mut tree = Tree::default();
            tree.entries.extend(paths.iter().map(|path| ((*path).to_owned(), "100644 x 0".to_owned())));
            tree
        };
        let is_forbidden = |rule: &str, path: &str, left: &[&str]| {
            let task = Task { must_not: vec![rule.into()], ..Task::default() };
            forbidden(&task, &changed(&[path]), Some(&tree(left))).is_some()
        };
        for (rule, path) in [
            ("Do not change `README`", "README"),
            ("Do not edit `Makefile`", "Makefile"),
            ("Edit `tests`", "tests/t.txt"),
            ("`c.txt`", "c.txt"),
            ("`c.txt`, `d.txt` and `e/`", "e/f"),
            ("`c.txt` must not be changed", "c.txt"),
            ("Do not delete `a.txt`, nor edit `b.txt`", "b.txt"),
        ] {
            assert!(is_forbidden(rule, path, &[path]), "{rule}");
        }
        for (rule, path) in [
            ("Change anything but `src/s.txt`", "src/s.txt"),
            ("Touch anything Except `src/s.txt`", "src/s.txt"),
            ("Don't delete `tests/t.txt`", "tests/t.txt"),
            ("Do not edit `README`", "docs/README"),
        ] {
            assert!(!is_forbidden(rule, path, &[path]), "{rule}");
        }
        assert!(is_forbidden("Don't delete `tests/t.txt`", "tests/t.txt", &[]));
    }

    #[test]
    fn files_are_undeclared_only_where_some_are_declared() {
        let files = changed(&["src/a.rs", "docs/x.md"]);
        assert!(undeclared(&Task::default(), &files).is_empty());
        let file = FileUse { path: "src/".into(), ..FileUse::default() };
        let task = Task { files: vec![file], ..Task::default() };
        assert_eq!(undeclared(&task, &files), ["docs/x.md"]);
    }
}
