//! The results of checks on record: only the latest one of each check, on the current tree.
//!
//! A record counts if `gate-run` wrote it for this plan, task, fingerprint, attempt and run; a later failure revokes
//! an earlier pass. Records that do not count are named by their line.

use crate::cards::row::Row;
use crate::evidence::deed::Moment;
use crate::evidence::scope::Scope;
use ledger::verdict;
use std::collections::BTreeMap;
use toolkit::cli::clock::millis;
use wire::punch::Type;
use wire::{Punch, TreeHash};

/// Checks by their keys.
#[derive(Debug, Default)]
pub(crate) struct Gates {
    latest: BTreeMap<String, Latest>,
    /// Records that do not count: type, key, reason.
    refused: Vec<(Type, String, String)>,
    /// Passes that a later line revoked.
    revoked: Vec<(String, String)>,
}

/// The latest result of one check.
#[derive(Debug)]
struct Latest {
    kind: Type,
    place: String,
    at: i64,
    bound: Bound,
}

/// What a result is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The current tree.
    ToTree,
    /// Only a time.
    ToTime,
}

impl Gates {
    pub(crate) fn is_empty(&self) -> bool {
        self.latest.is_empty()
    }

    /// The number of checks with a result that counts.
    pub(crate) fn len(&self) -> usize {
        self.latest.len()
    }

    /// Takes a record of the ledger, if it is about a check of this attempt.
    pub(crate) fn take(&mut self, line: u64, punch: &Punch, scope: &Scope, tree: Option<&TreeHash>) {
        if !verdict::is_verdict(punch.kind) || !scope.is_about(punch) {
            return;
        }
        let Some(why) = verdict::refusal(punch, &scope.run, tree) else {
            let place = format!("line {line}");
            return self.put(punch.kind, &punch.key, place, &punch.observed_at, Bound::ToTree);
        };
        self.refused.push((punch.kind, punch.key.clone(), format!("line {line} {why}: it does not count")));
    }

    /// Takes a result that counts.
    pub(crate) fn put(&mut self, kind: Type, key: &str, place: String, observed_at: &str, bound: Bound) {
        let at = millis(observed_at).unwrap_or_default();
        let new = Latest { kind, place, at, bound };
        let old = self.latest.insert(key.to_owned(), new);
        if let Some(old) = old.filter(|old| old.kind == Type::GatePass && kind != Type::GatePass) {
            let place = self.latest.get(key).map(|new| new.place.clone()).unwrap_or_default();
            self.revoked.push((key.to_owned(), format!("{} passed; {place} takes it back", old.place)));
        }
    }

    /// The number of checks that the row matches; notes the results that do not count.
    pub(crate) fn hits(
        &self,
        row: &Row,
        kind: Type,
        last_edit: Option<Moment>,
        notes: &mut Vec<String>,
    ) -> u64 {
        let mut hits = 0;
        for (key, result) in self.latest.iter().filter(|(key, _)| row.matches_key(key)) {
            // A result on the current tree came after the last edit; without a tree its time decides.
            let early = row.after_edit
                && result.bound == Bound::ToTime
                && last_edit.is_some_and(|edit| result.at <= edit.millis);
            match () {
                () if result.kind != kind => {
                    notes.extend(
                        self.revoked.iter().filter(|(own, _)| own == key).map(|(_, why)| why.clone()),
                    );
                }
                () if early => notes.push(format!("{} came before the last edit", result.place)),
                () => hits += 1,
            }
        }
        let refused = self.refused.iter().filter(|(own, key, _)| *own == kind && row.matches_key(key));
        notes.extend(refused.map(|(_, _, why)| why.clone()));
        hits
    }
}
