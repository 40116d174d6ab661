//! Locates the criteria in a range of Markdown and hands each of them, with everything that belongs to it, to `checks`.
//!
//! Every Markdown dialect uses this, so the same text gives the same check in all of them. Nothing here judges words: a
//! block belongs to a criterion by its place, by its label (`Verify:`, `Run:`, `Expected:`) or by an arrow before it.

use crate::criteria::blocks::{self, Block, What};
use crate::criteria::categories;
use crate::fields::{item_text, task_fields};
use crate::lists::items;
use crate::sections::{self, units};
use checks::labels::{self, Label};
use checks::rows;
use checks::{Kind, Located, Part, Reading, Role, Synonyms};
use markdown::{Extent, Item, Outline, marks};
use memchr::memchr;
use std::borrow::Cow;
use wire::Task;
use wire::plan::Criterion;

/// What a range is to its task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It consists of criteria: acceptance criteria, a section of checks, the list below `Verify:`.
    Criteria,
    /// It describes the work and may state checks.
    Work,
    /// It describes the work at length, so that only a label, a table or a session states a check.
    Description,
    /// It stands below a heading such as Scope or Why: as a description, but a command with an arrow behind it is a check.
    Aside,
}

impl Purpose {
    /// Whether a text without a label is no check.
    fn is_text(self, text: &str) -> bool {
        match self {
            Purpose::Criteria | Purpose::Work => false,
            Purpose::Description => true,
            Purpose::Aside => !["` →", "` ->", "` ⇒", "` =>"].iter().any(|arrow| text.contains(arrow)),
        }
    }
}

/// The criteria of a range except for the ranges in `without`; they have no id yet.
pub(crate) fn find(outline: &Outline, at: Extent, purpose: Purpose, without: &[Extent]) -> Vec<Criterion> {
    let mut finder = Finder::new(outline, without);
    finder.region(at, purpose);
    finder.found
}

/// The criteria below a label; `lead` is a text beside the label that belongs to each.
pub(crate) fn find_below(outline: &Outline, lead: Option<Extent>, at: Extent) -> Vec<Criterion> {
    let mut finder = Finder { lead, ..Finder::new(outline, &[]) };
    finder.region(at, Purpose::Criteria);
    finder.found
}

/// The criteria that a box with everything below it states. The first of them has the box.
pub(crate) fn boxed(outline: &Outline, item: &Item, end: usize, role: Role) -> Vec<Criterion> {
    let at = Extent { start: item.at.start, end: item.at.end.min(end).max(item.text) };
    let mut finder = Finder::new(outline, &[]);
    if role == Role::Criterion {
        finder.own_criterion(item, at.end, &[]);
        return finder.found;
    }
    let located = finder.whole(item, at.end);
    finder.take(&Located { role, ..located }, base(outline, item, at.end, item.mark), true);
    finder.found
}

/// The criteria of a text behind a label of the dialect, with what belongs to it up to `end`; and where they end.
pub(crate) fn labelled(outline: &Outline, value: Extent, end: usize, role: Role) -> (Vec<Criterion>, usize) {
    let mut finder = Finder::new(outline, &[]);
    let blocks = blocks::of(outline, Extent { start: value.start, end: end.max(value.end) }, &[]);
    let count = finder.attached(&blocks, 0);
    let own = blocks.get(..count).unwrap_or_default();
    let Some(last) = own.last() else { return (Vec::new(), value.end) };
    let located = Located { role, ..finder.located(own, value.start) };
    let (text, span) = (outline.shown(outline.trimmed(value)), outline.span(outline.trimmed(value)));
    finder.take(&located, Criterion { text, span, ..Criterion::default() }, true);
    (finder.found, last.at.end)
}

/// The checks of a step with this name and this text below it. A name belongs to the check where the step is nothing but
/// that check; a step without a check below it may be one by its name.
pub(crate) fn step(outline: &Outline, name: Extent, below: Extent, base: &Criterion) -> Vec<Criterion> {
    let mut finder = Finder { category: base.category.clone(), ..Finder::new(outline, &[]) };
    let blocks = blocks::of(outline, below, &[]);
    let named = name.start < name.end;
    let announces = blocks.first().is_some_and(|first| {
        first.what == What::Text && matches!(labels::label(&finder.text(first.at)), Some((Label::Verify, "")))
    });
    let is_one = named && !announces && finder.attached(&blocks, 0) == blocks.len();
    finder.lead = is_one.then_some(name);
    finder.blocks(&blocks, Purpose::Work);
    let mut found = finder.found;
    if found.is_empty() && named && has_code(outline.str(name)) {
        let text = item_text::joined(outline, name);
        let title_part = Located::text(&text, name).as_step();
        let base = Criterion { span: outline.span(name), ..base.clone() };
        return title(outline, title_part, &base, &[below]).0;
    }
    // What belongs to no step has its own text.
    for criterion in found.iter_mut().filter(|_| named) {
        criterion.text.clone_from(&base.text);
    }
    found
}

