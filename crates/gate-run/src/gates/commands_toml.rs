//! `commands.toml` of the source workflow: its commands with a `gate_wrapper` are gates.
//!
//! The wrapper is the runner that we replace. A composite stands for its members, in its order.

use crate::gates::catalog::Catalog;
use config::GateRule;
use config::compat::commands_toml::gate;
use toml::{Table, Value};
use toolkit::Fail;

/// Reads the file.
pub(crate) fn read(table: &Table) -> Result<Catalog, Fail> {
    let mut catalog = Catalog::default();
    let Some(commands) = table.get("commands").and_then(Value::as_table) else {
        return Err(Fail::config("bad-config", "'commands' is no table"));
    };
    for (id, command) in commands {
        let Some(command) = command.as_table() else {
            return Err(Fail::config("bad-config", format!("command '{id}' is no table")));
        };
        if let Some(members) = command.get("composite").and_then(Value::as_array) {
            let members = members.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            catalog.composites.insert(id.clone(), members);
        } else if let Some(tool) = gate(command) {
            catalog.config.gates.push(GateRule { id: id.clone(), invocation: tool, ..GateRule::default() });
        }
    }
    for (id, members) in &catalog.composites {
        let known = |member: &&String| !commands.contains_key(member.as_str());
        if let Some(member) = members.iter().find(known) {
            let message = format!("composite '{id}' names '{member}', which is not there");
            return Err(Fail::config("unknown-command", message));
        }
    }
    // A composite of commands that are not gates is not a check.
    let gates = &catalog.config.gates;
    catalog.composites.retain(|_, members| members.iter().all(|m| gates.iter().any(|g| g.id == *m)));
    Ok(catalog)
}
