//! Headings that name units of work: which of them are the tasks of a plan, and which its phases. Shared by `headings` and
//! `humanlayer`.
//!
//! The finest units are the tasks and those around them the phases: Tasks in Phases, Steps in Phases, or Phases alone.
//! Sections about the design or the order of the same work hold no tasks.

use crate::Plan;
use crate::deps::unit_refs::{self, Earlier};
use crate::deps::{dangling, named, phases};
use crate::fields::task_fields::{self, TaskField};
use crate::lists::chapters::{self, Chapter};
use crate::lists::numbered as numbers;
use crate::lists::work;
use crate::sections::units::{self, Rank, Unit};
use crate::sections::{self, Role, Sections};
use crate::states::{decoration, signs};
use markdown::{Extent, Heading, Outline, marks};
use wire::TaskId;
use wire::plan::Phase;

/// A heading that names a unit of work.
pub(crate) struct Found<'o> {
    pub(crate) heading: Heading,
    /// Where its section ends.
    end: usize,
    pub(crate) unit: Unit<'o>,
    pub(crate) role: Role,
    /// The unit around it, among all.
    around: Option<usize>,
    /// Whether finer units are inside it.
    holds: bool,
}

impl Found<'_> {
    /// Its section.
    pub(crate) fn at(&self) -> Extent {
        Extent { start: self.heading.at.start, end: self.end }
    }
}

/// The units that are tasks, and those that are phases.
pub(crate) struct Units<'o> {
    pub(crate) tasks: Vec<Found<'o>>,
    pub(crate) phases: Vec<(Extent, String, String)>,
}

impl Units<'_> {
    pub(crate) fn timed(&self) -> bool {
        self.tasks.iter().all(|unit| unit.unit.rank == Rank::Time)
    }
}

pub(crate) fn find<'o>(outline: &'o Outline, sections: &Sections<'o>) -> Units<'o> {
    let heads: Vec<Heading> =
        outline.headings.iter().filter(|head| head.atx && !head.inner).copied().collect();
    let work: fn(Role) -> bool = |role| matches!(role, Role::Tasks | Role::Open);
    let found = find_from(outline, sections, &heads, 1, work);
    if found.tasks.len() > 1 {
        return found;
    }
    let bold = bold(outline, sections);
    if bold.len() > 1 {
        let mut heads: Vec<Heading> = heads.iter().copied().chain(bold).collect();
        heads.sort_by_key(|head| head.at.start);
        return find_from(outline, sections, &heads, 1, work);
    }
    // An order of the work is the plan where nothing else is.
    let ordered = find_from(outline, sections, &heads, 1, |role| {
        matches!(role, Role::Tasks | Role::Open | Role::Order)
    });
    if ordered.tasks.len() > 1 {
        return ordered;
    }
    let like = alike(outline, sections, &heads).or_else(|| decimals(outline, sections, &heads));
    like.unwrap_or(found)
}

/// The headings `2.1 Title` of a plan below `P2 – Title`: the group has a word or a letter before its number. The chapters
/// of a text have none: `2. Title`.
fn decimals<'o>(outline: &'o Outline, sections: &Sections<'o>, heads: &[Heading]) -> Option<Units<'o>> {
    if !sections::says_plan(outline) {
        return None;
    }
    let mut around: Vec<(u8, &str)> = Vec::new();
    let mut tasks: Vec<Found> = Vec::new();
    for heading in heads.iter().filter(|heading| heading.mark.is_none()) {
        around.retain(|(level, _)| *level < heading.level);
        let text = marks::without_signs(phases::text(outline, heading));
        let outer = around.last().and_then(|(_, outer)| group_number(outer));
        around.push((heading.level, text));
        let end = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let (Some(id), Some(outer)) = (text.get(..end).map(|id| id.trim_end_matches('.')), outer) else {
            continue;
        };
        let of_group = id.split_once('.').is_some_and(|(group, rest)| group == outer && !rest.is_empty());
        let title = text
            .get(end..)
            .map(|rest| rest.trim_start_matches([' ', ':', '-', '—', '–']))
            .unwrap_or_default();
        let role = sections.role_at(heading.at.start);
        if of_group && !title.is_empty() && matches!(role, Role::Tasks | Role::Open) {
            let unit = Unit { rank: Rank::Task, word: "part", id: id.to_owned(), title, parted: true };
            let end = end_of(outline, heading);
            tasks.push(Found { heading: *heading, end, unit, role: Role::Tasks, around: None, holds: false });
        }
    }
    (tasks.len() > 2).then_some(Units { tasks, phases: Vec::new() })
}

