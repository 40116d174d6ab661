//! `--unchecked`: the open tasks without a check that can be run. Whoever proposes checks needs no finished work, so that it
//! does not matter what a task waits for.

use crate::choose::pick::{Picked, Table};
use serde_json::Value;
use std::collections::HashMap;
use toolkit::Fail;
use wire::Answer;
use wire::plan::Kind;

/// The tasks, in the order of the document.
pub(crate) fn pick(table: &Table<'_>) -> Result<Picked, Fail> {
    let mut ready = Vec::new();
    for (i, item) in table.sheet.tasks.iter().enumerate() {
        let is_work = matches!(item.kind, Kind::Work | Kind::Verification);
        let is_asked = table.only.is_none_or(|only| only == i);
        if is_asked && is_work && !item.state.is_settled() && !has_check(table, i)? {
            ready.push(i);
        }
    }
    let answer = if ready.is_empty() { Answer::Done } else { Answer::More };
    let rule = "it has no check that can be run".to_owned();
    Ok(Picked { ready, answer, rule, held: HashMap::new(), later: HashMap::new() })
}

fn has_check(table: &Table<'_>, i: usize) -> Result<bool, Fail> {
    let raw = table.sheet.raw(table.item(i))?;
    let task: Value = serde_json::from_str(raw).map_err(|e| Fail::data("bad-json", e.to_string()))?;
    let criteria = task.get("criteria").and_then(Value::as_array);
    Ok(criteria.is_some_and(|all| all.iter().any(|one| one["runnable"] == true)))
}
