//! The items without boxes that are tasks: numbered ones and those with ids below a heading such as Tasks; where a text has
//! no others, the items of an order of the work, and the bullets of a list of things to do.

use crate::lists::items;
use crate::sections::{self, Role, units};
use crate::states::status_cell;
use markdown::{Item, Outline, marks};
use wire::State;

/// The items that are tasks, by index.
pub(crate) fn find(outline: &Outline, roles: &[(Role, &str)]) -> Vec<usize> {
    [counted_on, below_tasks, in_order, named, by_states, bullets, next_steps]
        .iter()
        .map(|find| find(outline, roles))
        .find(|found| found.len() > 1 || is_todo(outline) && !found.is_empty())
        .unwrap_or_default()
}

/// The numbered items whose numbers go on from one section to the next: `## Phase 1`, `1. Dig`, `2. Level`, `## Phase 2`,
/// `3. Build`. Lists that begin anew are parts of the text; a box outside of the items is a list of its own.
pub(crate) fn counted_on(outline: &Outline, roles: &[(Role, &str)]) -> Vec<usize> {
    // A report may count its findings so.
    if !sections::says_plan(outline) {
        return Vec::new();
    }
    let found = plain(outline, roles, |item, role, _| {
        matches!(role, Role::Tasks | Role::Open) && is_numbered(outline, item)
    });
    let items: Vec<&Item> = found.iter().filter_map(|at| outline.items.get(*at)).collect();
    let counts = items.iter().enumerate().all(|(place, item)| number(outline, item) == Some(place + 1));
    if items.len() < 4 || !counts {
        return Vec::new();
    }
    let heads = outline.headings.iter().filter(|head| head.atx && !head.inner && head.level > 1);
    let heads: Vec<usize> = heads.map(|head| head.at.start).collect();
    let section = |item: &&Item| heads.partition_point(|head| *head < item.at.start);
    let several = items.first().map(section) != items.last().map(section);
    // The items stand in the order of the text.
    let inside = |at: usize| {
        let next = items.partition_point(|item| item.at.start <= at);
        next.checked_sub(1).and_then(|last| items.get(last)).is_some_and(|item| at < item.at.end)
    };
    let mut boxes = outline.items.iter().filter(|item| item.mark.is_some() && !item.quoted);
    if several && boxes.all(|item| inside(item.at.start)) { found } else { Vec::new() }
}

/// The numbered items below `Next steps` in a plan that has no other work.
fn next_steps(outline: &Outline, roles: &[(Role, &str)]) -> Vec<usize> {
    let boxed = outline.items.iter().any(|item| item.mark.is_some() && !item.quoted);
    let title = markdown::outline::title(outline).to_lowercase();
    let plan =
        ["plan", "roadmap", "todo", "计划", "計画", "계획", "план"].iter().any(|word| title.contains(word));
    // A report has next steps too.
    let report = ["summary", "report", "review"].iter().any(|word| title.contains(word));
    if boxed || !plan || report {
        return Vec::new();
    }
    plain(outline, roles, |item, role, title| {
        role == Role::Tasks && is_numbered(outline, item) && sections::of_title(title) == Some(Role::Tasks)
    })
}

/// The numbered items below a heading such as Tasks.
pub(crate) fn below_tasks(outline: &Outline, roles: &[(Role, &str)]) -> Vec<usize> {
    plain(outline, roles, |item, role, title| {
        // What comes after the work, or how far it is, is no list of it.
        let listed = has_id(outline, item)
            || is_numbered(outline, item) && sections::of_title(title) == Some(Role::Tasks);
        listed && role == Role::Tasks && !is_about(title)
    })
}

/// The numbered items below a heading such as Implementation Order.
fn in_order(outline: &Outline, roles: &[(Role, &str)]) -> Vec<usize> {
    plain(outline, roles, |item, role, _| role == Role::Order && is_numbered(outline, item))
}

/// The items below a heading such as Roadmap that begin with the name of a unit, an id or a version.
fn named(outline: &Outline, roles: &[(Role, &str)]) -> Vec<usize> {
    plain(outline, roles, |item, role, _| {
        let text = outline.str(items::line_of(outline, item));
        let text = marks::without_signs(text);
        let version =
            text.strip_prefix(['v', 'V']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        role == Role::Tasks && (units::unit(text).is_some() || names_itself(text) || version)
    })
}

/// The items below headings that are nothing but states, `In progress`, `Pendiente`, `Done`, where not all of them are done.
fn by_states(outline: &Outline, roles: &[(Role, &str)]) -> Vec<usize> {
    if !sections::says_plan(outline) {
        return Vec::new();
    }
    let state = |title: &str| {
        let bare = marks::without_signs(title.trim_start_matches('#'));
        let name =
            bare.split(['(', '（', '[']).next().unwrap_or_default().trim_matches([' ', ':', '：', '*']);
        status_cell::is_word(name).then(|| status_cell::state(name)).flatten()
    };
    let mut states: Vec<State> = Vec::new();
    let found = plain(outline, roles, |_, role, title| {
        matches!(role, Role::Tasks | Role::Open) && state(title).is_some()
    });
    for (_, title) in found.iter().filter_map(|at| roles.get(*at)) {
        states.extend(state(title).filter(|state| !states.contains(state)));
    }
    if states.len() > 1 { found } else { Vec::new() }
}

/// All items of a file `TODO.md`, or the bullets below a heading that names a list of tasks.
fn bullets(outline: &Outline, roles: &[(Role, &str)]) -> Vec<usize> {
    let todo = is_todo(outline);
    plain(outline, roles, |_, role, title| {
        let told = role == Role::Tasks && sections::names_list(title);
        told || todo && matches!(role, Role::Tasks | Role::Open)
    })
}

/// Whether the file is a list of things to do.
fn is_todo(outline: &Outline) -> bool {
    let name = outline.path.rsplit('/').next().unwrap_or_default();
    name.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("todo"))
}

fn plain(outline: &Outline, roles: &[(Role, &str)], is: impl Fn(&Item, Role, &str) -> bool) -> Vec<usize> {
    let items = outline.items.iter().zip(roles).enumerate();
    let plain = items.filter(|(_, (item, (role, title)))| {
        item.depth == 0 && !item.quoted && item.mark.is_none() && is(item, *role, title)
    });
    plain.map(|(index, _)| index).collect()
}

fn is_numbered(outline: &Outline, item: &Item) -> bool {
    outline.bytes.get(item.at.start).is_some_and(u8::is_ascii_digit)
}

/// The number of an item.
fn number(outline: &Outline, item: &Item) -> Option<usize> {
    let text = outline.str(markdown::Extent { start: item.at.start, end: item.text });
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text.get(..digits)?.parse().ok()
}

fn has_id(outline: &Outline, item: &Item) -> bool {
    names_itself(outline.str(items::line_of(outline, item)))
}

/// Whether an item begins with an id that has letters: `M1.2 Dig`, `**T-3**: Level`.
pub(crate) fn names_itself(line: &str) -> bool {
    items::own_id(line).is_some_and(|id| id.contains(|c: char| c.is_ascii_uppercase()))
}

fn is_about(title: &str) -> bool {
    let lower = title.to_lowercase();
    ["next steps", "progress", "roadmap"].iter().any(|word| lower.contains(word))
}
