//! `--status` and `--why`: where the plan stands, and what exactly each waiting task waits for.

pub(crate) mod next;
pub(crate) mod text;

use crate::choose::held_back::Held;
use crate::choose::pick::{Picked, Table};
use crate::plan::item::index;
use std::collections::BTreeMap;
use wire::plan::Kind;
use wire::status::{Code, GivenUp, SCHEMA, StatusDoc, Waiting};
use wire::{State, TaskId};

/// The whole status.
pub(crate) fn of(table: &Table<'_>, picked: &Picked, reopened: Vec<TaskId>) -> StatusDoc {
    let sheet = table.sheet;
    let mut states: BTreeMap<String, u64> = BTreeMap::new();
    for task in &sheet.tasks {
        *states.entry(task.state.word().to_owned()).or_default() += 1;
    }
    let held = |wanted: fn(&Held) -> bool| -> Vec<TaskId> {
        let mut found: Vec<usize> = picked.held.iter().filter(|(_, h)| wanted(h)).map(|(i, _)| *i).collect();
        found.sort_unstable();
        found.into_iter().map(|i| id(table, i)).collect()
    };
    StatusDoc {
        schema: SCHEMA.to_owned(),
        plan: sheet.source.path.clone(),
        answer: picked.answer,
        strategy: format!("{}, {}", table.strategy.word(), table.strategy.from),
        total: sheet.tasks.len() as u64,
        states,
        ready: picked.ready.iter().map(|i| id(table, *i)).collect(),
        running: held(|h| h.code == Code::Running),
        human: humans(table),
        exhausted: held(|h| h.code.is_exhausted()),
        needs_you: held(|h| h.code.needs_a_person()),
        given_up: given_up(table, picked),
        reopened,
        waiting: waiting(table, picked),
    }
}

/// Tasks for a person that are not done, ready or not.
pub(crate) fn humans(table: &Table<'_>) -> Vec<TaskId> {
    let open = |i: &usize| table.item(*i).kind == Kind::Human && !table.view.is_settled(index(*i));
    (0..table.sheet.tasks.len()).filter(open).map(|i| id(table, i)).collect()
}

/// Tasks that are not tried again in this run, each with the reason.
pub(crate) fn given_up(table: &Table<'_>, picked: &Picked) -> Vec<GivenUp> {
    let mut found: Vec<(usize, &Held)> =
        picked.held.iter().filter(|(_, held)| held.code.is_given_up()).map(|(i, held)| (*i, held)).collect();
    found.sort_unstable_by_key(|(i, _)| *i);
    let task = |(i, held): (usize, &Held)| {
        let standing = table.standing(i);
        GivenUp {
            id: id(table, i),
            title: table.item(i).title.to_string(),
            code: held.code,
            message: held.words.clone(),
            halt: standing.halt.as_ref().map(|(halt, _)| halt.code.clone()),
            attempts: standing.spent,
            max_attempts: table.terms.most(table.item(i)),
            fix: standing.fixed,
            next: next::command(table, i, held.code).unwrap_or_default(),
        }
    };
    found.into_iter().map(task).collect()
}

/// Every task that is neither done nor handed out; one pass finds all root causes.
fn waiting(table: &Table<'_>, picked: &Picked) -> Vec<Waiting> {
    // Of several causes the one that no waiting mends matters most.
    let rank = |i: u32| {
        let i = i as usize;
        match picked.held.get(&i) {
            Some(held) if !held.passes() => 0,
            _ if matches!(table.item(i).state, State::Failed) => 0,
            Some(_) => 1,
            None if picked.has(i) => 3,
            None => 2,
        }
    };
    let causes = table.view.causes(rank);
    let open = (0..table.sheet.tasks.len()).filter(|i| !picked.has(*i) && !table.view.is_settled(index(*i)));
    open.map(|i| {
        let chain = chain(&causes, i);
        let last = chain.last().copied().unwrap_or(i);
        let Held { code, words: cause } = cause(table, picked, last);
        Waiting {
            id: id(table, i),
            title: table.item(i).title.to_string(),
            waits_for: table.view.waits_for(index(i)).into_iter().map(|j| id(table, j as usize)).collect(),
            chain: chain.into_iter().map(|j| id(table, j)).collect(),
            cause,
            code,
            next: next::command(table, last, code),
        }
    })
    .collect()
}

/// From a task down to the root of its waiting; cut where it is too long to read.
fn chain(causes: &graph::Causes, from: usize) -> Vec<usize> {
    let Some(root) = causes.root(index(from)) else { return Vec::new() };
    let mut out = Vec::new();
    let mut at = index(from);
    while let Some(next) = causes.via(at) {
        if out.len() == 20 {
            out.push(root as usize);
            break;
        }
        out.push(next as usize);
        at = next;
    }
    out
}

fn cause(table: &Table<'_>, picked: &Picked, i: usize) -> Held {
    if let Some(held) = picked.held.get(&i) {
        return held.clone();
    }
    if let Some(later) = picked.later.get(&i) {
        return Held::new(Code::Later, later.clone());
    }
    match table.item(i).state {
        State::Failed => Held::new(Code::Failed, "failed"),
        _ if picked.has(i) => Held::new(Code::Ready, "handed out now"),
        _ if table.view.graph().is_container(index(i)) => {
            Held::new(Code::Container, empty_container(table, i))
        }
        state => Held::new(Code::Later, state.word()),
    }
}

/// A container is never at the root of anything but where it has no children to go by.
fn empty_container(table: &Table<'_>, i: usize) -> &'static str {
    let empty = table.view.graph().children(index(i)).is_empty();
    if empty { "nothing is in it, and its own box is open" } else { "its children are not done" }
}

fn id(table: &Table<'_>, i: usize) -> TaskId {
    (&*table.item(i).id.0).into()
}
