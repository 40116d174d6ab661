//! Which tasks are handed out now.

use crate::choose::held_back::{Held, Terms, held};
use crate::choose::owed;
use crate::choose::strategy::{Choice, Strategy};
use crate::choose::together::Taken;
use crate::choose::waits_for;
use crate::plan::PlanView;
use crate::plan::item::{Item, index};
use config::profile::Profile;
use graph::View;
use ledger::task_history::{Ended, TaskHistory, Try};
use serde_json::Value;
use std::collections::HashMap;
use toolkit::Fail;
use toolkit::files::sha;
use wire::order::{FRESH, Resume, ResumeStep, Why};
use wire::plan::Kind;
use wire::status::Code;
use wire::{Answer, State, TaskId};

/// Tasks that an order names at most, among those that it frees or came after: an order is one line.
const NAMED: usize = 1000;

/// Everything that decides.
pub(crate) struct Table<'a> {
    pub(crate) sheet: &'a PlanView<'a>,
    pub(crate) view: &'a View<'a>,
    pub(crate) strategy: &'a Strategy,
    pub(crate) standings: &'a HashMap<TaskId, TaskHistory>,
    pub(crate) terms: Terms<'a>,
    pub(crate) jobs: Option<u32>,
    pub(crate) only: Option<usize>,
    pub(crate) limits: &'a HashMap<String, u32>,
    /// What was handed out before in this stream and is under way.
    pub(crate) given: &'a Given,
}

/// What was handed out before in this stream and is under way.
#[derive(Debug, Default)]
pub(crate) struct Given {
    /// Whether there is such a stream at all.
    pub(crate) follow: bool,
    /// Whether others carry out the same plan.
    pub(crate) shared: bool,
    pub(crate) tasks: HashMap<TaskId, u32>,
    /// How many of them have a worker or wait for one.
    pub(crate) busy: usize,
    /// The task of this run whose work is being brought in and committed.
    pub(crate) landing: Option<TaskId>,
}

/// What is handed out, and how things stand.
pub(crate) struct Picked {
    /// Indices of the tasks, in the order of the document.
    pub(crate) ready: Vec<usize>,
    pub(crate) answer: Answer,
    /// The strategy's rule that decided.
    pub(crate) rule: String,
    /// Tasks that wait for no other and are not handed out, and why.
    pub(crate) held: HashMap<usize, Held>,
    /// The same, where only this round holds them back.
    pub(crate) later: HashMap<usize, String>,
}

impl Picked {
    /// Whether the task is handed out.
    pub(crate) fn has(&self, i: usize) -> bool {
        self.ready.binary_search(&i).is_ok()
    }
}

/// One task to hand out.
pub(crate) struct Ready {
    pub(crate) attempt: u32,
    pub(crate) why: Why,
    pub(crate) resume: Option<Resume>,
    pub(crate) last_failure: Option<Value>,
}

impl<'a> Table<'a> {
    /// Chooses the tasks to hand out.
    pub(crate) fn pick(&self) -> Picked {
        let free: Vec<usize> = self.view.ready().into_iter().map(|i| i as usize).collect();
        let mut holds: HashMap<usize, Held> = HashMap::new();
        let owed = owed::waiting(self);
        for i in &free {
            let given = self
                .given(*i)
                .map(|attempt| Held::new(Code::Running, format!("attempt {attempt} was handed out")));
            let asked_for = self.only == Some(*i);
            let reason = given
                .or_else(|| owed.get(i).cloned())
                .or_else(|| waits_for::held(self, *i))
                .or_else(|| held(self.item(*i), self.standing(*i), &self.terms, asked_for));
            if let Some(reason) = reason {
                holds.insert(*i, reason);
            }
        }
        let able: Vec<usize> = free.iter().copied().filter(|i| !holds.contains_key(i)).collect();
        let running: Vec<usize> = free
            .iter()
            .copied()
            .filter(|i| holds.get(i).is_some_and(|held| held.code == Code::Running))
            .collect();
        let choice =
            Choice { sheet: self.sheet, view: self.view, free: &free, able: &able, running: &running };
        let (allowed, rule) = match self.only {
            // Where a failure stops the list, no task is done before its turn.
            Some(only) if self.strategy.strict && !self.strategy.allowed(&choice).0.contains(&only) => {
                let turn = self.turn_of(&free, only);
                (Vec::new(), turn)
            }
            Some(only) => (
                able.iter().copied().filter(|i| *i == only).collect(),
                "only this task was asked for".to_owned(),
            ),
            None => self.strategy.allowed(&choice),
        };
        let mut later = HashMap::new();
        let ready = self.together(allowed, &running, &mut later);
        let answer = self.answer(&ready, &holds);
        let mut picked = Picked { ready, answer, rule, held: holds, later };
        for i in able.into_iter().filter(|i| !picked.has(*i)).collect::<Vec<_>>() {
            picked.later.entry(i).or_insert_with(|| picked.rule.clone());
        }
        picked
    }

