//! Statements of earlier workers about their work and themselves, from their saved results.

use crate::case::Case;
use serde_json::Value;
use toolkit::Fail;
use wire::TaskId;
use wire::punch::Type;

/// The saved result of one task.
pub(crate) struct Earlier {
    pub(crate) task: TaskId,
    result: Value,
}

impl Earlier {
    /// A text of the result.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        let worker = self.result.get("worker").unwrap_or(&self.result);
        worker.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
    }
    /// The texts of a list of the result.
    pub(crate) fn list(&self, key: &str) -> Vec<String> {
        let worker = self.result.get("worker").unwrap_or(&self.result);
        let list = worker.get(key).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Its own words on how it ended: its error, else its summary.
    pub(crate) fn words(&self) -> Option<String> {
        let worker = self.result.get("worker").unwrap_or(&self.result);
        let error = worker.pointer("/error/message").and_then(Value::as_str).filter(|text| !text.is_empty());
        error.or_else(|| self.text("summary")).map(str::to_owned)
    }
}

/// The last result of each earlier task, in the order in which they ended.
pub(crate) fn of(case: &Case<'_>) -> Result<Vec<Earlier>, Fail> {
    let all = ended(case)?;
    Ok(all.into_iter().filter(|earlier| earlier.task != case.order.task.id).collect())
}

/// The result of this task's own last attempt.
pub(crate) fn own(case: &Case<'_>) -> Result<Option<Earlier>, Fail> {
    Ok(ended(case)?.into_iter().find(|earlier| earlier.task == case.order.task.id))
}

fn ended(case: &Case<'_>) -> Result<Vec<Earlier>, Fail> {
    let mut out: Vec<Earlier> = Vec::new();
    for record in case.records.iter().filter(|record| record.kind == Type::AttemptEnd) {
        let Some(task) = record.task.clone() else { continue };
        let Some(path) = record.data.pointer("/result/path").and_then(Value::as_str) else { continue };
        let text = case.text_of(path)?.unwrap_or_default();
        let result = serde_json::from_str(&text).unwrap_or(Value::Null);
        out.retain(|known| known.task != task);
        out.push(Earlier { task, result });
    }
    Ok(out)
}
