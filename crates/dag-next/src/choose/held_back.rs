//! Why a task that waits for no other is not handed out.

use crate::plan::item::Item;
use ledger::task_history::{TaskHistory, Try};
use ledger::unclear;
use std::cmp::Ordering;
use std::collections::HashMap;
use wire::order::Owner;
use wire::plan::Kind;
use wire::{RunId, TaskId};

/// What decides about attempts.
pub(crate) struct Terms<'a> {
    pub(crate) run: &'a RunId,
    pub(crate) now: &'a str,
    pub(crate) max_attempts: u32,
    /// The same for a task that only inspects, unless `--max-attempts` says otherwise.
    pub(crate) inspection_attempts: u32,
    /// The tasks whose next round would repeat one that changed nothing, and why.
    pub(crate) refused_twice: &'a HashMap<TaskId, String>,
    /// Whether `--max-attempts` says so: then it holds for tasks that only inspect as well.
    pub(crate) asked_for: bool,
    /// The error that came twice, where that stops the run.
    pub(crate) same_error: Option<&'a str>,
    /// What of the run's budget is used up, in words.
    pub(crate) spent: Option<&'a str>,
    /// Where several runs share the plan, the line of the ledger that this one began with.
    pub(crate) since: Option<u64>,
    /// Whether a hold on a task is good.
    pub(crate) is_good: &'a dyn Fn(&Owner) -> bool,
    /// The last sign of life of one that is not.
    pub(crate) last_beat: &'a dyn Fn(&Owner) -> Option<String>,
    /// Whether one more order follows to fix the code when the attempts are used up.
    pub(crate) may_fix: bool,
    /// Whether a person judges all unclear checks in this run.
    pub(crate) unclear_noted: bool,
}

impl Terms<'_> {
    /// Whether another attempt may be made.
    pub(crate) fn may_try(&self, item: &Item<'_>, standing: &TaskHistory) -> Try {
        match standing.may_try(self.run, self.since, self.most(item)) {
            Try::Fix if !self.may_fix => Try::No,
            other => other,
        }
    }

    /// How many attempts a task may have: one that only inspects gets no second opinion unless a person asks for it.
    fn most(&self, item: &Item<'_>) -> u32 {
        if item.more().is_inspection() && !self.asked_for {
            self.inspection_attempts
        } else {
            self.max_attempts
        }
    }
}

/// Why a task is held back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Held {
    /// For a person.
    Human,
    /// Optional, and not asked for.
    Optional,
    /// A live process works on it.
    Running(String),
    /// It must wait for a time.
    Until(String),
    /// Its attempts are used up.
    Exhausted(String),
    /// The run may spend no more.
    Spent(String),
    /// The commit of a task that it depends on could not be made.
    Owed(String),
    /// The commit of a task that it depends on is being made.
    Landing(String),
    /// Its checks are unclear.
    Unclear(String),
}

impl Held {
    /// Whether it passes by itself.
    pub(crate) fn passes(&self) -> bool {
        matches!(self, Held::Running(_) | Held::Until(_) | Held::Landing(_))
    }

    /// In words.
    pub(crate) fn words(&self) -> String {
        match self {
            Held::Human => "for a person".to_owned(),
            Held::Optional => "optional, and not asked for".to_owned(),
            Held::Running(text)
            | Held::Until(text)
            | Held::Exhausted(text)
            | Held::Spent(text)
            | Held::Owed(text)
            | Held::Landing(text)
            | Held::Unclear(text) => text.clone(),
        }
    }
}

/// The unclear checks of a task that no person has taken on, in words.
fn unclear(item: &Item<'_>, standing: &TaskHistory, terms: &Terms<'_>) -> Option<String> {
    if terms.unclear_noted || standing.noted {
        return None;
    }
    let checks = item.more().unclear();
    let first = checks.first()?;
    let others = match checks.len() - 1 {
        0 => String::new(),
        1 => " (and 1 more)".to_owned(),
        more => format!(" (and {more} more)"),
    };
    Some(format!("{}: {}{others}; run: checkbox fix", unclear::CODE, unclear::words(first)))
}

/// Why the task is held back; `None` if it may be handed out.
pub(crate) fn held(
    item: &Item<'_>,
    standing: &TaskHistory,
    terms: &Terms<'_>,
    asked_for: bool,
) -> Option<Held> {
    if item.kind == Kind::Human {
        return Some(Held::Human);
    }
    if item.optional && !asked_for {
        return Some(Held::Optional);
    }
    if let Some(words) = unclear(item, standing, terms) {
        return Some(Held::Unclear(words));
    }
    // What this run itself has ticked it may look at again, should somebody clear the box.
    let is_own = standing.tick.as_ref() == Some(terms.run);
    if let Some(hold) = standing.held().filter(|_| !is_own)
        && (terms.is_good)(&hold.owner)
    {
        let Owner { pid, host, lease_seconds, .. } = &hold.owner;
        let place = lease_seconds.map_or_else(String::new, |_| format!(" on '{host}'"));
        return Some(Held::Running(format!(
            "attempt {} is running, process {pid}{place}",
            standing.last_attempt
        )));
    }
    let not_before = standing.halt.as_ref().and_then(|(halt, _)| halt.not_before.as_deref());
    if let Some(time) = not_before.filter(|time| *time > terms.now) {
        return Some(Held::Until(format!("not before {time}")));
    }
    // What was worked or ticked already is only checked again, unless a person has to look first.
    let refused = standing.halt.as_ref().is_some_and(|(halt, _)| !halt.retry);
    let refused = refused && terms.may_try(item, standing) == Try::No;
    let unfinished = standing.ended.is_some() || standing.standing_tick().is_some();
    if let Some(why) = terms.refused_twice.get(&TaskId::from(&*item.id.0)) {
        return Some(Held::Exhausted(why.clone()));
    }
    if unfinished && !refused {
        return None;
    }
    if let Some(error) = terms.same_error {
        let words = format!("the same error twice: {error}");
        return Some(if standing.halt.is_some() { Held::Exhausted(words) } else { Held::Spent(words) });
    }
    if terms.may_try(item, standing) != Try::No {
        return terms.spent.map(|spent| Held::Spent(spent.to_owned()));
    }
    let message = standing.halt.as_ref().map_or("", |(halt, _)| halt.message.as_str());
    let (spent, most) = (standing.spent, terms.most(item));
    Some(Held::Exhausted(match spent.cmp(&most) {
        // Another attempt would change nothing, however many are left.
        Ordering::Less => message.to_owned(),
        Ordering::Equal => format!("{spent} of {most} attempts used: {message}"),
        Ordering::Greater => format!("{most} of {most} attempts and the fix used: {message}"),
    }))
}