/// The title of a task as a check, and the blocks below the task that belong to it: all that are neither a field of the
/// task nor labelled as checks of their own.
pub(crate) fn title(
    outline: &Outline,
    title: Located<'_>,
    base: &Criterion,
    below: &[Extent],
) -> (Vec<Criterion>, Vec<Extent>) {
    if matches!(checks::read(&title, Synonyms::project()), Reading::Prose) {
        return (Vec::new(), Vec::new());
    }
    let finder = Finder::new(outline, &[]);
    let blocks = below.iter().flat_map(|gap| blocks::of(outline, *gap, &[]));
    let own: Vec<Block> = blocks.filter(|block| finder.belongs_to_title(block)).collect();
    let parts = title.parts.into_iter().map(|part| Part {
        kind: Kind::Text,
        text: Cow::Owned(part.text.into_owned()),
        at: part.at,
    });
    let located = Located { role: title.role, parts: parts.chain(finder.parts(&own)).collect() };
    (criteria(outline, &located, base, false), own.iter().map(|block| block.at).collect())
}

/// Reads one criterion that a format has located itself.
pub(crate) fn read(outline: &Outline, located: &Located<'_>, base: &Criterion) -> Vec<Criterion> {
    criteria(outline, located, base, true)
}

/// Adds criteria to a task, numbered after those that it has; `category` is for those without one.
pub(crate) fn add(task: &mut Task, category: &str, found: impl IntoIterator<Item = Criterion>) {
    let id = task.id.0.clone();
    number(&id, category, found, &mut task.criteria);
}

/// The same for any list of criteria, with `owner` in their ids.
pub(crate) fn number(
    owner: &str,
    category: &str,
    found: impl IntoIterator<Item = Criterion>,
    all: &mut Vec<Criterion>,
) {
    for mut criterion in found {
        criterion.id = format!("{owner}:{}", all.len() + 1);
        if criterion.category.is_empty() {
            category.clone_into(&mut criterion.category);
        }
        all.push(criterion);
    }
}

/// The criteria of a reading; plain prose counts only where it is asked for.
fn criteria(outline: &Outline, located: &Located<'_>, base: &Criterion, prose: bool) -> Vec<Criterion> {
    match checks::read(located, Synonyms::project()) {
        Reading::Prose if !prose => Vec::new(),
        reading => reading.criteria(base, |at| outline.span(at)),
    }
}

struct Finder<'r, 'o> {
    outline: &'r Outline<'o>,
    without: &'r [Extent],
    /// The category that the last heading of one names.
    category: String,
    /// A text that introduces the blocks after it: `These must fail:`.
    lead: Option<Extent>,
    /// Whether the last block is a paragraph with a check.
    below_check: bool,
    found: Vec<Criterion>,
}

impl<'r, 'o> Finder<'r, 'o> {
    fn new(outline: &'r Outline<'o>, without: &'r [Extent]) -> Self {
        Self { outline, without, category: String::new(), lead: None, below_check: false, found: Vec::new() }
    }

    fn region(&mut self, at: Extent, purpose: Purpose) {
        let blocks = blocks::of(self.outline, at, self.without);
        self.blocks(&blocks, purpose);
    }

    /// The criteria of a range, and the blocks behind it that belong to the last of them.
    fn region_with(&mut self, at: Extent, more: &[Block]) {
        let mut blocks = blocks::of(self.outline, at, self.without);
        blocks.extend(more);
        self.blocks(&blocks, Purpose::Criteria);
    }

    fn blocks(&mut self, blocks: &[Block], purpose: Purpose) {
        let lead = self.lead;
        let mut next = 0;
        while let Some(block) = blocks.get(next) {
            let taken = match block.what {
                What::Text => self.paragraph(blocks, next, purpose),
                What::Item(index) => self.item(blocks, next, index, purpose),
                What::Fence(index) => self.fence(blocks, next, index, purpose),
                What::Table(index) => {
                    self.table(index, purpose);
                    1
                }
                What::Heading(index) => self.heading(blocks, next, index, purpose),
            };
            next += taken.max(1);
            self.below_check = block.what == What::Text && {
                let text = self.text(block.at);
                let goes_on = self.below_check && block.follows && starts_with_code(&text);
                goes_on || matches!(labels::label(&text), Some((Label::Verify, _)))
            };
            // An introduction is for the list, the table or the block directly after it.
            let goes_on = matches!(blocks.get(next).map(|block| block.what), Some(What::Item(_)));
            let introduces = matches!(block.what, What::Text | What::Heading(_));
            if !(introduces || matches!(block.what, What::Item(_)) && goes_on) {
                self.lead = lead;
            }
        }
        self.lead = lead;
    }

