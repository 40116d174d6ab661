//! One order with everything that its packet and its prompt are made from.

use crate::args::Args;
use crate::inputs::{self, Resolved};
use crate::preparation::Preparation;
use crate::sheet::Sheet;
use std::path::Path;
use toolkit::config::{Config, GateRule};
use toolkit::kept::Records;
use toolkit::ledger::Ledger;
use toolkit::root::Home;
use toolkit::tokens::Tokens;
use toolkit::{Fail, redact::Redact};
use wire::digest::Sealed;
use wire::plan::{Criterion, FileUse};
use wire::{Order, State};

/// One order with what is known about it.
pub(crate) struct Case<'a> {
    pub(crate) order: &'a Order,
    pub(crate) root: &'a Path,
    pub(crate) now: String,
    pub(crate) config: Config,
    pub(crate) redact: Redact,
    pub(crate) sheet: Sheet,
    pub(crate) resolved: Resolved,
    /// What the plan's ledger says.
    pub(crate) records: Records,
    /// The preparation that a subtask comes from.
    pub(crate) preparation: Option<Preparation>,
    /// The last link of the session chain, verified.
    pub(crate) session: Option<Sealed>,
    /// What a person should know; the order goes on.
    pub(crate) warnings: Vec<String>,
}

impl<'a> Case<'a> {
    /// Reads all that belongs to an order.
    pub(crate) fn of(args: &Args, order: &'a Order, now: String) -> Result<Self, Fail> {
        let root = Path::new(&order.plan.root);
        let sheet = Sheet::of(order)?;
        let config = args.config.load(root)?;
        let redact = Redact::of(&config.redact)?;
        let records = Ledger::new(Home::of(root)?).read_of(&order.plan.path)?;
        let preparation = Preparation::find(args.packet.as_deref(), order, &sheet)?;
        let values = values(&config, order);
        let resolved = inputs::resolve(&sheet, &Tokens { set: &args.set, file: &values });
        let (session, warnings) = (None, Vec::new());
        Ok(Self {
            order,
            root,
            now,
            config,
            redact,
            sheet,
            resolved,
            records,
            preparation,
            session,
            warnings,
        })
    }

    /// The folder of this attempt below `.plantools/`.
    pub(crate) fn folder(&self) -> String {
        format!("work/{}/{}/{}", self.order.run, self.order.task.key, self.order.attempt)
    }

    /// Where the packet is, as seen from the root.
    pub(crate) fn packet_path(&self) -> String {
        format!(".plantools/{}/packet.json", self.folder())
    }

    /// The folder that the plan lies in, or is.
    pub(crate) fn plan_folder(&self) -> &str {
        let path = self.order.plan.path.as_str();
        if self.root.join(path).is_dir() {
            return path.trim_end_matches('/');
        }
        path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// A name in the plan's folder.
    pub(crate) fn beside(&self, name: &str) -> String {
        match self.plan_folder() {
            "" | "." => name.to_owned(),
            folder => format!("{folder}/{name}"),
        }
    }

    /// Whether a file is there, given as seen from the root. A name that leads out is not.
    pub(crate) fn is_there(&self, path: &str) -> bool {
        toolkit::root::inside(self.root, path).is_ok_and(|path| path.exists())
    }

    /// The text of a file that need not be there; a name that leads out is not there.
    pub(crate) fn text_of(&self, path: &str) -> Result<Option<String>, Fail> {
        let Ok(path) = toolkit::root::inside(self.root, path) else { return Ok(None) };
        let bytes = if path.is_file() { toolkit::fs::read_if_there(&path)? } else { None };
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// The gates that the configuration sets for a moment, their tokens filled in where they can be.
    pub(crate) fn gates(&self, moments: &[&str]) -> Vec<GateRule> {
        let values = values(&self.config, self.order);
        let tokens = Tokens { set: &[], file: &values };
        let wanted = |gate: &&GateRule| moments.iter().any(|moment| gate.runs_at(moment));
        let gates = self.config.gates.iter().filter(wanted).cloned();
        gates
            .map(|gate| {
                let filled = |line: &String| tokens.resolve(&gate.id, line).unwrap_or_else(|_| line.clone());
                GateRule {
                    invocation: filled(&gate.invocation),
                    fix: gate.fix.as_ref().map(filled),
                    ..gate.clone()
                }
            })
            .collect()
    }

    /// Whether the last attempt failed by the agent itself and the source asks for a simpler context then.
    pub(crate) fn is_simplified(&self) -> bool {
        let stage = self.order.last_failure.as_ref().and_then(|f| f.pointer("/halt/stage")?.as_str());
        self.order.plan.dialect == "workflow" && self.order.attempt > 1 && stage == Some("worker-run")
    }

    /// The criteria of the task: its own, else those that the handoff packet has for it.
    pub(crate) fn criteria(&self) -> &[Criterion] {
        let own = &self.sheet.task.criteria;
        let packet =
            self.preparation.as_ref().and_then(Preparation::subtask).map(|subtask| &subtask.criteria);
        if own.is_empty() { packet.unwrap_or(own) } else { own }
    }

    /// The files of the task: its own, else those that the handoff packet has for it.
    pub(crate) fn files(&self) -> &[FileUse] {
        let own = &self.sheet.task.files;
        let packet = self.preparation.as_ref().and_then(Preparation::subtask).map(|subtask| &subtask.files);
        if own.is_empty() { packet.unwrap_or(own) } else { own }
    }

    /// What must not be done: the task's own words, then those of the handoff packet.
    pub(crate) fn must_not(&self) -> Vec<&String> {
        let packet = self.preparation.as_ref().and_then(Preparation::subtask);
        let mut rules: Vec<&String> = self.sheet.task.must_not.iter().collect();
        for rule in packet.iter().flat_map(|subtask| &subtask.must_not) {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        rules
    }

    /// How many tasks of the plan are done, and of how many.
    pub(crate) fn progress(&self) -> (usize, usize) {
        let tasks = &self.sheet.plan.tasks;
        (tasks.iter().filter(|task| task.state == State::Completed).count(), tasks.len())
    }
}

/// The values of tokens that the configuration and the dialect know.
fn values(config: &Config, order: &Order) -> std::collections::BTreeMap<String, String> {
    let mut values = config.tokens.clone();
    values.extend(config.defaults.python_runner.clone().map(|value| ("python_runner".to_owned(), value)));
    if order.plan.dialect == "workflow" {
        let paths = crate::package::paths(&order.plan.path, &order.task);
        values.extend(paths.into_iter().map(|(name, path)| (name.to_owned(), path)));
    }
    values
}
