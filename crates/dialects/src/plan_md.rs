//! `plan-md`: a PLAN.md whose tasks are headings with a box, `### [ ] TODO 1: title`.
//!
//! The headings are the tasks and their boxes the state. Each section has labelled fields; a Dependency Graph, a
//! Commit Strategy and a Parallelization table belong to the whole. A plan whose headings have no boxes has no
//! tasks: that is an error, never a finished plan.

mod commit;
mod criteria;
mod depends;
pub(crate) mod field;
mod graph;
mod heading;
mod id;
mod input;
mod item;
pub(crate) mod notes;
mod parallel;
mod requires;
mod section;
mod task;
mod verify;
mod waits;

use crate::dialect::SURE;
use crate::{Dialect, Outline, Plan, Shape, checklist, context, numbered};
use heading::Head;
use wire::plan::{Model, Strategy};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "plan-md",
    about: "PLAN.md with TODO headings, dependency graph and commit strategy",
    model: Model::Parallel,
    shapes: &[Shape::Markdown { detect, read }],
    own: |plan| vec![format!("{}/", context::beside(plan, "context"))],
};

/// Boxed headings are sure; without one, TODO headings, the template's own sections or the place where such plans
/// live still say what was meant, so that the missing boxes are reported instead of some other list being taken for
/// the plan.
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

/// Whether all boxes are about the whole: such a plan has no tasks, and is not done when they are ticked.
fn only_checks(outline: &Outline) -> bool {
    let sections =
        numbered::aside(outline, &[numbered::ASIDE, &["verification", "final checklist"]].concat());
    let mut boxes = outline.items.iter().filter(|item| item.mark.is_some() && !item.quoted).peekable();
    let holds = |at: usize| {
        let next = sections.partition_point(|(section, _)| section.end <= at);
        sections.get(next).is_some_and(|(section, _)| section.start <= at)
    };
    boxes.peek().is_some() && boxes.all(|item| holds(item.at.start))
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

fn read(outline: &Outline) -> Plan {
    let mut plan = Plan { title: checklist::title(outline), ..Plan::default() };
    let heads: Vec<Head> = outline
        .headings
        .iter()
        .filter(|heading| heading.atx && !heading.inner)
        .map(|heading| Head::new(outline, heading))
        .collect();
    let sections = section::cut(outline, &heads);
    heading::unboxed(outline, &heads, &mut plan);
    heading::hidden(outline, &mut plan);
    plan.tasks.reserve_exact(sections.len());
    let mut links = Vec::with_capacity(sections.len());
    for section in sections.iter() {
        let (task, link) = task::read(outline, section, &mut plan.diagnostics);
        plan.tasks.push(task);
        links.push(link);
    }
    plan.strategy = Some(Strategy {
        model: Model::Parallel,
        stated: false,
        reason: "the dialect's default".to_owned(),
        parallel: Vec::new(),
        serial: Vec::new(),
        critical_path: Vec::new(),
    });
    let ids = id::Ids::new(&plan.tasks);
    let groups = parallel::read(outline, &sections, &ids, &mut plan);
    depends::read(outline, &sections, &ids, &groups, &links, &mut plan);
    commit::read(outline, &sections, &ids, &groups, &mut plan);
    notes::read(outline, &sections, &mut plan);
    task::seal(outline, &sections, &mut plan);
    plan
}
