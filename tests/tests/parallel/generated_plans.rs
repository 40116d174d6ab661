//! Plans that are made for a test, the pipe that carries them, and what is left at the end.

use pipeline_tests::{Bench, Run, bench};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Where the plan is.
pub(crate) const PLAN: &str = "PLAN.md";

/// One task of a plan.
pub(crate) struct Task {
    pub(crate) id: usize,
    pub(crate) after: Vec<usize>,
    pub(crate) script: String,
    pub(crate) check: String,
    pub(crate) commit: bool,
}

impl Task {
    /// A task that writes its own file from those of the tasks before it.
    pub(crate) fn plain(id: usize, after: &[usize], pause: &str) -> Self {
        let before: String = after.iter().fold(String::new(), |mut text, id| {
            let _ = write!(text, " out/{id}.txt");
            text
        });
        Self {
            id,
            after: after.to_vec(),
            script: format!(
                "{pause}\nmkdir -p out\ncat{before} /dev/null > out/{id}.txt\necho {id} >> out/{id}.txt"
            ),
            check: format!("tail -n 1 out/{id}.txt | grep -qx {id}"),
            // Work that no row of the plan commits is left in the tree until the end.
            commit: !id.is_multiple_of(4),
        }
    }

    /// A task with a script and a check of its own.
    pub(crate) fn of(id: usize, after: &[usize], script: &str, check: &str) -> Self {
        Self { id, after: after.to_vec(), script: script.to_owned(), check: check.to_owned(), commit: true }
    }
}

/// A plan of these tasks.
pub(crate) fn plan(tasks: &[Task]) -> String {
    let mut text =
        "# Many\n\n## Commit Strategy\n\n| After TODO | Message | Files | Condition |\n|---|---|---|---|\n"
            .to_owned();
    for task in tasks.iter().filter(|task| task.commit) {
        let _ = writeln!(text, "| {0} | `feat: task {0}` | | always |", task.id);
    }
    text.push_str("\n## TODOs\n");
    for Task { id, after, script, check, .. } in tasks {
        let after = after.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let after = if after.is_empty() { "none".to_owned() } else { after };
        let _ = write!(
            text,
            "\n### [ ] TODO {id}: Task {id}\n\n**Type**: work\n\n**Depends On**: {after}\n\n```sh\n{script}\n```\n\n\
             **Acceptance Criteria**:\n- [ ] It is there: `{check}` → exit 0\n"
        );
    }
    text
}

/// A repository with a plan of these tasks.
pub(crate) fn repository(tasks: &[Task]) -> Bench {
    let bench = bench!(empty);
    bench.write(PLAN, plan(tasks)).commit_all("the plan");
    bench
}

/// The pipe that follows, with so many workers in trees of their own.
pub(crate) fn pipe(jobs: usize) -> String {
    format!(
        "plan-parse --follow --quiet {PLAN} | dag-next --follow --jobs {jobs} | handoff \
         | worker-run --worker shell --isolate worktree --jobs {jobs} --grace-seconds 1 | gate-run | punch checkpoint \
         | commit-run land | gate-run | session-export | context-save | checkbox | commit-run | run-report"
    )
}

/// The whole of a run: what is owed, the pipe, and what is left to commit.
pub(crate) fn carry(bench: &Bench, jobs: usize) -> Run {
    let line = format!(
        "commit-run pending {PLAN} || exit\n{}\nanswer=$?\n\
         [ $answer = 4 ] && {{ commit-run residual {PLAN} || exit; }}\nexit $answer",
        pipe(jobs)
    );
    bench.sh(&line).within(600)
}

/// What a run leaves, apart from the order in which things happened.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Left {
    plan: String,
    files: String,
    commits: BTreeMap<String, Vec<String>>,
    status: String,
}

impl Left {
    pub(crate) fn of(bench: &Bench) -> Self {
        let files = bench.git(&["ls-tree", "-r", "HEAD"]);
        let listed = bench.git(&["log", "--format=commit %s", "--name-only"]);
        let mut commits: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for entry in listed.split("commit ").filter(|entry| !entry.trim().is_empty()) {
            let mut lines = entry.lines().filter(|line| !line.is_empty());
            let subject = lines.next().unwrap_or_default().to_owned();
            let known = commits.insert(subject.clone(), lines.map(str::to_owned).collect());
            assert!(known.is_none(), "'{subject}' stands twice in the history:\n{listed}");
        }
        // What was learned on the way is written with the time of day.
        let files = files.lines().filter(|line| !line.contains("\tcontext/"));
        Self {
            plan: bench.text(PLAN),
            files: files.collect::<Vec<_>>().join("\n"),
            commits,
            status: bench.git(&["status", "--porcelain"]),
        }
    }
}

/// Nothing of ours is left but the ledger.
#[track_caller]
pub(crate) fn tidy(bench: &Bench, what: &str) {
    let trees = bench.git(&["worktree", "list"]);
    assert_eq!(trees.lines().count(), 1, "{what}: {trees}");
    assert_eq!(bench.git(&["branch", "--list", "plantools/*"]), "", "{what}");
    let folder = bench.path(".plantools/worktrees");
    let left: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    assert!(left.is_empty(), "{what}: {left:?}");
    assert!(!bench.path(".plantools/landing.json").exists(), "{what}");
    assert_eq!(bench.processes(), Vec::<String>::new(), "{what}");
    bench.command("punch").args(["verify"]).run().exits(0);
}

/// What happened, for a test that fails.
pub(crate) fn story(bench: &Bench) -> String {
    let ledger = bench.command("punch").args(["list", "--text"]).run().out();
    format!("{ledger}\n{}", bench.git(&["log", "--oneline", "--reverse"]))
}
