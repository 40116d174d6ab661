//! Manual decisions of a person: exact ids, a reason, a record, and only then the plan.

pub(crate) mod goals;
pub(crate) mod list;
pub(crate) mod presented;
pub(crate) mod request;

use crate::adapt::added_task::{self, Addition};
use crate::args::PlanArgs;
use crate::by_hand::request::{Deed, Later, Request};
use crate::plan_file::PlanFile;
use crate::tick::issue_tracker;
use dialects::write::{self, Change, Edit};
use ledger::{Entry, Ledger};
use serde_json::json;
use std::io::IsTerminal;
use std::path::Path;
use toolkit::cli::clock::RunArgs;
use toolkit::cli::env;
use toolkit::files::fs;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::plan::{Kind, Note};
use wire::punch::{SourceKind, Trust, Type};
use wire::tick::{SCHEMA, TickDoc};
use wire::{Level, Plan, State, Task};

/// Does what is asked for and says so.
pub(crate) fn carry_out(request: &Request, run: &RunArgs, out: &mut Output) -> Result<Exit, Fail> {
    if env::is_inside_attempt() {
        let message = "is for a person; a worker or a check does not decide by hand";
        return Err(Fail::new(Exit::No, "inside-attempt", message));
    }
    let path = request.plan.path()?;
    let home = Home::of(&root::find(path)?)?;
    let mut file = PlanFile::lock(&home, path, request.plan.dialect.as_deref())?;
    let has = |id: &str| file.field.plan.tasks.iter().any(|task| task.id.as_str() == id);
    if let Deed::Stand(id, _) = &request.deed
        && request.if_there
        && !has(id)
    {
        return Ok(Exit::Ok);
    }
    let intent = Intent::of(request, run, &file)?;
    if request.dry_run {
        let diff = file.preview(&intent.edits)?;
        if std::io::stdout().is_terminal() {
            out.shown(&String::from_utf8_lossy(&diff))?;
        } else {
            out.bytes(&diff)?;
        }
        return Ok(Exit::Ok);
    }
    let mut changed = false;
    let deferred = matches!(request.deed, Deed::Criterion(_, Later::Deferred));
    let of_plan = intent.criterion.is_some() && intent.task.id.as_str().is_empty();
    let vouches = intent.edits.is_empty() && vouches(request, &home, &file.field.plan, &intent)?;
    if deferred || of_plan || vouches || !intent.edits.is_empty() {
        record(request, run, &home, &file.field.plan, &intent)?;
    }
    if !intent.edits.is_empty() {
        let now = run.clock()?.now();
        let told = Change { now: &now, ..intent.change(&request.reason) };
        changed = if issue_tracker::owns(&file.field) {
            issue_tracker::tell(&file.field, &told)?
        } else {
            file.set(&intent.edits)?
        };
    }
    out.document(&intent.document(&file.field.plan, changed), request.plan.pretty)?;
    Ok(Exit::Ok)
}

/// Whether a person answers for a box that was ticked before, and that no record explains.
fn vouches(request: &Request, home: &Home, plan: &Plan, intent: &Intent) -> Result<bool, Fail> {
    let ticks = matches!(request.deed, Deed::Stand(_, State::Completed)) && intent.state == State::Completed;
    if !ticks {
        return Ok(false);
    }
    let records = Ledger::new(home.clone()).read_of(&plan.source.path)?;
    let of_box = records.iter().rev().filter(|record| record.task.as_ref() == Some(&intent.task.id));
    let mut of_box = of_box.filter(|record| {
        matches!(record.kind, Type::Tick | Type::Untick)
            || record.kind == Type::Override && record.key == "tick"
    });
    Ok(of_box.next().is_none_or(|record| record.kind == Type::Untick))
}

/// Clears the mark of every task that has failed, one after the other.
pub(crate) fn retry(
    plan: &PlanArgs,
    reason: &str,
    dry_run: bool,
    run: &RunArgs,
    out: &mut Output,
) -> Result<Exit, Fail> {
    let path = plan.path()?;
    let read = dialects::open(path, &root::find(path)?, plan.dialect.as_deref())?;
    for task in read.tasks.iter().filter(|task| task.state == State::Failed) {
        let deed = Deed::Stand(task.id.to_string(), State::Pending);
        let request = Request {
            plan: plan.clone(),
            deed,
            reason: reason.to_owned(),
            dry_run,
            if_there: false,
            evidence: None,
        };
        carry_out(&request, run, out)?;
    }
    Ok(Exit::Ok)
}

