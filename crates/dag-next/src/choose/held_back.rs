//! Why a task that waits for no other is not handed out.

use crate::plan::item::Item;
use ledger::task_history::{Ended, Over, TaskHistory, Try};
use ledger::unclear;
use std::collections::HashMap;
use wire::order::Owner;
use wire::plan::Kind;
use wire::status::Code;
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
    /// Whether `--max-attempts` says so: then it holds for tasks that only inspect as well, and no fix order follows.
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
            Try::Fix if !self.may_fix || self.asked_for => Try::No(standing.over()),
            other => other,
        }
    }

    /// The attempt whose checks run again before a worker starts.
    pub(crate) fn recheck<'h>(&self, item: &Item<'_>, standing: &'h TaskHistory) -> Option<&'h Ended> {
        // The answer of a worker that only inspects is its evidence: without a worker there is none.
        let has_checks = !item.more().is_inspection();
        let attempts = !matches!(self.may_try(item, standing), Try::No(_));
        standing.recheck(self.run, attempts).filter(|_| has_checks)
    }

    /// How many attempts a task may have: one that only inspects gets no second opinion unless a person asks for it.
    pub(crate) fn most(&self, item: &Item<'_>) -> u32 {
        if item.more().is_inspection() && !self.asked_for {
            self.inspection_attempts
        } else {
            self.max_attempts
        }
    }
}

/// Why a task is held back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) code: Code,
    /// The same as a sentence.
    pub(crate) words: String,
}

impl Held {
    /// The reason as a word and as a sentence.
    pub(crate) fn new(code: Code, words: impl Into<String>) -> Self {
        Self { code, words: words.into() }
    }

    /// Whether it passes by itself.
    pub(crate) fn passes(&self) -> bool {
        self.code.passes()
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
        return Some(Held::new(Code::Human, "for a person"));
    }
    if item.optional && !asked_for {
        return Some(Held::new(Code::Optional, "optional, and not asked for"));
    }
    if let Some(words) = unclear(item, standing, terms) {
        return Some(Held::new(Code::Unclear, words));
    }
    // A run may hand out again what it ticked itself, if a person clears the box.
    let is_own = standing.tick.as_ref() == Some(terms.run);
    if let Some(hold) = standing.held().filter(|_| !is_own)
        && (terms.is_good)(&hold.owner)
    {
        let Owner { pid, host, lease_seconds, .. } = &hold.owner;
        let place = lease_seconds.map_or_else(String::new, |_| format!(" on '{host}'"));
        let words = format!("attempt {} is running, process {pid}{place}", standing.last_attempt);
        return Some(Held::new(Code::Running, words));
    }
    let not_before = standing.halt.as_ref().and_then(|(halt, _)| halt.not_before.as_deref());
    if let Some(time) = not_before.filter(|time| *time > terms.now) {
        return Some(Held::new(Code::NotBefore, format!("not before {time}")));
    }
    if let Some(why) = terms.refused_twice.get(&*item.id.0) {
        return Some(Held::new(Code::NoProgress, why.clone()));
    }
    let next = terms.may_try(item, standing);
    // Work that was ended or ticked already is only checked again, unless a person has to look first.
    let unfinished = standing.ended.is_some() || standing.standing_tick().is_some();
    if unfinished && next != Try::No(Over::Refused) || terms.recheck(item, standing).is_some() {
        return None;
    }
    if let Some(error) = terms.same_error {
        let code = if standing.halt.is_some() { Code::SameError } else { Code::RunStopped };
        return Some(Held::new(code, error));
    }
    let message = standing.halt.as_ref().map_or("", |(halt, _)| halt.message.as_str());
    let (spent, most) = (standing.spent, terms.most(item));
    Some(match next {
        Try::Yes | Try::Fix => Held::new(Code::Budget, terms.spent?),
        // Another attempt would change nothing, however many are left.
        Try::No(Over::Refused) => Held::new(Code::Refused, message),
        Try::No(Over::GivenUp) => {
            Held::new(Code::GivenUp, format!("given up before, and nothing has changed since: {message}"))
        }
        Try::No(Over::Repeated) => {
            let words = if standing.fixed {
                "two attempts and the Fix Task ended alike"
            } else {
                "the last two attempts ended alike, with the same files and the same result"
            };
            Held::new(Code::SameFailure, format!("{words}: {message}"))
        }
        Try::No(Over::Used) if standing.fixed => Held::new(
            Code::AttemptsUsed,
            format!("{most} of {most} attempts and the Fix Task used: {message}"),
        ),
        Try::No(Over::Used) => {
            Held::new(Code::AttemptsUsed, format!("{} of {most} attempts used: {message}", spent.min(most)))
        }
    })
}
