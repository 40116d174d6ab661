//! The main tree while a worker has a tree of its own: its plan and its history are no more the worker's than they would
//! be in a shared one.
//!
//! Other stages land, tick and commit there meanwhile, each on record before or under a lock; what is there and on no
//! record is held against those who ran. A plan is not put back here, since ticks of others are in it: nothing more of it
//! is handed out until somebody has looked.

use dialects::{Field, ticked::Ticked};
use serde_json::{Value, json};
use std::collections::HashSet;
use toolkit::git::{Call, Git, checked_out};
use toolkit::ledger::Ledger;
use toolkit::pins;
use toolkit::root::{Home, has_git, inside};
use toolkit::{Fail, landing, lock};
use wire::order::{Halt, PlanRef};
use wire::punch::{Punch, Type};

use crate::watch::for_a_person;

/// The main tree as it was.
pub(crate) struct Elsewhere {
    home: Home,
    plan: PlanRef,
    blanked: String,
    ticked: Ticked,
    commit: Option<String>,
    branch: Vec<u8>,
}

impl Elsewhere {
    /// Looks at it.
    pub(crate) fn look(home: &Home, plan: &PlanRef, field: &Field) -> Result<Self, Fail> {
        Ok(Self {
            blanked: field.blanked(),
            ticked: Ticked::of(&field.plan),
            commit: if has_git(home.root()) { Git::new(home.clone()).head()? } else { None },
            branch: checked_out(home.root()),
            home: home.clone(),
            plan: plan.clone(),
        })
    }

    /// What happened there that no stage of ours did; `since` is where the ledger ended.
    pub(crate) fn touched(&self, since: u64) -> Result<Option<(Halt, Value)>, Fail> {
        let looked = self.compare(since)?;
        if looked.is_none() {
            return Ok(None);
        }
        // A stage may be between its record and the plan: under the lock of the plan nobody is.
        let _lock = lock::of_plan(&self.home, &inside(self.home.root(), &self.plan.path)?, crate::STAGE).ok();
        self.compare(since)
    }

    fn compare(&self, since: u64) -> Result<Option<(Halt, Value)>, Fail> {
        // The record of a tick comes before the tick, so the plan is read first.
        let now = Field::of(&self.plan);
        let records = Ledger::new(self.home.clone()).read()?;
        let recent: Vec<&Punch> = records.iter().filter(|record| record.seq > since).collect();
        let expected = pins::plan_after(&recent, &self.plan.path, &self.blanked);
        let now = now.ok().filter(|field| field.blanked() == expected);
        let Some(now) = now else {
            let message =
                "the plan in the main tree changed while the worker ran; undo it, or --accept-change REASON";
            return Ok(Some((for_a_person(pins::PLAN_TOUCHED, message), json!({ "plan_before": expected }))));
        };
        // A tick that was on record before we began may have reached the plan after we looked.
        let boxes = self.ticked.unheard(&now, &records);
        if let Some(first) = boxes.first() {
            let message =
                format!("the box of '{first}' was ticked while the worker ran, and no stage did it");
            let detail = json!({ "plan_before": expected, "boxes": boxes });
            return Ok(Some((for_a_person(pins::PLAN_TOUCHED, message), detail)));
        }
        self.history(&records)
    }

    /// A commit there that no stage of ours made.
    fn history(&self, records: &[Punch]) -> Result<Option<(Halt, Value)>, Fail> {
        let git = Git::new(self.home.clone());
        let Some(before) = &self.commit else { return Ok(None) };
        if checked_out(self.home.root()) != self.branch {
            let message = "the main tree was changed to another branch while the worker ran";
            return Ok(Some((for_a_person("worker-changed-branch", message), Value::Null)));
        }
        if git.head()?.as_ref() == Some(before) {
            return Ok(None);
        }
        // A commit and its record are made under this lock.
        let _lock = landing::lock(&self.home, crate::STAGE)?;
        let since = records.last().map_or(0, |record| record.seq);
        let later = Ledger::new(self.home.clone()).read()?;
        let known = records.iter().chain(later.iter().filter(|record| record.seq > since));
        let known: HashSet<&str> =
            known.filter(|record| record.kind == Type::Commit).map(|record| record.key.as_str()).collect();
        let whole = git.ask(&Call::of(&["merge-base", "--is-ancestor", before, "HEAD"]))?.status.success();
        let range = format!("{before}..HEAD");
        let listed = git.run(&Call::of(&["log", "--format=%H %T %s", &range]))?;
        let listed = String::from_utf8_lossy(&listed.out).into_owned();
        let commits: Vec<Vec<&str>> = listed.lines().map(|line| line.splitn(3, ' ').collect()).collect();
        // A commit that only joins has the tree of the one that it joins.
        let trees: HashSet<&str> = commits.iter().filter(|c| known.contains(c[0])).map(|c| c[1]).collect();
        let foreign = commits.iter().find(|commit| !known.contains(commit[0]) && !trees.contains(commit[1]));
        let message = match foreign {
            None if whole => return Ok(None),
            None => format!(
                "the history of the main tree was rewritten while the worker ran; it was at '{before}'"
            ),
            Some(commit) => format!(
                "a commit that no stage made came into the main tree while the worker ran: {} {}",
                commit[0],
                commit.get(2).unwrap_or(&"")
            ),
        };
        let detail = json!({ "before": before, "after": git.head()? });
        Ok(Some((for_a_person("history-moved", message), detail)))
    }
}
