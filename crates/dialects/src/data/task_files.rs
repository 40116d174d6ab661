//! A folder of task files with front matter, one file per task: shared by `taskmd` and `ccpm`.
//!
//! The status in the front matter is the box. The boxes in the body are criteria of the task, named after the heading
//! above them.

use crate::criteria::locate::{self, Purpose};
use crate::criteria::{goals, notes, plan_wide};
use crate::deps::unit_refs::{self, UnitRef};
use crate::deps::{dangling, phases};
use crate::lists::items;
use crate::read::fingerprint;
use crate::sections::{self, Sections};
use crate::states::words;
use crate::{Folder, Plan};
use checks::Role;
use markdown::front_matter::{self, Matter, Reads};
use markdown::{Extent, Item, Outline, Text, outline};
use toolkit::Fail;
use wire::plan::{Criterion, Diagnostic, Note, Severity};
use wire::{State, Task, TaskId, ids};

/// A task file.
pub(crate) struct Card {
    /// Its name in the folder.
    pub(crate) name: String,
    /// Its front matter.
    pub(crate) matter: Matter,
    /// Its bytes.
    pub(crate) bytes: Vec<u8>,
}

/// All files of the folder whose front matter `wants` accepts. A file with an unreadable value for a key that the
/// dialect uses is an error: otherwise a check or a dependency would be lost silently.
pub(crate) fn cards(
    folder: &Folder,
    wants: impl Fn(&str, &Matter) -> bool,
    acts_on: &[(&str, Reads)],
    found: &mut Vec<Diagnostic>,
) -> Result<Vec<Card>, Fail> {
    let mut cards = Vec::new();
    // Only the task files are sources of the plan; looking at other files must not record them.
    let look = folder.below("");
    for name in names(folder) {
        let Some(bytes) = look.read(&name)? else { continue };
        let matter = front_matter::read(&outline::readable(&bytes));
        if matter.is_some_and(|matter| wants(&name, &matter))
            && let Some(bytes) = folder.read(&name)?
            && let Some(matter) = front_matter::read(&outline::readable(&bytes))
        {
            matter.understood(acts_on, &folder.seen(&name), &outline::readable(&bytes))?;
            cards.push(Card { name, matter, bytes });
        } else {
            found.extend(left_out(&folder.seen(&name), &bytes));
        }
    }
    Ok(cards)
}

/// Reports a file with boxes that is not a task file: it may have been meant as one.
fn left_out(path: &str, bytes: &[u8]) -> Option<Diagnostic> {
    let outline = Outline::new(&Text { path, bytes });
    let mark = outline.items.iter().find_map(|item| item.mark)?;
    let message = "has boxes, but its front matter is not that of a task; not taken".to_owned();
    Some(outline.diagnostic(Severity::Hint, "no-task-file", message, mark.start))
}

/// The task file that a text is, if `wants` accepts its front matter.
pub(crate) fn alone(outline: &Outline, wants: impl Fn(&str, &Matter) -> bool) -> Option<Card> {
    let matter = front_matter::read(outline.str(Extent { start: 0, end: outline.bytes.len() }))?;
    let name = outline.path.rsplit('/').next().unwrap_or_default();
    wants(name, &matter).then(|| Card { name: name.to_owned(), matter, bytes: outline.bytes.to_vec() })
}

/// Reports a key of a task file that is not understood.
pub(crate) fn refuse(
    outline: &Outline,
    matter: &Matter,
    acts_on: &[(&str, Reads)],
    found: &mut Vec<Diagnostic>,
) {
    if let Some((at, message)) = matter.refused(acts_on) {
        found.push(outline.diagnostic(Severity::Error, "bad-front-matter", message, at));
    }
}

