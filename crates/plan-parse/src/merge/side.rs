//! One version of a plan with its pieces.

use crate::merge::pairs::Pairs;
use crate::merge::pieces::{self, Names, Piece};
use dialects::write::{self, Change, Edit};
use dialects::{PlanSnapshot, Shape};
use markdown::Text;
use repo::tree::OwnFiles;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use wire::plan::{Criterion, Span};
use wire::{Plan, State, Task};

/// One version.
#[derive(Debug, Clone)]
pub(crate) struct Side<'s> {
    pub(crate) bytes: Cow<'s, [u8]>,
    pub(crate) plan: Arc<Plan>,
    pub(crate) pieces: Vec<Piece>,
    /// Whether it is JSON, and its pieces are tokens.
    pub(crate) is_data: bool,
    path: String,
}

/// What a task asks for: its text without boxes and blanks, and its checks.
pub(crate) type Asks = (Vec<u32>, Vec<(String, Option<String>, String)>);

impl<'s> Side<'s> {
    /// Reads a version; `None` if it is no plan (of this dialect).
    pub(crate) fn read(
        path: &str,
        bytes: &'s [u8],
        dialect: Option<&str>,
        names: &mut Names,
    ) -> Option<Self> {
        let plan = dialects::read(&Text { path, bytes }, None).ok()?;
        if dialect.is_some_and(|dialect| plan.source.dialect != dialect) {
            return None;
        }
        Some(Self::of(path, Cow::Borrowed(bytes), plan, names))
    }

    /// The version of a file that was not there.
    pub(crate) fn empty(path: &str, bytes: &'s [u8], names: &mut Names) -> Self {
        Self::of(path, Cow::Borrowed(bytes), Plan::default(), names)
    }

    fn of(path: &str, bytes: Cow<'s, [u8]>, plan: Plan, names: &mut Names) -> Self {
        let is_data = is_json(&plan, &bytes);
        let places = if is_data { pieces::tokens(&bytes) } else { pieces::lines(&bytes) };
        let cuts = dialects::cuts(&plan, path, &bytes);
        let states = states(&plan, path);
        let owners = owners(&plan, path, &bytes, &places);
        let mut next = 0;
        let all = places.into_iter().zip(owners).map(|(at, owner)| {
            let first = next;
            while cuts.get(next).is_some_and(|cut| cut.at.start < at.end) {
                next += 1;
            }
            let own = &cuts[first..next];
            let mut boxes = own.iter().filter(|cut| cut.is_box);
            let only = boxes.next().filter(|_| boxes.next().is_none());
            let said = only.and_then(|cut| states.get(&cut.at.start));
            let text = &bytes[at.clone()];
            Piece {
                key: names.key(pieces::blanked(&bytes, &at, own)),
                is_blank: text.iter().all(u8::is_ascii_whitespace),
                owner,
                state: said.map(|(state, _)| *state),
                is_task: said.is_some_and(|(_, is_task)| *is_task),
                at,
            }
        });
        let pieces = all.collect();
        Self { bytes, plan: Arc::new(plan), pieces, is_data, path: path.to_owned() }
    }

    /// The bytes of a piece.
    pub(crate) fn piece(&self, piece: &Piece) -> &[u8] {
        self.bytes.get(piece.at.clone()).unwrap_or_default()
    }

    /// The bytes of several pieces.
    pub(crate) fn text(&self, range: Range<usize>) -> &[u8] {
        let Some(own) = self.pieces.get(range).filter(|own| !own.is_empty()) else { return &[] };
        self.bytes.get(own[0].at.start..own[own.len() - 1].at.end).unwrap_or_default()
    }

    /// The pieces that a span touches.
    pub(crate) fn pieces_of(&self, span: &Span) -> Range<usize> {
        let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        let (start, end) = (at(span.start), at(span.end).max(at(span.start).saturating_add(1)));
        let first = self.pieces.partition_point(|piece| piece.at.end <= start);
        let last = self.pieces.partition_point(|piece| piece.at.start < end);
        first..last.max(first)
    }

    /// What a task asks for.
    pub(crate) fn asks(&self, task: usize) -> Asks {
        let task = &self.plan.tasks[task];
        let pieces = if task.span.path == self.path { self.pieces_of(&task.span) } else { 0..0 };
        let text =
            self.pieces[pieces].iter().filter(|piece| !piece.is_blank).map(|piece| piece.key).collect();
        let check = |c: &Criterion| (c.text.clone(), c.command.clone(), c.required());
        (text, task.criteria.iter().map(check).collect())
    }

    /// Whether the text of a task has its id, as a word of its own.
    pub(crate) fn names_itself(&self, task: &Task) -> bool {
        let text = String::from_utf8_lossy(dialects::body(&self.bytes, &task.span));
        let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        let id = task.id.as_str();
        text.match_indices(id).any(|(at, _)| {
            is_end(text[..at].chars().next_back()) && is_end(text[at + id.len()..].chars().next())
        })
    }

