//! Guards the main tree while a worker has its own worktree: the worker must not touch its plan and history either.
//!
//! Other stages land, tick and commit there meanwhile, each with a record written before or under a lock; a change
//! without a record counts against all workers that ran. A plan of one file is restored, with the recorded ticks; of
//! any other plan nothing more is handed out until a person has looked.

use dialects::PlanSnapshot;
use dialects::write::ticked::Ticked;
use ledger::Ledger;
use ledger::pins;
use ledger::recorder::Recorder;
use repo::git::{Call, Git, checked_out};
use repo::landing::{self, Landing};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::Path;
use toolkit::Fail;
use toolkit::cli::tool;
use toolkit::files::root::{Home, has_git, inside};
use toolkit::files::{fs, lock};
use wire::Order;
use wire::order::{Halt, PlanRef};
use wire::punch::{Punch, Type};

use crate::guard::for_a_person;
use crate::guard::restore_main_plan;

/// In the details of a halt: the plan was restored in the main tree.
const IN_MAIN: &str = "in_main";

/// The main tree before the worker started.
pub(crate) struct Elsewhere {
    home: Home,
    plan: PlanRef,
    blanked: String,
    ticked: Ticked,
    commit: Option<String>,
    branch: Vec<u8>,
    /// The last line of the ledger when the plan was read.
    seen: u64,
}

/// The commit of the main tree, without work that is being brought in and may be undone again.
fn commit_before(home: &Home) -> Result<Option<String>, Fail> {
    if !has_git(home.root()) {
        return Ok(None);
    }
    let _lock = landing::lock(home, crate::STAGE)?;
    let head = Git::new(home.clone()).head()?;
    let landing = Landing::read(home)?.and_then(|landing| landing.head);
    Ok(match landing {
        Some((old, new)) if head.as_ref() == Some(&new) => Some(old),
        _ => head,
    })
}

impl Elsewhere {
    /// Takes the snapshot; `seen` is the last line of the ledger when the plan was read, under its lock.
    pub(crate) fn look(home: &Home, plan: &PlanRef, field: &PlanSnapshot, seen: u64) -> Result<Self, Fail> {
        Ok(Self {
            seen,
            blanked: field.blanked(),
            ticked: Ticked::of(&field.plan),
            commit: commit_before(home)?,
            branch: checked_out(home.root()),
            home: home.clone(),
            plan: plan.clone(),
        })
    }

    /// Changes there that no stage of ours made; `begun` is the record of the attempt's start, `base` the plan before it,
    /// and `folder` the place for the replaced file.
    pub(crate) fn touched(
        &self,
        desk: &Recorder,
        order: &Order,
        begun: u64,
        base: &PlanSnapshot,
        folder: &Path,
    ) -> Result<Option<(Halt, Value)>, Fail> {
        if self.compare()?.is_none() {
            return self.put_back_before(order, begun);
        }
        // A stage may be between its record and its write; the lock of the plan excludes that.
        let lock = lock::of_plan(&self.home, &inside(self.home.root(), &self.plan.path)?, crate::STAGE);
        let found = self.compare()?;
        match (found, self.put_back_before(order, begun)?) {
            // Our snapshot may have been taken between a change and its undoing: then it is no reference.
            (Some(_), Some((halt, detail))) if self.is_text(&detail) => Ok(Some((halt, detail))),
            (Some((halt, detail)), None) if halt.code == pins::PLAN_TOUCHED && lock.is_ok() => {
                self.put_back(desk, order, base, folder, halt, detail)
            }
            (found, before) => Ok(found.or(before)),
        }
    }

    /// Whether the plan's text is the one that a record says it was restored to.
    fn is_text(&self, detail: &Value) -> bool {
        PlanSnapshot::of(&self.plan).is_ok_and(|now| detail["plan_before"] == now.blanked().as_str())
    }

    /// Restores the plan, under its lock; if that is impossible, the halt stays unchanged. If all boxes belong to
    /// other tasks with running workers, those workers ticked them: this is recorded for their end, and our order
    /// proceeds.
    fn put_back(
        &self,
        desk: &Recorder,
        order: &Order,
        base: &PlanSnapshot,
        folder: &Path,
        halt: Halt,
        detail: Value,
    ) -> Result<Option<(Halt, Value)>, Fail> {
        let path = self.home.root().join(&self.plan.path);
        // The old text lacks what another stage changed in the plan's text.
        if detail["plan_before"].as_str() != Some(self.blanked.as_str()) {
            return Ok(Some((halt, detail)));
        }
        let left = fs::read_if_there(&path).ok().flatten().unwrap_or_default();
        let now = PlanSnapshot::of(&self.plan).ok();
        let ledger = Ledger::new(self.home.clone());
        let records = ledger.read_of(&self.plan.path)?;
        let Ok(Some(wanted)) = restore_main_plan::wanted(base, now.as_ref(), &records) else {
            return Ok(Some((halt, detail)));
        };
        restore_main_plan::put(base, &wanted, &self.home.folder("tmp")?)?;
        let kept = folder.join(format!("as-left-by-worker-{}", wire::ids::key_of(&self.plan.path)));
        fs::private_folder(folder)?;
        fs::create(&kept, &left)?;
        let kept = self.home.relative(&kept);
        let boxes: Vec<&str> =
            detail["boxes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let what = boxes.first().map_or_else(
            || "the plan in the main tree changed while the worker ran".to_owned(),
            |first| format!("the box of '{first}' was ticked in the main tree, and no stage did it"),
        );
        let message = format!("{what}; the plan was put back, and the changed version is in '{kept}'");
        let detail = json!({ "plan_before": self.blanked, "unticked": boxes, "kept": kept, IN_MAIN: true });
        let is_open = |id: &&str| *id != order.task.id.as_str() && self.is_open(&records, id);
        if !boxes.is_empty() && boxes.iter().all(is_open) {
            tool::note(&format!("worker-run: {message}"));
            let mut entry = desk.entry(order, Type::Message, "plan-put-back");
            entry.data = json!({ "detail": detail });
            ledger.append(entry)?;
            return Ok(None);
        }
        Ok(Some((Halt { retry: true, message, ..halt }, detail)))
    }