/// Frees the task of a single file from what is done in the files beside it; `stands_for` says whether a file is the
/// task of an id.
pub(crate) fn free(
    plan: &mut Plan,
    folder: &Folder,
    stands_for: impl Fn(&str, &Matter, &str) -> bool,
) -> Result<(), Fail> {
    if plan.tasks.iter().all(|task| !task.extra.contains_key(dangling::MISSING)) {
        return Ok(());
    }
    let mut settled: Vec<(String, Matter)> = Vec::new();
    // Looking at other files must not record them.
    let look = folder.below("");
    let names = folder.names("").into_iter().filter(|name| name.to_ascii_lowercase().ends_with(".md"));
    for name in names.take(MOST) {
        let Some(bytes) = look.read(&name)? else { continue };
        let head = bytes.get(..HEAD).unwrap_or(&bytes);
        let Some(matter) = front_matter::read(&outline::readable(head)) else { continue };
        if words::state(matter.text("status")).is_some_and(State::is_settled) {
            settled.push((name, matter));
        }
    }
    let done = |id: &str| settled.iter().any(|(name, matter)| stands_for(name, matter, id));
    for task in &mut plan.tasks {
        let Some(missing) = task.extra.get(dangling::MISSING).and_then(|ids| ids.as_array()).cloned() else {
            continue;
        };
        let (met, left): (Vec<_>, Vec<_>) =
            missing.into_iter().partition(|id| done(id.as_str().unwrap_or_default()));
        if !met.is_empty() {
            task.extra.insert(MET.to_owned(), met.into());
        }
        if !left.is_empty() {
            task.extra.insert(dangling::MISSING.to_owned(), left.into());
            continue;
        }
        task.extra.remove(dangling::MISSING);
        plan.diagnostics.retain(|found| found.code != "dangling-dependency");
        if task.state == State::Blocked {
            task.state = task
                .extra
                .remove(OWN_STATE)
                .and_then(|word| words::state(word.as_str()?))
                .unwrap_or_default();
        }
    }
    Ok(())
}

/// The member of a task that names what it waited for and what is done in the files beside it.
const MET: &str = "met_dependencies";

/// The word of the front matter, kept for a task that waits for other files.
pub(crate) const OWN_STATE: &str = "status";

/// Whether `wants` accepts the front matter of most files.
pub(crate) fn most(folder: &Folder, wants: impl Fn(&str, &Matter) -> bool) -> bool {
    // A separate `Folder`, so that looking does not record files as opened.
    let look = folder.below("");
    let (mut taken, mut seen) = (0, 0);
    let names = names(folder);
    // Sample the whole list: in a folder of several things, the first files may all be of one kind.
    let stride = names.len().div_ceil(SAMPLE).max(1);
    for name in names.into_iter().step_by(stride) {
        let Ok(Some(bytes)) = look.read(&name) else { continue };
        let head = bytes.get(..HEAD).unwrap_or(&bytes);
        seen += 1;
        let matter = front_matter::read(&outline::readable(head));
        taken += usize::from(matter.is_some_and(|matter| wants(&name, &matter)));
    }
    taken > 0 && taken * 2 >= seen
}

const SAMPLE: usize = 12;
const HEAD: usize = 1 << 14;

/// The task of a card; the dialect adds the dependencies.
pub(crate) fn task(
    path: &str,
    card: &Card,
    id: &str,
    title: &str,
    depends_on: Vec<TaskId>,
    found: &mut Vec<Diagnostic>,
) -> Task {
    let outline = Outline::new(&Text { path, bytes: &card.bytes });
    let whole = Extent { start: 0, end: card.bytes.len() };
    let mut task = Task {
        id: TaskId::from(id),
        key: ids::key_of(id),
        title: title.to_owned(),
        span: outline.span(whole),
        depends_on,
        ..Task::default()
    };
    let status = card.matter.get("status");
    // A status of one character is indistinguishable from a box, so it cannot be replaced by a word.
    if let Some(status) = status.filter(|status| status.value.trim().chars().count() > 1) {
        task.mark = Some(outline.span(status.at));
        task.state_from = Some(outline.place(status.at.start));
        task.state = words::state(&status.value).unwrap_or_else(|| {
            let message = format!("unknown status '{}' is taken as not done", status.value);
            let mut warning =
                outline.diagnostic(Severity::Warning, "unknown-status", message, status.at.start);
            warning.task = Some(task.id.clone());
            found.push(warning);
            State::Pending
        });
    }
    body(&outline, card.matter.body, &mut task);
    let volatile = VOLATILE.iter().filter_map(|key| card.matter.get(key)).map(|field| field.at);
    let boxes = outline.items.iter().filter(|item| item.at.start >= card.matter.body);
    let mut cuts: Vec<Extent> = volatile.chain(boxes.filter_map(|item| item.mark)).collect();
    cuts.sort_unstable_by_key(|at| at.start);
    let none = Extent { start: whole.end, end: whole.end };
    task.fingerprint = fingerprint::with_boxes(&outline, whole, &cuts, none, &task.depends_on);
    task
}

