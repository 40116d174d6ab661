//! One order with everything needed for its packet and prompt.

use crate::args::Args;
use crate::packet::inputs::{self, Resolved};
use crate::packet::preparation::Preparation;
use crate::roles::role::Role;
use crate::task_text::TaskText;
use config::profile::{Packet, Profile};
use config::tokens::Tokens;
use config::{Config, GateRule};
use ledger::Ledger;
use ledger::read_cache::Records;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::redact::Redact;
use toolkit::files::root::Home;
use wire::digest::Sealed;
use wire::plan::{COMMIT, Criterion, FileUse, Kind};
use wire::{Order, State};

/// One order with the facts about it.
pub(crate) struct Case<'a> {
    pub(crate) order: &'a Order,
    pub(crate) root: &'a Path,
    pub(crate) now: String,
    pub(crate) config: Config,
    /// The policy of the plan's workflow.
    pub(crate) profile: Profile,
    pub(crate) redact: Redact,
    pub(crate) sheet: TaskText,
    pub(crate) resolved: Resolved,
    /// The records of the plan in the ledger.
    pub(crate) records: Records,
    /// The preparation that a subtask belongs to.
    pub(crate) preparation: Option<Preparation>,
    /// The last link of the session chain, verified.
    pub(crate) session: Option<Sealed>,
    /// For a reviewer or a proposer of checks, the end of the name of the folder: their files stand beside those of the attempt.
    pub(crate) errand: &'static str,
    /// Warnings for a person; the order proceeds.
    pub(crate) warnings: Vec<String>,
}

impl<'a> Case<'a> {
    /// Reads everything that belongs to an order.
    pub(crate) fn of(args: &Args, order: &'a Order, now: String) -> Result<Self, Fail> {
        let root = Path::new(&order.plan.root);
        let sheet = TaskText::of(order)?;
        let config = args.config.load(root)?;
        let redact = Redact::of(&config.redact)?;
        let records = Ledger::new(Home::of(root)?).read_of(&order.plan.path)?;
        let profile = config.profile(&order.plan.dialect)?;
        let wanted = profile.packet == Packet::Subtask;
        let found = || Preparation::find(args.packet.as_deref(), order, &sheet);
        let preparation = wanted.then(found).transpose()?;
        let values = values(&config, &profile, order);
        let resolved = inputs::resolve(&sheet, &Tokens { set: &args.set, file: &values });
        let (session, warnings) = (None, Vec::new());
        let errand = match args.role {
            Role::Review if sheet.task.kind != Kind::Checkpoint => "-review",
            Role::Check => "-check",
            _ => "",
        };
        Ok(Self {
            order,
            root,
            now,
            config,
            profile,
            redact,
            sheet,
            resolved,
            records,
            preparation,
            session,
            errand,
            warnings,
        })
    }

    /// The folder of this attempt below `.plantools/`.
    pub(crate) fn folder(&self) -> String {
        format!("work/{}/{}/{}{}", self.order.run, self.order.task.key, self.order.attempt, self.errand)
    }

    /// The path of the packet, relative to the root.
    pub(crate) fn packet_path(&self) -> String {
        format!(".plantools/{}/packet.json", self.folder())
    }

    /// The folder that contains the plan, or that is the plan.
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

    /// Whether a file exists, by its path relative to the root. A path that leads out of the root does not exist.
    pub(crate) fn is_there(&self, path: &str) -> bool {
        toolkit::files::root::inside(self.root, path).is_ok_and(|path| path.exists())
    }

    /// The text of a file, `None` if it does not exist; a path that leads out of the root does not exist.
    pub(crate) fn text_of(&self, path: &str) -> Result<Option<String>, Fail> {
        let Ok(path) = toolkit::files::root::inside(self.root, path) else { return Ok(None) };
        let bytes = if path.is_file() { toolkit::files::fs::read_if_there(&path)? } else { None };
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// The gates that the configuration sets for any of these moments, their tokens filled in where they can be.
    pub(crate) fn gates(&self, moments: &[String]) -> Vec<GateRule> {
        let values = values(&self.config, &self.profile, self.order);
        let tokens = Tokens { set: &[], file: &values };
        let gates = self.config.gates.iter().filter(|gate| gate.runs_at_any(moments)).cloned();
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

    /// Whether the last attempt failed by the agent itself and the profile asks for a simpler context then.
    pub(crate) fn is_simplified(&self) -> bool {
        let stage = self.order.last_failure.as_ref().and_then(|f| f.pointer("/halt/stage")?.as_str());
        self.profile.simplify_retry && self.order.attempt > 1 && stage == Some("worker-run")
    }

    /// The criteria of the task: its own, otherwise those of the handoff packet.
    pub(crate) fn criteria(&self) -> Vec<&Criterion> {
        let own = &self.sheet.task.criteria;
        let packet =
            self.preparation.as_ref().and_then(Preparation::subtask).map(|subtask| &subtask.criteria);
        let all = if own.is_empty() { packet.unwrap_or(own) } else { own };
        all.iter().filter(|criterion| criterion.category != COMMIT).collect()
    }

    /// The files of the task: its own, otherwise those of the handoff packet.
    pub(crate) fn files(&self) -> &[FileUse] {
        let own = &self.sheet.task.files;
        let packet = self.preparation.as_ref().and_then(Preparation::subtask).map(|subtask| &subtask.files);
        if own.is_empty() { packet.unwrap_or(own) } else { own }
    }

    /// Prohibitions: the task's own, then those of the handoff packet.
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

    /// The number of finished tasks of the plan, and of all tasks.
    pub(crate) fn progress(&self) -> (usize, usize) {
        let tasks = &self.sheet.plan.tasks;
        (tasks.iter().filter(|task| task.state == State::Completed).count(), tasks.len())
    }
}

/// The values of tokens that the configuration and the packet know.
fn values(config: &Config, profile: &Profile, order: &Order) -> std::collections::BTreeMap<String, String> {
    let mut values = config.tokens.clone();
    values.extend(config.defaults.python_runner.clone().map(|value| ("python_runner".to_owned(), value)));
    if profile.packet == Packet::ContextPackage {
        let paths = crate::packet::context_package::paths(&order.plan.path, &order.task);
        values.extend(paths.into_iter().map(|(name, path)| (name.to_owned(), path)));
    }
    values
}
