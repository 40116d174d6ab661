//! `workflow`: a session folder `.workflow/active/WFS-*` with `TODO_LIST.md`, `IMPL_PLAN.md` and a file for each task.
//!
//! `TODO_LIST.md` is the list and decides the state. A task's own file is opened only when the task is asked for, or when
//! neither list nor plan says what it waits for. `IMPL_PLAN.md` is prose: it may add to the order, never take away.
//! Where two files disagree, that is said, with the rule that decided.

mod chain;
mod compare;
mod criteria;
mod depends;
mod detail;
mod entry;
mod field;
mod files;
mod id;
mod impl_plan;
mod json;
mod legend;
mod list;
mod load;
mod notes;
mod place;
mod reconcile;
mod repeat;
mod session;
mod stems;
mod strategy;

pub(crate) use legend::Legend;
pub use reconcile::reconcile;

use crate::{Ask, Dialect, Extent, Folder, Outline, Plan, Shape, Text, context, fingerprint};
use depends::Stated;
use field::Name;
use id::Ids;
use impl_plan::Said;
use list::List;
use place::{LIST, Place};
use std::collections::HashSet;
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
};

fn detect(folder: &Folder) -> u32 {
    match place::look(folder) {
        Place::Session => 90,
        Place::Home => 80,
        // A project holds many things; whatever is sure of itself goes first.
        Place::Project => 5,
        Place::Other => 0,
    }
}

/// A list that was named alone is still a list of this dialect.
fn detect_list(outline: &Outline) -> u32 {
    let named = outline.path.rsplit('/').next() == Some(LIST);
    if named && !entry::find(outline, &[]).is_empty() { 60 } else { 0 }
}

fn read(folder: &Folder, ask: &Ask) -> Result<Plan, Fail> {
    let (session, _) = find(folder, ask)?;
    let mut plan = read_session(&session, ask)?;
    folder.remember(&session);
    // A session that is itself the root still needs a name that leads back to it.
    plan.source.path = if session.path.is_empty() { ".".to_owned() } else { session.path.clone() };
    Ok(plan)
}

/// The session's folder, and the `.workflow` folder where it was found from there.
fn find(folder: &Folder, ask: &Ask) -> Result<(Folder, Option<Folder>), Fail> {
    match place::look(folder) {
        Place::Session => Ok((folder.below(""), None)),
        Place::Project => {
            let home = folder.below(".workflow");
            Ok((place::session(&home, ask)?, Some(home)))
        }
        Place::Home | Place::Other => Ok((place::session(folder, ask)?, Some(folder.below("")))),
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
    if let Some((path, bytes, said)) = said {
        strategy::take(&Outline::new(&Text { path: &path, bytes: &bytes }), said, &mut plan);
    }
    strategy::take(&outline, hints(&outline, &ids, stated), &mut plan);
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

/// `IMPL_PLAN.md` with what it says; the predecessors in its chains count for tasks of which the list says nothing.
fn read_plan(
    folder: &Folder,
    ids: &Ids,
    stated: &mut Stated,
    plan: &mut Plan,
) -> Result<Option<(String, Vec<u8>, Said)>, Fail> {
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

/// What the list says about the order beyond its dependencies.
fn hints(outline: &Outline, ids: &Ids, stated: Stated) -> Said {
    let mut said = impl_plan::read(outline, ids);
    said.unknown = None;
    said.serial.extend(stated.chains);
    said
}

/// The fingerprints, when all dependencies are known.
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

/// A task whose file was asked for is also known by what the file asks for.
fn load_seals(folder: &Folder, ask: &Ask, plan: &mut Plan) -> Result<(), Fail> {
    let asked: HashSet<&str> = ask.load.iter().map(String::as_str).collect();
    for task in plan.tasks.iter_mut().filter(|task| asked.contains(task.id.as_str())) {
        let Some(path) = task.detail.as_ref().map(|detail| detail.path.as_str()) else { continue };
        let name = path.strip_prefix(&format!("{}/", folder.path)).unwrap_or(path);
        if let Some(detail) = detail::open(folder, name)? {
            task.fingerprint = load::seal(&detail, &task.fingerprint);
        }
    }
    Ok(())
}
