//! Boxes with a mark of their state behind the name: the mark is replaced with the box.

use super::{Change, Edit, boxes};
use crate::PlanSnapshot;
use crate::states::markers;
use toolkit::Fail;
use wire::State;

/// The edits of the box and of the mark; work in progress and blocked work have only the mark.
pub(crate) fn edits(field: &PlanSnapshot, change: &Change) -> Result<Vec<Edit>, Fail> {
    let Some(edit) = marker(field, change) else { return boxes::edits(field, change) };
    let mut edits = match change.state {
        State::InProgress | State::Blocked => {
            boxes::edits(field, &Change { state: State::Pending, ..*change })?
        }
        _ => boxes::edits(field, change)?,
    };
    edits.push(edit);
    Ok(edits)
}

fn marker(field: &PlanSnapshot, change: &Change) -> Option<Edit> {
    let span = change.task.mark.as_ref()?;
    let (path, bytes) = field.files.iter().find(|(path, _)| *path == span.path)?;
    let from = usize::try_from(span.end).ok()?;
    let found = markers::find(&markers::rest_of_line(bytes, from))?;
    let text = markers::word(change.state, &String::from_utf8_lossy(bytes))?;
    let (start, end) = (from + found.at.start, from + found.at.end);
    let same = bytes.get(start..end) == Some(text.as_bytes());
    (!same).then(|| Edit { path: path.clone(), start, end, text: text.to_owned() })
}