    /// A heading of checks makes what is below it criteria.
    fn heading(&mut self, blocks: &[Block], next: usize, index: usize, purpose: Purpose) -> usize {
        let Some(heading) = self.outline.headings.get(index) else { return 1 };
        let title = self.outline.str(heading.at);
        if let Some((name, _)) = categories::line(title) {
            self.category = name;
            return 1;
        }
        self.category.clear();
        let name = title.trim_matches(['#', ' ', '\t', ':', '*']);
        let role = sections::of_title(name);
        let asks = matches!(labels::label(&format!("{name}:")), Some((Label::Verify, "")))
            || role == Some(sections::Role::Criteria);
        let purpose = match role {
            _ if purpose == Purpose::Criteria => {
                self.lead = checks::denies_or_counts(name).then_some(heading.at);
                return 1;
            }
            _ if asks => Purpose::Criteria,
            Some(sections::Role::Tasks | sections::Role::Checks) => return 1,
            _ if purpose != Purpose::Work || units::unit(name).is_some() => return 1,
            _ => Purpose::Aside,
        };
        let ends = |block: &Block| match block.what {
            What::Heading(other) => {
                self.outline.headings.get(other).is_some_and(|other| other.level <= heading.level)
            }
            _ => false,
        };
        let below = blocks.get(next + 1..).unwrap_or_default();
        let count = below.iter().position(ends).unwrap_or(below.len());
        if purpose == Purpose::Criteria {
            self.category = name.to_lowercase();
        }
        self.blocks(&below[..count], purpose);
        self.category.clear();
        count + 1
    }

    fn paragraph(&mut self, blocks: &[Block], next: usize, purpose: Purpose) -> usize {
        let Some(block) = blocks.get(next) else { return 1 };
        let text = self.text(block.at);
        let mut start = block.at.start;
        if purpose == Purpose::Criteria
            && let Some((name, rest)) = categories::line(&text)
        {
            self.category = name;
            if rest.is_empty() {
                return 1;
            }
            start = block.at.end - rest.len().min(block.at.end - block.at.start);
        }
        let label = labels::label(&text);
        let describes = purpose.is_text(&text) && (label.is_none() || is_of_work(&text));
        if describes && !(self.below_check && block.follows && starts_with_code(&text)) {
            return 1;
        }
        let role = match label {
            Some((Label::Verify, "")) => return self.below_label(blocks, next, purpose),
            Some((Label::Verify, _)) => Role::Criterion,
            Some((Label::Run, _)) => role_in(purpose),
            Some((Label::Note, _)) => return 1,
            Some((Label::Expected, _)) | None => {
                if !has_code(&text) && introduces(&text) {
                    if purpose == Purpose::Work && is_aside(&text) {
                        return self.below_aside(blocks, next);
                    }
                    self.lead = Some(block.at);
                    return 1;
                }
                let below = blocks.get(next + 1).map(|block| (block.what, block.follows));
                let above = match below {
                    Some((What::Fence(_), true)) => {
                        labels::speaks_of_result(&text) || checks::denies_or_counts(&text)
                    }
                    Some((What::Item(_) | What::Table(_), _)) => checks::denies_or_counts(&text),
                    _ => false,
                };
                if !has_code(&text) && purpose == Purpose::Criteria && above {
                    self.lead = Some(block.at);
                    return 1;
                }
                if !has_code(&text) && purpose != Purpose::Criteria {
                    self.lead = None;
                    return 1;
                }
                if self.below_check && block.follows && starts_with_code(&text) {
                    Role::Criterion
                } else if purpose != Purpose::Criteria && is_prose(&self.located(&[*block], start)) {
                    self.lead = introduces(&text).then_some(block.at);
                    return 1;
                } else {
                    role_in(purpose)
                }
            }
        };
        let count = self.attached(blocks, next);
        let mut located = self.located(&blocks[next..next + count], start);
        located.role = role;
        let asked = place_asks(&text, purpose, role);
        self.lead_in(&mut located);
        let text = behind_label(&text).to_owned();
        let span = self.outline.span(Extent { start, end: block.at.end });
        self.take(&located, Criterion { text, span, ..Criterion::default() }, asked);
        count
    }

    /// The list below a label such as `**Scope:**` describes the work.
    fn below_aside(&mut self, blocks: &[Block], next: usize) -> usize {
        let below = blocks.get(next + 1..).unwrap_or_default();
        let count = below.iter().take_while(|block| matches!(block.what, What::Item(_))).count();
        self.blocks(below.get(..count).unwrap_or_default(), Purpose::Aside);
        count + 1
    }

