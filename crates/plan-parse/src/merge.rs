//! A three-way merge of a plan, for git's merge driver.
//!
//! The three versions are split into pieces: lines of a text, tokens of JSON. Pieces are compared with their boxes blanked, so
//! that a tick is no change of the text; the boxes are merged one by one. Invariants: what only one side changed is taken byte
//! for byte; a tick stands only on the text that it was given for; a check that is removed, replaced or loosened while the other
//! side works on the plan is a conflict; and a merge without a conflict is read back, and must be the plan that both sides
//! together mean.

mod chunks;
pub(crate) mod command;
mod draft;
mod pairs;
mod pieces;
mod read_back;
mod side;
mod strength;

use crate::merge::chunks::{Region, regions};
use crate::merge::draft::Draft;
use crate::merge::pairs::{Pairs, name};
use crate::merge::pieces::{Names, Piece};
use crate::merge::side::Side;
use std::ops::Range;
use wire::State;

/// The versions of a file.
#[derive(Debug, Clone, Copy)]
pub struct Versions<'a> {
    /// The file as seen from the root.
    pub path: &'a str,
    /// What both sides began with; empty if both added the file.
    pub base: &'a [u8],
    /// The current version.
    pub ours: &'a [u8],
    /// The version that is merged into it.
    pub theirs: &'a [u8],
}

/// How conflicts are marked.
#[derive(Debug, Clone)]
pub struct Markers {
    /// The length of a marker.
    pub size: usize,
    /// The name of the current version.
    pub ours: String,
    /// The name of the other version.
    pub theirs: String,
}

impl Default for Markers {
    fn default() -> Self {
        Self { size: 7, ours: "ours".to_owned(), theirs: "theirs".to_owned() }
    }
}

/// A merged file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Merged {
    /// Its bytes, with markers where there are conflicts.
    pub bytes: Vec<u8>,
    /// Each conflict in words.
    pub conflicts: Vec<String>,
    /// Each task that is open again although one side ticked it, in words.
    pub reopened: Vec<String>,
}

/// Merges a plan; `None` if the file is no plan, or the versions are plans of different dialects.
pub fn merge(versions: &Versions, markers: &Markers) -> Option<Merged> {
    if let Some(versions) = OneEnd::of(versions) {
        let merged = merge(&versions.borrowed(), markers)?;
        return Some(Merged { bytes: versions.ended(merged.bytes), ..merged });
    }
    let Versions { base, ours, theirs, .. } = versions;
    let whole = |bytes: &[u8]| Some(Merged { bytes: bytes.to_vec(), ..Merged::default() });
    match () {
        () if ours == theirs || base == theirs => whole(ours),
        () if base == ours => whole(theirs),
        () => by_tasks(versions, markers),
    }
}

/// Versions whose lines end in different ways, with one end for all of them: an editor that writes another one changes no task.
struct OneEnd<'a> {
    path: &'a str,
    texts: [Vec<u8>; 3],
    /// Whether the result has the line ends of Windows.
    is_crlf: bool,
}

impl<'a> OneEnd<'a> {
    /// `None` if all have the same, or one has both.
    fn of(versions: &Versions<'a>) -> Option<Self> {
        let Versions { path, base, ours, theirs } = *versions;
        let is_crlf = |text: &[u8]| {
            let lines = text.split(|byte| *byte == b'\n').count() - 1;
            let ended = text.windows(2).filter(|pair| pair == b"\r\n").count();
            if lines == ended { Some(lines > 0) } else { (ended == 0).then_some(false) }
        };
        let (mine, yours) = (is_crlf(ours)?, is_crlf(theirs)?);
        let was = if base.is_empty() { mine } else { is_crlf(base)? };
        if mine == yours && was == mine {
            return None;
        }
        let plain = |text: &[u8]| {
            let mut out = Vec::with_capacity(text.len());
            for line in text.split_inclusive(|byte| *byte == b'\n') {
                match line.strip_suffix(b"\r\n") {
                    Some(line) => out.extend([line, b"\n"].concat()),
                    None => out.extend_from_slice(line),
                }
            }
            out
        };
        let texts = [base, ours, theirs].map(plain);
        Some(Self { path, texts, is_crlf: if was == mine { yours } else { mine } })
    }

    fn borrowed(&self) -> Versions<'_> {
        let [base, ours, theirs] = &self.texts;
        Versions { path: self.path, base, ours, theirs }
    }

    /// The merged text with the line ends that it is to have.
    fn ended(&self, text: Vec<u8>) -> Vec<u8> {
        if !self.is_crlf {
            return text;
        }
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        let ended = lines.map(|line| match line.strip_suffix(b"\n") {
            Some(line) => [line, b"\r\n"].concat(),
            None => line.to_vec(),
        });
        ended.collect::<Vec<_>>().concat()
    }
}