/// The number of a group with a word or a letter before it: `P2 – Title`, `Phase 2: Title`.
fn group_number(text: &str) -> Option<&str> {
    let letters = text.find(|c: char| !c.is_alphabetic()).filter(|letters| *letters > 0)?;
    let rest = text.get(letters..)?.trim_start_matches([' ', '-']);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest.get(..digits).filter(|digits| !digits.is_empty())
}

/// Headings of one form that no word names as units: `Lane L0: …`, `Lane L1: …` where most of the sections have the fields
/// of a task, or the sections of a list of tasks, `## Tasks`, `### Dig`.
fn alike<'o>(outline: &'o Outline, sections: &Sections<'o>, heads: &[Heading]) -> Option<Units<'o>> {
    let open = |heading: &Heading| matches!(sections.role_at(heading.at.start), Role::Tasks | Role::Open);
    let heads = heads.iter().filter(|heading| heading.level > 1 && heading.mark.is_none() && open(heading));
    let mut families: Vec<Family> = Vec::new();
    for heading in heads {
        let text = marks::without_signs(phases::text(outline, heading));
        let listed = sections.around(heading.at.start).is_some_and(sections::names_list);
        let Some((word, unit)) =
            units::alike(text).or_else(|| listed.then(|| (String::new(), units::bare(text))))
        else {
            continue;
        };
        match families.iter_mut().find(|(level, own, _)| *level == heading.level && *own == word) {
            Some((_, _, list)) => list.push((*heading, unit)),
            None => families.push((heading.level, word, vec![(*heading, unit)])),
        }
    }
    let at = |heading: &Heading| Extent { start: heading.at.start, end: end_of(outline, heading) };
    let told = |(_, word, list): &Family| {
        let fielded = list
            .iter()
            .filter(|(heading, _)| {
                let at = at(heading);
                has_fields(outline, at) || work::has_criteria(outline, sections, at)
            })
            .count();
        list.len() > 1 && (word.is_empty() || list.len() > 2 && fielded * 2 >= list.len())
    };
    let (_, _, list) = families.into_iter().filter(told).max_by_key(|(_, _, list)| list.len())?;
    let found = |(heading, unit): (Heading, Unit<'o>)| Found {
        heading,
        end: at(&heading).end,
        unit,
        role: Role::Tasks,
        around: None,
        holds: false,
    };
    Some(Units { tasks: list.into_iter().map(found).collect(), phases: Vec::new() })
}

/// Headings of one level that begin with the same word.
type Family<'o> = (u8, String, Vec<(Heading, Unit<'o>)>);

/// Whether a section has the fields of a task: what it waits for, its files, its state.
fn has_fields(outline: &Outline, at: Extent) -> bool {
    let mut lines = outline.lines_in(at).filter(|line| line.veil.is_none());
    lines.any(|line| {
        let text = outline.str(line.at).trim();
        let text = marks::after_bullet(text).unwrap_or(text);
        task_fields::read(text).is_some()
    })
}

/// Lines in bold that name units of work below a heading such as Phases: `**Phase 1: Dig** (2 weeks)`. They stand below
/// every heading.
fn bold(outline: &Outline, sections: &Sections) -> Vec<Heading> {
    let told =
        sections.list().iter().filter(|section| sections::of_title(section.title) == Some(Role::Tasks));
    let lines = told.flat_map(|section| outline.lines_in(section.own())).filter(|line| line.veil.is_none());
    let named = lines.filter_map(|line| {
        let text = decoration::without(outline.str(line.at).trim_end());
        let (name, rest) = text.strip_prefix("**")?.split_once("**")?;
        let rest = rest.trim_matches([' ', ':']);
        let alone = rest.is_empty() || rest.starts_with('(') && rest.ends_with(')');
        units::unit(marks::without_signs(name)).filter(|_| alone)?;
        let at = outline.trimmed(line.at);
        Some(Heading { level: BOLD, at, atx: false, inner: false, mark: None })
    });
    named.collect()
}

/// The level of a line in bold.
const BOLD: u8 = 7;

