//! Writes the plan as one document: two threads write its tasks, with the same bytes in the same order as one
//! would.

use std::sync::mpsc::sync_channel;
use std::thread;
use toolkit::Fail;
use toolkit::stream::output::Output;
use wire::{Plan, Task};

/// How many tasks are written at once; fewer are not worth a second thread.
const ROWS: usize = 128;
/// The usual size of that many tasks.
const ROOM: usize = 96 << 10;
/// The list of tasks if it is empty.
const NONE: &str = "\"tasks\":[]";

/// Writes a plan, compact or for people.
pub(crate) fn write(plan: &mut Plan, pretty: bool, out: &mut Output) -> Result<(), Fail> {
    if pretty || plan.tasks.len() <= ROWS {
        return out.document(plan, pretty);
    }
    let tasks = std::mem::take(&mut plan.tasks);
    let text = serde_json::to_string(plan);
    plan.tasks = tasks;
    let text = text.map_err(|error| bad(&error))?;
    // Take the last occurrence: an extra field may contain the same text before it, but no field after it can.
    let Some(at) = text.rfind(NONE) else { return out.document(plan, pretty) };
    let (head, tail) = text.split_at(at + NONE.len() - 1);
    out.text(head)?;
    rows(&plan.tasks, out)?;
    out.text(tail)?;
    out.line("")
}

/// A second thread makes every other piece; without one, this thread does.
fn rows(tasks: &[Task], out: &mut Output) -> Result<(), Fail> {
    thread::scope(|scope| {
        let (send, made) = sync_channel(2);
        let other = thread::Builder::new().spawn_scoped(scope, move || {
            // This fails once the reader has closed the pipe.
            tasks.chunks(ROWS).skip(1).step_by(2).try_for_each(|rows| send.send(made_of(rows)))
        });
        drop(other);
        for (number, rows) in tasks.chunks(ROWS).enumerate() {
            let theirs = if number % 2 == 1 { made.recv().ok() } else { None };
            let text = theirs.unwrap_or_else(|| made_of(rows))?;
            let first = usize::from(number == 0);
            out.bytes(text.get(first..).unwrap_or_default())?;
        }
        Ok(())
    })
}

/// Some tasks, each preceded by a comma.
fn made_of(rows: &[Task]) -> Result<Vec<u8>, Fail> {
    let mut text = Vec::with_capacity(ROOM);
    for task in rows {
        text.push(b',');
        serde_json::to_writer(&mut text, task).map_err(|error| bad(&error))?;
    }
    Ok(text)
}

fn bad(error: &serde_json::Error) -> Fail {
    Fail::data("bad-json", error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::sync::{Arc, Mutex};
    use wire::TaskId;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_bytes_are_those_of_one_writer() {
        for count in [0, 1, ROWS, ROWS + 1, 2 * ROWS, 5 * ROWS + 7] {
            let mut plan = Plan { title: "\"tasks\":[]".to_owned(), ..Plan::default() };
            plan.extra.insert("x".to_owned(), serde_json::json!({ "tasks": [] }));
            plan.tasks =
                (0..count).map(|number| Task { id: TaskId(number.to_string()), ..Task::default() }).collect();
            let alone = serde_json::to_string(&plan).unwrap() + "\n";
            let kept = Kept::default();
            write(&mut plan, false, &mut Output::to(kept.clone())).unwrap();
            assert!(*kept.0.lock().unwrap() == alone.as_bytes(), "{count}");
        }
    }
}