    /// A label alone on its line: the list, the table or the block after it states the checks.
    fn below_label(&mut self, blocks: &[Block], next: usize, purpose: Purpose) -> usize {
        if purpose == Purpose::Criteria {
            return 1;
        }
        let below = blocks.get(next + 1..).unwrap_or_default();
        let mut count = 0;
        for block in below {
            let belongs = match block.what {
                What::Item(_) | What::Fence(_) | What::Table(_) => true,
                What::Text => {
                    count > 0 && self.is_result(block) || count == 0 && starts_with_code(&self.text(block.at))
                }
                What::Heading(_) => false,
            };
            // A list that is not directly below the label's list is another one.
            if !belongs {
                break;
            }
            count += 1;
        }
        self.blocks(&below[..count], Purpose::Criteria);
        count + 1
    }

    fn item(&mut self, blocks: &[Block], next: usize, index: usize, purpose: Purpose) -> usize {
        let Some(item) = self.outline.items.get(index).filter(|item| !item.quoted) else { return 1 };
        let end = blocks.get(next).map_or(item.at.end, |block| block.at.end);
        let attached = self.attached(blocks, next);
        let more = blocks.get(next + 1..next + attached).unwrap_or_default();
        let used = match purpose {
            Purpose::Criteria => self.criterion(item, end, more),
            Purpose::Work | Purpose::Description | Purpose::Aside => self.step(item, end, more, purpose),
        };
        if used { attached } else { 1 }
    }

    /// An item among criteria, and the boxes below it, which are criteria of their own; returns whether the blocks after
    /// it that belong to it are consumed.
    fn criterion(&mut self, item: &Item, end: usize, more: &[Block]) -> bool {
        let Some(below) = self.own_criterion(item, end, more) else { return !more.is_empty() };
        let mut skip = below.start;
        for inner in self.outline.items_in(below).iter().filter(|inner| inner.mark.is_some() && !inner.quoted)
        {
            if inner.at.start >= skip && !self.is_left_out(inner) {
                skip = inner.at.end;
                self.criterion(inner, below.end, &[]);
            }
        }
        true
    }

    /// An item among criteria without the boxes below it; the range below it, unless it only announces what is there.
    fn own_criterion(&mut self, item: &Item, end: usize, more: &[Block]) -> Option<Extent> {
        let first = item_text::first(self.outline, item, end);
        let text = item_text::joined(self.outline, first);
        let below = Extent { start: first.end, end: item.at.end.min(end).max(first.end) };
        // `[A]`, `[S]` and `[H]` say that an agent, an agent at the running program, or a person checks it.
        let who = item.mark.and_then(|mark| who(self.outline.str(mark)));
        let mark = item.mark.filter(|_| who.is_none());
        let mut start = item.text;
        let mut shown = text.as_str();
        if let Some((name, rest)) = categories::line(&text) {
            self.category = name;
            shown = rest;
            start = first.end - rest.len().min(first.end - first.start);
        }
        let announces = shown.is_empty() && text.len() > shown.len() || is_nothing(shown, item);
        if let Some(below) = self.below_bare_label(item, end).or(announces.then_some(below)) {
            self.region_with(below, more);
            return None;
        }
        let category = who.map_or_else(|| self.category.clone(), str::to_owned);
        let mut base = base(self.outline, item, end, mark);
        shown.clone_into(&mut base.text);
        base.category = category;
        let mut located = self.whole(item, end);
        if let Some(part) = located.parts.first_mut().filter(|_| start > item.text) {
            (part.text, part.at.start) = (Cow::Owned(shown.to_owned()), start);
        }
        untag(&mut located, &mut base);
        self.lead_in(&mut located);
        located.parts.extend(self.parts(more));
        if !self.split(item, &located, &base, below) {
            self.take(&located, base, true);
        }
        Some(below)
    }

    /// The text of an item below its first line, where that line is nothing but `Verify:`.
    fn below_bare_label(&self, item: &Item, end: usize) -> Option<Extent> {
        let line = items::line_of(self.outline, item);
        let bare = matches!(labels::label(self.outline.str(line)), Some((Label::Verify, "")));
        bare.then(|| Extent { start: line.end, end: item.at.end.min(end).max(line.end) })
    }