/// The same without a look at whole files, so that a test sees its laws.
pub fn by_tasks(versions: &Versions, markers: &Markers) -> Option<Merged> {
    let mut names = Names::default();
    let ours = Side::read(versions.path, versions.ours, None, &mut names)?;
    let dialect = ours.plan.source.dialect.clone();
    let theirs = Side::read(versions.path, versions.theirs, Some(&dialect), &mut names)?;
    let base = if versions.base.iter().all(u8::is_ascii_whitespace) {
        Side::empty(versions.path, versions.base, &mut names)
    } else {
        Side::read(versions.path, versions.base, Some(&dialect), &mut names)?
    };
    // A side alone may change its plan as it likes.
    let mut weakened = Vec::new();
    if base.bytes != ours.bytes && base.bytes != theirs.bytes {
        weakened.extend(strength::weakened(&base, &ours).into_iter().map(|found| (Who::Ours, found)));
        weakened.extend(strength::weakened(&base, &theirs).into_iter().map(|found| (Who::Theirs, found)));
    }
    let mut reopened = Vec::new();
    let opened = reopen([&base, &ours, &theirs], markers, &mut names, &mut reopened);
    let Some([ours, theirs]) = opened else {
        // A tick that cannot be taken back must not survive.
        let why = "a tick belongs to a text that the other side changed, and the format has no open state"
            .to_owned();
        return Some(Draft::of_whole(&base, &ours, &theirs).finish(markers, vec![why], reopened));
    };
    let (ours, theirs) =
        (ours.with_ticks_of(&theirs, &base, &mut names), theirs.with_ticks_of(&ours, &base, &mut names));
    let (draft, conflicts) = Merge::new(&base, &ours, &theirs, markers, weakened).run();
    if conflicts.is_empty() {
        let merged = draft.finish(markers, conflicts, reopened.clone());
        return Some(match read_back::differs(&base, &ours, &theirs, &merged.bytes) {
            None => merged,
            Some(why) => Draft::of_whole(&base, &ours, &theirs).finish(markers, vec![why], reopened),
        });
    }
    Some(draft.finish(markers, conflicts, reopened))
}

/// The two sides without the ticks that the other side's text takes away; `None` if one cannot be taken back.
///
/// A tick stands if its own side ticked the text that will be in the merged plan: the other side left the text as it was, or
/// made the same change.
fn reopen<'s>(
    [base, ours, theirs]: [&Side<'s>; 3],
    markers: &Markers,
    names: &mut Names,
    told: &mut Vec<String>,
) -> Option<[Side<'s>; 2]> {
    let lost = |side: &Side, other: &Side| -> Vec<usize> {
        let (mine, others) = (Pairs::of(&base.plan, &side.plan), Pairs::of(&base.plan, &other.plan));
        let tasks = base.plan.tasks.iter().enumerate().filter_map(|(at, task)| {
            let (own, its) = (mine.to(at)?, others.to(at)?);
            let ticked = side.plan.tasks[own].state == State::Completed;
            let (was, here, there) = (base.asks(at), side.asks(own), other.asks(its));
            let kept = task.state == State::Completed && here == was;
            (ticked && !kept && there != was && there != here).then_some(own)
        });
        tasks.collect()
    };
    let of_ours = lost(ours, theirs);
    let of_theirs = lost(theirs, ours);
    for (side, other, tasks, who, whose) in [
        (ours, theirs, &of_ours, &markers.ours, &markers.theirs),
        (theirs, ours, &of_theirs, &markers.theirs, &markers.ours),
    ] {
        let to_other = Pairs::of(&side.plan, &other.plan);
        for at in tasks {
            let task = &side.plan.tasks[*at];
            let stands = to_other.to(*at).is_some_and(|its| {
                let others = if std::ptr::eq(other, ours) { &of_ours } else { &of_theirs };
                other.plan.tasks[its].state == State::Completed && !others.contains(&its)
            });
            if !stands {
                told.push(format!(
                    "{} is open again: {who} ticked it, and {whose} changed what it asks for",
                    name(task)
                ));
            }
        }
    }
    told.sort();
    told.dedup();
    Some([ours.reopened(&of_ours, base, names)?, theirs.reopened(&of_theirs, base, names)?])
}

/// Which sides changed a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    Ours,
    Theirs,
}

/// One merge.
struct Merge<'m, 's> {
    base: &'m Side<'s>,
    ours: &'m Side<'s>,
    theirs: &'m Side<'s>,
    markers: &'m Markers,
    /// Checks that a side removed, replaced or loosened.
    weakened: Vec<(Who, strength::Weakened)>,
    draft: Draft,
    conflicts: Vec<String>,
}

