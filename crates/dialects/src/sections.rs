//! The role of each section of a plan, decided once for all formats: by the words of its heading or label, then by the
//! section around it.
//!
//! A label is a line such as `**Acceptance Criteria:**` directly above a list; it holds for that list. Roles never depend
//! on marks, so that no tick can move a box from one role to another.

pub(crate) mod table;
pub(crate) mod units;

use crate::deps::phases;
use crate::lists::items;
use crate::states::{decoration, status_cell};
use markdown::{Extent, Item, Outline, front_matter, marks};
use wire::State;

/// What the boxes, numbers and commands of a section are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Role {
    /// Tasks.
    Tasks,
    /// Criteria of the task above, or of the plan.
    Criteria,
    /// Checks that may be tasks where the plan has no others: `Verification`, `Final Checklist`.
    Checks,
    /// What must be there before the work begins.
    Prerequisites,
    /// The order of the work; its items are the tasks only where the plan has no others: `Implementation Order`.
    Order,
    /// Text about the thing that is made: its headings and numbers are no tasks, and a box in it is one.
    Design,
    /// Text about the work: questions, risks, decisions.
    Notes,
    /// The meaning of the marks.
    Legend,
    /// Text that looks like tasks and shows a form.
    Examples,
    /// No word says.
    #[default]
    Open,
}

impl Role {
    /// The role of a section in words, for an account of its lines.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Role::Tasks => "tasks",
            Role::Criteria => "criteria",
            Role::Checks => "checks",
            Role::Prerequisites => "prerequisites",
            Role::Order => "an order of the tasks",
            Role::Design => "the design",
            Role::Notes => "notes",
            Role::Legend => "a legend",
            Role::Examples => "examples",
            Role::Open => "text",
        }
    }

    /// Whether it is a text about the work, and no work.
    pub(crate) fn is_about(self) -> bool {
        matches!(self, Role::Design | Role::Notes | Role::Prerequisites | Role::Examples)
    }

    /// What a box outside of all tasks is.
    pub(crate) fn of_plan(self) -> &'static str {
        match self {
            Role::Criteria => "criterion of the plan",
            Role::Checks => "check of the plan",
            Role::Prerequisites => "prerequisite",
            Role::Legend => "legend",
            Role::Examples => "example",
            Role::Tasks | Role::Order | Role::Design | Role::Notes | Role::Open => "note",
        }
    }
}

/// A heading and everything up to the next one of its level or above.
pub(crate) struct Section<'o> {
    pub(crate) at: Extent,
    pub(crate) level: u8,
    /// The title without numbering and signs.
    pub(crate) title: &'o str,
    /// Where the first section inside it begins, or where it ends.
    inner: usize,
    /// The role by its own words or, failing that, of the section around it.
    pub(crate) role: Role,
}

impl Section<'_> {
    /// The section without the sections inside it.
    pub(crate) fn own(&self) -> Extent {
        Extent { start: self.at.start, end: self.inner }
    }
}

/// All sections of a text, in document order.
pub(crate) struct Sections<'o> {
    outline: &'o Outline<'o>,
    list: Vec<Section<'o>>,
}

impl<'o> Sections<'o> {
    pub(crate) fn new(outline: &'o Outline<'o>) -> Self {
        let mut list: Vec<Section> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for head in outline.headings.iter().filter(|head| head.atx && !head.inner) {
            while let Some(section) = open.last().and_then(|last| list.get_mut(*last)) {
                if section.level < head.level {
                    break;
                }
                section.at.end = head.at.start;
                open.pop();
            }
            let around =
                open.last().and_then(|last| list.get(*last)).map_or(Role::Open, |section| section.role);
            let title = phases::text(outline, head);
            // The title of the text says nothing about its parts.
            let role = of_title(title).filter(|_| head.level > 1).unwrap_or(around);
            open.push(list.len());
            let at = Extent { start: head.at.start, end: outline.bytes.len() };
            if let Some(last) = list.last_mut() {
                last.inner = last.inner.min(head.at.start);
            }
            list.push(Section { at, level: head.level, title, inner: at.end, role });
        }
        Self { outline, list }
    }

    /// All sections, in document order.
    pub(crate) fn list(&self) -> &[Section<'o>] {
        &self.list
    }

    /// Whether an offset is inside a section of such a title, or of one around it.
    pub(crate) fn is_below(&self, offset: usize, is: impl Fn(&str) -> bool) -> bool {
        let next = self.list.partition_point(|section| section.at.start <= offset);
        let before = self.list.get(..next).unwrap_or_default();
        before.iter().any(|section| offset < section.at.end && is(section.title))
    }