    /// Why the task that was asked for is not next.
    fn turn_of(&self, free: &[usize], only: usize) -> String {
        let (word, asked) = (self.strategy.word(), &*self.item(only).id);
        match free.iter().find(|i| **i < only) {
            Some(first) => {
                format!("{word}: '{}' comes before '{asked}', which was asked for", &*self.item(*first).id)
            }
            None => format!("{word}: it is not the turn of '{asked}'"),
        }
    }

    /// Chooses the tasks whose work another worker reviews: nothing but a review is missing, and none was refused twice.
    pub(crate) fn pick_for_review(&self, reviews: bool) -> Picked {
        let mut picked = self.pick();
        let waits = |i: &usize| {
            let held = picked.held.get(i).is_none_or(|held| held.code == Code::Refused);
            held && self.only.is_none_or(|only| only == *i) && self.standing(*i).waits_for_review()
        };
        let free = self.view.ready().into_iter().map(|i| i as usize);
        let mut ready: Vec<usize> = free.filter(waits).filter(|_| reviews).collect();
        ready.sort_unstable();
        (picked.ready, picked.answer) = (ready, Answer::More);
        "waits for a review".clone_into(&mut picked.rule);
        picked
    }

    /// As many as there are jobs, the critical path first, and none that would get in each other's way.
    fn together(
        &self,
        mut able: Vec<usize>,
        running: &[usize],
        later: &mut HashMap<usize, String>,
    ) -> Vec<usize> {
        let jobs = self.jobs.map_or(usize::MAX, |n| n as usize).saturating_sub(self.given.busy);
        if (jobs > 1 || self.given.follow) && able.len() > jobs {
            let chains = self.view.chains(true);
            let last = |i: usize| (self.given.shared.then(|| self.turn(i)), i);
            // The path that the plan states comes before the one that follows from its dependencies.
            let stated = self.sheet.strategy.as_ref().map_or(&[][..], |strategy| &strategy.critical_path);
            let is_stated = |i: usize| stated.iter().any(|id| id.as_str() == &*self.item(i).id);
            able.sort_by_cached_key(|i| {
                (!is_stated(*i), std::cmp::Reverse(chains.depth_to_end(index(*i))), last(*i))
            });
        }
        let mut taken = Taken::new(self.limits);
        for i in running {
            taken.running(self.item(*i));
        }
        let mut ready = Vec::new();
        for i in able {
            if ready.len() >= jobs {
                later.insert(i, "no job is free in this round".to_owned());
            } else if let Some(reason) = taken.take(self.item(i), self.standing(i).alone) {
                later.insert(i, reason);
            } else {
                ready.push(i);
            }
        }
        ready.sort_unstable();
        ready
    }

    /// A place in a queue that is another for each run: those who share a plan begin at different ends.
    fn turn(&self, i: usize) -> String {
        sha::hex(format!("{}\0{}", self.terms.run, &*self.item(i).id).as_bytes())
    }

    fn answer(&self, ready: &[usize], holds: &HashMap<usize, Held>) -> Answer {
        let settled = |i: usize| self.view.is_settled(index(i));
        let done = match self.only {
            Some(only) => settled(only),
            None => (0..self.sheet.tasks.len()).all(|i| settled(i) || self.item(i).optional),
        };
        match () {
            () if !ready.is_empty() => Answer::More,
            () if done => Answer::Done,
            () if holds.values().any(Held::passes) => Answer::Wait,
            () => Answer::Stuck,
        }
    }

    /// What an order says about a task that is handed out.
    pub(crate) fn order(&self, i: usize, rule: &str, critical: bool) -> Ready {
        let (item, standing) = (self.item(i), self.standing(i));
        let before = self.sheet.depends_on(item);
        let mut names: Vec<&str> = before.iter().take(NAMED).map(|d| &**d).collect();
        if before.len() > NAMED {
            names.push("…");
        }
        let ready = if names.is_empty() {
            "no dependencies".to_owned()
        } else {
            format!("{} done", names.join(", "))
        };
        let recheck = self.terms.recheck(item, standing);
        let resume = resume(standing, recheck);
        let attempt = match &resume {
            Some(Resume { step: ResumeStep::Check | ResumeStep::Recheck, .. }) => {
                standing.last_attempt.max(1)
            }
            _ => standing.last_attempt + 1,
        };
        let fix = resume.is_none() && self.terms.may_try(item, standing) == Try::Fix;
        let graph = self.view.graph();
        let why = Why {
            ready,
            unblocks: graph
                .unblocks(index(i))
                .into_iter()
                .take(NAMED)
                .map(|j| (&*self.item(j as usize).id.0).into())
                .collect(),
            critical,
            rule: match again(item, standing, recheck.is_some()) {
                _ if fix && standing.repeated => {
                    format!("{rule}; the last two attempts ended alike: the Fix Task")
                }
                _ if fix => format!("{rule}; the attempts are used up: the Fix Task"),
                Some(again) => format!("{rule}; {again}"),
                None => rule.to_owned(),
            },
            fix,
        };
        let mut last_failure = standing.failure.clone();
        let counts = |failure: &Value| failure.pointer("/halt/counts").and_then(Value::as_bool) == Some(true);
        if let Some(failure) = last_failure.as_mut().filter(|failure| standing.spent == 0 && counts(failure))
        {
            failure[FRESH] = true.into();
        }
        Ready { attempt, why, resume, last_failure }
    }

