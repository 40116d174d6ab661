//! `commands.toml` of the source workflow: what is dispatched to whom, and what must leave a receipt.
//!
//! `[commands] file = ".kilocode/commands.toml"` in `plantools.toml` takes it into the configuration as it is. A mode that
//! is dispatched to (`dispatch_*`, `target_mode`) is an agent that plans may name. A command with `receipt_required = true`
//! is a row that a card requires: of a gate its pass, of anything else that it was done.

use crate::workers::{Route, Stop, WorkerRule};
use crate::{Config, GateRule};
use serde::Deserialize;
use std::path::Path;
use toml::{Table, Value};
use toolkit::Fail;
use toolkit::files::root;

/// Where `commands.toml` is, and what it does not say itself.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CommandsRule {
    /// The file, as seen from the root.
    pub file: String,
    /// Who does what is dispatched; without it the worker of `[defaults]`.
    pub worker: Option<String>,
    /// The card that gets the rows; without it one of their own, `receipts`.
    pub card: Option<String>,
}

/// The card of the receipts where no other is named.
pub const CARD: &str = "receipts";

/// Rows that a card requires besides its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Receipts {
    /// The card.
    pub card: String,
    /// The rows, as `type:pattern`.
    pub rows: Vec<String>,
}

/// One command of the table.
struct Command<'t>(&'t str, &'t Table);

impl Command<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        self.1.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
    }

    fn says(&self, name: &str) -> bool {
        self.1.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// The mode that it is dispatched to.
    fn mode(&self) -> Option<&str> {
        let dispatched = self.0.strip_prefix("dispatch_").map(|rest| self.text("noun").unwrap_or(rest));
        self.text("target_mode").or(dispatched)
    }

    /// The row that its receipt answers.
    fn row(&self, gates: &[GateRule]) -> Option<String> {
        if let Some(invocation) = gate(self.1) {
            // The same check may stand among the gates under another name.
            let known = gates.iter().find(|gate| gate.invocation == invocation);
            return Some(format!("gate_pass:{}", known.map_or(self.0, |gate| gate.id.as_str())));
        }
        let tool = self.text("tool")?;
        Some(match self.text("skill") {
            Some("native") => format!("tool_call:{tool}"),
            _ => match own_receipt(self.0) {
                // In braces a comma would end the alternative.
                Some(ours) => format!("command_exec:{{*{}*,{ours} *}}", blanks(tool).replace(',', "?")),
                None => format!("command_exec:*{}*", blanks(tool)),
            },
        })
    }
}

/// The command of ours that does what this command of the source does; having run it is a receipt too.
fn own_receipt(name: &str) -> Option<&'static str> {
    match name {
        "punch_mint" => Some("punch mint"),
        "punch_checkpoint" => Some("punch checkpoint"),
        _ => None,
    }
}

/// The command line of a command that is a gate: without the runner around it, which is us.
pub fn gate(command: &Table) -> Option<String> {
    let text = |name: &str| command.get(name).and_then(Value::as_str);
    let (tool, wrapper) = (text("tool")?, text("gate_wrapper")?);
    let deprecated = command.get("deprecated").and_then(Value::as_bool).unwrap_or(false);
    let inside = tool.strip_prefix(wrapper).and_then(|rest| rest.split_once(" -- "));
    (!deprecated).then(|| inside.map_or(tool, |(_, inner)| inner).to_owned())
}

/// A command line as a pattern: what is filled in later may be anything.
fn blanks(tool: &str) -> String {
    let mut out = String::new();
    let mut rest = tool;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((_, behind)) = after.split_once('}') else { break };
        out.push_str(&plain(before));
        out.push('*');
        rest = behind;
    }
    out + &plain(rest)
}

/// A text in which no character stands for others.
fn plain(text: &str) -> String {
    let wild = |c: char| matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\');
    text.chars().flat_map(|c| wild(c).then_some('\\').into_iter().chain([c])).collect()
}

/// Takes the file that a configuration names into it.
pub fn take(config: &mut Config, top: &Path) -> Result<(), Fail> {
    let Some(rule) = config.commands.clone() else { return Ok(()) };
    let path = root::inside(top, &rule.file)?;
    let table = config.take_in(&path)?;
    let commands = table.get("commands").and_then(Value::as_table);
    let commands: Vec<Command<'_>> = commands
        .into_iter()
        .flatten()
        .filter_map(|(name, command)| Some(Command(name, command.as_table()?)))
        .filter(|command| !command.says("deprecated"))
        .collect();
    dispatch(config, &rule, &commands);
    receipts(config, &rule, &commands)
}