    /// The version with the ticks that the other one gave to tasks which only moved here; itself if it moved none.
    pub(crate) fn with_ticks_of(&self, other: &Side, base: &Side, names: &mut Names) -> Self {
        let (mine, others) = (Pairs::of(&base.plan, &self.plan), Pairs::of(&base.plan, &other.plan));
        let order: Vec<usize> = (0..base.plan.tasks.len()).filter_map(|at| mine.to(at)).collect();
        if self.is_data || order.is_sorted() {
            return self.clone();
        }
        let given = base.plan.tasks.iter().enumerate().filter_map(|(at, was)| {
            let (own, its) = (mine.to(at)?, others.to(at)?);
            let (task, ticked) = (&self.plan.tasks[own], &other.plan.tasks[its]);
            let is_tick =
                ticked.state == State::Completed && task.state == was.state && was.state != ticked.state;
            (is_tick && self.asks(own) == base.asks(at)).then_some((task, ticked))
        });
        let field = self.field();
        let mut edits: Vec<Edit> = Vec::new();
        for (task, ticked) in given {
            let is_ticked = |text: &str| ticked.criteria.iter().any(|c| c.text == text && c.checked);
            let criteria: Vec<&Criterion> =
                task.criteria.iter().filter(|c| c.boxed && is_ticked(&c.text)).collect();
            let change = Change { task, state: State::Completed, criteria: &criteria, now: "", reason: "" };
            edits.extend(write::edits(&field, &change).unwrap_or_default());
        }
        self.edited(edits, names).unwrap_or_else(|| self.clone())
    }

    fn field(&self) -> PlanSnapshot {
        PlanSnapshot {
            plan: Arc::clone(&self.plan),
            files: vec![(self.path.clone(), self.bytes.to_vec().into())],
            ground: OwnFiles::default(),
        }
    }

    /// The version with these edits; `None` if it is no plan with the same tasks any more.
    fn edited(&self, mut edits: Vec<Edit>, names: &mut Names) -> Option<Self> {
        edits.retain(|edit| edit.path == self.path);
        edits.sort_by(|one, other| {
            (one.start, one.end, &one.text).cmp(&(other.start, other.end, &other.text))
        });
        edits.dedup();
        let bytes = write::applied(&self.bytes, &edits.iter().collect::<Vec<_>>());
        let plan = dialects::read(&Text { path: &self.path, bytes: &bytes }, None).ok()?;
        let is_same = plan.tasks.len() == self.plan.tasks.len();
        is_same.then(|| Self::of(&self.path, Cow::Owned(bytes), plan, names))
    }

    /// The version with these tasks open, as they were in `base`; `None` if the format has no way to say so.
    pub(crate) fn reopened(&self, tasks: &[usize], base: &Side, names: &mut Names) -> Option<Self> {
        if tasks.is_empty() {
            return Some(self.clone());
        }
        let field = self.field();
        let to_base = Pairs::of(&self.plan, &base.plan);
        let mut edits: Vec<Edit> = Vec::new();
        for at in tasks {
            let task = &self.plan.tasks[*at];
            let change = Change { task, state: State::Pending, criteria: &[], now: "", reason: "" };
            edits.extend(write::edits(&field, &change).ok()?);
            // The boxes of criteria that were ticked with the task are opened with it.
            let before = to_base.to(*at).map(|was| &base.plan.tasks[was]);
            let was_ticked = |text: &str| {
                before.is_some_and(|was| was.criteria.iter().any(|c| c.text == text && c.checked))
            };
            let ticked = task.criteria.iter().filter(|c| c.boxed && c.checked && !was_ticked(&c.text));
            edits.extend(ticked.filter_map(|c| {
                Some(Edit {
                    path: c.span.path.to_string(),
                    start: usize::try_from(c.span.start).ok()?,
                    end: usize::try_from(c.span.end).ok()?,
                    text: field.word(&c.span, State::Pending).to_owned(),
                })
            }));
        }
        let side = self.edited(edits, names)?;
        let open = |at: &usize| side.plan.tasks.get(*at).is_some_and(|task| task.state != State::Completed);
        tasks.iter().all(open).then_some(side)
    }
}

/// Whether a plan is data that begins like JSON.
fn is_json(plan: &Plan, bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(markdown::outline::BOM).unwrap_or(bytes);
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    let has_data = || {
        let shapes = dialects::row(&plan.source.dialect).shapes;
        shapes.iter().any(|shape| matches!(shape, Shape::Data { .. }))
    };
    matches!(first, Some(b'{' | b'[')) && has_data()
}

/// The state that each box says, by its first byte, and whether it is a task's own.
fn states(plan: &Plan, path: &str) -> HashMap<usize, (State, bool)> {
    let said = |ticked: bool| if ticked { State::Completed } else { State::Pending };
    let criteria = plan.tasks.iter().flat_map(|task| &task.criteria).chain(&plan.gates);
    let criteria = criteria.filter(|c| c.boxed).map(|c| (&c.span, said(c.checked), false));
    let notes = plan.notes.iter().map(|note| (&note.span, said(note.checked), false));
    let tasks = plan.tasks.iter().filter_map(|task| Some((task.mark.as_ref()?, task.state, true)));
    let all = criteria.chain(notes).chain(tasks).filter(|(span, ..)| span.path == path);
    all.filter_map(|(span, state, is_task)| Some((usize::try_from(span.start).ok()?, (state, is_task))))
        .collect()
}

/// The innermost task that each piece belongs to.
fn owners(plan: &Plan, path: &str, bytes: &[u8], places: &[Range<usize>]) -> Vec<Option<usize>> {
    let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
    let own = plan.tasks.iter().enumerate().filter(|(_, task)| task.span.path == path);
    let mut spans: Vec<(usize, usize, usize)> =
        own.map(|(index, task)| (at(task.span.start), at(task.span.end), index)).collect();
    spans.sort_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)));
    let mut spans = spans.into_iter().peekable();
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut owner = |place: &Range<usize>| {
        let text = &bytes[place.clone()];
        let first = place.start + text.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
        while let Some((_, end, index)) = spans.next_if(|(start, ..)| *start <= first) {
            open.push((end, index));
        }
        open.retain(|(end, _)| first < *end);
        open.last().map(|(_, index)| *index)
    };
    places.iter().map(&mut owner).collect()
}