/// The boxes of a task file below Dependencies and similar headings, as notes.
pub(crate) fn prerequisites(path: &str, card: &Card) -> Vec<Note> {
    let outline = Outline::new(&Text { path, bytes: &card.bytes });
    required(&outline, card.matter.body)
        .into_iter()
        .filter(|(item, _)| item.mark.is_some())
        .filter_map(|(item, section)| notes::note(&outline, item, section, false))
        .collect()
}

/// What the items below Dependencies name: `Task 42 (why)`, `5, 6 (why)`.
pub(crate) fn named_there(card: &Card) -> Vec<UnitRef> {
    let outline = Outline::new(&Text { path: "", bytes: &card.bytes });
    let items = required(&outline, card.matter.body);
    let texts = items.into_iter().map(|(item, _)| outline.shown(items::line_of(&outline, item)));
    let found = texts.flat_map(|text| unit_refs::read(&text).after);
    found.filter(|found| matches!(found.word, None | Some("task"))).collect()
}

/// The outermost items below such headings, with the title of the heading.
fn required<'o>(outline: &'o Outline, from: usize) -> Vec<(&'o Item, &'o str)> {
    let sections = Sections::new(outline);
    let items = outline.items.iter().filter(|item| item.at.start >= from && item.depth == 0 && !item.quoted);
    let below = items.filter_map(|item| Some((item, sections.at(item.at.start)?.title)));
    below.filter(|(_, title)| sections::of_title(title) == Some(sections::Role::Prerequisites)).collect()
}

/// Values that tools write when the state of a task changes.
const VOLATILE: &[&str] =
    &["status", "updated", "updated_at", "updated_date", "completed_at", "completed", "assignee", "progress"];

fn body(outline: &Outline, from: usize, task: &mut Task) {
    let mut heads = outline.headings.iter().filter(|head| head.atx && !head.inner).peekable();
    let sections = Sections::new(outline);
    let mut section = String::new();
    for item in outline.items.iter().filter(|item| item.at.start >= from && !item.quoted) {
        while let Some(head) = heads.next_if(|head| head.at.start < item.at.start) {
            section = phases::text(outline, head).to_lowercase();
        }
        // A box of Dependencies is no criterion.
        if item.mark.is_none() || sections::of_title(&section) == Some(sections::Role::Prerequisites) {
            continue;
        }
        let criteria = sections.role_at(item.at.start) == sections::Role::Criteria;
        let role = if criteria || goals::is_announced_by(&section) { Role::Criterion } else { Role::Step };
        locate::add(task, &section, locate::boxed(outline, item, item.at.end, role));
    }
    let body = Extent { start: from, end: outline.bytes.len() };
    let mut taken = locate::boxes_in(outline, body);
    // Below such headings a command without a box counts too.
    for (title, at) in plan_wide::sections(outline, &[]).into_iter().filter(|(_, at)| at.start >= from) {
        let found = if sections::of_title(title) == Some(sections::Role::Criteria) {
            let mut found = locate::find(outline, at, Purpose::Criteria, &locate::boxes_in(outline, at));
            // A paragraph introduces its list.
            let is_item = |criterion: &Criterion| {
                let start = usize::try_from(criterion.span.start).unwrap_or(usize::MAX);
                outline.items.binary_search_by_key(&start, |item| item.at.start).is_ok()
            };
            found.retain(|c| c.command.is_some() || c.unclear.is_some() || is_item(c));
            found
        } else {
            plan_wide::checks(outline, at, &plan_wide::by_a_person(outline))
        };
        locate::add(task, &title.to_lowercase(), found);
        taken.retain(|boxed| boxed.start < at.start || boxed.start >= at.end);
        taken.push(at);
    }
    taken.sort_unstable_by_key(|at| at.start);
    locate::add(task, "", locate::find(outline, body, Purpose::Work, &taken));
}

/// The Markdown files in the folder and its subfolders, without hidden ones.
fn names(folder: &Folder) -> Vec<String> {
    let mut names = Vec::new();
    let mut below = vec![(String::new(), 0)];
    while let Some((at, depth)) = below.pop() {
        for name in folder.names(&at) {
            let hidden = name.starts_with('.') || name == "archive/" || name == "node_modules/";
            if let Some(dir) = name.strip_suffix('/').filter(|_| !hidden && depth < DEEPEST) {
                below.push((format!("{at}{dir}/"), depth + 1));
            } else if name.to_ascii_lowercase().ends_with(".md") && !hidden && names.len() < MOST {
                names.push(format!("{at}{name}"));
            }
        }
    }
    names.sort();
    names
}

const DEEPEST: usize = 2;
const MOST: usize = 10_000;
