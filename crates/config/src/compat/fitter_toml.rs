//! `fitter.toml` of the source workflow: `[defaults]` are values for tokens, `[[gates]]` and `[[profiles]]` are ours.
//!
//! `[fitter] file = ".kilocode/fitter.toml"` in `plantools.toml` takes it into the configuration as it is. Its gates have no
//! `when`: format and lint run before each tick and at the end, tests after the line that adds them and at the end, the
//! others at the end; a gate that the card of a subtask asks for runs before each tick too. With it comes the check that
//! no flag silences a checker.

use crate::{BudgetProfile, CardRule, Config, GateRule};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use toml::{Table, Value};
use toolkit::Fail;
use toolkit::files::{fs, root, sha};

/// Where `fitter.toml` is, and what it does not say itself.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FitterRule {
    /// The file, as seen from the root.
    pub file: String,
    /// The gates that run before each tick, by their ids.
    pub task: Option<Vec<String>>,
    /// The profile whose budgets the gates have that name none of their own.
    pub profile: Option<String>,
}

/// The card that every subtask of the source workflow must meet.
const SUBTASK_CARD: &str = "execute-subtask";

/// The check that comes with the file.
const NO_SUPPRESSIONS: &str = "no-new-suppressions";

/// What the file holds.
#[derive(Debug, Default)]
pub struct Fitter {
    /// The gates as they are written.
    pub gates: Vec<GateRule>,
    /// Named budgets.
    pub profiles: Vec<BudgetProfile>,
    /// Values for tokens.
    pub values: BTreeMap<String, String>,
}

/// Reads the file's tables.
pub fn read(table: &Table) -> Result<Fitter, Fail> {
    let mut ours = Table::new();
    for name in ["gates", "profiles"] {
        if let Some(value) = table.get(name) {
            ours.insert(name.to_owned(), value.clone());
        }
    }
    let config: Config = ours.try_into().map_err(|e| Fail::config("bad-config", e.message().to_owned()))?;
    let defaults = table.get("defaults").and_then(Value::as_table);
    let text = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
    let values = defaults.into_iter().flatten().filter_map(text).collect();
    Ok(Fitter { gates: config.gates, profiles: config.profiles, values })
}

/// Takes the file that a configuration names into it.
pub fn take(config: &mut Config, top: &Path) -> Result<(), Fail> {
    let Some(rule) = config.fitter.clone() else { return Ok(()) };
    let path = root::inside(top, &rule.file)?;
    let table = config.take_in(&path)?;
    let fitter = read(&table).map_err(|fail| fail.in_file(&path))?;
    config.profiles.extend(fitter.profiles);
    let profile =
        config.profiles.iter().find(|profile| Some(&profile.name) == rule.profile.as_ref()).cloned();
    if let (None, Some(name)) = (&profile, &rule.profile) {
        return Err(Fail::config("unknown-profile", format!("[fitter]: there is no profile '{name}'")));
    }
    let own = config.cards.get(SUBTASK_CARD).cloned();
    let card = own.or_else(|| CardRule::built_in(SUBTASK_CARD)).unwrap_or_default().gates()?;
    for gate in fitter.gates {
        let is_free = gate.when.is_empty() && rule.task.is_none();
        let mut gate = rule.placed(gate, profile.as_ref());
        // What the card of a subtask asks for runs for each subtask, or nothing could meet the card.
        let id = gate.id.replace('_', "-");
        let is_asked = card.iter().any(|row| row.is_match(&gate.id) || row.is_match(&id));
        if is_free && is_asked && !gate.when.iter().any(|when| when == "task") {
            gate.when.insert(0, "task".to_owned());
        }
        config.gates.push(gate);
    }
    if !config.gates.iter().any(|gate| gate.invocation == NO_SUPPRESSIONS) {
        let when = ["task", "end"].map(str::to_owned).to_vec();
        let name = || NO_SUPPRESSIONS.to_owned();
        config.gates.push(GateRule { id: name(), invocation: name(), when, ..GateRule::default() });
    }
    for (name, value) in fitter.values {
        config.tokens.entry(name).or_insert(value);
    }
    Ok(())
}

