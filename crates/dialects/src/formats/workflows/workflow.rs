//! `workflow`: a session folder `.workflow/active/WFS-*` with `TODO_LIST.md`, `IMPL_PLAN.md` and a file for each
//! task.
//!
//! `TODO_LIST.md` is the list and decides the state. A task's own file is opened only if the task is requested, or if
//! neither list nor plan states its dependencies. `IMPL_PLAN.md` is prose: it may add to the order, never remove from
//! it. Two files that disagree give a diagnostic with the rule that decided.

pub(crate) mod files;
pub(crate) mod list;
pub(crate) mod session;

use crate::dialect::PLAIN;
use crate::formats::workflows::workflow::files::load;
use crate::formats::workflows::workflow::files::task_json;
use crate::formats::workflows::workflow::list::depends;
use crate::formats::workflows::workflow::list::entry;
use crate::formats::workflows::workflow::list::notes;
use crate::formats::workflows::workflow::session::folders;
use crate::formats::workflows::workflow::session::impl_plan;
use crate::formats::workflows::workflow::session::strategy;
use crate::write;
use crate::write::{Form, Member};

use crate::formats::workflows::workflow::list::List;
use crate::formats::workflows::workflow::list::depends::Stated;
use crate::formats::workflows::workflow::list::field::Name;
use crate::formats::workflows::workflow::list::id::Ids;
use crate::formats::workflows::workflow::session::folders::{FolderKind, LIST};
use crate::formats::workflows::workflow::session::impl_plan::StatedOrder;
use crate::read::fingerprint;
use crate::{Ask, Dialect, Folder, Plan, Shape, context};
use markdown::{Extent, Outline, Text};
use std::collections::HashSet;
use std::path::Path;
use toolkit::{Exit, Fail};
use wire::plan::{Diagnostic, Model, Severity};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "workflow",
    about: "a .workflow session: TODO_LIST.md, IMPL_PLAN.md and .task files",
    model: Model::Auto,
    shapes: &[Shape::Folder { detect, read }, Shape::Markdown { detect: detect_list, read: read_list }],
    own: |plan| {
        let folder = plan.strip_suffix(LIST).unwrap_or(plan).trim_end_matches(['/', '.']);
        let beside =
            |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        vec![
            format!("{}/", context::default(folder)),
            beside(".summaries/"),
            beside(".task/"),
            beside(session::FILE),
        ]
    },
    edits: write::workflow::edits,
    writes_parents: true,
    begins: true,
    notes_errors: true,
    session_folder: Some(session_folder),
    closed_graph: true,
    checks: &[
        Form::TaskFile(&[
            Member::list(&["context", "acceptance"]),
            Member::list(&["convergence", "criteria"]),
            Member::list(&["acceptance"]),
        ]),
        Form::Lines,
    ],
    ..PLAIN
};

/// Opens the session in a folder.
pub fn open_session(folder: &Path, root: &Path) -> Result<Plan, Fail> {
    crate::open(folder, root, Some(DIALECT.name))
}

fn session_folder(plan: &str) -> String {
    let folder = plan.strip_suffix(LIST).unwrap_or(plan).trim_end_matches(['/', '.']);
    if folder.is_empty() { String::new() } else { format!("{folder}/") }
}

fn detect(folder: &Folder) -> u32 {
    match folders::look(folder) {
        FolderKind::Session => 90,
        FolderKind::Home => 80,
        // A project can hold many kinds of plans; any dialect with a higher score goes first.
        FolderKind::Project => 5,
        FolderKind::Other => 0,
    }
}

/// A list given without its folder is still a list of this dialect.
fn detect_list(outline: &Outline) -> u32 {
    let named = outline.path.rsplit('/').next() == Some(LIST);
    if named && !entry::find(outline, &[]).is_empty() { 60 } else { 0 }
}

fn read(folder: &Folder, ask: &Ask) -> Result<Plan, Fail> {
    let (session, _) = find(folder, ask)?;
    let mut plan = read_session(&session, ask)?;
    folder.remember(&session);
    // A session that is itself the root still needs a path that leads back to it.
    plan.source.path = if session.path.is_empty() { ".".to_owned() } else { session.path.clone() };
    Ok(plan)
}

/// The session's folder, and the `.workflow` folder if the search started there.
fn find(folder: &Folder, ask: &Ask) -> Result<(Folder, Option<Folder>), Fail> {
    match folders::look(folder) {
        FolderKind::Session => Ok((folder.below(""), None)),
        FolderKind::Project => {
            let home = folder.below(".workflow");
            Ok((folders::session(&home, ask)?, Some(home)))
        }
        FolderKind::Home | FolderKind::Other => Ok((folders::session(folder, ask)?, Some(folder.below("")))),
    }
}