/// The effect of a request on this plan.
struct Intent {
    task: Task,
    state: State,
    criterion: Option<String>,
    /// The text of the criterion: a goal is only identified by its position, which an edit moves.
    text: Option<String>,
    edits: Vec<Edit>,
    /// The new task, if one is added.
    addition: Option<Addition>,
}

impl Intent {
    fn of(request: &Request, run: &RunArgs, file: &PlanFile) -> Result<Self, Fail> {
        let plan = &file.field.plan;
        match &request.deed {
            Deed::Stand(id, state) => {
                let task = find(plan, id)?.clone();
                let mut intent = Self {
                    task,
                    state: *state,
                    criterion: None,
                    text: None,
                    edits: Vec::new(),
                    addition: None,
                };
                // A failed attempt is written down with who takes over; the next failure of the task replaces that.
                let is_noted =
                    *state == State::Failed && dialects::row(&plan.source.dialect).notes_escalations;
                if intent.task.state != *state || is_noted {
                    let now = run.clock()?.now();
                    // A task without a box of its own is done when the boxes below it are ticked.
                    let below = if intent.task.mark.is_none() {
                        write::boxes_below(&intent.task)
                    } else {
                        Vec::new()
                    };
                    let change = Change { now: &now, criteria: &below, ..intent.change(&request.reason) };
                    intent.edits = write::edits(&file.field, &change)?;
                    intent.check(file)?;
                }
                Ok(intent)
            }
            Deed::Criterion(id, later) => {
                let mut intent = Self::criterion(file, id, *later)?;
                if *later == Later::Deferred {
                    intent.edits.clear();
                }
                Ok(intent)
            }
            Deed::Add { after, title, body } => {
                Self::add(&request.reason, file, after, title, body.as_deref())
            }
        }
    }

    fn criterion(file: &PlanFile, id: &str, later: Later) -> Result<Self, Fail> {
        let plan = &file.field.plan;
        if let Some(note) = note(plan, id) {
            let edits =
                if note.checked { Vec::new() } else { vec![write::tick_box(&file.field, &note.span)] };
            let task = Task::default();
            let text = Some(note.text.clone());
            return Ok(Self {
                state: task.state,
                task,
                criterion: Some(id.to_owned()),
                text,
                edits,
                addition: None,
            });
        }
        let own = plan.tasks.iter().flat_map(|task| task.criteria.iter().map(move |c| (Some(task), c)));
        let mut all = own.chain(plan.gates.iter().map(|c| (None, c)));
        let Some((task, criterion)) = all.find(|(_, criterion)| criterion.id == id) else {
            return Err(no_such_criterion(plan, id));
        };
        // A deferred criterion is only recorded, and needs no box; so is a criterion of the whole plan.
        if !criterion.boxed && later == Later::Holds && task.is_some() {
            return Err(Fail::data("no-box", format!("criterion '{id}' has no box")));
        }
        let edits = if criterion.checked || !criterion.boxed {
            Vec::new()
        } else {
            vec![write::tick_box(&file.field, &criterion.span)]
        };
        let (task, text) = (task.cloned().unwrap_or_default(), Some(criterion.text.clone()));
        Ok(Self { state: task.state, task, criterion: Some(id.to_owned()), text, edits, addition: None })
    }

    fn add(
        reason: &str,
        file: &PlanFile,
        after: &str,
        title: &str,
        body: Option<&Path>,
    ) -> Result<Self, Fail> {
        let plan = &file.field.plan;
        let body = match body {
            Some(path) => String::from_utf8_lossy(&fs::read(path)?).into_owned(),
            None => format!(
                "**Type**: work\n\n**Reason**: {}",
                reason.split_whitespace().collect::<Vec<_>>().join(" ")
            ),
        };
        let addition = added_task::read_with(file, find(plan, after)?, title, &body)?;
        let (task, edits) = (addition.task.clone(), vec![addition.edit.clone()]);
        let addition = Some(addition);
        Ok(Self { task, edits, addition, state: State::Pending, criterion: None, text: None })
    }

    /// Fails unless the changed plan has this task in its new state and every other task in its old one.
    fn check(&self, file: &PlanFile) -> Result<(), Fail> {
        let Some((new, _)) = file.after(&self.edits)? else { return Ok(()) };
        let stands = |old: &&Task| {
            let now = new.tasks.iter().find(|task| task.id == old.id).map(|task| task.state);
            now == Some(if old.id == self.task.id { self.state } else { old.state })
        };
        // A task without a box has the state of those below it.
        let mut boxed =
            file.field.plan.tasks.iter().filter(|task| task.mark.is_some() || task.id == self.task.id);
        let held = |task: &&Task| task.kind != Kind::Container || task.id == self.task.id;
        match boxed.find(|task| held(task) && !stands(task)) {
            None => Ok(()),
            Some(task) => {
                let message = format!(
                    "the plan has no mark for '{}': task '{}' would be read as something else",
                    self.state.word(),
                    task.id
                );
                Err(Fail::data("no-mark", message))
            }
        }
    }