impl<'m, 's> Merge<'m, 's> {
    fn new(
        base: &'m Side<'s>,
        ours: &'m Side<'s>,
        theirs: &'m Side<'s>,
        markers: &'m Markers,
        weakened: Vec<(Who, strength::Weakened)>,
    ) -> Self {
        Self { base, ours, theirs, markers, weakened, draft: Draft::default(), conflicts: Vec::new() }
    }

    fn run(mut self) -> (Draft, Vec<String>) {
        let regions = regions(self.base, self.ours, self.theirs);
        let forced = self.forced(&regions);
        let (mut o, mut a, mut b) = (0, 0, 0);
        for (region, forced) in regions.iter().zip(&forced) {
            let run = region.o.start - o;
            self.stable(o..o + run, a, b);
            (o, a, b) = (region.o.end, region.ours.end, region.theirs.end);
            self.region(region, forced.as_ref());
        }
        let rest = self.base.pieces.len();
        self.stable(o..rest, a, b);
        (self.draft, self.conflicts)
    }

    /// For each region the reason why it is a conflict although only one side changed it.
    fn forced(&self, regions: &[Region]) -> Vec<Option<String>> {
        let mut out = vec![None; regions.len()];
        for (who, weak) in &self.weakened {
            let label = match who {
                Who::Ours => &self.markers.ours,
                Who::Theirs => &self.markers.theirs,
            };
            let of_side = |region: &Region| match who {
                Who::Ours => region.by_ours && !region.by_theirs,
                Who::Theirs => region.by_theirs && !region.by_ours,
            };
            let hits = |range: &Range<usize>| -> Vec<usize> {
                let meets = |region: &Region| region.o.start <= range.end && range.start <= region.o.end;
                let all = regions.iter().enumerate().filter(|(_, region)| of_side(region));
                let inside = |region: &Region| region.o.start < range.end && range.start < region.o.end;
                let (near, within): (Vec<usize>, Vec<usize>) = (
                    all.clone().filter(|(_, region)| meets(region)).map(|(at, _)| at).collect(),
                    all.filter(|(_, region)| inside(region)).map(|(at, _)| at).collect(),
                );
                if within.is_empty() { near } else { within }
            };
            let own = hits(&weak.criterion);
            let found = if own.is_empty() { hits(&weak.task) } else { own };
            let why = format!("{label} {}", weak.words(self.base));
            for at in found {
                out[at].get_or_insert_with(|| why.clone());
            }
        }
        out
    }

    /// Pieces whose text is the same in all three.
    fn stable(&mut self, o: Range<usize>, a: usize, b: usize) {
        for (offset, at) in o.enumerate() {
            let (mine, yours) = (a + offset, b + offset);
            match self.chosen(Some(at), mine, yours) {
                Some(Who::Ours) => self.draft.clean(self.ours.text(mine..mine + 1)),
                Some(Who::Theirs) => self.draft.clean(self.theirs.text(yours..yours + 1)),
                None => {
                    let why = self.about("both sides marked", mine..mine + 1, yours..yours + 1);
                    self.conflict(mine..mine + 1, yours..yours + 1, why);
                }
            }
        }
    }

    /// Whose version of a piece stands, if they differ in nothing but their boxes.
    fn chosen(&self, o: Option<usize>, a: usize, b: usize) -> Option<Who> {
        let (was, mine, yours) =
            (o.map(|o| self.base.text(o..o + 1)), self.ours.text(a..a + 1), self.theirs.text(b..b + 1));
        match () {
            () if mine == yours || was == Some(yours) => return Some(Who::Ours),
            () if was == Some(mine) => return Some(Who::Theirs),
            () => {}
        }
        let (mine, yours) = (self.ours.pieces[a].state?, self.theirs.pieces[b].state?);
        let was = o.and_then(|o| self.base.pieces[o].state);
        let is_open = |state: State| matches!(state, State::Pending | State::InProgress);
        match () {
            () if mine == yours || was == Some(yours) => Some(Who::Ours),
            () if was == Some(mine) => Some(Who::Theirs),
            () if mine == State::Completed && is_open(yours) => Some(Who::Ours),
            () if yours == State::Completed && is_open(mine) => Some(Who::Theirs),
            () => None,
        }
    }

    /// A region that at least one side changed.
    fn region(&mut self, region: &Region, forced: Option<&String>) {
        let (a, b) = (region.ours.clone(), region.theirs.clone());
        match (region.by_ours, region.by_theirs, forced) {
            (_, _, Some(why)) => self.conflict(a, b, why.clone()),
            (true, false, _) => match self.decision(&region.o, self.theirs, b.start, self.ours) {
                Some(task) => self.conflict(a, b, gone(&task, &self.markers.theirs, &self.markers.ours)),
                None => self.draft.clean(self.ours.text(a)),
            },
            (false, true, _) => match self.decision(&region.o, self.ours, a.start, self.theirs) {
                Some(task) => self.conflict(a, b, gone(&task, &self.markers.ours, &self.markers.theirs)),
                None => self.draft.clean(self.theirs.text(b)),
            },
            _ => self.both(&region.o, a, b),
        }
    }