    /// An item without a command whose items below are several commands: each is a criterion with the item's text.
    fn split(&mut self, item: &Item, located: &Located<'_>, base: &Criterion, below: Extent) -> bool {
        let Some(lead) = located.parts.iter().position(|part| part.kind == Kind::Item) else { return false };
        let (above, _) = located.parts.split_at(lead);
        let inner: Vec<&Item> = children(self.outline, below).collect();
        let commands = inner.iter().all(|inner| {
            let first = item_text::first(self.outline, inner, below.end);
            inner.mark.is_none() && has_code(self.outline.str(first))
        });
        let plain = above.iter().all(|part| matches!(part.kind, Kind::Text) && !has_code(&part.text));
        let items_only = located.parts.get(lead..).is_some_and(|parts| {
            parts.iter().all(|part| part.at.start >= below.start && part.at.end <= item.at.end)
        });
        if inner.len() < 2 || !commands || !plain || !items_only {
            return false;
        }
        let above = above.to_vec();
        for (number, inner) in inner.into_iter().enumerate() {
            let mut own = self.whole(inner, below.end);
            own.parts.splice(..0, above.iter().cloned());
            let mut base = base.clone();
            if number > 0 {
                let first = item_text::first(self.outline, inner, below.end);
                base.text = item_text::joined(self.outline, first);
                (base.boxed, base.checked, base.span) = (false, false, self.outline.span(first));
            }
            self.take(&own, base, true);
        }
        true
    }

    /// An item of the work; returns whether the blocks after it that belong to it are consumed.
    fn step(&mut self, item: &'r Item, end: usize, more: &[Block], purpose: Purpose) -> bool {
        let first = item_text::first(self.outline, item, end);
        let text = item_text::joined(self.outline, first);
        let below = Extent { start: first.end, end: item.at.end.min(end).max(first.end) };
        if purpose.is_text(&text) && is_of_work(&text) {
            return false;
        }
        if let Some(below) = self.below_bare_label(item, end) {
            self.region_with(below, more);
            return !more.is_empty();
        }
        let (role, asked) = match labels::label(&text) {
            Some((Label::Verify, _)) => (Role::Criterion, place_asks(&text, Purpose::Work, Role::Criterion)),
            Some((Label::Run, _)) => (Role::Step, false),
            Some((Label::Expected | Label::Note, _)) => return false,
            None => {
                if task_fields::is_one(&text) {
                    return false;
                }
                if purpose.is_text(&text) {
                    self.below(first, &text, below, purpose);
                    return false;
                }
                let alone = Located::range(self.outline, Extent { start: item.text, end: first.end }, &[]);
                if !has_code(&text) || is_prose(&alone) {
                    self.below(first, &text, below, purpose);
                    return false;
                }
                (Role::Step, false)
            }
        };
        let mut located = self.whole(item, end);
        located.role = role;
        if self.lead.is_some_and(|lead| labels::speaks_of_result(&self.text(lead))) {
            self.lead_in(&mut located);
        }
        located.parts.extend(self.parts(more));
        let base = Criterion { text: behind_label(&text).to_owned(), ..base(self.outline, item, end, None) };
        self.take(&located, base, asked);
        true
    }

    /// What stands below an item without a check; its text belongs to them where it speaks of a result.
    fn below(&mut self, first: Extent, text: &str, below: Extent, purpose: Purpose) {
        let outer = self.lead;
        if labels::speaks_of_result(text) {
            self.lead = Some(first);
        }
        self.region(below, purpose);
        self.lead = outer;
    }

    fn fence(&mut self, blocks: &[Block], next: usize, index: usize, purpose: Purpose) -> usize {
        let Some(fence) = self.outline.fences.get(index) else { return 1 };
        let session = is_session(&fence.language);
        let count = self.attached(blocks, next);
        let stated = blocks.get(next + 1).is_some_and(|after| count > 1 && self.is_result(after));
        let counts = session || is_shell(&fence.language) && (purpose == Purpose::Criteria || stated);
        if !counts {
            return 1;
        }
        let script = checks::fenced::text(self.outline, fence);
        let role = if session || purpose == Purpose::Criteria { Role::Criterion } else { Role::Step };
        let span = self.outline.span(fence.at);
        let base = Criterion { text: script.trim().to_owned(), span, ..Criterion::default() };
        let mut located = self.located(&blocks[next..next + count], fence.at.start);
        located.role = role;
        self.lead_in(&mut located);
        self.take(&located, base, role == Role::Criterion);
        count
    }

    /// The rows of a table with a column of commands or results.
    fn table(&mut self, index: usize, purpose: Purpose) {
        let Some(table) = self.outline.tables.get(index) else { return };
        let headings = table.rows.first().into_iter().flatten().map(|at| self.outline.str(*at).trim());
        let headings: Vec<&str> = headings.collect();
        let asks = if purpose == Purpose::Criteria { rows::has_commands } else { rows::are_checks };
        if !asks(&headings) {
            return;
        }
        for (number, row) in table.rows.iter().enumerate().skip(1) {
            let mut located = Located::row(self.outline, table, number);
            let lead = self.lead.map(|at| Located::range(self.outline, at, self.without).parts);
            // An introduction is a cell without a heading: the title of the row.
            let lead = lead
                .into_iter()
                .flatten()
                .map(|part| Part { kind: Kind::Cell { heading: "".into() }, ..part });
            located.parts.splice(..0, lead);
            if let Some(more) = row.last().and_then(|last| self.behind(*last, table.at.end)) {
                located.parts.push(Part { kind: Kind::Text, text: self.outline.view(more), at: more });
            }
            let cells: Vec<&str> =
                located.parts.iter().map(|part| &*part.text).filter(|t| !t.is_empty()).collect();
            let text = cells.join(" | ");
            let (Some(first), Some(last)) = (row.first(), row.last()) else { continue };
            let at = self.outline.trimmed(Extent { start: first.start, end: last.end });
            let base = Criterion { text, span: self.outline.span(at), ..Criterion::default() };
            self.take(&located, base, purpose == Purpose::Criteria && !cells.is_empty());
        }
    }

