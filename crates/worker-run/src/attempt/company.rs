//! Whose a change is where several workers use one tree at the same time.
//!
//! A change belongs to the task that declares the file, else to the worker whose own record says that it wrote the file.
//! Any other change belongs to no task: it proves nothing, but it may still break a rule, and it is committed like the rest.

use config::globs::FileRows;
use std::path::Path;
use wire::Task;

/// The tasks whose workers ran while this one did.
#[derive(Debug, Default)]
pub(crate) struct Company {
    declared: Vec<Vec<String>>,
}

/// The changes in the tree while a worker ran, without those of its neighbours.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Shares {
    /// Those of this worker.
    pub(crate) own: Vec<String>,
    /// Those that cannot be attributed.
    pub(crate) unattributed: Vec<String>,
}

impl Company {
    /// Another task's worker runs at the same time.
    pub(crate) fn meet(&mut self, other: &Task) {
        self.declared.push(declared(other));
    }

    /// Whether no other worker ran.
    pub(crate) fn is_empty(&self) -> bool {
        self.declared.is_empty()
    }

    /// Divides the changes; `wrote` are the files that the worker's own record names.
    pub(crate) fn divide(&self, task: &Task, place: &Path, changed: Vec<String>, wrote: &[String]) -> Shares {
        if self.is_empty() {
            return Shares { own: changed, unattributed: Vec::new() };
        }
        let mine = declared(task);
        let mine = FileRows::new(&mine);
        let others: Vec<FileRows> = self.declared.iter().map(|files| FileRows::new(files)).collect();
        let is_written = |path: &String| {
            wrote
                .iter()
                .any(|name| Path::new(name).strip_prefix(place).unwrap_or(Path::new(name)) == Path::new(path))
        };
        let mut shares = Shares::default();
        for path in changed {
            let is_others = || others.iter().any(|files| files.names(&path));
            if mine.names(&path) || !is_others() && is_written(&path) {
                shares.own.push(path);
            } else if !is_others() {
                shares.unattributed.push(path);
            }
        }
        shares
    }
}

impl Shares {
    /// All of them.
    pub(crate) fn all(&self) -> Vec<String> {
        self.own.iter().chain(&self.unattributed).cloned().collect()
    }
}

/// The files that a task says it writes.
fn declared(task: &Task) -> Vec<String> {
    let files = task.files.iter().filter(|file| file.action != "read" && !file.path.trim().is_empty());
    files.map(|file| file.path.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::Company;
    use std::path::Path;
    use wire::Task;
    use wire::plan::FileUse;

    fn task(files: &[&str]) -> Task {
        let file = |path: &&str| FileUse { path: (*path).to_owned(), ..FileUse::default() };
        Task { files: files.iter().map(file).collect(), ..Task::default() }
    }

    #[test]
    fn a_change_belongs_to_who_declares_the_file_or_wrote_it() {
        let changed = || ["a.txt", "b.txt", "c.txt", "d/e.txt"].map(str::to_owned).to_vec();
        let divided = |company: &Company| {
            let wrote = ["/place/c.txt", "b.txt"].map(str::to_owned);
            company.divide(&task(&["a.txt"]), Path::new("/place"), changed(), &wrote)
        };
        let mut company = Company::default();
        assert_eq!(divided(&company).own, changed(), "alone every change is the worker's");
        company.meet(&task(&["b.txt"]));
        let shares = divided(&company);
        assert_eq!(shares.own, ["a.txt", "c.txt"], "the neighbour declares b.txt");
        assert_eq!(shares.unattributed, ["d/e.txt"]);
    }
}