    /// The task whose decided state the other side's change of these pieces would lose.
    fn decision(&self, o: &Range<usize>, side: &Side, from: usize, other: &Side) -> Option<String> {
        let to_other = Pairs::of(&side.plan, &other.plan);
        let is_kept = |task: usize| {
            let its = to_other.to(task).map(|its| other.plan.tasks[its].state);
            its == Some(side.plan.tasks[task].state)
        };
        let decided = |state: State| !matches!(state, State::Pending | State::InProgress);
        let lost = |at: usize| {
            let own = &side.pieces[from + at - o.start];
            let changed =
                own.is_task && own.state.is_some_and(decided) && own.state != self.base.pieces[at].state;
            changed.then_some(own.owner).flatten().filter(|task| !is_kept(*task))
        };
        o.clone().find_map(lost).map(|task| name(&side.plan.tasks[task]))
    }

    /// A region that both sides changed.
    fn both(&mut self, o: &Range<usize>, a: Range<usize>, b: Range<usize>) {
        let same = |a: usize, b: usize| {
            self.ours.pieces[a].key == self.theirs.pieces[b].key && self.chosen(None, a, b).is_some()
        };
        let most = a.len().min(b.len());
        let head = (0..most).take_while(|at| same(a.start + at, b.start + at)).count();
        let tail = (0..most - head).take_while(|at| same(a.end - 1 - at, b.end - 1 - at)).count();
        for at in 0..head {
            self.shared(a.start + at, b.start + at);
        }
        let (mine, yours) = (a.start + head..a.end - tail, b.start + head..b.end - tail);
        if !(mine.is_empty() && yours.is_empty()) {
            if let Some(later) = self.later(&mine, &yours) {
                match later {
                    Who::Ours => self.draft.clean(self.ours.text(mine)),
                    Who::Theirs => self.draft.clean(self.theirs.text(yours)),
                }
            } else {
                let verb = if o.is_empty() { "both sides added to" } else { "both sides changed" };
                let why = self.about(verb, mine.clone(), yours.clone());
                self.conflict(mine, yours, why);
            }
        }
        for at in (0..tail).rev() {
            self.shared(a.end - 1 - at, b.end - 1 - at);
        }
    }

    fn shared(&mut self, a: usize, b: usize) {
        match self.chosen(None, a, b) {
            Some(Who::Theirs) => self.draft.clean(self.theirs.text(b..b + 1)),
            _ => self.draft.clean(self.ours.text(a..a + 1)),
        }
    }

    /// The later of two times of the last change, which data files keep and every program that writes them sets.
    fn later(&self, mine: &Range<usize>, yours: &Range<usize>) -> Option<Who> {
        let time = |side: &Side, range: &Range<usize>| -> Option<String> {
            if range.len() != 1 || !side.is_data {
                return None;
            }
            let before = side.pieces[..range.start].iter().rev().filter(|piece| !piece.is_blank);
            let key = before.take(2).last().map(|piece| side.piece(piece))?;
            let key = String::from_utf8_lossy(key).to_ascii_lowercase().replace('_', "");
            let is_time = matches!(key.as_str(), "\"updated\"" | "\"updatedat\"" | "\"lastupdated\"");
            let value = String::from_utf8_lossy(side.text(range.clone())).into_owned();
            (is_time && pieces::is_time(&value)).then_some(value)
        };
        let (mine, yours) = (time(self.ours, mine)?, time(self.theirs, yours)?);
        Some(if mine >= yours { Who::Ours } else { Who::Theirs })
    }

    fn conflict(&mut self, a: Range<usize>, b: Range<usize>, why: String) {
        self.draft.conflict(self.ours.text(a), self.theirs.text(b));
        if !self.conflicts.contains(&why) {
            self.conflicts.push(why);
        }
    }

    /// What happened, and to which tasks.
    fn about(&self, what: &str, a: Range<usize>, b: Range<usize>) -> String {
        let named = |side: &Side, range: Range<usize>| -> Vec<String> {
            let owners = side.pieces[range].iter().filter(|piece: &&Piece| !piece.is_blank);
            owners.filter_map(|piece| piece.owner).map(|task| name(&side.plan.tasks[task])).collect()
        };
        let mut tasks = named(self.ours, a);
        tasks.extend(named(self.theirs, b));
        tasks.sort();
        tasks.dedup();
        if tasks.is_empty() {
            format!("{what} the same lines")
        } else {
            format!("{what} {}", tasks.join(", "))
        }
    }
}

fn gone(task: &str, decided: &str, changed: &str) -> String {
    format!("{decided} decided on {task}, and {changed} removed or changed it")
}

#[cfg(test)]
mod tests;