/// The units among the headings of this level and below.
fn find_from<'o>(
    outline: &'o Outline,
    sections: &Sections<'o>,
    heads: &[Heading],
    level: u8,
    fits: fn(Role) -> bool,
) -> Units<'o> {
    let mut all: Vec<Found> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let running = running(outline, sections, heads);
    let mixed = has_several_ids(outline, heads);
    for (index, heading) in
        heads.iter().enumerate().filter(|(_, head)| head.mark.is_none() && head.level >= level)
    {
        open.retain(|at| all.get(*at).is_some_and(|unit| unit.heading.level < heading.level));
        let role = sections.role_at(heading.at.start);
        let text = marks::without_signs(phases::text(outline, heading));
        // `BUG-003` beside `BUILD-001` is an id, and no bug with a number.
        let named = if mixed { units::identified(text) } else { None };
        let unit = named.or_else(|| units::of_heading(text)).or_else(|| units::identified(text));
        let unit = unit.filter(|_| fits(role));
        let around = open.last().copied();
        let outer = around.and_then(|at| all.get(at)).map(|outer| outer.unit.id.as_str());
        let unit = unit.or_else(|| numbered(text, role, heading, sections));
        let unit = unit.or_else(|| running.binary_search(&index).ok().and_then(|_| step(text)));
        let unit = unit.or_else(|| part(outline, sections, text, outer, heading));
        let Some(unit) = unit else { continue };
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
        let mut after = heads.get(index + 1..).unwrap_or_default().iter();
        let end =
            after.find(|head| head.level <= heading.level).map_or(outline.bytes.len(), |head| head.at.start);
        all.push(Found { heading: *heading, end, unit, role, around, holds: false });
    }
    // `# Phase 6: …` is the title of the text where units are below it.
    if level == 1 && all.iter().any(|unit| unit.heading.level == 1) {
        let below = find_from(outline, sections, heads, 2, fits);
        if !below.tasks.is_empty() {
            return below;
        }
    }
    choose(all)
}

/// Whether headings begin with ids of several kinds: `BUG-003 — …`, `BUILD-001 — …`.
fn has_several_ids(outline: &Outline, heads: &[Heading]) -> bool {
    let kind = |heading: &Heading| {
        let unit = units::identified(marks::without_signs(phases::text(outline, heading)))?;
        unit.id.split_once('-').map(|(kind, _)| kind.to_owned())
    };
    let mut kinds = heads.iter().filter_map(kind);
    let first = kinds.next();
    first.is_some_and(|first| kinds.any(|kind| kind != first))
}

/// The headings `3. Title` below units whose numbers go on from one unit to the next: `## Batch 1`, `### 1. …`, `### 2. …`,
/// `## Batch 2`, `### 3. …`. Numbers that begin anew in each unit are parts of its text.
fn running(outline: &Outline, sections: &Sections, heads: &[Heading]) -> Vec<usize> {
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut found: Vec<(usize, u32, usize)> = Vec::new();
    let mut loose = false;
    for (index, heading) in heads.iter().enumerate() {
        open.retain(|(level, _)| *level < heading.level);
        let text = marks::without_signs(phases::text(outline, heading));
        let number = phases::numbered(text).and_then(|(id, _)| id.parse().ok());
        if units::of_heading(text).is_some() || number.is_none() {
            open.push((heading.level, index));
            loose = loose || units::of_heading(text).is_none() && heading.level > 1;
            continue;
        }
        let role = sections.role_at(heading.at.start);
        if let Some((number, (_, around))) = number.zip(open.last())
            && matches!(role, Role::Tasks | Role::Open)
        {
            found.push((index, number, *around));
        }
    }
    let follows = found.windows(2).all(|pair| matches!(pair, [one, next] if next.1 == one.1 + 1));
    let several = found.first().zip(found.last()).is_some_and(|(first, last)| first.2 != last.2);
    // Below headings that are no units the numbers count all of the work.
    let counts = !loose
        || found.len() > 3 && found.first().is_some_and(|first| first.1 == 1) && sections::says_plan(outline);
    if follows && several && counts {
        found.into_iter().map(|(index, _, _)| index).collect()
    } else {
        Vec::new()
    }
}

/// `3. Title` as a step.
fn step(text: &str) -> Option<Unit<'_>> {
    let (id, title) = phases::numbered(text)?;
    let title = text.get(text.len() - title.len()..)?;
    Some(Unit { rank: Rank::Step, word: "", id, title, parted: true })
}

/// `3. Title` directly below a heading such as Implementation Steps.
fn numbered<'o>(text: &'o str, role: Role, heading: &Heading, sections: &Sections) -> Option<Unit<'o>> {
    let own = role == Role::Tasks && sections.named_above(heading.at.start) == Some(Role::Tasks);
    step(text).filter(|_| own)
}