    /// The innermost section at an offset.
    pub(crate) fn at(&self, offset: usize) -> Option<&Section<'o>> {
        let next = self.list.partition_point(|section| section.at.start <= offset);
        next.checked_sub(1).and_then(|last| self.list.get(last))
    }

    /// The role that the nearest section around a heading has by its own words; units of work are passed over.
    pub(crate) fn named_above(&self, offset: usize) -> Option<Role> {
        let next = self.list.partition_point(|section| section.at.start < offset);
        let before = self.list.get(..next).unwrap_or_default();
        let mut around = before.iter().rev().filter(|section| offset < section.at.end);
        let near = around.find(|section| units::of_heading(section.title).is_none())?;
        of_title(near.title).filter(|_| near.level > 1)
    }

    /// The state that the nearest section around a heading gives to what is below it: `## Completed Phases`.
    pub(crate) fn state_above(&self, offset: usize) -> Option<State> {
        let next = self.list.partition_point(|section| section.at.start < offset);
        let before = self.list.get(..next).unwrap_or_default();
        let mut around = before.iter().rev().filter(|section| offset < section.at.end && section.level > 1);
        let near = around.find(|section| units::of_heading(section.title).is_none())?;
        status_cell::of_label(near.title)
    }

    /// The title of the section directly around a heading; the title of the text does not count.
    pub(crate) fn around(&self, offset: usize) -> Option<&'o str> {
        let next = self.list.partition_point(|section| section.at.start < offset);
        let before = self.list.get(..next).unwrap_or_default();
        let mut around = before.iter().rev().filter(|section| offset < section.at.end);
        around.next().filter(|section| section.level > 1).map(|section| section.title)
    }

    /// The role of the text at an offset.
    pub(crate) fn role_at(&self, offset: usize) -> Role {
        self.at(offset).map_or(Role::Open, |section| section.role)
    }

    /// The role of each item of the outline, and the name that gives it.
    pub(crate) fn items(&self) -> Vec<(Role, &'o str)> {
        let outline = self.outline;
        let mut roles: Vec<(Role, &'o str)> = Vec::with_capacity(outline.items.len());
        // The label of the list that is read, and where the last item of the list ends.
        let mut label: Option<(Role, &'o str)> = None;
        let (mut end, mut bullet) = (0, b' ');
        for item in &outline.items {
            let inherited = item.parent.and_then(|parent| roles.get(parent)).copied();
            let role = if let Some(inherited) = inherited {
                inherited
            } else {
                let gap = outline.str(Extent { start: end.min(item.at.start), end: item.at.start });
                // A list ends with other text, or where another kind of bullet begins.
                let sign = outline.bytes.get(item.at.start).copied().unwrap_or_default();
                let sign = if sign.is_ascii_digit() { b'1' } else { sign };
                if !gap.trim().is_empty() || end == 0 || sign != bullet {
                    label = above(outline, item);
                }
                (end, bullet) = (item.at.end, sign);
                label.unwrap_or_else(|| {
                    self.at(item.at.start).map_or((Role::Open, ""), |section| (section.role, section.title))
                })
            };
            // An item that is itself a label gives the role to the items below it.
            let own =
                if item.mark.is_none() { label_of(outline.str(items::line_of(outline, item))) } else { None };
            let role = own.unwrap_or(role);
            let role = match role.0 {
                _ if item.mark.is_some() && is_legend(outline, item) => (Role::Legend, role.1),
                Role::Design if item.mark.is_some() => (Role::Open, role.1),
                // `**Checklist:**` above boxes with ids is the list of the work.
                Role::Checks if item.mark.is_some() && is_work(outline, item, role.1) => (Role::Open, role.1),
                _ => role,
            };
            roles.push(role);
        }
        roles
    }
}

/// Whether a file instructs an agent or describes a workflow: its front matter describes it and has no state.
pub(crate) fn is_instructions(outline: &Outline) -> bool {
    let name = outline.path.rsplit('/').next().unwrap_or_default();
    // A prepared runbook keeps the order of its steps there; its plan is the folder.
    if name == "orchestrator-plan.md" {
        return true;
    }
    let matter = front_matter::read(outline.str(Extent { start: 0, end: outline.bytes.len() }));
    matter.is_some_and(|matter| {
        matter.get("description").is_some()
            && ["status", "todos", "id"].iter().all(|key| matter.get(key).is_none())
    })
}

/// Whether the title or the name of a file says that it is a plan.
pub(crate) fn says_plan(outline: &Outline) -> bool {
    let name = outline.path.rsplit('/').next().unwrap_or_default().to_lowercase();
    let title = markdown::outline::title(outline).to_lowercase();
    table::PLANS.iter().any(|word| title.contains(word) || name.contains(word))
}

/// The label directly above a list.
fn above<'o>(outline: &'o Outline, item: &Item) -> Option<(Role, &'o str)> {
    let before = outline.str(Extent { start: 0, end: item.at.start }).trim_end();
    let start = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
    let line = before.get(start..)?;
    if line.starts_with('#') || outline.veil(start).is_some() {
        return None;
    }
    label_of(line)
}