    /// Whether a worker is running on a task.
    fn is_open(&self, records: &[Punch], id: &str) -> bool {
        let mine = records.iter().rev().filter(|record| record.plan == self.plan.path);
        let mut mine = mine.filter(|record| record.task.as_ref().is_some_and(|task| task.as_str() == id));
        mine.find(|r| matches!(r.kind, Type::AttemptBegin | Type::AttemptEnd | Type::Halt))
            .is_some_and(|record| record.kind == Type::AttemptBegin)
    }

    /// Whether the plan was restored meanwhile at the end of another worker, and ours may be the one that changed it:
    /// by ticking its own box, or by a change that cannot be attributed.
    fn put_back_before(&self, order: &Order, since: u64) -> Result<Option<(Halt, Value)>, Fail> {
        let records = Ledger::new(self.home.clone()).read_of(&self.plan.path)?;
        let own = order.task.id.as_str();
        let is_it = |record: &&Punch| {
            let detail = &record.data["detail"];
            let by = record.task.as_ref().map(wire::TaskId::as_str);
            let mut boxes = detail["unticked"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let is_mine = boxes.clone().any(|id| id == own);
            // A worker that ticked only its own box was already caught.
            let is_unclear =
                record.kind == Type::Halt && (boxes.clone().count() == 0 || boxes.any(|id| Some(id) != by));
            let is_new = record.seq > since && record.plan == self.plan.path;
            is_new && detail[IN_MAIN] == true && (is_mine || is_unclear)
        };
        let Some(record) = records.iter().find(is_it) else { return Ok(None) };
        let other = record.task.as_ref().map(ToString::to_string).unwrap_or_default();
        let what = if record.kind == Type::Halt { "the plan" } else { "its own box" };
        let message = format!(
            "{what} in the main tree changed while the worker ran; it was put back when that of task '{other}' ended"
        );
        let halt = Halt { retry: true, ..for_a_person(pins::PLAN_TOUCHED, message) };
        Ok(Some((halt, json!({ "plan_before": record.data["detail"]["plan_before"] }))))
    }

    fn compare(&self) -> Result<Option<(Halt, Value)>, Fail> {
        // The record of a tick comes before the tick, so read the plan first.
        let now = PlanSnapshot::of(&self.plan);
        let records = Ledger::new(self.home.clone()).read_of(&self.plan.path)?;
        let recent: Vec<&Punch> = records.iter().filter(|record| record.seq > self.seen).collect();
        let expected = pins::plan_after(&recent, &self.plan.path, &self.blanked);
        let now = now.ok().filter(|field| field.blanked() == expected);
        let Some(now) = now else {
            let message =
                "the plan in the main tree changed while the worker ran; undo it, or --accept-change REASON";
            return Ok(Some((for_a_person(pins::PLAN_TOUCHED, message), json!({ "plan_before": expected }))));
        };
        // A tick recorded before we began may have reached the plan after our snapshot.
        let boxes = self.ticked.unheard(&now, &records);
        if let Some(first) = boxes.first() {
            let message =
                format!("the box of '{first}' was ticked while the worker ran, and no stage did it");
            let detail = json!({ "plan_before": expected, "boxes": boxes });
            return Ok(Some((for_a_person(pins::PLAN_TOUCHED, message), detail)));
        }
        self.history()
    }

    /// A commit there that no stage of ours made.
    fn history(&self) -> Result<Option<(Halt, Value)>, Fail> {
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
        let records = Ledger::new(self.home.clone()).read()?;
        let known = records.iter().filter(|record| record.kind == Type::Commit);
        let known: HashSet<&str> = known.map(|record| record.key.as_str()).collect();
        let whole = git.ask(&Call::of(&["merge-base", "--is-ancestor", before, "HEAD"]))?.status.success();
        let range = format!("{before}..HEAD");
        let listed = git.run(&Call::of(&["log", "--format=%H %T %s", &range]))?;
        let listed = String::from_utf8_lossy(&listed.out).into_owned();
        let commits: Vec<Vec<&str>> = listed.lines().map(|line| line.splitn(3, ' ').collect()).collect();
        // A merge commit has the tree of the commit that it merges.
        let trees: HashSet<&str> = commits.iter().filter(|c| known.contains(c[0])).map(|c| c[1]).collect();
        let is_foreign = |commit: &&Vec<&str>| !known.contains(commit[0]) && !trees.contains(commit[1]);
        let foreign = if commits.iter().any(|commit| is_foreign(&commit)) {
            // A worker's own commits come in with its work.
            let new: HashSet<&str> = commits.iter().map(|commit| commit[0]).collect();
            let landed = landing::brought_in(&git, &records, &new)?;
            commits.iter().find(|commit| is_foreign(commit) && !landed.contains(commit[0]))
        } else {
            None
        };
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
