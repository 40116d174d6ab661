//! Properties of a Kiro task besides its text: whether it is optional or a checkpoint, and its requirements. Shared
//! by `kiro` and `cc-sdd`.

use crate::lists::items::Entry;
use crate::lists::numbered;
use markdown::Outline;
use wire::Task;
use wire::plan::Kind;

/// Reads the mark of an optional task, the word `Checkpoint` and the fields below the task.
pub(crate) fn take(outline: &Outline, entry: &Entry, task: &mut Task) {
    let after = outline.bytes.get(entry.mark.end..entry.mark.end + 2);
    let line = outline.str(entry.line);
    let starred = line.strip_prefix(task.id.as_str()).is_some_and(|rest| rest.starts_with("* "));
    task.optional = after == Some(b"]*".as_slice()) || starred;
    if task.title.to_lowercase().starts_with("checkpoint") {
        task.kind = Kind::Checkpoint;
    }
    for (name, value) in numbered::fields(outline, entry.own) {
        if name.starts_with("requirement") {
            task.references.push(format!("Requirements: {value}"));
        } else {
            task.extra.insert(name, value.into());
        }
    }
}
