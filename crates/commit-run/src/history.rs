//! The commits of tasks in git's history, by their trailers alone. A reverted commit does not count, unless its revert was
//! reverted.

use repo::git::{Call, Git};
use toolkit::Fail;
use wire::TaskId;

/// A commit that says which tasks it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TaskCommit {
    pub(crate) hash: String,
    pub(crate) subject: String,
    pub(crate) plan: String,
    pub(crate) tasks: Vec<TaskId>,
}

/// What the history of the present branch says.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// The commits that stand, oldest first.
    pub(crate) commits: Vec<TaskCommit>,
    /// Those that were reverted, each with the commit that did it.
    pub(crate) reverted: Vec<(String, TaskCommit)>,
}

/// The trailer of a commit that reverts the work of a task.
pub(crate) const UNDONE: &str = "Undone";

impl History {
    /// Reads it.
    pub(crate) fn read(git: &Git) -> Result<Self, Fail> {
        const FORMAT: &str = "--format=%H%x1e%s%x1e%(trailers:key=Plan,valueonly,separator=%x1f)%x1e\
                              %(trailers:key=Task,valueonly,separator=%x1f)%x1e%B";
        let mut history = Self::default();
        if git.head()?.is_none() {
            return Ok(history);
        }
        let answer = git.run(&Call::of(&["log", "-z", "--reverse", "--topo-order", FORMAT]))?;
        let text = String::from_utf8_lossy(&answer.out).into_owned();
        for entry in text.split('\0') {
            let fields: Vec<&str> = entry.split('\x1e').collect();
            let [hash, subject, plan, tasks, body] = fields.as_slice() else { continue };
            for reverted in body.lines().filter_map(|line| line.strip_prefix("This reverts commit ")) {
                history.revert(hash, reverted.trim_end_matches('.'));
            }
            let tasks = tasks.split('\x1f').map(str::trim).filter(|task| !task.is_empty());
            let tasks: Vec<TaskId> = tasks.map(TaskId::from).collect();
            if !tasks.is_empty() && !plan.trim().is_empty() {
                let (subject, plan) = ((*subject).to_owned(), plan.trim().to_owned());
                history.commits.push(TaskCommit { hash: (*hash).to_owned(), subject, plan, tasks });
            }
        }
        Ok(history)
    }

    fn revert(&mut self, by: &str, what: &str) {
        if let Some(at) = self.commits.iter().position(|commit| commit.hash == what) {
            self.reverted.push((by.to_owned(), self.commits.remove(at)));
        } else if let Some(at) = self.reverted.iter().position(|(revert, _)| revert == what) {
            self.commits.push(self.reverted.remove(at).1);
        }
    }
}
