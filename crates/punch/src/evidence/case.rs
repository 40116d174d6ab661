//! `Case`: everything known about one attempt, gathered from the ledger, from git and from transcripts.

use crate::checkpoint::judge::{Judge, Rest};
use crate::evidence::book::Book;
use crate::evidence::children;
use crate::evidence::claims::Claims;
use crate::evidence::deed::Deed;
use crate::evidence::earlier;
use crate::evidence::gate_log::{self, Batch};
use crate::evidence::gates::{Bound, Gates};
use crate::evidence::mint::{self, Came, Minted, Named};
use crate::evidence::scope::Scope;
use ledger::punch_files;
use repo::tree::Tree;
use serde_json::{Value, json};
use toolkit::Fail;
use toolkit::files::root::Home;
use transcripts::{Kinds, Record};
use wire::order::{Card as Judged, Claim};
use wire::punch::{Punch, Trust, Type};
use wire::{Level, Plan, TaskId, TreeHash};

/// One attempt to judge.
pub(crate) struct Case<'c> {
    pub(crate) home: &'c Home,
    pub(crate) scope: &'c Scope,
    pub(crate) book: &'c Book,
    pub(crate) kinds: &'c Kinds,
    /// The named records; if there are none, the sealed ones are used.
    pub(crate) transcripts: &'c [Named],
    /// The worker's claims.
    pub(crate) claims: &'c [Claim],
    /// The tree that checks must be bound to.
    pub(crate) tree: Option<&'c TreeHash>,
    /// The current tree, if edits of earlier attempts may still be in it.
    pub(crate) now: Option<&'c Tree>,
    pub(crate) plan: Option<&'c Plan>,
    /// The level of evidence of the task, where a card asks for it.
    pub(crate) level: Option<Level>,
    /// The batch of another gate runner's log.
    pub(crate) batch: Option<&'c str>,
}

/// The result.
pub(crate) struct Finding {
    pub(crate) card: Judged,
    /// Commands that the worker claims to have passed but that fail in its record.
    pub(crate) contradicted: Vec<String>,
}

