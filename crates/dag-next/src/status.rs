//! `--status`: where the plan stands, in one document.

use crate::pick::{Picked, graph_of, offered};
use crate::plan::Sheet;
use std::collections::BTreeMap;
use toolkit::output::Output;
use toolkit::{Exit, Fail};
use wire::status::{SCHEMA, StatusDoc, Waiting};

/// Prints `status/1` and answers by exit code.
pub(crate) fn show(sheet: &Sheet<'_>, picked: &Picked, out: &mut Output, pretty: bool) -> Result<Exit, Fail> {
    let mut states: BTreeMap<String, u64> = BTreeMap::new();
    for task in &sheet.tasks {
        *states.entry(task.state.word().to_owned()).or_default() += 1;
    }
    let document = StatusDoc {
        schema: SCHEMA.to_owned(),
        plan: sheet.source.path.clone(),
        answer: picked.answer,
        total: sheet.tasks.len() as u64,
        states,
        ready: picked.ready.iter().map(|r| sheet.tasks[r.index].id.clone()).collect(),
        waiting: waiting(sheet, picked)?,
    };
    out.document(&document, pretty)?;
    Ok(crate::exit_of(picked))
}

fn waiting(sheet: &Sheet<'_>, picked: &Picked) -> Result<Vec<Waiting>, Fail> {
    let graph = graph_of(sheet)?;
    let view = graph.view_with(offered(sheet));
    let mut out = Vec::new();
    for (index, task) in sheet.tasks.iter().enumerate() {
        let node = u32::try_from(index).unwrap_or(u32::MAX);
        if view.is_settled(node) || picked.ready.iter().any(|r| r.index == index) {
            continue;
        }
        out.push(Waiting {
            id: task.id.clone(),
            title: task.title.clone(),
            waits_for: view.waits_for(node).into_iter().map(|i| sheet.tasks[i as usize].id.clone()).collect(),
            held: picked.held.iter().find(|(i, _)| *i == index).map(|(_, reason)| reason.clone()),
        });
    }
    Ok(out)
}