    /// A cell behind the last column, which Markdown leaves out.
    fn behind(&self, last: Extent, end: usize) -> Option<Extent> {
        let rest = self.outline.str(Extent { start: last.end, end });
        let line = rest.split(['\n', '\r']).next().unwrap_or_default();
        let text = line.trim_matches(['|', ' ', '\t']);
        let start = last.end + line.find(text).filter(|_| !text.is_empty())?;
        Some(Extent { start, end: start + text.len() })
    }

    /// How many blocks from `first` on are one criterion.
    fn attached(&self, blocks: &[Block], first: usize) -> usize {
        let Some(block) = blocks.get(first) else { return 0 };
        let begins_with_text = matches!(block.what, What::Text | What::Fence(_));
        let mut open = introduces(&self.text(block.at)) && !matches!(block.what, What::Fence(_));
        let mut list = false;
        let mut count = 1;
        while let Some(block) = blocks.get(first + count) {
            let belongs = match block.what {
                What::Text => {
                    let text = self.text(block.at);
                    let next = blocks.get(first + count + 1);
                    self.is_result(block) || begins_with_text && self.goes_on(&text, next)
                }
                What::Item(index) => {
                    let item = self.outline.items.get(index);
                    let boxed = item.is_none_or(|item| item.mark.is_some());
                    let directly = begins_with_text && block.follows && !self.begins_own(block);
                    !boxed && (open || list || directly || self.is_result(block))
                }
                What::Fence(index) => {
                    let language = self.outline.fences.get(index).map_or("", |fence| &fence.language);
                    open && !list || is_output(language) && block.follows
                }
                // `# 3` right below a block within an item.
                What::Heading(index) => {
                    block.follows
                        && self
                            .outline
                            .headings
                            .get(index)
                            .is_some_and(|heading| self.is_indented(heading.at))
                }
                What::Table(_) => false,
            };
            if !belongs {
                break;
            }
            list = matches!(block.what, What::Item(_)) && (open || list || !self.is_result(block));
            open = matches!(block.what, What::Text) && introduces(&self.text(block.at));
            count += 1;
        }
        count
    }

    fn is_indented(&self, at: Extent) -> bool {
        self.outline.str(Extent { start: 0, end: at.start }).ends_with("  ")
    }

    /// Whether a block below a task that is a check belongs to that check.
    fn belongs_to_title(&self, block: &Block) -> bool {
        let text = match block.what {
            What::Text => self.text(block.at),
            What::Item(index) => {
                let item = self.outline.items.get(index);
                item.map(|item| {
                    item_text::joined(self.outline, item_text::first(self.outline, item, block.at.end))
                })
                .unwrap_or_default()
            }
            What::Fence(_) => return true,
            What::Table(_) | What::Heading(_) => return false,
        };
        let asks = matches!(labels::label(&text), Some((Label::Verify | Label::Run, _)));
        !asks && !task_fields::is_one(&text) && !is_remark(&text)
    }

    /// Whether an item is a check or a field of its own.
    fn begins_own(&self, block: &Block) -> bool {
        let What::Item(index) = block.what else { return true };
        let Some(item) = self.outline.items.get(index) else { return true };
        let text = item_text::joined(self.outline, item_text::first(self.outline, item, block.at.end));
        let asks = matches!(labels::label(&text), Some((Label::Verify | Label::Run, _)));
        asks || starts_with_code(&text) || task_fields::is_one(&text)
    }

    /// Whether a block states the result of the command before it.
    fn is_result(&self, block: &Block) -> bool {
        let text = match block.what {
            What::Text => self.text(block.at),
            What::Item(index) => {
                let Some(item) = self.outline.items.get(index).filter(|item| item.mark.is_none()) else {
                    return false;
                };
                item_text::joined(self.outline, item_text::first(self.outline, item, block.at.end))
            }
            _ => return false,
        };
        match labels::label(&text) {
            Some((label, _)) => matches!(label, Label::Expected | Label::Note),
            None => labels::goes_on(&text) || labels::begins_part(&text) && !text.starts_with("$ "),
        }
    }

