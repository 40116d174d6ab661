//! `gsd-roadmap`: a ROADMAP.md of phases with boxes, `- [ ] **Phase 1: …**`, and of their plans below `### Phase 1: …`.
//!
//! A phase is its box, its section, or both; its plans are the boxes of the section. `**Depends on**: Phase 1` and Success
//! Criteria of the section hold for the phase. A phase without plans is a task itself. Where no plan of a phase is ticked,
//! the phase may say that all of them are done: with its box, `**Status**: Complete`, `**Plans**: 3/3 plans complete` or its
//! row in the table of progress.

mod phases;
mod progress;

use crate::criteria::acceptance;
use crate::deps::unit_refs::{self, Earlier, UnitRefs};
use crate::dialect::PLAIN;
use crate::fields::labels::{self, Name};
use crate::formats::lists::roadmap::phases::PhaseSection;
use crate::formats::lists::roadmap::progress::{Progress, Said};
use crate::lists::items::{self, Entry};
use crate::lists::{boxed, described, numbered};
use crate::read::fingerprint;
use crate::sections::Sections;
use crate::sections::units::{self, Rank};
use crate::states::{boxes, decoration, signs, status_cell};
use crate::{Dialect, Plan, Shape};
use markdown::{Extent, Outline, marks};
use std::collections::HashSet;
use wire::plan::{Kind, Model, Severity};
use wire::{State, Task, TaskId, ids};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "gsd-roadmap",
    about: "ROADMAP.md of phases with boxes, and the plans of each phase",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    signs: true,
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    let mut boxed = outline.items.iter().filter(|item| item.mark.is_some() && !item.quoted);
    let has_phase = boxed.any(|item| phase(outline.str(items::line_of(outline, item))).is_some());
    let waits =
        || phases::find(outline, &Sections::new(outline)).iter().any(|section| section.waits.is_some());
    if has_phase && waits() { 47 } else { 0 }
}

/// The number of the phase that a text names.
fn phase(text: &str) -> Option<String> {
    let unit = units::unit(marks::without_signs(text).trim_start_matches('`'))?;
    (unit.rank == Rank::Phase && unit.parted).then_some(unit.id)
}

/// The id of the plan that a text names: `01-02-PLAN.md — …`.
fn plan_id(text: &str) -> Option<String> {
    let id = items::own_id(text)?.strip_suffix("-PLAN.md")?;
    // `02.1-PLAN.md` has the number of its phase alone.
    id.contains('-').then(|| id.to_owned())
}

/// Whether a box stands for plans that are not written yet: `TBD (run …)`.
fn is_placeholder(text: &str) -> bool {
    let text = text.trim_start_matches(['*', '_', '`']);
    let rest = ["TBD", "tbd"].iter().find_map(|word| text.strip_prefix(word));
    rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

fn read(outline: &Outline) -> Plan {
    let sections = Sections::new(outline);
    let roles = sections.items();
    let is_task = boxed::tasks(outline, &roles);
    let takes = |index: usize| {
        let item = outline.items.get(index).filter(|_| is_task.get(index) == Some(&true));
        item.is_some_and(|item| !is_placeholder(outline.str(items::line_of(outline, item))))
    };
    let own = |text: &str| phase(text).or_else(|| plan_id(text));
    let (plan, entries) = boxed::with_ids(outline, &roles, takes, &own);
    let mut roadmap = Roadmap::new(outline, &sections, plan, &entries);
    roadmap.family();
    roadmap.states();
    roadmap.depend();
    roadmap.describe();
    let mut plan = roadmap.plan;
    plan.tasks.sort_by_key(|task| boxes::extent(&task.span, outline.bytes.len()).start);
    plan
}

/// How far back the phase around a plan is looked for: a phase may hold phases that end before the plan.
const DEEPEST: usize = 100;

/// A phase: its task, and the section that describes it.
struct Phase<'o> {
    /// The number without zeros.
    number: String,
    /// The index of its task.
    task: usize,
    section: Option<PhaseSection<'o>>,
    /// The indices of its plans.
    plans: Vec<usize>,
}

struct Roadmap<'o> {
    outline: &'o Outline<'o>,
    plan: Plan,
    entries: &'o [Entry],
    phases: Vec<Phase<'o>>,
    progress: Progress,
}

