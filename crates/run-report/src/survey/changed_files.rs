//! Git's view of the files that attempts changed, since the first of them began.

use repo::git::{Call, Git};
use std::collections::BTreeMap;
use toolkit::Fail;
use toolkit::files::root::{self, Home};
use wire::report::Change;

/// The change of each of these files since a commit, committed or not. Empty without git or that commit.
pub(crate) fn since(home: &Home, start: Option<&str>, files: &[String]) -> Result<Vec<Change>, Fail> {
    let Some(start) = start.filter(|_| root::has_git(home.root()) && !files.is_empty()) else {
        return Ok(Vec::new());
    };
    // A commit's name from the ledger must not be mistaken for an option.
    if start.is_empty() || !start.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Ok(Vec::new());
    }
    let git = Git::new(home.clone());
    let lines = git.ask(&Call::of(&["diff", "--numstat", "--no-renames", "-z", start, "--"]))?;
    let names = git.ask(&Call::of(&["diff", "--name-status", "--no-renames", "-z", start, "--"]))?;
    if !lines.status.success() || !names.status.success() {
        return Ok(Vec::new());
    }
    let lines = numbers(&String::from_utf8_lossy(&lines.out));
    let actions = actions(&String::from_utf8_lossy(&names.out));
    let change = |path: &String| {
        let (added, removed) = lines.get(path).copied().unwrap_or_default();
        let action = match actions.get(path).map(String::as_str) {
            Some("A") => "added",
            Some("D") => "deleted",
            Some(_) => "modified",
            // Not in the index yet, or unchanged again.
            None if home.root().join(path).exists() && !is_known(&git, start, path) => "added",
            None => return None,
        };
        Some(Change { path: path.clone(), action: action.to_owned(), added, removed })
    };
    Ok(files.iter().filter_map(change).collect())
}

fn is_known(git: &Git, start: &str, path: &str) -> bool {
    let name = format!("{start}:{path}");
    git.ask(&Call::of(&["cat-file", "-e", &name])).is_ok_and(|answer| answer.status.success())
}

fn numbers(text: &str) -> BTreeMap<String, (Option<u64>, Option<u64>)> {
    let entry = |entry: &str| {
        let mut parts = entry.splitn(3, '\t');
        let (added, removed, path) = (parts.next()?, parts.next()?, parts.next()?);
        Some((path.to_owned(), (added.parse().ok(), removed.parse().ok())))
    };
    text.split('\0').filter_map(entry).collect()
}

fn actions(text: &str) -> BTreeMap<String, String> {
    let parts: Vec<&str> = text.split('\0').collect();
    parts.chunks_exact(2).map(|pair| (pair[1].to_owned(), pair[0].to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::{actions, numbers};

    #[test]
    fn what_git_prints_is_read_by_path() {
        let found = numbers("3\t1\ta b.rs\0-\t-\tlogo.png\0");
        assert_eq!(found["a b.rs"], (Some(3), Some(1)));
        assert_eq!(found["logo.png"], (None, None));
        assert_eq!(actions("A\0x\0M\0y\0")["y"], "M");
    }
}
