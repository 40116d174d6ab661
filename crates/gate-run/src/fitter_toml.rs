//! `fitter.toml` of the source workflow: `[defaults]` are values for tokens, `[[gates]]` and `[[profiles]]` are ours.

use crate::catalog::Catalog;
use std::collections::BTreeMap;
use toml::{Table, Value};
use toolkit::Fail;
use toolkit::config::Config;

/// Reads the file.
pub(crate) fn read(table: &Table) -> Result<Catalog, Fail> {
    let mut ours = Table::new();
    for name in ["gates", "profiles"] {
        if let Some(value) = table.get(name) {
            ours.insert(name.to_owned(), value.clone());
        }
    }
    let config: Config = ours.try_into().map_err(|e| Fail::config("bad-config", e.message().to_owned()))?;
    let defaults = table.get("defaults").and_then(Value::as_table);
    let text = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
    let values: BTreeMap<_, _> = defaults.into_iter().flatten().filter_map(text).collect();
    Ok(Catalog { config, values, ..Catalog::default() })
}
