//! Where the versions differ: the regions of the base that one side or both changed.

use crate::merge::pairs::Pairs;
use crate::merge::side::Side;
use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::collections::BTreeSet;
use std::ops::Range;

/// A region, in pieces of each version. Between two regions all three have the same text but for their boxes.
#[derive(Debug, Clone)]
pub(crate) struct Region {
    pub(crate) o: Range<usize>,
    pub(crate) ours: Range<usize>,
    pub(crate) theirs: Range<usize>,
    pub(crate) by_ours: bool,
    pub(crate) by_theirs: bool,
}

/// What one side changed: pieces of the base, and what stands there instead.
#[derive(Debug, Clone)]
struct Hunk {
    o: Range<usize>,
    s: Range<usize>,
}

/// What a hunk belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// A task of the base.
    Old(usize),
    /// A task that the side added.
    New(String),
    /// Text that belongs to no task.
    Text,
}

/// The regions, in order.
pub(crate) fn regions(base: &Side, ours: &Side, theirs: &Side) -> Vec<Region> {
    let (mine, yours) = (Changes::of(base, ours), Changes::of(base, theirs));
    let mut all: Vec<(bool, &Hunk)> = mine.hunks.iter().map(|hunk| (true, hunk)).collect();
    all.extend(yours.hunks.iter().map(|hunk| (false, hunk)));
    // What is inserted at a place stands before what replaces the text behind it; the sort keeps ours first.
    all.sort_by_key(|(_, hunk)| (hunk.o.start, hunk.o.end));
    let mut groups: Vec<Vec<(bool, &Hunk)>> = Vec::new();
    let mut end = 0;
    for (is_ours, hunk) in all {
        let joins = groups.last().is_some_and(|group| {
            let others: Vec<&Hunk> =
                group.iter().filter(|(side, _)| *side != is_ours).map(|(_, hunk)| *hunk).collect();
            let (own, its) = if is_ours { (&mine, &yours) } else { (&yours, &mine) };
            hunk.o.start < end
                || hunk.o.start == end && !others.is_empty() && !are_apart(own, hunk, its, &others)
        });
        match groups.last_mut().filter(|_| joins) {
            Some(group) => group.push((is_ours, hunk)),
            None => groups.push(vec![(is_ours, hunk)]),
        }
        end = end.max(hunk.o.end);
    }
    let (mut o, mut a, mut b) = (0, 0, 0);
    let mut out = Vec::with_capacity(groups.len());
    for group in groups {
        let start = group.iter().map(|(_, hunk)| hunk.o.start).min().unwrap_or(o);
        let end = group.iter().map(|(_, hunk)| hunk.o.end).max().unwrap_or(start);
        let len = |side: bool| {
            let own = group.iter().filter(|(is_ours, _)| *is_ours == side);
            own.fold(end - start, |len, (_, hunk)| len + hunk.s.len() - hunk.o.len())
        };
        let (from_a, from_b) = (a + start - o, b + start - o);
        let by = |side: bool| group.iter().any(|(is_ours, _)| *is_ours == side);
        let region = Region {
            o: start..end,
            ours: from_a..from_a + len(true),
            theirs: from_b..from_b + len(false),
            by_ours: by(true),
            by_theirs: by(false),
        };
        (o, a, b) = (end, region.ours.end, region.theirs.end);
        out.push(region);
    }
    out
}

/// What one side changed.
struct Changes<'c, 's> {
    base: &'c Side<'s>,
    side: &'c Side<'s>,
    /// From the side to the base.
    pairs: Pairs,
    hunks: Vec<Hunk>,
}

