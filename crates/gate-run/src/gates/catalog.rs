//! The gates of a configuration: `plantools.toml`, or the source workflow's own `fitter.toml` and `commands.toml`.
//!
//! A gate's id may be written with `-` or `_`. Tokens are resolved only for the gates that run, so that one unused
//! line does not stop the rest.

use crate::args::Args;
use crate::gates::python::{Tokens, other_python};
use crate::gates::{commands_toml, fitter_toml};
use crate::order::checks::WORKER_COMMANDS;
use config::{self, BudgetProfile, Config, ConfigArgs, GateRule};
use std::collections::BTreeMap;
use std::path::Path;
use toml::Table;
use toolkit::Fail;
use toolkit::files::{fs, sha};

/// The gates, and the other content of the file.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    pub(crate) config: Config,
    /// Values for tokens.
    pub(crate) values: BTreeMap<String, String>,
    /// Names that stand for several gates.
    pub(crate) composites: BTreeMap<String, Vec<String>>,
    pub(crate) kind: Kind,
}

/// The kind of file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Our own.
    #[default]
    Plantools,
    /// From the source workflow: it contains only gates.
    Foreign,
}

impl Catalog {
    /// Reads the named file, otherwise `plantools.toml` at the root.
    pub(crate) fn load(named: &ConfigArgs, root: &Path) -> Result<Self, Fail> {
        let foreign = match &named.config {
            Some(path) => Self::foreign(&fs::read(path)?).map_err(|fail| fail.in_file(path))?,
            None => None,
        };
        if let Some(catalog) = foreign {
            return Ok(catalog);
        }
        let config = named.load(root)?;
        let mut values = config.tokens.clone();
        values.extend(config.defaults.python_runner.clone().map(|value| ("python_runner".to_owned(), value)));
        Ok(Self { config, values, ..Self::default() })
    }

    /// A file of the source workflow, recognised by its tables.
    pub(crate) fn foreign(bytes: &[u8]) -> Result<Option<Self>, Fail> {
        // If it is not TOML, the reader of our own format reports where.
        let Some(table) = std::str::from_utf8(bytes).ok().and_then(|text| text.parse::<Table>().ok()) else {
            return Ok(None);
        };
        let mut catalog = match () {
            () if table.contains_key("commands") => commands_toml::read(&table)?,
            () if table.contains_key("meta") => fitter_toml::read(&table)?,
            () => return Ok(None),
        };
        catalog.kind = Kind::Foreign;
        catalog.config.sha256 = sha::hex(bytes);
        config::check(&catalog.config)?;
        Ok(Some(catalog))
    }

    /// Whether the configuration allows running workers' commands, and lets them count.
    pub(crate) fn takes_commands(&self) -> bool {
        self.config.defaults.accept.as_deref() == Some(WORKER_COMMANDS)
    }

    /// The requested gates in the requested order, otherwise all in file order; with tokens resolved.
    pub(crate) fn chosen(&self, args: &Args) -> Result<Vec<GateRule>, Fail> {
        let names = self.expanded(&args.set.gate)?;
        if !names.is_empty() {
            let gates = names.iter().filter_map(|name| self.gate(name, &args.set.set).transpose());
            return gates.collect();
        }
        let wanted = |gate: &&GateRule| match &args.set.when {
            Some(moment) => gate.runs_at(moment),
            None => gate.when.is_empty() || gate.when.iter().any(|when| when != "manual"),
        };
        self.config.gates.iter().filter(wanted).map(|gate| self.resolved(gate, &args.set.set)).collect()
    }

    /// The gate with this id, with tokens resolved.
    pub(crate) fn gate(&self, id: &str, set: &[(String, String)]) -> Result<Option<GateRule>, Fail> {
        let gate = self.config.gates.iter().find(|gate| same(&gate.id, id));
        gate.map(|gate| self.resolved(gate, set)).transpose()
    }

    /// A gate with its tokens resolved.
    pub(crate) fn resolved(&self, gate: &GateRule, set: &[(String, String)]) -> Result<GateRule, Fail> {
        let tokens = Tokens { set, file: &self.values };
        let mut gate = gate.clone();
        gate.invocation = tokens.resolve(&gate.id, &gate.invocation)?;
        gate.fix = gate.fix.map(|fix| tokens.resolve(&gate.id, &fix)).transpose()?;
        let runner = self.values.get("python_runner").and_then(|r| tokens.resolve(&gate.id, r).ok());
        if let Some(runner) = runner
            && let Some(other) = other_python(&gate.invocation, &runner)
        {
            let message = format!("gate '{}' calls '{other}', not '{runner}'", gate.id);
            return Err(Fail::config("other-python", message));
        }
        Ok(gate)
    }

    /// The profile of this name.
    pub(crate) fn profile(&self, name: Option<&str>) -> Result<Option<&BudgetProfile>, Fail> {
        let Some(name) = name else { return Ok(None) };
        let found = self.config.profiles.iter().find(|profile| profile.name == name);
        let known = || self.config.profiles.iter().map(|p| p.name.as_str()).collect::<Vec<_>>();
        found.map(Some).ok_or_else(|| missing("profile", name, &known()))
    }

    /// Names of gates, with composites replaced by their members.
    fn expanded(&self, asked: &[String]) -> Result<Vec<String>, Fail> {
        let mut out = Vec::new();
        for name in asked {
            let composite = self.composites.iter().find(|(id, _)| same(id, name));
            match composite {
                Some((_, members)) => out.extend(members.iter().cloned()),
                None if self.config.gates.iter().any(|gate| same(&gate.id, name)) => out.push(name.clone()),
                None => {
                    let known: Vec<_> = self.config.gates.iter().map(|gate| gate.id.as_str()).collect();
                    return Err(missing("gate", name, &known));
                }
            }
        }
        Ok(out)
    }
}

/// The error for an unknown name, with the known ones.
fn missing(what: &str, name: &str, known: &[&str]) -> Fail {
    let rest = match known {
        [] => format!("the configuration has no {what}s"),
        known => format!("{what}s are {}", known.join(", ")),
    };
    Fail::usage(format!("there is no {what} '{name}'; {rest}"))
}

/// The files of the source workflow write `ruff_check`, its records `ruff-check`.
pub(crate) fn same(one: &str, other: &str) -> bool {
    one.replace('_', "-") == other.replace('_', "-")
}