impl<'o> Roadmap<'o> {
    /// Joins the boxes of phases with their sections; a section without a box is a task of its own.
    fn new(outline: &'o Outline<'o>, sections: &Sections<'o>, mut plan: Plan, entries: &'o [Entry]) -> Self {
        let mut phases: Vec<Phase> = Vec::new();
        for (index, (task, entry)) in plan.tasks.iter_mut().zip(entries).enumerate() {
            let Some(unit) = units::unit(marks::without_signs(outline.str(entry.line)))
                .filter(|unit| unit.rank == Rank::Phase && unit.parted)
            else {
                continue;
            };
            task.title = title(&task.title);
            let number = crate::deps::dangling::simple(&unit.id);
            if phases.iter().all(|phase| phase.number != number) {
                phases.push(Phase { number, task: index, section: None, plans: Vec::new() });
            }
        }
        for section in phases::find(outline, sections) {
            match phases.iter_mut().find(|phase| phase.number == section.number) {
                Some(phase) if phase.section.is_none() => phase.section = Some(section),
                None if section.is_filled => {
                    boxed::make_room(&mut plan, &section.id);
                    plan.tasks.push(task_of(outline, &section));
                    let (number, task) = (section.number.clone(), plan.tasks.len() - 1);
                    phases.push(Phase { number, task, section: Some(section), plans: Vec::new() });
                }
                _ => {}
            }
        }
        // The order of the phases is that of the sections, where they have one.
        phases.sort_by_key(|phase| phase.section.as_ref().map_or(0, |section| section.at.start));
        let progress = Progress::new(outline);
        plan.diagnostics
            .retain(|found| found.code != "table-not-read" || !progress.lines.contains(&found.line));
        Self { outline, plan, entries, phases, progress }
    }

    /// Makes the boxes of a section the plans of its phase.
    fn family(&mut self) {
        let holders: HashSet<usize> = self.phases.iter().map(|phase| phase.task).collect();
        for (index, entry) in self.entries.iter().enumerate() {
            if entry.parent.is_some() || holders.contains(&index) {
                continue;
            }
            let at = entry.at.start;
            let from = |phase: &Phase| phase.section.as_ref().map_or(0, |section| section.at.start);
            let next = self.phases.partition_point(|phase| from(phase) < at);
            let holds =
                |phase: &&mut Phase| phase.section.as_ref().is_some_and(|section| at < section.at.end);
            // The innermost section: the phases are in the order of their sections.
            let before = self.phases.get_mut(..next).unwrap_or_default().iter_mut().rev();
            if let Some(phase) = before.take(DEEPEST).find(holds) {
                phase.plans.push(index);
            }
        }
        for phase in &self.phases {
            let Some(id) = self.plan.tasks.get(phase.task).map(|task| task.id.clone()) else { continue };
            for plan in &phase.plans {
                if let Some(task) = self.plan.tasks.get_mut(*plan) {
                    task.parent = Some(id.clone());
                }
            }
            let holds = !phase.plans.is_empty();
            if let Some(task) = self.plan.tasks.get_mut(phase.task).filter(|_| holds) {
                task.kind = Kind::Container;
                // Without a box of its own its state follows from the plans.
                if phase.task >= self.entries.len() {
                    task.mark = None;
                }
            }
        }
    }

    fn states(&mut self) {
        let mut conflicts = Vec::new();
        for phase in &self.phases {
            let Some(task) = self.plan.tasks.get(phase.task) else { continue };
            let own =
                Said { state: task.state, at: boxes::extent(&task.span, self.outline.bytes.len()).start };
            let told = phase.section.as_ref().map(|section| progress::of_section(self.outline, section));
            let row = self.progress.rows.get(&phase.number).copied();
            let said = told.into_iter().flatten().chain(row).fold(own, Said::further);
            let states: Vec<State> = phase
                .plans
                .iter()
                .filter_map(|plan| self.plan.tasks.get(*plan))
                .map(|plan| plan.state)
                .collect();
            let kept = states.iter().any(|state| *state != State::Pending);
            let state = match said.state {
                _ if !states.is_empty() && states.iter().all(|state| state.is_settled()) => State::Completed,
                _ if kept => State::InProgress,
                state => state,
            };
            let says = |state: State| said.state == State::Completed && state != State::Completed;
            let taken = !kept && says(State::Pending);
            let open = own.state != State::Completed && phase.task < self.entries.len();
            if taken && (open || !phase.plans.is_empty()) {
                let what = if phase.plans.is_empty() { "its box is open" } else { "no plan of it is ticked" };
                conflicts.push((phase.task, said.at, what, "it is taken as done"));
            } else if kept && says(state) {
                conflicts.push((
                    phase.task,
                    said.at,
                    "a plan of it is open",
                    "the boxes of the plans decide",
                ));
            }
            let from = self.outline.place(said.at);
            let plans = phase.plans.iter().copied().filter(|_| taken);
            for index in plans.chain([phase.task]) {
                if let Some(task) = self.plan.tasks.get_mut(index).filter(|task| task.state != state) {
                    task.state = state;
                    task.state_from = Some(from.clone());
                }
            }
        }
        for (task, at, what, so) in conflicts {
            self.conflict(task, at, what, so);
        }
    }

    /// Reports that a phase is said to be done and its boxes are open.
    fn conflict(&mut self, task: usize, at: usize, what: &str, so: &str) {
        let Some(task) = self.plan.tasks.get(task) else { return };
        let message = format!("phase '{}' is said to be complete, and {what}: {so}", task.id);
        let mut found = self.outline.diagnostic(Severity::Warning, "status-conflict", message, at);
        found.task = Some(task.id.clone());
        self.plan.diagnostics.push(found);
    }

