//! States the evidence of ticked tasks for the tree as it is.

use crate::{Ground, depends};
use ledger::{Head, NO_HASH, level};
use repo::git::Call;
use repo::snapshot;
use toolkit::files::sha;
use toolkit::{Exit, Fail};
use wire::attestation::{
    CheckPassed, LedgerHead, PREDICATE, Predicate, SCHEMA, STATEMENT, Statement, Subject,
};
use wire::punch::Type;
use wire::{Task, TreeHash};

/// A statement, and the commit that it belongs to.
#[derive(Debug, Clone)]
pub struct Stated {
    /// The task's own commit, or the one that is checked out.
    pub commit: String,
    /// The statement.
    pub statement: Statement,
}

/// A ticked task that nothing can be stated about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Its id.
    pub task: String,
    /// The checks without a pass on this tree.
    pub checks: Vec<String>,
}

/// The evidence of the ticked tasks, or of those that are named, for the commit that is checked out.
pub fn state(
    ground: &Ground,
    only: &[String],
    head: Option<&Head>,
    now: &str,
) -> Result<(Vec<Stated>, Vec<Missing>), Fail> {
    let commit = committed(ground)?;
    for id in only {
        if !ground.ticked.tasks.iter().any(|task| task.id.as_str() == id) {
            let message = format!("there is no ticked task '{id}' in {}", ground.plan());
            return Err(Fail::new(Exit::No, "not-ticked", message));
        }
    }
    let moment = Moment {
        git_tree: snapshot::tree_of(ground.git(), &commit)?,
        commit,
        now: now.to_owned(),
        ledger: head.map_or_else(
            || LedgerHead { seq: 0, hash: NO_HASH.to_owned() },
            |head| LedgerHead { seq: head.seq, hash: head.hash.clone() },
        ),
    };
    let (mut stated, mut missing) = (Vec::new(), Vec::new());
    let wanted = |task: &&Task| only.is_empty() || only.iter().any(|id| task.id.as_str() == id);
    for task in ground.ticked.tasks.iter().filter(wanted) {
        match moment.about(ground, task) {
            Ok(statement) => {
                let commit = own_commit(ground, task)?.unwrap_or_else(|| moment.commit.clone());
                stated.push(Stated { commit, statement });
            }
            Err(lack) => missing.push(lack),
        }
    }
    Ok((stated, missing))
}

/// The commit that is checked out; fails if the tree differs from it.
fn committed(ground: &Ground) -> Result<String, Fail> {
    let git = ground.git();
    let refused = |message: String| Fail::new(Exit::No, "not-committed", message);
    let commit = git.head()?.ok_or_else(|| refused("there is no commit yet: make one first".to_owned()))?;
    let own = &ground.ticked.field.ground;
    let mut dirty = git.changed()?;
    dirty.retain(|path| !own.is_own(path) && !own.is_plan(path));
    match dirty.as_slice() {
        [] => Ok(commit),
        [first, others @ ..] => {
            let more =
                if others.is_empty() { String::new() } else { format!(" (and {} more)", others.len()) };
            Err(refused(format!(
                "{first} differs from the commit that is checked out{more}: evidence is attested for a commit; commit it first"
            )))
        }
    }
}

/// What all statements of one call have in common.
struct Moment {
    commit: String,
    git_tree: String,
    now: String,
    ledger: LedgerHead,
}

impl Moment {
    /// The statement about a task.
    fn about(&self, ground: &Ground, task: &Task) -> Result<Statement, Missing> {
        let by_hand = ground.ticked.by_hand(task);
        let (checks, lacking) =
            if by_hand.is_some() { (Vec::new(), Vec::new()) } else { passed(ground, task) };
        let decided = ground.checks(task).into_iter().filter(|(_, decided)| *decided);
        let decided: Vec<String> = decided.map(|(check, _)| check.digest).collect();
        if !lacking.is_empty() || checks.is_empty() && decided.is_empty() && by_hand.is_none() {
            return Err(Missing { task: task.id.0.clone(), checks: lacking });
        }
        let tick = ground.ticked.about(task).rev().find(|record| record.kind == Type::Tick);
        let predicate = Predicate {
            schema: SCHEMA.to_owned(),
            plan: ground.plan().to_owned(),
            task: task.id.clone(),
            title: task.title.clone(),
            fingerprint: ground.ticked.fingerprint(task),
            level: tick.and_then(level::of_tick),
            by_hand: by_hand.map(|record| record.data["reason"].as_str().unwrap_or_default().to_owned()),
            run: tick.map(|tick| tick.run.clone()),
            ticked_at: tick.map(|tick| tick.observed_at.clone()),
            attested_at: self.now.clone(),
            commit: self.commit.clone(),
            tree: ground.tree.hash.clone(),
            checks,
            decided,
            files: depends::files(&ground.ticked.records, ground.plan(), task, &ground.tree),
            ledger: self.ledger.clone(),
        };
        Ok(Statement {
            kind: STATEMENT.to_owned(),
            subject: self.subject(&predicate),
            predicate_type: PREDICATE.to_owned(),
            predicate,
        })
    }

    fn subject(&self, about: &Predicate) -> Vec<Subject> {
        let of = |name: String, digests: &[(&str, &str)]| Subject {
            name,
            digest: digests.iter().map(|(name, digest)| ((*name).to_owned(), (*digest).to_owned())).collect(),
        };
        let section = about.fingerprint.0.trim_start_matches("fp1:");
        let tree = about.tree.0.trim_start_matches("t1:");
        vec![
            of(format!("{}#{}", about.plan, about.task), &[("sha256", section)]),
            of(".".to_owned(), &[("gitCommit", &self.commit), ("gitTree", &self.git_tree), ("sha256", tree)]),
        ]
    }
}

/// The checks of a task that passed on this tree, and those that did not.
fn passed(ground: &Ground, task: &Task) -> (Vec<CheckPassed>, Vec<String>) {
    let (mut checks, mut lacking) = (Vec::new(), Vec::new());
    for (check, _) in ground.checks(task).into_iter().filter(|(_, decided)| !decided) {
        let on = |tree: Option<&TreeHash>| ground.ticked.fresh(&check.digest, tree);
        let of_gate = || on(ground.with_marks.as_ref()).filter(|record| record.key == check.key);
        match on(Some(&ground.tree.hash)).or_else(of_gate) {
            Some(record) => checks.push(CheckPassed {
                id: check.key,
                command: check.digest,
                result: sha::hex(record.data["gate"].to_string().as_bytes()),
                own: check.own,
                observed_at: record.observed_at.clone(),
                record: record.hash.clone(),
            }),
            None => lacking.push(check.key),
        }
    }
    (checks, lacking)
}

/// The commit that was made for the task, if it is in the history.
fn own_commit(ground: &Ground, task: &Task) -> Result<Option<String>, Fail> {
    let made = ground.ticked.about(task).rev().filter(|record| record.kind == Type::Commit);
    for hash in made.filter_map(|record| record.data.pointer("/commit/hash")?.as_str()) {
        let args = ["merge-base", "--is-ancestor", hash, "HEAD"];
        if !hash.starts_with('-') && ground.git().ask(&Call::of(&args))?.status.success() {
            return Ok(Some(hash.to_owned()));
        }
    }
    Ok(None)
}
