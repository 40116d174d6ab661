//! `plan-md`: a PLAN.md whose tasks are headings with a box, `### [ ] TODO 1: title`.
//!
//! The headings are the tasks and their boxes the state. Each section has labelled fields; a Dependency Graph, a
//! Commit Strategy and a Parallelization table belong to the whole plan. A plan whose headings have no boxes has no
//! tasks, which is an error, never a finished plan, unless its tasks are list items with the same fields.

pub(crate) mod added;
pub(crate) mod commit_strategy;
pub(crate) mod depends;
pub(crate) mod entry;
pub(crate) mod graph;
pub(crate) mod heading;
pub(crate) mod listed;
pub(crate) mod notes;
pub(crate) mod parallel;
pub(crate) mod section;
pub(crate) mod task;
pub(crate) mod verify;
pub(crate) mod waits;

use crate::deps::ids;
use crate::dialect::{PLAIN, SURE};
use crate::formats::workflows::plan_md::heading::Head;
use crate::formats::workflows::plan_md::task::Link;
use crate::sections::{Role, Sections};
use crate::write::Form;
use crate::{Dialect, Plan, Shape, context};
use markdown::{Outline, two_threads};
use wire::plan::{Kind, Model, Strategy};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "plan-md",
    about: "PLAN.md with TODO headings, dependency graph and commit strategy",
    model: Model::Parallel,
    shapes: &[Shape::Markdown { detect, read }],
    own: |plan| context::within(&context::beside(plan, "context")),
    open_or_done: true,
    takes_added_tasks: true,
    has_template: true,
    closed_graph: true,
    checks: &[Form::Boxes { label: "acceptance criteria", new: "**Acceptance Criteria**:\n" }, Form::Lines],
    ..PLAIN
};

/// Boxed headings are certain. Without them, TODO headings, the template's own sections or the usual folder of such
/// plans still show the intent, so the missing boxes are reported and no other list is taken for the plan.
fn detect(outline: &Outline) -> u32 {
    let mut sections = 0;
    let mut todos = 0;
    for heading in outline.headings.iter().filter(|heading| heading.atx && !heading.inner) {
        let head = Head::new(outline, heading);
        if head.mark.is_some() {
            return SURE;
        }
        todos += usize::from(head.looks_like_task());
        let text = outline.str(heading.at).trim_matches(['#', ' ', '\t']).to_lowercase();
        sections += usize::from(SECTIONS.iter().any(|section| text.starts_with(section)));
    }
    if entry::are_tasks(outline) {
        return 58;
    }
    if todos > 0 && sections > 0 || sections > 1 {
        return 50;
    }
    let home = [".dev/specs/", ".hoyeon/specs/"].iter().any(|home| outline.path.contains(home));
    if home && outline.path.ends_with("PLAN.md") || named(outline.path) && only_checks(outline) {
        20
    } else {
        0
    }
}

fn named(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("plan"))
}

/// Whether all boxes apply to the whole plan: such a plan has no tasks, and ticking the boxes does not finish it.
fn only_checks(outline: &Outline) -> bool {
    let sections = Sections::new(outline);
    let mut boxes = outline.items.iter().filter(|item| item.mark.is_some() && !item.quoted).peekable();
    let checks = |at: usize| matches!(sections.role_at(at), Role::Criteria | Role::Checks);
    boxes.peek().is_some() && boxes.all(|item| checks(item.at.start))
}

const SECTIONS: &[&str] = &[
    "todos",
    "todo list",
    "work items",
    "dependency graph",
    "commit strategy",
    "parallelization",
    "work objectives",
    "task flow",
    "verification summary",
    "external dependencies strategy",
    "runtime contract",
];

/// The rule of a task whose type says that it only verifies.
const CHANGE_NOTHING: &str = "Do not change any file: `**`";

fn read(outline: &Outline) -> Plan {
    let mut plan = Plan { title: markdown::outline::title(outline), ..Plan::default() };
    let heads = two_threads::gather(&outline.headings, |heading, heads| {
        heads.extend((heading.atx && !heading.inner).then(|| Head::new(outline, heading)));
    });
    let boxed = heads.iter().any(|head| head.mark.is_some());
    let items = if boxed || !entry::are_tasks(outline) { Vec::new() } else { entry::heads(outline) };
    heading::unboxed(outline, &heads, &mut plan);
    heading::hidden(outline, &mut plan);
    let in_list = !items.is_empty();
    let mut sections = if in_list { section::of_items(outline, items) } else { section::cut(outline, heads) };
    listed::report(outline, &sections, &mut plan);
    plan.tasks = sections.tasks();
    let mut links: Vec<Option<Box<Link>>> = Vec::new();
    links.resize_with(sections.len(), || None);
    let mut slots: Vec<_> = plan.tasks.iter_mut().zip(&mut links).collect();
    let found = two_threads::fill(&mut slots, &sections.list, |(task, link), section, found| {
        **link = task::read(outline, section, task, found);
    });
    plan.diagnostics.extend(found);
    for task in plan.tasks.iter_mut().filter(|task| task.kind == Kind::Verification) {
        task.must_not.push(CHANGE_NOTHING.to_owned());
    }
    if in_list {
        entry::last(outline, &mut plan, &mut links);
    }
    plan.strategy = Some(Strategy {
        model: Model::Parallel,
        stated: false,
        reason: "the dialect's default".to_owned(),
        parallel: Vec::new(),
        serial: Vec::new(),
        critical_path: Vec::new(),
    });
    let ids = ids::Ids::new(&plan.tasks);
    let groups = parallel::read(outline, &sections, &ids, &mut plan);
    depends::read(outline, &sections, &ids, &groups, &links, &mut plan);
    commit_strategy::read(outline, &sections, &ids, &groups, &mut plan);
    // Free these first: the fingerprints can reuse their memory.
    drop((ids, groups, links));
    notes::read(outline, &sections, &mut plan);
    task::seal(outline, &sections, &mut plan);
    added::join(&mut plan);
    plan
}
