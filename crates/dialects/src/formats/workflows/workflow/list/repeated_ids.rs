//! Ids that occur more than once.
//!
//! Two boxes that both claim an id are kept, and the plan is refused, since either could be the task. A later section
//! that only lists the phases of earlier tasks describes those tasks.

use super::entry::{Entry, Form};
use crate::Plan;
use markdown::Outline;
use std::collections::HashMap;
use wire::plan::Severity;

/// The entries that are tasks, with renumbered parents, and those that only describe a task.
pub(crate) fn sort(outline: &Outline, entries: Vec<Entry>, plan: &mut Plan) -> (Vec<Entry>, Vec<Entry>) {
    let mut first: HashMap<String, usize> = HashMap::new();
    let mut about = vec![false; entries.len()];
    for (number, entry) in entries.iter().enumerate() {
        let Some(&original) = first.get(&entry.id) else {
            first.insert(entry.id.clone(), number);
            continue;
        };
        let Some(original) = entries.get(original) else { continue };
        let elsewhere = entry.heading != original.heading;
        let lesser = original.strong && !entry.strong || entry.form == Form::Heading;
        if let Some(slot) = about.get_mut(number).filter(|_| elsewhere && lesser) {
            *slot = true;
            let line = outline.line(original.at.start);
            let message = format!("task '{}' is named again; line {line} decides its state", entry.id);
            let mut found = outline.diagnostic(Severity::Warning, "repeated-id", message, entry.at.start);
            found.task = Some(entry.id.as_str().into());
            plan.diagnostics.push(found);
        }
    }
    split(entries, &about)
}

fn split(entries: Vec<Entry>, about: &[bool]) -> (Vec<Entry>, Vec<Entry>) {
    let mut number = 0;
    let places: Vec<Option<usize>> = about
        .iter()
        .map(|about| {
            let place = (!about).then_some(number);
            number += usize::from(!about);
            place
        })
        .collect();
    let (mut tasks, mut again) = (Vec::new(), Vec::new());
    for (mut entry, about) in entries.into_iter().zip(about) {
        entry.parent = entry.parent.and_then(|parent| places.get(parent).copied().flatten());
        if *about { again.push(entry) } else { tasks.push(entry) }
    }
    let parents: Vec<usize> = tasks.iter().filter_map(|entry: &Entry| entry.parent).collect();
    for parent in parents {
        if let Some(parent) = tasks.get_mut(parent) {
            parent.holds = true;
        }
    }
    (tasks, again)
}
