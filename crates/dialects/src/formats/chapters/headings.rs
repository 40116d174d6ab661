//! `headings`: tasks that are headings without boxes, `## Phase 1: Dig ✅`, `### Step 2 — Build`, `#### T003: …`.
//!
//! The finest units are the tasks and those around them the phases: Tasks in Phases, Steps in Phases, or Phases alone. A
//! sign of the heading, a `**Status**:` line below it, a row of a status table or an item of a status list gives the
//! state; no sign means open. Boxes below a task are its criteria. Sections about the design or the order of the same
//! work hold no tasks.

mod stated;

use crate::deps::{named, phases};
use crate::dialect::PLAIN;
use crate::lists::chapters::{self, Chapter, Decides};
use crate::lists::status_tables;
use crate::sections::units::{self, Rank, Unit};
use crate::sections::{Role, Sections};
use crate::states::{decoration, signs};
use crate::{Dialect, Plan, Shape};
use markdown::{Extent, Heading, Outline, marks};
use wire::plan::{Model, Phase};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "headings",
    about: "Phase, Step or Task headings without boxes, with a sign or a status",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    signs: true,
    begins: true,
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    let sections = Sections::new(outline);
    let found = find(outline, &sections);
    if found.tasks.len() < 2 || !is_plan(outline, &found) {
        return 0;
    }
    let boxes = outline.items.iter().zip(sections.items());
    let mut boxes = boxes.filter(|(item, _)| item.mark.is_some() && !item.quoted);
    if boxes.any(|(_, (role, _))| matches!(role, Role::Tasks | Role::Open)) {
        return 0;
    }
    // A table of tasks is the plan where it has more rows.
    let rows: usize = status_tables::find(outline)
        .iter()
        .filter(|sheet| sheet.columns.strict)
        .map(|sheet| sheet.table.rows.len())
        .sum();
    if rows > found.tasks.len() { 14 } else { 16 }
}

/// Whether headings are work and no chapters of some text: the title or the file says so, a section does, or a state.
fn is_plan(outline: &Outline, found: &Units) -> bool {
    let name = outline.path.rsplit('/').next().unwrap_or_default().to_lowercase();
    let title = markdown::outline::title(outline).to_lowercase();
    let says = |text: &str| PLANS.iter().any(|word| text.contains(word));
    let role = |unit: &Found| unit.role == Role::Tasks;
    let signed = |unit: &Found| {
        let sign = signs::find(outline, unit.heading.at);
        sign.at.start < sign.at.end
    };
    let firm = found.tasks.iter().all(|unit| unit.unit.rank >= Rank::Phase);
    let named = says(&title) || says(&name);
    found.tasks.iter().any(role) || found.tasks.iter().any(signed) || named && (firm || !found.timed())
}

/// Words in the title or the name of a plan.
#[rustfmt::skip]
const PLANS: &[&str] = &[
    "plan", "roadmap", "todo", "implementation", "milestone", "task", "phase", "migration", "计划", "計画", "路线", "方案", "계획",
    "план", "kế hoạch", "fahrplan",
];

/// A heading that names a unit of work.
struct Found<'o> {
    heading: &'o Heading,
    unit: Unit<'o>,
    role: Role,
    /// The unit around it, among all.
    around: Option<usize>,
    /// Whether finer units are inside it.
    holds: bool,
}

/// The units that are tasks, and those that are phases.
struct Units<'o> {
    tasks: Vec<Found<'o>>,
    phases: Vec<(Extent, String, String)>,
}

impl Units<'_> {
    fn timed(&self) -> bool {
        self.tasks.iter().all(|unit| unit.unit.rank == Rank::Time)
    }
}

fn find<'o>(outline: &'o Outline, sections: &Sections<'o>) -> Units<'o> {
    let mut all: Vec<Found> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for heading in outline.headings.iter().filter(|head| head.atx && !head.inner && head.mark.is_none()) {
        open.retain(|at| all.get(*at).is_some_and(|unit| unit.heading.level < heading.level));
        let role = sections.role_at(heading.at.start);
        let text = marks::without_signs(phases::text(outline, heading));
        let unit = units::unit(text).filter(|_| matches!(role, Role::Tasks | Role::Open));
        let Some(unit) = unit.or_else(|| numbered(text, role, heading, sections)) else { continue };
        let around = open.last().copied();
        let outer = around.and_then(|at| all.get_mut(at));
        if let Some(outer) = outer {
            let rest = unit.id.strip_prefix(outer.unit.id.as_str());
            let part = unit.word == outer.unit.word && rest.is_some_and(|rest| !rest.is_empty());
            if unit.rank <= outer.unit.rank && !part {
                continue;
            }
            outer.holds = true;
        }
        open.push(all.len());
        all.push(Found { heading, unit, role, around, holds: false });
    }
    choose(outline, all)
}