/// A callback for each minted deed.
pub(crate) type Keep<'k> = &'k mut dyn FnMut(&Minted<'_>, &Named) -> Result<(), Fail>;

/// The evidence from transcripts.
#[derive(Debug, Default)]
struct Tally {
    sources: Vec<Value>,
    calls: u64,
    messages: u64,
    unknown: u64,
    reasons: Vec<String>,
}

impl Case<'_> {
    /// Judges the attempt; passes each minted deed to `keep`.
    pub(crate) fn judge(&self, mut judge: Judge, keep: Keep<'_>) -> Result<Finding, Fail> {
        let mut rest = Rest { level: self.level, ..Rest::default() };
        let recorded = self.take_ledger(&mut judge, &mut rest.gates);
        let mut claims = Claims::new(self.claims);
        let mut tally = Tally::default();
        for named in self.transcripts {
            if gate_log::is(&named.path) {
                self.take_gate_log(named, &mut rest.gates, &mut tally)?;
                continue;
            }
            let came = mint::mint(named, self.kinds, &mut |minted| {
                judge.take(minted.deed, &|| place(&minted));
                claims.take(minted.deed);
                keep(&minted, named)
            })?;
            tally.add(named, came);
        }
        if self.transcripts.is_empty() {
            self.take_seals(&mut judge, &mut claims, &mut tally)?;
        }
        rest.children = children::of(&self.book.records, self.scope, self.plan);
        rest.provenance = self.provenance(&judge, recorded, &tally, rest.gates.len());
        Ok(Finding { card: judge.verdict(rest), contradicted: claims.contradicted() })
    }

    /// Takes the observations of our own tools; typed records are noted and do not count.
    fn take_ledger(&self, judge: &mut Judge, gates: &mut Gates) -> u64 {
        let mut recorded = 0;
        let mut own: Vec<String> = Vec::new();
        // A sealed file already contains git's list of files.
        let sealed = self.transcripts.is_empty() && self.book.seal(self.scope).is_some();
        for (line, punch) in &self.book.records {
            if punch.trust == Trust::Typed && self.scope.is_named_by(punch) {
                judge.refuse(
                    punch.kind,
                    &punch.key,
                    &format!("line {line} was typed by a person: it does not count"),
                );
            }
            if punch.trust == Trust::Typed || !self.scope.is_about(punch) {
                continue;
            }
            gates.take(*line, punch, self.scope, self.tree);
            recorded += 1;
            let place = || format!("ledger line {line}");
            judge.take(&Deed::plain(punch.kind, punch.key.clone()), &place);
            if let Some(command) = own_command(punch) {
                judge.receipt(&command);
            }
            if punch.kind != Type::AttemptEnd {
                continue;
            }
            let outcome = punch.data.get("outcome").and_then(Value::as_str).unwrap_or_default();
            if matches!(outcome, "done" | "no_change") {
                judge.take(&Deed::plain(Type::StepComplete, "task_exit"), &place);
            }
            // Outside of git only the transcript can tell what changed.
            judge.knows_files |= punch.tree.is_some();
            let changed = changed_files(&punch.data);
            if !sealed {
                for file in &changed {
                    judge.take(&Deed::plain(Type::FileChange, file.clone()), &place);
                }
            }
            own.extend(changed);
        }
        for (line, file) in
            self.now.map(|tree| earlier::edits(self.book, self.scope, tree)).unwrap_or_default()
        {
            if !own.iter().any(|own| own == file) {
                let place = || format!("ledger line {line}, an attempt before this one");
                judge.take(&Deed::plain(Type::FileChange, file), &place);
            }
        }
        recorded
    }

    fn take_gate_log(&self, named: &Named, gates: &mut Gates, tally: &mut Tally) -> Result<(), Fail> {
        let batch = Batch { bead: self.scope.task.as_str(), timestamp: self.batch };
        let (found, unknown) = gate_log::read(&named.path, batch)?;
        for gate in &found {
            let place = format!("{}:{}", named.path.display(), gate.line);
            gates.put(gate.kind, &gate.gate, place, &gate.at, Bound::ToTime);
        }
        tally.unknown += unknown;
        tally.sources.push(json!({
            "path": named.path.display().to_string(), "client": "gate_run.v1", "gates": found.len(),
        }));
        Ok(())
    }

    /// Takes the deeds minted and sealed before; a file that does not match its seal is an error with its line.
    fn take_seals(&self, judge: &mut Judge, claims: &mut Claims, tally: &mut Tally) -> Result<(), Fail> {
        let Some((line, punch)) = self.book.seal(self.scope) else {
            tally.reasons.push("no transcript was named and none is sealed".to_owned());
            return Ok(());
        };
        let Some(seal) = punch_files::seal_of(punch) else { return Ok(()) };
        punch_files::read(self.home.root(), &seal, &mut |number, minted| {
            let deed = Deed::of_punch(&minted, number);
            judge.take(&deed, &|| format!("{}:{number}", seal.path));
            claims.take(&deed);
        })?;
        let of = |name: &str| punch.data.get(name).and_then(Value::as_u64).unwrap_or_default();
        (tally.calls, tally.messages, tally.unknown) = (of("calls"), of("messages"), of("unknown"));
        let sources = punch.data.get("sources").and_then(Value::as_array).cloned().unwrap_or_default();
        tally.sources = sources;
        tally.sources.push(json!({ "path": seal.path, "sealed_in_line": line }));
        Ok(())
    }

    fn provenance(&self, judge: &Judge, recorded: u64, tally: &Tally, gates: usize) -> Value {
        let trust = if tally.sources.is_empty() { "observed" } else { "projected" };
        let mut out = json!({
            "sources": tally.sources, "calls": tally.calls, "messages": tally.messages, "unknown": tally.unknown,
            "ledger_records": recorded, "gates": gates, "trust": trust,
            "derivation": "records of our own tools and of the client, one action a call, compared with each row",
            "card_sha256": judge.card.digest,
        });
        if !tally.reasons.is_empty() {
            out["reasons"] = json!(tally.reasons);
        }
        if let Some(tree) = self.tree {
            out["tree"] = json!(tree);
        }
        out
    }
}

impl Tally {
    fn add(&mut self, named: &Named, came: Came) {
        match came {
            Came::Nothing(why) => self.reasons.push(why),
            Came::Read(record) => {
                self.calls += record.calls;
                self.messages += record.messages;
                self.unknown += record.unknown;
                self.sources.push(source(named, &record));
            }
        }
    }
}

/// The provenance of a record that was read.
pub(crate) fn source(named: &Named, record: &Record) -> Value {
    let mut out = json!({
        "path": named.path.display().to_string(), "client": record.client, "files": record.sources.len(),
        "calls": record.calls, "messages": record.messages, "unknown": record.unknown, "orphans": record.orphans,
    });
    if let Some(session) = &record.session_id {
        out["session"] = json!(session);
    }
    out
}

/// The files that changed in an attempt according to git.
pub(crate) fn changed_files(data: &Value) -> Vec<String> {
    let files = data.get("changed_files").and_then(Value::as_array);
    files.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The command of ours that left a record: to have run it is the receipt that a row asks for.
fn own_command(punch: &Punch) -> Option<String> {
    let task = punch.task.as_ref()?;
    match punch.kind {
        Type::Seal => Some(mint_command(task)),
        Type::Checkpoint => Some(checkpoint_command(task, &punch.key)),
        _ => None,
    }
}

/// The command line of a checkpoint.
pub(crate) fn checkpoint_command(task: &TaskId, card: &str) -> String {
    format!("punch checkpoint {} {card}", task.as_str())
}

/// The command line that mints what a task did.
pub(crate) fn mint_command(task: &TaskId) -> String {
    format!("punch mint {}", task.as_str())
}

fn place(minted: &Minted<'_>) -> String {
    match (minted.source, minted.line) {
        (_, 0) => "the record".to_owned(),
        (0, line) => format!("line {line}"),
        (file, line) => format!("line {line} of file {}", file + 1),
    }
}