    fn depend(&mut self) {
        let units: Vec<(&str, String)> =
            self.phases.iter().map(|phase| ("phase", phase.number.clone())).collect();
        let ids: Vec<TaskId> = self
            .phases
            .iter()
            .map(|phase| self.plan.tasks.get(phase.task).map(|task| task.id.clone()).unwrap_or_default())
            .collect();
        for (place, phase) in self.phases.iter().enumerate() {
            let Some(waits) = phase.section.as_ref().and_then(|section| section.waits) else { continue };
            let UnitRefs { after, before, earlier, advice } = unit_refs::read(self.outline.str(waits));
            let mut on: Vec<usize> = match earlier {
                Earlier::All => (0..place).collect(),
                Earlier::Previous => place.checked_sub(1).into_iter().collect(),
                Earlier::Unsaid => Vec::new(),
            };
            let mut unknown = Vec::new();
            for found in after {
                let named = unit_refs::resolve(&found, ("phase", place), &units);
                if named.is_empty() {
                    unknown.push(format!("waits for phase '{}', which is not in this file", found.first));
                }
                on.extend(named);
            }
            let on = on.into_iter().filter_map(|at| ids.get(at).cloned()).collect();
            if let Some(task) = self.plan.tasks.get_mut(phase.task) {
                numbered::depend(task, on);
            }
            for later in before.iter().flat_map(|found| unit_refs::resolve(found, ("phase", place), &units)) {
                let later = self.phases.get(later).map(|later| later.task);
                if let Some(task) = later.and_then(|later| self.plan.tasks.get_mut(later)) {
                    numbered::depend(task, ids.get(place).cloned().into_iter().collect());
                }
            }
            unknown.extend(advice.iter().map(|part| format!("has the advice '{part}'")));
            for what in unknown {
                let id = ids.get(place).cloned().unwrap_or_default();
                let message = format!("phase '{id}' {what}: left out");
                let mut hint =
                    self.outline.diagnostic(Severity::Hint, "unresolved-requirement", message, waits.start);
                hint.task = Some(id);
                self.plan.diagnostics.push(hint);
            }
        }
    }

    /// Reads the criteria of each section, and makes the fingerprints anew.
    fn describe(&mut self) {
        items::seal(self.outline, self.entries, &mut self.plan);
        for phase in &self.phases {
            let Some(section) = &phase.section else { continue };
            let mut parts: Vec<Extent> =
                phase.plans.iter().filter_map(|plan| self.entries.get(*plan)).map(|entry| entry.at).collect();
            parts.sort_unstable_by_key(|part| part.start);
            let end = parts.first().map_or(section.at.end, |part| part.start);
            let Some(task) = self.plan.tasks.get_mut(phase.task) else { continue };
            let (_, fields) = labels::fields(self.outline, Extent { start: section.head.end, end });
            for field in fields.iter().filter(|field| matches!(field.name, Name::Criteria | Name::Verify)) {
                acceptance::read(self.outline, &task.id.0, "", field, &mut task.criteria);
            }
            if phase.task >= self.entries.len() {
                let marks: Vec<Extent> =
                    task.mark.iter().map(|mark| boxes::extent(mark, self.outline.bytes.len())).collect();
                let (head, on) = (section.head, &task.depends_on);
                let heading: Vec<Extent> =
                    marks.iter().copied().filter(|mark| mark.end <= head.end).collect();
                task.fingerprint = fingerprint::with_boxes(self.outline, head, &heading, head, on);
            }
            parts.extend(section.status);
            if phase.task < self.entries.len() {
                described::attach(self.outline, task, section.at, &parts);
            } else {
                // The heading is the task's own line.
                let at = Extent { start: section.head.end, end: section.at.end };
                described::attach(self.outline, task, at, &parts);
                task.extra.remove(described::DESCRIBED);
            }
        }
    }
}

/// The task of a section without a box: its status or the sign of its heading says where it stands.
fn task_of(outline: &Outline, section: &PhaseSection) -> Task {
    let sign = signs::find(outline, section.head);
    let mark = section.status.unwrap_or(sign.at);
    let status = section.status.map(|at| status_cell::state(outline.str(at)));
    let state = status.unwrap_or(sign.state).unwrap_or_default();
    Task {
        id: TaskId(section.id.clone()),
        key: ids::key_of(&section.id),
        title: title(&decoration::without(section.title)),
        state,
        state_from: Some(outline.place(mark.start)),
        span: outline.span(outline.trimmed(section.at)),
        mark: Some(outline.span(mark)),
        ..Task::default()
    }
}

/// The name of a phase without its number and emphasis: `CSS - all of it` of `**Phase 1: CSS** - all of it`.
fn title(text: &str) -> String {
    let name = units::unit(marks::without_signs(text)).map_or(text, |unit| unit.title);
    let odd = name.matches("**").count() % 2 == 1;
    let name = if odd { name.replacen("**", "", 1) } else { name.to_owned() };
    name.trim_matches([' ', '*', '_']).to_owned()
}