    /// The attempt that was handed out before and is under way.
    fn given(&self, i: usize) -> Option<u32> {
        if self.given.tasks.is_empty() {
            return None;
        }
        self.given.tasks.get(&*self.item(i).id.0).copied()
    }

    pub(crate) fn item(&self, i: usize) -> &'a Item<'a> {
        &self.sheet.tasks[i]
    }

    pub(crate) fn standing(&self, i: usize) -> &'a TaskHistory {
        static NONE: std::sync::LazyLock<TaskHistory> = std::sync::LazyLock::new(TaskHistory::default);
        if self.standings.is_empty() {
            return &NONE;
        }
        self.standings.get(&*self.item(i).id.0).unwrap_or(&NONE)
    }
}

/// A task in progress with no live attempt, and one that is blocked whose dependencies are now completed, are
/// offered like a pending one. So is one that is marked as failed, where the workflow itself writes that mark: the
/// ledger says whether it has attempts. So is a checkpoint that only the plan calls done, where the workflow wants its
/// record and anything is left to do.
pub(crate) fn offered(
    sheet: &PlanView<'_>,
    profile: &Profile,
    standings: &HashMap<TaskId, TaskHistory>,
) -> Vec<State> {
    let wants_records =
        profile.checkpoints_on_record && sheet.tasks.iter().any(|task| !task.state.is_settled());
    let is_on_record = |task: &Item<'_>| {
        let standing = standings.get(&TaskId::from(&*task.id.0));
        standing.is_some_and(|standing| standing.level.is_some() || standing.standing_tick().is_some())
    };
    let open = |task: &Item<'_>| match task.state {
        State::InProgress | State::Blocked => true,
        State::Failed => profile.reopens_failed,
        State::Completed if task.kind == Kind::Checkpoint && wants_records => !is_on_record(task),
        _ => false,
    };
    sheet.tasks.iter().map(|task| if open(task) { State::Pending } else { task.state }).collect()
}

/// The index of the one task that was asked for.
pub(crate) fn only(sheet: &PlanView<'_>, id: Option<&str>) -> Result<Option<usize>, Fail> {
    let Some(id) = id else { return Ok(None) };
    let found = sheet.tasks.iter().position(|t| &*t.id.0 == id);
    found.map(Some).ok_or_else(|| {
        let known: Vec<&str> = sheet.tasks.iter().take(20).map(|t| &*t.id.0).collect();
        Fail::usage(format!("there is no task '{id}'; tasks are {}", known.join(", ")))
    })
}

/// Why a task is offered that is more than pending.
fn again(item: &Item<'_>, standing: &TaskHistory, recheck: bool) -> Option<&'static str> {
    match item.state {
        _ if recheck => Some("failed before: checked again before a worker starts"),
        State::InProgress => Some("in progress with no live attempt"),
        State::Blocked => Some("blocked, and its dependencies are now completed"),
        _ if standing.standing_tick().is_some() => {
            Some("its box was cleared: checked again, and worked again only if a check fails")
        }
        _ if standing.ended.is_some() => Some("its worker had ended: checked, not worked again"),
        _ if standing.open.is_some() => Some("its worker was interrupted: tried again"),
        _ if standing.undone && standing.spent == 0 => {
            Some("its box was cleared, and what it had done does not hold any more: worked again")
        }
        _ if standing.spent > 0 => Some("failed before: tried again"),
        _ => None,
    }
}

/// What is left of an earlier attempt: its checks, or all of it.
fn resume(standing: &TaskHistory, recheck: Option<&Ended>) -> Option<Resume> {
    let of = |step, ended: &Ended| Resume { run: ended.run.clone(), step, result: ended.result.clone() };
    if let Some(ended) = &standing.ended {
        return Some(of(ResumeStep::Check, ended));
    }
    if let Some(ended) = recheck {
        return Some(of(ResumeStep::Recheck, ended));
    }
    let open = standing.open.as_ref()?;
    Some(Resume { run: open.run.clone(), step: ResumeStep::Work, result: None })
}
