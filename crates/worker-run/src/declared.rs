//! What a task says about files, held against what its worker changed.

use regex::Regex;
use std::sync::LazyLock;
use toolkit::patterns::names;
use wire::Task;

/// The changed files that the task does not declare, where it declares any.
pub(crate) fn undeclared(task: &Task, changed: &[String]) -> Vec<String> {
    let declared: Vec<String> = task.files.iter().map(|file| file.path.clone()).collect();
    if declared.is_empty() {
        return Vec::new();
    }
    changed.iter().filter(|path| !names(&declared, path)).cloned().collect()
}

/// The changed files that the task forbids to touch, with the rule that says so.
pub(crate) fn forbidden<'a>(task: &'a Task, changed: &'a [String]) -> Option<(&'a str, &'a str)> {
    task.must_not.iter().find_map(|rule| {
        let paths = paths_of(rule);
        let touched = changed.iter().find(|path| names(&paths, path))?;
        Some((rule.as_str(), touched.as_str()))
    })
}

/// A rule forbids paths when it is about changing files and names them as code.
static CHANGES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(modif|edit|touch|chang|delet|remov|writ|creat|renam|mov|overwrit)\w*").ok()
});

fn paths_of(rule: &str) -> Vec<String> {
    // What follows an exception is allowed.
    let end = ["except", "unless", "other than", "outside"].iter().filter_map(|word| rule.find(word)).min();
    let rule = &rule[..end.unwrap_or(rule.len())];
    if !CHANGES.as_ref().is_some_and(|changes| changes.is_match(rule)) {
        return Vec::new();
    }
    let code = rule.split('`').skip(1).step_by(2);
    code.filter(|word| is_path(word)).map(str::to_owned).collect()
}

/// `src/x.rs`, `tests/`, `*.lock`, `Cargo.toml`; not `foo()`, `--flag` or `a b`.
fn is_path(word: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "/._-*?@+".contains(c);
    let has_end = word.rsplit('/').next().is_some_and(|name| name.contains('.') && !name.ends_with('.'));
    !word.starts_with('-') && word.chars().all(plain) && (word.contains('/') || has_end)
}

#[cfg(test)]
mod tests {
    use super::{forbidden, undeclared};
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
        assert_eq!(forbidden(&task, &files), Some((task.must_not[0].as_str(), "tests/x/y.rs")));
        assert_eq!(forbidden(&task, &changed(&["src/a.rs", "foo.bar"])), None);
    }

    #[test]
    fn an_exception_is_allowed() {
        let task =
            Task { must_not: vec!["Do not change files outside `src/auth/`".into()], ..Task::default() };
        assert_eq!(forbidden(&task, &changed(&["src/auth/a.rs"])), None);
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
