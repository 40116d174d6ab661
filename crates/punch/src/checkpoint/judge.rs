//! Judges deeds by a card, one by one, in memory that does not grow with the number of deeds.

use crate::cards::card::Card;
use crate::cards::row::{Origin, Row, Use, What, Who};
use crate::evidence::children::Child;
use crate::evidence::deed::{Deed, Moment};
use crate::evidence::gates::Gates;
use serde_json::Value;
use wire::Level;
use wire::order::{Card as Judged, CardRow, CardStatus};
use wire::punch::Type;

/// The number of notes that a row keeps.
const NOTES: usize = 5;
/// The number of latest hits of a row that are kept with their time.
const MOMENTS: usize = 4096;

/// A card and the findings so far.
pub(crate) struct Judge {
    pub(crate) card: Card,
    root: String,
    counts: Vec<Count>,
    last_edit: Option<Moment>,
    /// The number of calls seen.
    pub(crate) calls: u64,
    /// The number of deeds seen.
    deeds: u64,
    /// Whether git has reported the changed files.
    pub(crate) knows_files: bool,
}

#[derive(Debug, Default)]
struct Count {
    hits: u64,
    moments: Vec<Moment>,
    notes: Vec<String>,
}

/// The other inputs of a verdict.
#[derive(Default)]
pub(crate) struct Rest {
    pub(crate) gates: Gates,
    pub(crate) children: Vec<Child>,
    /// The level of evidence of the task.
    pub(crate) level: Option<Level>,
    pub(crate) provenance: Value,
}

impl Judge {
    /// A card for work below this root.
    pub(crate) fn new(card: Card, root: &str) -> Self {
        let counts = card.rows.iter().map(|_| Count::default()).collect();
        let root = root.trim_end_matches('/').to_owned();
        Self { card, root, counts, last_edit: None, calls: 0, deeds: 0, knows_files: false }
    }

    /// Takes one deed; `place` describes its position, for people.
    pub(crate) fn take(&mut self, deed: &Deed, place: &dyn Fn() -> String) {
        self.deeds += 1;
        if let Some(tool) = &deed.tool {
            self.calls += 1;
            if tool.changes_files() && tool.ok != Some(false) {
                self.last_edit = self.last_edit.max(Some(deed.at));
            }
        }
        for (row, count) in self.card.rows.iter().zip(&mut self.counts) {
            if row.hit(deed, &self.root) {
                count.add(row, deed, place);
            }
        }
    }

    /// Counts a command of ours that a row asks for; it is no evidence of work, and so no deed.
    pub(crate) fn receipt(&mut self, command: &str) {
        let deed = Deed::plain(Type::CommandExec, command);
        for (row, count) in self.card.rows.iter().zip(&mut self.counts) {
            if row.used() == Use::Required && row.hit(&deed, &self.root) {
                count.add(row, &deed, &String::new);
            }
        }
    }

    /// Notes a record that looks like evidence but is not.
    pub(crate) fn refuse(&mut self, kind: Type, key: &str, why: &str) {
        for (row, count) in self.card.rows.iter().zip(&mut self.counts) {
            if row.what == What::Type(kind) && row.matches_key(key) {
                count.note(why.to_owned());
            }
        }
    }

    /// Whether the card has rows about checks.
    pub(crate) fn asks_for_gates(&self) -> bool {
        self.card.rows.iter().any(|row| row.gate().is_some())
    }

    /// The verdict.
    pub(crate) fn verdict(mut self, rest: Rest) -> Judged {
        let after = self.last_edit;
        let rows: Vec<(&Row, CardRow)> = self
            .card
            .rows
            .iter()
            .zip(&mut self.counts)
            .map(|(row, count)| (row, judged(row, count, after, &rest)))
            .collect();
        let broken = |wanted: &dyn Fn(&Row, &CardRow) -> bool| -> Vec<String> {
            let broken = rows.iter().filter(|(row, found)| row.enforced && !found.ok && wanted(row, found));
            broken.map(|(row, _)| row.shown()).collect()
        };
        let missing = broken(&|row, found| found.hits < row.min || row.what == What::Child);
        let violations = broken(&|row, found| row.max.is_some_and(|max| found.hits > max));
        let status = match () {
            () if !violations.is_empty() => CardStatus::Fail,
            () if self.lacks_evidence(&rest) => CardStatus::NoEvidence,
            () if missing.is_empty() => CardStatus::Pass,
            () => CardStatus::Fail,
        };
        let rows = rows.into_iter().map(|(_, found)| found).collect();
        Judged {
            id: Some(self.card.name.clone()),
            status,
            missing,
            violations,
            rows,
            provenance: rest.provenance,
        }
    }