    /// Whether a paragraph after a paragraph of a check goes on with it: it has no label, does not begin with a
    /// command, and does not introduce code to write.
    fn goes_on(&self, text: &str, next: Option<&Block>) -> bool {
        if labels::label(text).is_some() || starts_with_command(text) || text.starts_with("**") {
            return false;
        }
        if !introduces(text) {
            return true;
        }
        next.is_some_and(|next| match next.what {
            What::Fence(index) => {
                self.outline.fences.get(index).is_some_and(|fence| is_output(&fence.language))
            }
            _ => false,
        })
    }

    /// Everything of an item except for the boxes below it.
    fn whole(&self, item: &Item, end: usize) -> Located<'r> {
        Located::item(self.outline, item, end, |inner| inner.mark.is_some() || self.is_left_out(inner))
    }

    fn is_left_out(&self, item: &Item) -> bool {
        self.without.iter().any(|out| out.start <= item.at.start && item.at.start < out.end)
    }

    /// The parts of blocks, the first of them from `start` on.
    fn located(&self, blocks: &[Block], start: usize) -> Located<'r> {
        let Some((first, more)) = blocks.split_first() else { return Located::default() };
        let at = Extent { start: start.max(first.at.start), end: first.at.end };
        let mut located = Located::range(self.outline, at, self.without);
        located.parts.extend(self.parts(more));
        located
    }

    fn parts(&self, blocks: &[Block]) -> Vec<Part<'r>> {
        let parts = blocks.iter().flat_map(|block| match block.what {
            What::Item(index) => {
                let item = self.outline.items.get(index);
                let mut parts = item.map(|item| self.whole(item, block.at.end).parts).unwrap_or_default();
                if let Some(first) = parts.first_mut() {
                    first.kind = Kind::Item;
                }
                parts
            }
            _ => Located::range(self.outline, block.at, self.without).parts,
        });
        parts.collect()
    }

    /// Puts the introduction before a criterion.
    fn lead_in(&self, located: &mut Located<'r>) {
        if let Some(at) = self.lead {
            located.parts.splice(..0, Located::range(self.outline, at, self.without).parts);
        }
    }

    /// Reads a criterion; plain prose counts only where it is asked for.
    fn take(&mut self, located: &Located<'_>, mut base: Criterion, prose: bool) {
        if base.category.is_empty() {
            base.category.clone_from(&self.category);
        }
        let found = criteria(self.outline, located, &base, prose);
        // A text that turns the checks above it round belongs to them.
        let is_prose = matches!(found.as_slice(), [only] if only.command.is_none() && only.unclear.is_none() && only.skip.is_none());
        let follows = self.found.iter().any(|earlier| earlier.command.is_some());
        if let Some(part) =
            located.parts.first().filter(|part| is_prose && follows && labels::speaks_of_others(&part.text))
        {
            let unclear = Reading::Unclear(checks::reading::about_others(part));
            self.found.extend(unclear.criteria(&base, |at| self.outline.span(at)));
            return;
        }
        self.found.extend(found);
    }

    fn text(&self, at: Extent) -> String {
        item_text::joined(self.outline, at)
    }
}

/// Whether the list that begins after a range stands below a label or a heading of checks: `Done when:`.
pub(crate) fn is_below_label(outline: &Outline, above: Extent) -> bool {
    let text = outline.str(above);
    let is_plain = |line: &&str| {
        !line.trim().is_empty() && !line.starts_with([' ', '\t']) && marks::after_bullet(line).is_none()
    };
    let Some(line) = text.lines().rev().find(is_plain) else { return false };
    let name = line.trim_start_matches('#').trim();
    // A heading or a bold line needs no colon.
    let bold = name.len() > 4 && name.starts_with("**") && name.ends_with("**");
    let alone = line.starts_with('#') || bold;
    let name = name.trim_matches(['*', ':', ' ']);
    let labelled = alone.then(|| format!("{name}:"));
    matches!(labels::label(labelled.as_deref().unwrap_or(line)), Some((Label::Verify, "")))
        || alone && sections::of_title(name) == Some(sections::Role::Criteria)
}

/// The outermost boxes of a range.
pub(crate) fn boxes_in(outline: &Outline, at: Extent) -> Vec<Extent> {
    let mut found: Vec<Extent> = Vec::new();
    for item in outline.items_in(at).iter().filter(|item| item.mark.is_some() && !item.quoted) {
        if found.last().is_none_or(|last| item.at.start >= last.end) {
            found.push(item.at);
        }
    }
    found
}

