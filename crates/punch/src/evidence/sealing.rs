//! Writes the minted deeds into the attempt's punch file, and the record that seals it.
//!
//! The file is complete and synced before the ledger refers to it.

use crate::evidence::book::Book;
use crate::evidence::case::changed_files;
use crate::evidence::mint::{Minted, Named};
use crate::evidence::scope::Scope;
use ledger::Entry;
use ledger::punch_files::PunchFile;
use serde_json::{Value, json};
use toolkit::Fail;
use toolkit::cli::clock::Clock;
use toolkit::files::redact::Redact;
use toolkit::files::root::Home;
use wire::punch::{SourceKind, Trust, Type};

/// A punch file being written; it is created with the first deed.
pub(crate) struct Sealing<'s> {
    home: &'s Home,
    scope: &'s Scope,
    now: String,
    redact: &'s Redact,
    file: Option<PunchFile>,
    calls: u64,
}

impl<'s> Sealing<'s> {
    pub(crate) fn new(home: &'s Home, scope: &'s Scope, clock: &Clock, redact: &'s Redact) -> Self {
        Self { home, scope, now: clock.now(), redact, file: None, calls: 0 }
    }

    /// Stores one deed; secrets are masked here, where it is first written.
    pub(crate) fn keep(&mut self, minted: &Minted<'_>, named: &Named) -> Result<(), Fail> {
        self.calls += u64::from(minted.deed.tool.is_some());
        let mut entry = self.entry(minted.deed.kind, self.redact.text(&minted.deed.key));
        entry.observed_at = minted.at.clone().unwrap_or_else(|| self.now.clone());
        (entry.source, entry.trust) = (SourceKind::Transcript, Trust::Projected);
        // The seal lists the files of sub-agents in the order of their numbers.
        entry.source_path = (minted.source == 0).then(|| named.path.display().to_string());
        entry.data = minted.deed.data();
        if minted.source > 0 {
            entry.data["file"] = json!(minted.source);
        }
        self.push(entry, Some(minted.line).filter(|line| *line > 0))
    }

    /// Adds the changed files according to git.
    pub(crate) fn files(&mut self, book: &Book) -> Result<(), Fail> {
        let ends = book.records.iter().filter(|(_, p)| p.kind == Type::AttemptEnd && self.scope.is_about(p));
        for file in ends.flat_map(|(_, punch)| changed_files(&punch.data)) {
            let mut entry = self.entry(Type::FileChange, file);
            entry.source = SourceKind::Git;
            self.push(entry, None)?;
        }
        Ok(())
    }

    /// The record that seals the file; `None` if nothing was minted.
    pub(crate) fn seal(self, provenance: &Value) -> Result<Option<Entry>, Fail> {
        let mut entry = self.entry(Type::Seal, self.scope.file());
        let Some(file) = self.file else { return Ok(None) };
        entry.fingerprint.clone_from(&self.scope.fingerprint);
        entry.observed_at = self.now;
        let of = |name: &str| provenance.get(name).cloned().unwrap_or_default();
        entry.data = json!({
            "punches": file.finish()?, "calls": self.calls, "messages": of("messages"), "unknown": of("unknown"),
            "sources": of("sources"),
        });
        Ok(Some(entry))
    }

    fn push(&mut self, entry: Entry, line: Option<u64>) -> Result<(), Fail> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(PunchFile::create(self.home, &self.scope.file())?),
        };
        file.push(entry, line)
    }

    fn entry(&self, kind: Type, key: String) -> Entry {
        Entry {
            plan: self.scope.plan.clone(),
            task: Some(self.scope.task.clone()),
            attempt: self.scope.attempt,
            ..Entry::new(self.scope.run.clone(), kind, key, self.now.clone())
        }
    }
}