fn read_session(folder: &Folder, ask: &Ask) -> Result<Plan, Fail> {
    let Some(bytes) = folder.read(LIST)? else {
        let message = format!("no '{LIST}' in the session '{}'", folder.path);
        return Err(Fail::new(Exit::NoInput, "no-todo-list", message));
    };
    let path = folder.seen(LIST);
    let outline = Outline::new(&Text { path: &path, bytes: &bytes });
    let names = files::names(folder);
    let mut plan = Plan { strategy: Some(strategy::fallback()), ..Plan::default() };
    let list = list::read(&outline, &files::prefixes(&names), &mut plan);
    files::assign(&outline, folder, &names, &list.entries, &mut plan);
    let ids = Ids::new(plan.tasks.iter().map(|task| task.id.0.clone()));
    let mut stated = depends::read(&outline, &list, &ids, &mut plan);
    let said = read_plan(folder, &ids, &mut stated, &mut plan)?;
    files::open(folder, &stated.says, &ids, ask, &mut plan)?;
    if ask.agents {
        files::agents(folder, &mut plan);
    }
    if let Some((path, bytes, said)) = said {
        strategy::take(&Outline::new(&Text { path: &path, bytes: &bytes }), said, &mut plan);
    }
    strategy::take(&outline, hints(&outline, &ids, stated), &mut plan);
    files::next_group(folder, &mut plan)?;
    seal(&outline, &list, &mut plan);
    load_seals(folder, ask, &mut plan)?;
    session::read(folder, &mut plan)?;
    Ok(plan)
}

fn read_list(outline: &Outline) -> Plan {
    let mut plan = Plan { strategy: Some(strategy::fallback()), ..Plan::default() };
    let list = list::read(outline, &[], &mut plan);
    let ids = Ids::new(plan.tasks.iter().map(|task| task.id.0.clone()));
    let stated = depends::read(outline, &list, &ids, &mut plan);
    strategy::take(outline, hints(outline, &ids, stated), &mut plan);
    seal(outline, &list, &mut plan);
    plan
}

/// Reads `IMPL_PLAN.md`; the predecessors in its chains count for tasks whose dependencies the list does not state.
fn read_plan(
    folder: &Folder,
    ids: &Ids,
    stated: &mut Stated,
    plan: &mut Plan,
) -> Result<Option<(String, Vec<u8>, StatedOrder)>, Fail> {
    let path = folder.seen("IMPL_PLAN.md");
    let Some(bytes) = folder.read("IMPL_PLAN.md")? else {
        plan.diagnostics.push(Diagnostic {
            severity: Severity::Warning,
            code: "no-impl-plan".to_owned(),
            message: "no 'IMPL_PLAN.md': the strategy is the dialect's default".to_owned(),
            path: path.into(),
            line: 1,
            column: None,
            task: None,
            offer: None,
        });
        return Ok(None);
    };
    let text = Text { path: &path, bytes: &bytes };
    let outline = Outline::new(&text);
    notes::of_plan(&outline, plan);
    let said = impl_plan::read(&outline, ids);
    let open: Vec<bool> = stated.says.iter().map(|says| !says).collect();
    for pair in said.serial.iter().flat_map(|(chain, _)| chain.windows(2)) {
        let [before, after] = pair else { continue };
        let Some(number) = ids.number(after).filter(|number| open.get(*number) == Some(&true)) else {
            continue;
        };
        let (Some(before), Some(task)) = (ids.known(before), plan.tasks.get_mut(number)) else { continue };
        if let Some(says) = stated.says.get_mut(number) {
            *says = true;
        }
        if !task.depends_on.iter().any(|known| known.as_str() == before) {
            task.depends_on.push(before.into());
        }
    }
    Ok(Some((path, bytes, said)))
}

/// The list's statements about order, beyond dependencies.
fn hints(outline: &Outline, ids: &Ids, stated: Stated) -> StatedOrder {
    let mut said = impl_plan::read(outline, ids);
    said.unknown = None;
    said.phases.clear();
    said.not_understood.clear();
    said.serial.extend(stated.chains);
    said
}

/// Computes the fingerprints, once all dependencies are known.
fn seal(outline: &Outline, list: &List, plan: &mut Plan) {
    for (number, entry) in list.entries.iter().enumerate() {
        let own = outline.trimmed(list::own(&list.entries, number));
        let items = outline.items_in(own).iter().filter_map(|item| item.mark);
        let words = list.fields.get(number).into_iter().flatten();
        let words = words.filter(|field| field.name == Name::Status).map(|field| field.value);
        let mut boxes: Vec<Extent> = items.chain(entry.mark).chain(words).collect();
        boxes.sort_unstable_by_key(|at| at.start);
        boxes.dedup();
        if let Some(task) = plan.tasks.get_mut(number) {
            task.fingerprint = fingerprint::with_boxes(outline, own, &boxes, entry.line, &task.depends_on);
        }
    }
}

/// The fingerprint of a task whose file was requested also covers the file.
fn load_seals(folder: &Folder, ask: &Ask, plan: &mut Plan) -> Result<(), Fail> {
    let asked: HashSet<&str> = ask.load.iter().map(String::as_str).collect();
    for task in plan.tasks.iter_mut().filter(|task| asked.contains(task.id.as_str())) {
        let Some(path) = task.detail.as_ref().map(|detail| detail.path.as_str()) else { continue };
        let name = path.strip_prefix(&format!("{}/", folder.path)).unwrap_or(path);
        if let Some(detail) = task_json::open(folder, name)? {
            task.fingerprint = load::seal(&detail, &task.fingerprint);
        }
    }
    Ok(())
}