/// The role of a line that is a label: bold, or closed by a colon.
fn label_of(line: &str) -> Option<(Role, &str)> {
    let text = line.trim();
    let emphasised = text.starts_with("**") || text.starts_with("__");
    let closed = text.trim_end_matches(['*', '_', ' ']).ends_with([':', '：']);
    if text.len() > LONGEST || !(emphasised || closed) {
        return None;
    }
    let name = text.trim_matches(['*', '_', ' ', ':', '：']);
    // Text after the label, as in `**Notes:** see below`, makes it a sentence.
    of_title(name).filter(|_| closed || text.ends_with("**") || text.ends_with("__")).map(|role| (role, name))
}

/// The role of the label that a line begins with, text after it or not: `- **Done when**: it is dug`.
pub(crate) fn of_label(line: &str) -> Option<Role> {
    let text = marks::after_bullet(line.trim()).unwrap_or(line.trim());
    let end = text.find([':', '：']).filter(|end| *end <= LONGEST)?;
    let name = text.get(..end)?.trim_matches(['*', '_', ' ']);
    if name.starts_with('#') { None } else { of_title(name) }
}

/// Whether a title names a list of tasks, and not a text about the work: `Tasks`, `To Do`, not `Implementation`.
pub(crate) fn names_list(title: &str) -> bool {
    let lower = marks::without_signs(title).trim_matches([' ', ':', '*']).to_lowercase();
    table::LISTS.contains(&lower.as_str())
}

/// The longest label in bytes.
const LONGEST: usize = 100;

/// The role that the words of a title give.
pub(crate) fn of_title(title: &str) -> Option<Role> {
    let bare = marks::without_signs(title);
    let (numbered, text) = without_number(bare);
    let text = decoration::without(text);
    let lower = text.to_lowercase();
    let cut = lower.find(['(', '（', '[']).unwrap_or(lower.len());
    let cut = if cut == 0 { lower.len() } else { cut };
    let name = lower.get(..cut)?.trim_matches([' ', ':', '：', '*', '_', '`', '\t']);
    let ends = |phrase: &str| {
        let rest = name.strip_suffix(phrase);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with([' ', '\u{3000}']) || !phrase.is_ascii())
    };
    let starts = |phrase: &str| {
        let rest = name.strip_prefix(phrase);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric) || !phrase.is_ascii())
    };
    let unit = units::of_heading(bare);
    let parted = unit.as_ref().is_some_and(|unit| unit.parted);
    if !parted && (table::CRITERIA.iter().any(|phrase| starts(phrase) || ends(phrase))) {
        return Some(Role::Criteria);
    }
    if unit.is_some() {
        return None;
    }
    let found = named(name).or_else(|| {
        let ends = |names: &&[&str]| names.iter().any(|phrase| ends(phrase));
        table::ENDS.iter().find(|(_, names)| ends(names)).map(|(role, _)| *role)
    });
    // `4. Validation` in a list of numbered groups is a group of tasks.
    found.filter(|role| !(numbered && *role == Role::Checks))
}

/// The role of a whole name, or of two names for the same: `Risks & Mitigations`.
fn named(name: &str) -> Option<Role> {
    let one = |name: &str| {
        let name = name.trim();
        table::NAMES.iter().find(|(_, names)| names.contains(&name)).map(|(role, _)| *role)
    };
    // `Detailed Implementation Steps` are steps of work.
    let of_work = || {
        let mut bare = name;
        while let Some(rest) = table::OF_WORK.iter().find_map(|word| bare.strip_prefix(word)) {
            bare = rest.trim_start();
        }
        let listed = bare.len() < name.len() && (one(bare) == Some(Role::Tasks) || bare == "sequence");
        listed.then_some(Role::Tasks)
    };
    one(name).or_else(of_work).or_else(|| {
        let (first, second) =
            [" & ", " and ", " / ", "与", "和"].iter().find_map(|joint| name.split_once(joint))?;
        one(first).filter(|role| one(second) == Some(*role))
    })
}