    /// Whether some row has no evidence at all: then the absence of forbidden actions proves nothing.
    fn lacks_evidence(&self, rest: &Rest) -> bool {
        let judged = rest.children.iter().any(Child::is_judged);
        let nothing = self.deeds == 0 && rest.gates.is_empty() && !judged && rest.level.is_none();
        let unanswered = self.card.enforced().any(|row| match row.origin() {
            Origin::Transcript => self.calls == 0,
            Origin::Either => self.calls == 0 && !self.knows_files,
            Origin::Ledger => false,
        });
        nothing || unanswered
    }
}

impl Count {
    fn add(&mut self, row: &Row, deed: &Deed, place: &dyn Fn() -> String) {
        self.hits += 1;
        if row.after_edit {
            if self.moments.len() >= 2 * MOMENTS {
                self.moments.sort_unstable();
                self.moments.drain(..MOMENTS);
            }
            self.moments.push(deed.at);
        }
        if row.used() == Use::Forbidden && self.notes.len() < NOTES {
            let file = deed.tool.as_ref().and_then(|tool| tool.paths.first());
            let what = deed.tool.as_ref().map_or(deed.key.as_str(), |tool| tool.name.as_str());
            let file = file.map(|file| format!(" {file}")).unwrap_or_default();
            self.note(format!("{}: {what}{file}", place()));
        }
    }

    fn note(&mut self, text: String) {
        if self.notes.len() < NOTES {
            self.notes.push(text);
        }
    }
}

fn judged(row: &Row, count: &mut Count, last_edit: Option<Moment>, rest: &Rest) -> CardRow {
    let mut notes = std::mem::take(&mut count.notes);
    let mut all_well = true;
    let hits = match (&row.what, row.gate()) {
        (_, Some(kind)) => rest.gates.hits(row, kind, last_edit, &mut notes),
        (What::Child, _) => {
            let lacks = rest.children.iter().filter_map(|child| child.lack(&row.pattern));
            let before = notes.len();
            notes.extend(lacks);
            let lacking = notes.len() - before;
            all_well = lacking == 0;
            (rest.children.len() - lacking) as u64
        }
        (What::Level(_), _) => {
            if let Some(level) = rest.level {
                notes.push(format!("the task is at level {}", level.word()));
            }
            u64::from(row.hit_by_level(rest.level))
        }
        _ if row.after_edit => {
            let later = count.moments.iter().filter(|moment| last_edit.is_none_or(|edit| **moment > edit));
            let later = later.count() as u64;
            if later < count.hits {
                notes.push(format!("{} before the last edit", count.hits - later));
            }
            later
        }
        _ => count.hits,
    };
    let used = row.used();
    let within = hits >= row.min && row.max.is_none_or(|max| hits <= max);
    CardRow {
        kind: row.type_word().to_owned(),
        pattern: row.pattern.shown.clone(),
        rule: rule_word(used).to_owned(),
        hits,
        ok: within && all_well,
        min: (row.min > 1).then_some(row.min),
        max: row.max.filter(|max| *max > 0),
        after: row.after_edit.then(|| "last-edit".to_owned()),
        agent: match row.who {
            Who::Any => None,
            Who::Main => Some("main".to_owned()),
            Who::Sub => Some("sub".to_owned()),
        },
        shown_only: !row.enforced,
        description: row.description.clone(),
        notes,
    }
}

fn rule_word(used: Use) -> &'static str {
    match used {
        Use::Required => "required",
        Use::Forbidden => "forbidden",
        Use::Limit => "limit",
        Use::Optional => "optional",
    }
}