/// Each mode becomes an agent, unless the configuration has one of that name.
fn dispatch(config: &mut Config, rule: &CommandsRule, commands: &[Command<'_>]) {
    let Some(worker) = rule.worker.clone().or_else(|| config.defaults.worker.clone()) else { return };
    let Stop::Worker { name, model } = Stop::from(worker.as_str()) else { return };
    let base = config.workers.get(&name).cloned();
    for mode in commands.iter().filter_map(Command::mode) {
        if config.agents.contains_key(mode) {
            continue;
        }
        let own = config.workers.contains_key(mode);
        let client = base
            .as_ref()
            .map_or_else(|| WorkerRule::default().client(&name).to_owned(), |b| b.client(&name).to_owned());
        // A client takes a mode; any other program has none.
        if !own && client != "plain" {
            let told = WorkerRule {
                agent: Some(mode.to_owned()),
                result: Some(client),
                ..base.clone().unwrap_or_default()
            };
            config.workers.insert(mode.to_owned(), told);
        }
        let whose = if config.workers.contains_key(mode) { mode } else { &name };
        let stop = Stop::Worker { name: whose.to_owned(), model: model.clone().filter(|_| !own) };
        config.agents.insert(mode.to_owned(), Route(vec![stop]));
    }
}

/// Each command that must leave a receipt becomes a row, and a gate where it is one; what is made of others, theirs.
fn receipts(config: &mut Config, rule: &CommandsRule, commands: &[Command<'_>]) -> Result<(), Fail> {
    let mut wanted: Vec<&str> =
        commands.iter().filter(|c| c.says("receipt_required")).map(|command| command.0).collect();
    let mut rows: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(name) = wanted.get(at).copied() {
        at += 1;
        let Some(command) = commands.iter().find(|command| command.0 == name) else { continue };
        if let Some(members) = command.1.get("composite").and_then(Value::as_array) {
            for member in members.iter().filter_map(Value::as_str) {
                if !wanted.contains(&member) {
                    wanted.push(member);
                }
            }
            continue;
        }
        if let Some(invocation) = gate(command.1)
            && !config.gates.iter().any(|gate| gate.invocation == invocation || gate.id == name)
        {
            let when = ["task", "end"].map(str::to_owned).to_vec();
            config.gates.push(GateRule { id: name.to_owned(), invocation, when, ..GateRule::default() });
        }
        let Some(row) = command.row(&config.gates) else {
            let message = format!(
                "[commands.{name}] of '{}' must leave a receipt and names no 'tool' that leaves one; add: tool = \"COMMAND\"",
                rule.file
            );
            return Err(Fail::config("no-tool", message));
        };
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    config.receipts = Receipts { card: rule.card.clone().unwrap_or_else(|| CARD.to_owned()), rows };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Receipts, take};
    use crate::workers::Stop;
    use crate::{Config, parse};

    const FILE: &str = r#"
[commands.check_ruff]
tool = "wrap.py -- ruff check ."
gate_wrapper = "wrap.py"
receipt_required = true

[commands.test_all]
tool = "pytest -q"
gate_wrapper = "wrap.py"
receipt_required = false

[commands.gate_quality]
composite = ["check_ruff", "test_all", "gate_quality"]
receipt_required = true

[commands.checkpoint]
skill = "cli"
tool = "punch.py checkpoint {task_id} a[1]"
receipt_required = true

[commands.old]
tool = "gone"
receipt_required = true
deprecated = true

[commands.punch_checkpoint]
skill = "cli"
tool = "engine.py checkpoint {task_id}, {card_id}"
receipt_required = true

[commands.spawn]
skill = "native"
tool = "new_task"
receipt_required = true

[commands.dispatch_fitter]
tool = "new_task"
target_mode = "fitter"

[commands.dispatch_docs]
tool = "new_task"
noun = "docs-specialist"
"#;

    fn taken(config: &str) -> Config {
        let folder = tempfile::TempDir::new().unwrap();
        toolkit::files::fs::create(&folder.path().join("commands.toml"), FILE.as_bytes()).unwrap();
        let mut config =
            parse(format!("{config}\n[commands]\nfile = \"commands.toml\"\n").as_bytes()).unwrap();
        take(&mut config, folder.path()).unwrap();
        config
    }

    #[test]
    fn what_must_leave_a_receipt_is_a_required_row() {
        let config = taken("[[gates]]\nid = \"ruff\"\ninvocation = \"ruff check .\"\n");
        let rows = [
            "gate_pass:ruff",
            "command_exec:*punch.py checkpoint * a\\[1\\]*",
            "command_exec:{*engine.py checkpoint *? **,punch checkpoint *}",
            "tool_call:new_task",
            "gate_pass:test_all",
        ];
        assert_eq!(
            config.receipts,
            Receipts { card: "receipts".into(), rows: rows.map(str::to_owned).to_vec() }
        );
        let ids: Vec<_> = config.gates.iter().map(|gate| gate.id.as_str()).collect();
        assert_eq!(ids, ["ruff", "test_all"], "a gate that is there already is not there twice");
        assert!(config.gates[1].runs_at("task") && config.gates[1].runs_at("end"));
    }

    #[test]
    fn a_receipt_of_nothing_is_an_error() {
        let folder = tempfile::TempDir::new().unwrap();
        let file = "[commands.docs]\nverb = \"make\"\nreceipt_required = true\n";
        toolkit::files::fs::create(&folder.path().join("commands.toml"), file.as_bytes()).unwrap();
        let mut config = parse(b"[commands]\nfile = \"commands.toml\"\n").unwrap();
        let fail = take(&mut config, folder.path()).unwrap_err();
        assert!(fail.code == "no-tool" && fail.message.contains("[commands.docs]"), "{}", fail.message);
    }

    #[test]
    fn a_mode_that_is_dispatched_to_is_an_agent() {
        let stop = |config: &Config, mode: &str| config.agents[mode].after(0).cloned();
        let worker = |name: &str| Some(Stop::Worker { name: name.to_owned(), model: None });
        let config = taken("[defaults]\nworker = \"kilo\"\n[agents]\nfitter = \"codex\"\n");
        assert_eq!(stop(&config, "fitter"), worker("codex"), "what the configuration says wins");
        assert_eq!(stop(&config, "docs-specialist"), worker("docs-specialist"));
        let told = &config.workers["docs-specialist"];
        assert_eq!(
            (told.client("docs-specialist"), told.agent.as_deref()),
            ("kilo", Some("docs-specialist"))
        );
        let plain = taken("[defaults]\nworker = \"mine\"\n[workers.mine]\ncommand = [\"./mine\"]\n");
        assert_eq!(stop(&plain, "fitter"), worker("mine"), "a program of anybody's has no modes");
        assert!(taken("").agents.is_empty(), "nobody is there to do it");
    }
}
