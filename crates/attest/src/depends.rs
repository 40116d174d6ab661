//! The files that the result of a task's checks may depend on, as far as they are known.

use config::globs::FileRows;
use ledger::changed;
use repo::tree::Tree;
use std::collections::BTreeSet;
use wire::Task;
use wire::punch::Punch;

/// Patterns of files: what the task declares, what its attempts changed, and the files and folders that its checks name.
/// `None` if neither the task nor a record names a file that is there, or a check names the whole tree.
pub(crate) fn files(records: &[Punch], plan: &str, task: &Task, tree: &Tree) -> Option<Vec<String>> {
    let mut found: BTreeSet<String> = task.files.iter().map(|file| plain(&file.path).to_owned()).collect();
    found.extend(changed::files(records, plan, &task.id, tree.view()).into_keys());
    if found.is_empty() {
        return None;
    }
    for criterion in task.criteria.iter().filter(|criterion| criterion.runnable && criterion.skip.is_none()) {
        for name in named(criterion.command.as_deref().unwrap_or_default(), tree) {
            if name == "." {
                return None;
            }
            found.insert(name.to_owned());
        }
    }
    let found: Vec<String> = found.into_iter().collect();
    // A plan may write prose where files belong.
    let rows = FileRows::new(&found);
    let is_known = !found.iter().any(|file| file == ".") && tree.entries.keys().any(|path| rows.names(path));
    is_known.then_some(found)
}

/// The words of a command that are files or folders of the tree.
fn named<'c>(command: &'c str, tree: &Tree) -> impl Iterator<Item = &'c str> {
    let words = command.split(|c: char| c.is_whitespace() || ";|&()<>\"'`=,:".contains(c));
    let is_there = |word: &&str| {
        let folder = format!("{word}/");
        let first = tree.entries.range(folder.clone()..).next();
        *word == "."
            || tree.entries.contains_key(*word)
            || first.is_some_and(|(path, _)| path.starts_with(&folder))
    };
    words.filter(|word| !word.is_empty()).map(plain).filter(is_there)
}

/// A path without a beginning or an end that says nothing.
fn plain(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    let path = path.strip_prefix("./").unwrap_or(path);
    if path.is_empty() { "." } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::plan::{Criterion, FileUse};

    fn task(files: &[&str], command: &str) -> Task {
        let file = |path: &&str| FileUse { path: (*path).to_owned(), action: "create".to_owned() };
        let check = Criterion { command: Some(command.to_owned()), runnable: true, ..Criterion::default() };
        Task { files: files.iter().map(file).collect(), criteria: vec![check], ..Task::default() }
    }

    #[test]
    fn what_a_check_names_is_added_to_what_is_known() {
        let entries = ["a.txt", "src/b.rs", "test.sh"].map(|path| (path.to_owned(), String::new()));
        let mut tree = Tree::default();
        tree.entries.extend(entries);
        for (declared, command, wanted) in [
            (&["a.txt"][..], "sh ./test.sh src/ | grep -q x", Some(vec!["a.txt", "src", "test.sh"])),
            (&["src"], "test -f other.txt", Some(vec!["src"])),
            (&["the text of the page"], "test -f other.txt", None),
            (&[], "cat a.txt", None),
            (&["a.txt"], "grep -rn TODO .", None),
        ] {
            let found = files(&[], "PLAN.md", &task(declared, command), &tree);
            assert_eq!(found, wanted.map(|all| all.into_iter().map(str::to_owned).collect()), "{command}");
        }
    }
}