/// `2.1 Title` below `Phase 2`, where it has a state or criteria of its own: without them it is a part of the phase's text.
fn part<'o>(
    outline: &Outline,
    sections: &Sections,
    text: &'o str,
    outer: Option<&str>,
    heading: &Heading,
) -> Option<Unit<'o>> {
    let end = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let id = text.get(..end)?.trim_end_matches('.');
    let rest = id.strip_prefix(outer?)?.strip_prefix('.')?;
    let title = text.get(end..)?.trim_start_matches([' ', ':', '-', '—', '–']);
    let sign = signs::find(outline, heading.at).at;
    let at = Extent { start: heading.at.start, end: end_of(outline, heading) };
    let stated = sign.start < sign.end
        || chapters::has_own_status(outline, heading.at, at)
        || work::has_criteria(outline, sections, at);
    (!rest.is_empty() && !title.is_empty() && stated).then(|| Unit {
        rank: Rank::Task,
        word: "part",
        id: id.to_owned(),
        title,
        parted: true,
    })
}

/// The leaves of the largest family, where one below a heading such as Tasks goes before others.
fn choose(mut all: Vec<Found<'_>>) -> Units<'_> {
    let timeless = all.iter().any(|unit| unit.unit.rank > Rank::Time && !unit.holds);
    let counts = |unit: &Found| !timeless || unit.unit.rank != Rank::Time;
    let leaf = |unit: &Found| !unit.holds && counts(unit);
    let mut families: Vec<(bool, usize, &'static str)> = Vec::new();
    for unit in all.iter().filter(|unit| leaf(unit)) {
        let told = unit.role == Role::Tasks;
        match families.iter_mut().find(|(_, _, word)| *word == unit.unit.word) {
            Some(family) => (family.0, family.1) = (family.0 || told, family.1 + 1),
            None => families.push((told, 1, unit.unit.word)),
        }
    }
    // A single heading is no family: `Task` as a chapter of a text.
    let best = families
        .iter()
        .max_by_key(|(told, count, word)| (*count > 1, *told, !units::is_weak(word), *count))
        .copied();
    let Some((_, _, word)) = best else { return Units { tasks: Vec::new(), phases: Vec::new() } };
    // Where one of its units has several parts of its own, those are tasks beside the units without parts.
    let within = |own: &str| {
        all.iter().any(|unit| {
            let around = unit.around.and_then(|at| all.get(at));
            leaf(unit) && unit.unit.word == own && around.is_some_and(|around| around.unit.word == word)
        })
    };
    let mut parts = families.iter().filter(|(_, count, own)| *count > 1 && *own != word && within(own));
    let word = parts.next().map_or(word, |(_, _, own)| *own);
    let of_family: Vec<Option<usize>> =
        all.iter().filter(|unit| leaf(unit) && unit.unit.word == word).map(|unit| unit.around).collect();
    let outer: Vec<&'static str> =
        of_family.iter().flatten().filter_map(|at| all.get(*at)).map(|unit| unit.unit.word).collect();
    let phases = of_family.iter().flatten().collect::<std::collections::BTreeSet<_>>();
    let phases = phases
        .into_iter()
        .filter_map(|at| all.get(*at))
        .map(|unit| (unit.at(), unit.unit.id.clone(), decoration::without(unit.unit.title).into_owned()));
    let phases = phases.collect();
    let around: Vec<Option<String>> = all
        .iter()
        .map(|unit| unit.around.and_then(|at| all.get(at)).map(|unit| unit.unit.id.clone()))
        .collect();
    let is_step = |unit: &Found| {
        unit.unit.rank >= Rank::Step
            && unit.unit.id.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && unit.unit.id.starts_with(|c: char| c.is_ascii_digit())
    };
    let mut numbers = std::collections::HashSet::new();
    let again = all.iter().filter(|unit| is_step(unit)).any(|unit| !numbers.insert(unit.unit.id.clone()));
    // A phase without steps has the number of a step.
    let mixed =
        all.iter().any(|unit| leaf(unit) && unit.unit.word != word && outer.contains(&unit.unit.word));
    let again = again || mixed;
    for (unit, around) in all.iter_mut().zip(around) {
        // Steps that count from 1 in each phase; where the numbers go on, they are enough.
        if let Some(around) = around.filter(|_| again && is_step(unit)) {
            unit.unit.id = format!("{around}.{}", unit.unit.id);
        }
    }
    all.retain(|unit| leaf(unit) && (unit.unit.word == word || outer.contains(&unit.unit.word)));
    // A summary repeats its headings.
    let mut seen = std::collections::HashSet::new();
    all.retain(|unit| {
        seen.insert((unit.unit.id.clone(), decoration::without(unit.unit.title).to_lowercase()))
    });
    Units { tasks: all, phases }
}

/// Where the section of a heading ends.
fn end_of(outline: &Outline, heading: &Heading) -> usize {
    let next = outline.headings.iter().filter(|head| head.atx && !head.inner);
    let mut next = next.skip_while(|head| head.at.start <= heading.at.start);
    next.find(|head| head.level <= heading.level).map_or(outline.bytes.len(), |head| head.at.start)
}

/// The chapters of the tasks.
pub(crate) fn chapters(outline: &Outline, found: &Units) -> Vec<Chapter> {
    let own: Vec<Option<&str>> = found.tasks.iter().map(|unit| Some(unit.unit.id.as_str())).collect();
    let names = named::ids(&own);
    let chapter = |(unit, id): (&Found, String)| {
        let title = decoration::without(unit.unit.title);
        let title = if title.is_empty() { phases::text(outline, &unit.heading).into() } else { title };
        // The name may be bold as a whole.
        let bold = title.matches("**").count() % 2 == 1;
        let title = if bold { title.replacen("**", "", 1) } else { title.into_owned() };
        Chapter {
            head: unit.heading.at,
            at: unit.at(),
            id,
            title: title.trim().to_owned(),
            parent: None,
            holds: false,
        }
    };
    found.tasks.iter().zip(names).map(chapter).collect()
}

/// Reads what each task waits for: `**Depends on**: Phase 1` below its heading.
pub(crate) fn depend(outline: &Outline, found: &Units, plan: &mut Plan) {
    let units: Vec<(&str, String)> =
        found.tasks.iter().map(|task| (task.unit.word, dangling::simple(&task.unit.id))).collect();
    let ids: Vec<TaskId> = plan.tasks.iter().map(|task| task.id.clone()).collect();
    for (place, (unit, task)) in found.tasks.iter().zip(&mut plan.tasks).enumerate() {
        let body = Extent { start: unit.heading.at.end, end: unit.end };
        let lines = outline.lines_in(body).filter(|line| line.veil.is_none());
        for line in lines.take_while(|line| !outline.str(line.at).starts_with('#')) {
            let text = outline.str(line.at).trim();
            let text = marks::after_bullet(text).unwrap_or(text).trim();
            let Some((TaskField::Depends, text_of_field)) = task_fields::read(text) else { continue };
            let said = unit_refs::read(text_of_field);
            let named = said.after.iter().flat_map(|found| {
                unit_refs::resolve(found, (unit.unit.word, place), &units)
                    .into_iter()
                    .filter(|at| *at != place)
            });
            let all = if said.earlier == Earlier::All { 0..place } else { 0..0 };
            let by_id = if unit.unit.word == units::ID { by_id(text_of_field, &units) } else { Vec::new() };
            let by_id = by_id.into_iter().filter(|at| *at != place);
            let on = named.chain(all).chain(by_id).filter_map(|at| ids.get(at).cloned()).collect();
            numbers::depend(task, on);
        }
    }
}

/// The units whose ids a statement begins with: `O-01, O-02`, `M1-001–M1-009`; other words end the list.
fn by_id(said: &str, units: &[(&str, String)]) -> Vec<usize> {
    let place = |id: &str| units.iter().position(|(_, own)| *own == dangling::simple(id));
    let mut found = Vec::new();
    for token in said.split([' ', ',', ';', '`', '*']).filter(|token| !token.is_empty()) {
        let range = ["–", "…", "..", "~"].iter().find_map(|sign| token.split_once(sign));
        match (place(token), range.and_then(|(first, last)| place(first).zip(place(last)))) {
            (Some(at), _) => found.push(at),
            (None, Some((first, last))) => found.extend(first..=last),
            (None, None) if matches!(token, "and" | "und" | "et" | "y" | "&" | "+") => {}
            (None, None) => break,
        }
    }
    found
}

/// Sets the phases of a plan.
pub(crate) fn set_phases(found: &Units, plan: &mut Plan) {
    for (at, id, title) in &found.phases {
        for task in &mut plan.tasks {
            let start = usize::try_from(task.span.start).unwrap_or(usize::MAX);
            if at.start <= start && start < at.end {
                task.phase = Some(id.clone());
            }
        }
        plan.phases.push(Phase { id: id.clone(), title: title.clone(), ..Phase::default() });
    }
}