    fn change<'a>(&'a self, reason: &'a str) -> Change<'a> {
        Change { task: &self.task, state: self.state, criteria: &[], now: "", reason }
    }

    fn document(&self, plan: &Plan, changed: bool) -> TickDoc {
        TickDoc {
            schema: SCHEMA.to_owned(),
            plan: plan.source.path.clone(),
            task: self.task.id.clone(),
            title: self.task.title.clone(),
            state: self.state,
            changed,
            criterion: self.criterion.clone(),
            line: None,
            level: (self.state == State::Completed && self.criterion.is_none()).then_some(Level::Accepted),
            commit: None,
        }
    }
}

/// Exact ids only: `1` is never `10`.
fn find<'a>(plan: &'a Plan, id: &str) -> Result<&'a Task, Fail> {
    let mut found = plan.tasks.iter().filter(|t| t.id.as_str() == id);
    match (found.next(), found.next()) {
        (Some(task), None) => Ok(task),
        (Some(one), Some(other)) => {
            let message =
                format!("two tasks are called '{id}', in lines {} and {}", one.span.line, other.span.line);
            Err(Fail::data("duplicate-id", message))
        }
        (None, _) => {
            let known: Vec<_> = plan.tasks.iter().take(50).map(|t| t.id.as_str()).collect();
            let more = plan.tasks.len().saturating_sub(known.len());
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let message = format!("there is no task '{id}'; tasks are {}{more}", known.join(", "));
            Err(Fail::new(Exit::No, "no-such-task", message))
        }
    }
}

/// `note:N`, the Nth box that belongs to no task: definition of done, success criteria.
fn note<'a>(plan: &'a Plan, id: &str) -> Option<&'a Note> {
    let number: usize = id.strip_prefix("note:")?.parse().ok()?;
    plan.notes.get(number.checked_sub(1)?)
}

fn no_such_criterion(plan: &Plan, id: &str) -> Fail {
    let outer = id.rsplit_once(':').map_or(id, |(task, _)| task);
    let task = plan.tasks.iter().find(|task| task.id.as_str() == outer);
    let criteria = task.map_or(plan.gates.as_slice(), |task| task.criteria.as_slice());
    let known: Vec<_> = criteria.iter().filter(|c| c.boxed).take(50).map(|c| c.id.as_str()).collect();
    let mut known: Vec<String> = known.into_iter().map(str::to_owned).collect();
    if task.is_none() && !plan.notes.is_empty() {
        known.push(format!("note:1 to note:{}", plan.notes.len()));
    }
    let known = if known.is_empty() {
        "none has a box".to_owned()
    } else {
        format!("there are {}", known.join(", "))
    };
    Fail::new(Exit::No, "no-such-criterion", format!("there is no criterion '{id}'; {known}"))
}

fn record(request: &Request, run: &RunArgs, home: &Home, plan: &Plan, intent: &Intent) -> Result<(), Fail> {
    let clock = run.clock()?;
    let (kind, key) = request.deed.record();
    let about_plan = intent.task.id.as_str().is_empty();
    let Intent { state, criterion, text, .. } = intent;
    let mut data = if kind == Type::Untick {
        json!({ "reason": request.reason })
    } else {
        json!({ "reason": request.reason, "state": state, "criterion": criterion, "text": text })
    };
    if let Some(path) = &request.evidence {
        let bad =
            |e: serde_json::Error| Fail::data("bad-evidence", format!("no valid JSON: {e}")).in_file(path);
        data["detail"] = serde_json::from_slice(&fs::read(path)?).map_err(bad)?;
    }
    if let Some(addition) = &intent.addition {
        addition.note_in(&mut data);
    }
    Ledger::new(home.clone()).append(Entry {
        plan: plan.source.path.clone(),
        task: (!about_plan).then(|| intent.task.id.clone()),
        fingerprint: (!about_plan).then(|| intent.task.fingerprint.clone()),
        source: SourceKind::Human,
        trust: Trust::Typed,
        data,
        ..Entry::new(run.run_id(&clock)?, kind, key, clock.now())
    })?;
    Ok(())
}