/// `3. Title` directly below a heading such as Implementation Steps.
fn numbered<'o>(text: &'o str, role: Role, heading: &Heading, sections: &Sections) -> Option<Unit<'o>> {
    let above = sections.around(heading.at.start)?;
    let own = role == Role::Tasks && above.level + 1 == heading.level;
    let own = own && crate::sections::of_title(above.title) == Some(Role::Tasks);
    let (id, title) = phases::numbered(text).filter(|_| own)?;
    let title = text.get(text.len() - title.len()..)?;
    Some(Unit { rank: Rank::Step, word: "", id, title, parted: true })
}

/// The leaves of the largest family, where one below a heading such as Tasks goes before others.
fn choose<'o>(outline: &Outline, mut all: Vec<Found<'o>>) -> Units<'o> {
    let timeless = all.iter().any(|unit| unit.unit.rank > Rank::Time && !unit.holds);
    let leaf = |unit: &Found| !unit.holds && !(timeless && unit.unit.rank == Rank::Time);
    let mut families: Vec<(bool, usize, &'static str)> = Vec::new();
    for unit in all.iter().filter(|unit| leaf(unit)) {
        let told = unit.role == Role::Tasks;
        match families.iter_mut().find(|(_, _, word)| *word == unit.unit.word) {
            Some(family) => (family.0, family.1) = (family.0 || told, family.1 + 1),
            None => families.push((told, 1, unit.unit.word)),
        }
    }
    // A single heading is no family: `Task` as a chapter of a text.
    let best = families.iter().max_by_key(|(told, count, _)| (*count > 1, *told, *count)).copied();
    let Some((_, _, word)) = best else { return Units { tasks: Vec::new(), phases: Vec::new() } };
    let of_family: Vec<Option<usize>> =
        all.iter().filter(|unit| leaf(unit) && unit.unit.word == word).map(|unit| unit.around).collect();
    let outer: Vec<&'static str> =
        of_family.iter().flatten().filter_map(|at| all.get(*at)).map(|unit| unit.unit.word).collect();
    let end = |unit: &Found| end_of(outline, unit.heading);
    let phases = of_family.iter().flatten().collect::<std::collections::BTreeSet<_>>();
    let phases = phases.into_iter().filter_map(|at| all.get(*at)).map(|unit| {
        let at = Extent { start: unit.heading.at.start, end: end(unit) };
        (at, unit.unit.id.clone(), decoration::without(unit.unit.title).into_owned())
    });
    let phases = phases.collect();
    let around: Vec<Option<String>> = all
        .iter()
        .map(|unit| unit.around.and_then(|at| all.get(at)).map(|unit| unit.unit.id.clone()))
        .collect();
    for (unit, around) in all.iter_mut().zip(around) {
        // Steps that count from 1 in each phase.
        if let Some(around) = around.filter(|_| unit.unit.rank == Rank::Step && !unit.unit.id.contains('.')) {
            unit.unit.id = format!("{around}.{}", unit.unit.id);
        }
    }
    all.retain(|unit| leaf(unit) && (unit.unit.word == word || outer.contains(&unit.unit.word)));
    Units { tasks: all, phases }
}

/// Where the section of a heading ends.
fn end_of(outline: &Outline, heading: &Heading) -> usize {
    let next = outline.headings.iter().filter(|head| head.atx && !head.inner);
    let mut next = next.skip_while(|head| head.at.start <= heading.at.start);
    next.find(|head| head.level <= heading.level).map_or(outline.bytes.len(), |head| head.at.start)
}

fn read(outline: &Outline) -> Plan {
    let sections = Sections::new(outline);
    let found = find(outline, &sections);
    let own: Vec<Option<&str>> = found.tasks.iter().map(|unit| Some(unit.unit.id.as_str())).collect();
    let names = named::ids(&own);
    let chapters: Vec<Chapter> = found
        .tasks
        .iter()
        .zip(names)
        .map(|(unit, id)| {
            let title = decoration::without(unit.unit.title);
            let title = if title.is_empty() { phases::text(outline, unit.heading).into() } else { title };
            let at = Extent { start: unit.heading.at.start, end: end_of(outline, unit.heading) };
            let title = title.trim_end_matches(['*', '_', ' ']).to_owned();
            Chapter { head: unit.heading.at, at, id, title, parent: None, holds: false }
        })
        .collect();
    let mut plan = chapters::read_with(outline, &chapters, Decides::Heading);
    for (at, id, title) in found.phases {
        for task in &mut plan.tasks {
            let start = usize::try_from(task.span.start).unwrap_or(usize::MAX);
            if at.start <= start && start < at.end {
                task.phase = Some(id.clone());
            }
        }
        plan.phases.push(Phase { id, title, ..Phase::default() });
    }
    let word = found.tasks.first().map_or("", |unit| unit.unit.word);
    stated::read(outline, &sections, word, &mut plan);
    plan
}