impl FitterRule {
    /// A gate with its moment and its budgets, where it names none of its own.
    fn placed(&self, gate: GateRule, profile: Option<&BudgetProfile>) -> GateRule {
        let plain = |id: &str| id.replace('_', "-");
        let id = plain(&gate.id);
        let early = match &self.task {
            Some(ids) => ids.iter().any(|own| plain(own) == id),
            None => is_style(&id) || is_style(&plain(&gate.label).replace(' ', "-")),
        };
        let moments: &[&str] = match early {
            true => &["task", "end"],
            false if is_test(&id) => &["test", "end"],
            false => &["end"],
        };
        let when =
            if gate.when.is_empty() { moments.iter().map(|w| (*w).to_owned()).collect() } else { gate.when };
        GateRule {
            when,
            timeout_seconds: gate.timeout_seconds.or(profile.and_then(|p| p.timeout_seconds)),
            stall_seconds: gate.stall_seconds.or(profile.and_then(|p| p.stall_seconds)),
            ..gate
        }
    }
}

/// Whether a gate looks at format or lint, by its id or label: `ruff-format-check`, `fmt`, `rustfmt`, `eslint`. The linter
/// of Ruff is called `ruff-check`.
fn is_style(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == "ruff-check"
        || name
            .split('-')
            .any(|word| word.starts_with("format") || word.ends_with("fmt") || word.contains("lint"))
}

/// Whether a gate runs the tests, by its id: `pytest`, `test`, `unit-tests`.
fn is_test(id: &str) -> bool {
    id.split('-').any(|word| {
        matches!(
            word.to_ascii_lowercase().as_str(),
            "test" | "tests" | "pytest" | "unittest" | "jest" | "vitest"
        )
    })
}

/// The digests of the files that a configuration takes in, one behind the other; empty where it names none or they are not
/// there.
pub fn digest(top: &Path, config: &[u8]) -> Result<String, Fail> {
    let table = std::str::from_utf8(config).ok().and_then(|text| text.parse::<Table>().ok());
    let mut out = String::new();
    for name in ["fitter", "commands"] {
        let file = table.as_ref().and_then(|table| table.get(name)?.get("file")?.as_str());
        let Some(path) = file.and_then(|file| root::inside(top, file).ok()) else { continue };
        out.push_str(&fs::read_if_there(&path)?.map(|bytes| sha::hex(&bytes)).unwrap_or_default());
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::FitterRule;
    use crate::{BudgetProfile, GateRule};

    #[test]
    fn format_and_lint_run_before_each_tick_and_all_at_the_end() {
        let rule = FitterRule { file: "f".into(), ..FitterRule::default() };
        let gate = |id: &str| GateRule { id: id.into(), ..GateRule::default() };
        assert_eq!(rule.placed(gate("ruff_check"), None).when, ["task", "end"]);
        assert_eq!(rule.placed(gate("pytest"), None).when, ["test", "end"]);
        assert_eq!(rule.placed(gate("mypy"), None).when, ["end"]);
        for id in ["format", "fmt", "ruff-format", "format_check", "cargo-fmt", "eslint", "lint"] {
            assert_eq!(rule.placed(gate(id), None).when, ["task", "end"], "{id}");
        }
        let labelled = GateRule { label: "Code format".into(), ..gate("black") };
        assert_eq!(rule.placed(labelled, None).when, ["task", "end"]);
        let own = FitterRule { task: Some(vec!["pytest".into()]), ..rule };
        assert_eq!(own.placed(gate("ruff_check"), None).when, ["end"]);
        assert_eq!(own.placed(gate("pytest"), None).when, ["task", "end"]);
        let profile = BudgetProfile { timeout_seconds: Some(9), ..BudgetProfile::default() };
        let slow = GateRule { timeout_seconds: Some(50), ..gate("slow") };
        assert_eq!(own.placed(gate("pytest"), Some(&profile)).timeout_seconds, Some(9));
        assert_eq!(own.placed(slow, Some(&profile)).timeout_seconds, Some(50));
    }
}