/// What a format knows of an item.
fn base(outline: &Outline, item: &Item, end: usize, mark: Option<Extent>) -> Criterion {
    let first = item_text::first(outline, item, end);
    Criterion {
        text: item_text::joined(outline, first),
        checked: mark.is_some_and(|mark| marks::is_ticked(outline.str(mark))),
        span: outline.span(mark.unwrap_or(Extent { start: item.at.start, end: first.end })),
        boxed: mark.is_some(),
        ..Criterion::default()
    }
}

/// Whether a text of the work states no check.
fn is_prose(located: &Located<'_>) -> bool {
    let step = Located { role: Role::Step, parts: located.parts.clone() };
    matches!(checks::read(&step, Synonyms::project()), Reading::Prose)
}

/// The outermost items of a range.
fn children<'o>(outline: &'o Outline, at: Extent) -> impl Iterator<Item = &'o Item> {
    let items = outline.items_in(at);
    let depth = items.iter().map(|item| item.depth).min().unwrap_or(0);
    items.iter().filter(move |item| item.depth == depth && !item.quoted)
}

/// Takes a category in brackets at the end of a criterion out of its text.
fn untag(located: &mut Located<'_>, base: &mut Criterion) {
    let Some(part) = located.parts.first_mut() else { return };
    let Some((tag, rest)) = categories::tag(&part.text) else { return };
    base.category = tag.to_lowercase();
    let rest = rest.to_owned();
    part.at.end = part.at.start + rest.len().min(part.at.end - part.at.start);
    part.text = Cow::Owned(rest);
}

/// `- (none)`, `- -`, an item without a text.
fn is_nothing(text: &str, item: &Item) -> bool {
    item_text::is_none(text) && (item.mark.is_none() || text.is_empty())
}

fn role_in(purpose: Purpose) -> Role {
    match purpose {
        Purpose::Criteria => Role::Criterion,
        Purpose::Work | Purpose::Description | Purpose::Aside => Role::Step,
    }
}

/// Whether a text without a command is a criterion too. `Test: the button` describes work to do; only a command there is
/// a check.
fn place_asks(text: &str, purpose: Purpose, role: Role) -> bool {
    purpose == Purpose::Criteria || role == Role::Criterion && !is_of_work(text)
}

/// Whether a label may announce work as well: `Test: the button`.
fn is_of_work(text: &str) -> bool {
    let Some((name, _)) = text.split_once([':', '：']) else { return false };
    let name = name.trim_matches(['*', '_', ' ']).to_lowercase();
    matches!(name.as_str(), "test" | "tests" | "check" | "checks" | "테스트" | "测试" | "テスト")
}

/// The text behind the label that asks for a check.
fn behind_label(text: &str) -> &str {
    match labels::label(text) {
        Some((Label::Verify | Label::Run, rest)) if !rest.is_empty() => rest,
        _ => text,
    }
}

/// Whether a label introduces a text about the work, and no steps: `**Scope:**`, `**Context:**`.
fn is_aside(text: &str) -> bool {
    let name = text.trim_matches(['*', '_', ' ', ':', '：']);
    let role = sections::of_title(name);
    role.is_some_and(sections::Role::is_about) || name.to_lowercase().ends_with("scope")
}

/// Whether a text announces what comes after it.
fn introduces(text: &str) -> bool {
    text.trim_end_matches(['*', '_', ' ']).ends_with([':', '：'])
}

fn has_code(text: &str) -> bool {
    memchr(b'`', text.as_bytes()).is_some()
}

fn starts_with_code(text: &str) -> bool {
    text.starts_with('`')
}

/// Whether a text begins with a code span that is a command, or may be one.
fn starts_with_command(text: &str) -> bool {
    let span = text.strip_prefix('`').and_then(|rest| rest.split_once('`'));
    span.is_some_and(|(code, rest)| {
        checks::commands::shape(code) != checks::commands::Shape::Other || !rest.trim().is_empty()
    })
}

fn is_shell(language: &str) -> bool {
    matches!(language, "bash" | "sh" | "shell" | "zsh")
}

fn is_session(language: &str) -> bool {
    matches!(
        language,
        "console" | "shell-session" | "shellsession" | "sh-session" | "terminal" | "cram" | "trycmd"
    )
}

/// The languages of blocks that show an output.
fn is_output(language: &str) -> bool {
    matches!(language, "" | "text" | "txt" | "output" | "plaintext" | "log")
}

/// `_Requirements: 1.1_` is a field of some dialects.
fn is_remark(text: &str) -> bool {
    text.starts_with('_') && text.trim_end_matches(['.', '*']).ends_with('_') && text.contains(':')
}

/// The meaning of a letter in brackets before a criterion.
fn who(mark: &str) -> Option<&'static str> {
    match mark {
        "A" => Some("agent"),
        "S" => Some("sandbox"),
        "H" => Some("human"),
        _ => None,
    }
}
