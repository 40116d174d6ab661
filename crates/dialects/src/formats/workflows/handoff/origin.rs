//! The packet behind a todo list: the list has the boxes, the packet the details of each subtask.
//!
//! The packet is found by the name of the list, beside it or in the packet folders, and is only read: criteria, files
//! and constraints of the subtasks become those of the lines, and its own criteria apply to the whole plan.

use super::packet;
use crate::data::data_file::DataFile;
use crate::{Folder, Plan};
use markdown::Text;
use toolkit::Fail;
use toolkit::files::sha::Hasher;
use wire::plan::PACKET;
use wire::{Fingerprint, Task, ids};

/// The folders to search for a task's packet, besides the folder of its todo list.
const PLACES: [&str; 3] = [".kilocode/handoff", ".kilocode/handoffs", ".kilocode/packets"];

/// Copies the packet's details into a todo list; a list without a packet stays as it is.
pub(crate) fn beside(plan: &mut Plan, root: &Folder) -> Result<(), Fail> {
    let is_list = plan.tasks.iter().any(|task| number(task).is_some());
    if plan.extra.contains_key("task_id") || !is_list {
        return Ok(());
    }
    let (folder, file) = plan.source.path.rsplit_once('/').unwrap_or(("", &plan.source.path));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let folders = std::iter::once(folder).chain(PLACES).filter(|folder| !folder.is_empty());
    let names: Vec<String> = folders.map(|folder| format!("{folder}/{stem}.json")).collect();
    for name in names {
        let Some(bytes) = root.read(&name)? else { continue };
        let sheet = DataFile::new(&Text { path: &name, bytes: &bytes });
        let node = sheet.json()?;
        if packet::is_packet(&node) {
            join(plan, packet::read(&sheet, &node), &name);
            inspect(plan, root, &bytes)?;
            plan.source.files.extend(root.opened().into_iter().filter(|file| file.path == name));
            return Ok(());
        }
    }
    Ok(())
}

fn join(plan: &mut Plan, packet: Plan, name: &str) {
    let constraints = packet.extra.get("constraints").and_then(|list| list.as_array());
    let constraints: Vec<&str> = constraints.into_iter().flatten().filter_map(|text| text.as_str()).collect();
    for task in &mut plan.tasks {
        let Some(subtask) = number(task).and_then(|number| packet.tasks.get(number - 1)) else {
            // Tests and quality gates have no row of their own, and the constraints of the whole task.
            if number(task).is_some() {
                packet::forbid(task, &constraints);
            }
            continue;
        };
        task.criteria.clone_from(&subtask.criteria);
        for (index, criterion) in task.criteria.iter_mut().enumerate() {
            criterion.id = format!("{}:{}", task.id, index + 1);
        }
        task.files.clone_from(&subtask.files);
        task.must_not.clone_from(&subtask.must_not);
        let hash = Hasher::new().with(task.fingerprint.0.as_bytes()).with(b"\0");
        task.fingerprint = Fingerprint(hash.with(subtask.fingerprint.0.as_bytes()).finish_as("fp1:"));
    }
    plan.gates = packet.gates;
    plan.extra.extend(packet.extra);
    plan.extra.insert(PACKET.to_owned(), name.into());
}

/// The inspection is about the packet and the exported sessions of its preparation: a new preparation is a new inspection.
fn inspect(plan: &mut Plan, root: &Folder, packet: &[u8]) -> Result<(), Fail> {
    let word = |key: &str| plan.extra.get(key).and_then(|value| value.as_str());
    let named = word("session_export").and_then(|path| Some(path.rsplit_once('/')?.0));
    let is_below = |at: &&str| !at.starts_with('/') && at.split('/').all(|part| part != "..");
    let folder = named.filter(is_below).unwrap_or(super::THINKING).trim_end_matches('/').to_owned();
    let prepared = format!("task-{}-prep-", ids::key_of(word("task_id").unwrap_or_default()));
    let Some(task) = plan.tasks.iter_mut().find(|task| task.is_inspection()) else { return Ok(()) };
    let mut hash = Hasher::new().with(task.fingerprint.0.as_bytes()).with(b"\0").with(packet);
    for name in root.names(&folder).iter().filter(|name| name.starts_with(&prepared)) {
        let bytes = root.read(&format!("{folder}/{name}"))?.unwrap_or_default();
        hash = hash.with(b"\0").with(name.as_bytes()).with(b"\0").with(&bytes);
    }
    task.fingerprint = Fingerprint(hash.finish_as("fp1:"));
    Ok(())
}

/// The number of the subtask that a line stands for, starting at 1.
fn number(task: &Task) -> Option<usize> {
    task.id.as_str().strip_prefix("subtask-")?.parse().ok().filter(|number| *number > 0)
}