/// A title without its numbering: `4. Title`, `§3 Title`, `2.1 Title`.
fn without_number(title: &str) -> (bool, &str) {
    let text = title.trim_start_matches('§');
    let digits = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let rest = text.get(digits..).unwrap_or_default();
    let rest = rest.strip_prefix([')', ':', '、']).unwrap_or(rest);
    let bare = rest.trim_start_matches([' ', '\t', '-', '—', '–']);
    if digits > 0 && bare.len() < rest.len() { (true, bare) } else { (false, title) }
}

/// Whether a box below a bare `Checklist` has the id of a task.
fn is_work(outline: &Outline, item: &Item, title: &str) -> bool {
    let line = outline.str(items::line_of(outline, item));
    title.eq_ignore_ascii_case("checklist") && crate::lists::listed::names_itself(line)
}

/// Whether a boxed item explains its mark: `[P] tasks = different files`, `[x] = done`, `[~] In progress`.
fn is_legend(outline: &Outline, item: &Item) -> bool {
    let text = outline.str(items::line_of(outline, item));
    if text.starts_with(['=', '→', ':']) || text.starts_with("->") {
        return true;
    }
    let mark = item.mark.map_or("", |mark| outline.str(mark));
    let letter =
        marks::meaning(mark) == marks::Meaning::Unknown && mark.trim().chars().all(char::is_alphabetic);
    if letter {
        // A letter is a tag, and the text says what it stands for.
        let before = text.split(['=', '→']).next().unwrap_or_default();
        return before.len() < text.len() && before.split_whitespace().count() <= 3;
    }
    text.len() <= 24 && !text.is_empty() && status_cell::is_phrase(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use markdown::Text;

    #[test]
    fn words_of_a_heading_give_its_role() {
        for (title, role) in [
            ("Acceptance Criteria", Some(Role::Criteria)),
            ("✅ Phase 1 Success Criteria:", Some(Role::Criteria)),
            ("Definition of Done (all of it)", Some(Role::Criteria)),
            ("受け入れ基準（Acceptance Criteria）", Some(Role::Criteria)),
            ("7. Success Criteria", Some(Role::Criteria)),
            ("Phase 4: Success Criteria", None),
            ("Phase 5: Validation", None),
            ("4. Validation", None),
            ("Validation", Some(Role::Checks)),
            ("Tasks / Subtasks", Some(Role::Tasks)),
            ("Open Questions (Functional)", Some(Role::Notes)),
            ("Risks & Mitigations", Some(Role::Notes)),
            ("Risks and Tasks", None),
            ("Implementation Timeline", Some(Role::Notes)),
            ("Recommended Implementation Order", Some(Role::Order)),
            ("Purchase Order", None),
            ("Implementation Queue (by difficulty)", Some(Role::Tasks)),
            ("Implementation Notes", None),
            ("Detailed Implementation Steps", Some(Role::Tasks)),
            ("Execution sequence", Some(Role::Tasks)),
            ("Algorithm Steps", None),
            ("File-by-File Implementation Order", Some(Role::Order)),
            ("Criteria parser", None),
            ("Implement acceptance criteria parser", None),
        ] {
            assert_eq!(of_title(title), role, "{title}");
        }
    }

    #[test]
    fn a_label_holds_for_its_list_and_a_section_for_what_is_below() {
        use Role::{Criteria, Legend, Notes, Tasks};
        let text = "# P\n\n## Tasks\n\n- [ ] a\n\n**Acceptance Criteria:**\n\n- [ ] b\n  - [ ] c\n\n### Group\n\n- [ ] d\n\n\
                    ## Notes\n\n### Deep\n\n- [ ] e\n- [P] tasks = f\n- [x] Done\n";
        let outline = Outline::new(&Text { path: "p.md", bytes: text.as_bytes() });
        let sections = Sections::new(&outline);
        let roles: Vec<Role> = sections.items().iter().map(|(role, _)| *role).collect();
        assert_eq!(roles, [Tasks, Criteria, Criteria, Tasks, Notes, Legend, Legend]);
    }
}