impl<'c, 's> Changes<'c, 's> {
    fn of(base: &'c Side<'s>, side: &'c Side<'s>) -> Self {
        let keys = |side: &Side| side.pieces.iter().map(|piece| piece.key).collect::<Vec<_>>();
        let found = capture_diff_slices(Algorithm::Patience, &keys(base), &keys(side));
        let mut hunks: Vec<Hunk> = Vec::new();
        for op in found.iter().filter(|op| op.tag() != DiffTag::Equal) {
            let next = Hunk { o: op.old_range(), s: op.new_range() };
            match hunks.last_mut().filter(|last| last.o.end == next.o.start && last.s.end == next.s.start) {
                Some(last) => *last = Hunk { o: last.o.start..next.o.end, s: last.s.start..next.s.end },
                None => hunks.push(next),
            }
        }
        let mut changes = Self { base, side, pairs: Pairs::of(&side.plan, &base.plan), hunks };
        changes.slide();
        changes
    }

    /// Moves each insertion to where it is whole tasks, if equal pieces around it leave the choice.
    fn slide(&mut self) {
        for at in 0..self.hunks.len() {
            let hunk = self.hunks[at].clone();
            if !hunk.o.is_empty() {
                continue;
            }
            let floor = at.checked_sub(1).map_or(0, |before| self.hunks[before].s.end);
            let ceiling = self.hunks.get(at + 1).map_or(self.side.pieces.len(), |next| next.s.start);
            let key = |at: usize| self.side.pieces[at].key;
            let up = (1..=hunk.s.start.saturating_sub(floor))
                .take_while(|by| key(hunk.s.start - by) == key(hunk.s.end - by));
            let down = (1..=ceiling.saturating_sub(hunk.s.end))
                .take_while(|by| key(hunk.s.start + by - 1) == key(hunk.s.end + by - 1));
            let moved_up = up.map(|by| shifted(&hunk, |at| at - by));
            let moved_down = down.map(|by| shifted(&hunk, |at| at + by));
            let mut places = std::iter::once(hunk.clone()).chain(moved_up).chain(moved_down);
            if let Some(place) = places.find(|place| self.is_new(&place.s)) {
                self.hunks[at] = place;
            }
        }
    }

    /// Whether these pieces belong to no task of the base.
    fn is_new(&self, range: &Range<usize>) -> bool {
        let owners = self.side.pieces[range.clone()].iter().filter(|piece| !piece.is_blank);
        owners.filter_map(|piece| piece.owner).all(|task| self.pairs.to(task).is_none())
    }

    /// What a hunk belongs to.
    fn parts(&self, hunk: &Hunk) -> BTreeSet<Part> {
        let counts = |side: &Side, at: usize| {
            let piece = &side.pieces[at];
            !(piece.is_blank || side.is_data && piece.owner.is_none() && side.piece(piece) == b",")
        };
        let old = hunk.o.clone().filter(|at| counts(self.base, *at));
        let old = old.map(|at| self.base.pieces[at].owner.map_or(Part::Text, Part::Old));
        let new = hunk.s.clone().filter(|at| counts(self.side, *at));
        let new = new.map(|at| match self.side.pieces[at].owner {
            None => Part::Text,
            Some(task) => match self.pairs.to(task) {
                Some(was) => Part::Old(was),
                None => Part::New(self.side.plan.tasks[task].title.clone()),
            },
        });
        old.chain(new).collect()
    }
}

fn shifted(hunk: &Hunk, by: impl Fn(usize) -> usize) -> Hunk {
    Hunk { o: by(hunk.o.start)..by(hunk.o.end), s: by(hunk.s.start)..by(hunk.s.end) }
}

/// Whether changes that touch are about different tasks, so that both can be kept.
fn are_apart(own: &Changes, hunk: &Hunk, its: &Changes, others: &[&Hunk]) -> bool {
    let parts = own.parts(hunk);
    let others: BTreeSet<Part> = others.iter().flat_map(|hunk| its.parts(hunk)).collect();
    let is_text = |parts: &BTreeSet<Part>| parts.is_empty() || parts.contains(&Part::Text);
    !is_text(&parts) && !is_text(&others) && parts.is_disjoint(&others)
}
