//! `commands.toml` of the source system: routes that lead nowhere, and a wrong total.

use std::path::{Path, PathBuf};
use toml::{Table, Value};
use toolkit::Fail;
use toolkit::files::fs;
use wire::lint::{Finding, Severity};

/// A routing table.
pub(crate) struct Commands {
    path: PathBuf,
    text: String,
    meta: Table,
    table: Table,
}

impl Commands {
    /// Reads a table.
    pub(crate) fn read(path: &Path) -> Result<Self, Fail> {
        let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
        let table: Table = toml::from_str(&text)
            .map_err(|e| Fail::data("bad-toml", e.message().to_owned()).in_file(path))?;
        let part = |name: &str| table.get(name).and_then(Value::as_table).cloned().unwrap_or_default();
        Ok(Self { path: path.to_path_buf(), meta: part("meta"), table: part("commands"), text })
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.table.contains_key(name)
    }

    /// The gates that it routes to, by key: commands wrapped by a gate runner.
    pub(crate) fn gates(&self) -> impl Iterator<Item = &str> {
        let is_gate = |command: &&Value| command.get("gate_wrapper").is_some();
        self.table.iter().filter(move |(_, command)| is_gate(command)).map(|(name, _)| name.as_str())
    }

    /// All faults of the table.
    pub(crate) fn look(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (name, command) in &self.table {
            for lost in self.dangling(name, command) {
                findings.push(self.finding("dangling-route", Some(name), &lost));
            }
        }
        let count = i64::try_from(self.table.len()).unwrap_or(i64::MAX);
        let stated = self.meta.get("total_bindings").and_then(Value::as_integer);
        if let Some(stated) = stated.filter(|stated| *stated != count) {
            let message = format!("says {stated} commands; there are {count}");
            findings.push(self.finding("wrong-total", None, &message));
        }
        findings
    }

    /// The missing targets of a command.
    fn dangling(&self, name: &str, command: &Value) -> Vec<String> {
        let text = |field: &str| command.get(field).and_then(Value::as_str);
        let members = command.get("composite").and_then(Value::as_array).into_iter().flatten();
        let members = members.filter_map(Value::as_str);
        let lost = members.filter(|member| !self.has(member) || *member == name);
        let mut out: Vec<String> =
            lost.map(|member| format!("is made of '{member}', which is not there")).collect();
        let Some(base) = self.base() else { return out };
        let own = |path: &&str| path.contains(".kilocode/") && !path.contains(['{', '*', '$']);
        let words = [text("tool"), text("contract"), text("gate_wrapper")].into_iter().flatten();
        for path in words.flat_map(str::split_whitespace).filter(own) {
            if !base.join(path).exists() {
                out.push(format!("leads to '{path}', which is not there"));
            }
        }
        let skill = text("skill").filter(|skill| !matches!(*skill, "cli" | "native"));
        if let Some(skill) = skill.filter(|skill| !base.join(".kilocode/skills").join(skill).is_dir()) {
            out.push(format!("asks for skill '{skill}', which is not there"));
        }
        out
    }

    /// The folder that paths are relative to, if the table is in its usual location.
    fn base(&self) -> Option<&Path> {
        let folder =
            self.path.parent().filter(|folder| folder.file_name().is_some_and(|name| name == ".kilocode"))?;
        let base = folder.parent()?;
        Some(if base.as_os_str().is_empty() { Path::new(".") } else { base })
    }

    fn finding(&self, code: &str, command: Option<&str>, message: &str) -> Finding {
        let head = command.map_or("total_bindings".to_owned(), |name| format!("[commands.{name}]"));
        let line = (1..)
            .zip(self.text.lines())
            .find(|(_, text)| text.trim_start().starts_with(&head))
            .map(|(line, _)| line);
        let subject = command.map(|name| format!("'{name}' ")).unwrap_or_default();
        Finding {
            severity: Severity::Error,
            code: code.to_owned(),
            path: Some(self.path.display().to_string()),
            line,
            message: format!("{subject}{message}"),
            ..Finding::default()
        }
    }
}
