//! JSON Schemas of the contracts, from the types of `wire`, and of plantools.toml, from those of `config`.

use serde_json::Value;
use std::path::{Path, PathBuf};
use toolkit::Fail;

/// Where they stand.
pub(crate) const FOLDER: &str = "crates/wire/schema";

/// Where that of the configuration stands.
pub(crate) const CONFIG_FOLDER: &str = "crates/config/schema";

/// Every schema as a file.
pub(crate) fn all() -> Result<Vec<(PathBuf, String)>, Fail> {
    let file = |(name, schema): (&str, _)| {
        let text = serde_json::to_string_pretty(&schema).map_err(|e| broken(name, &e))?;
        let path = Path::new(FOLDER).join(format!("{}.json", name.replace('/', ".")));
        Ok((path, text + "\n"))
    };
    wire::schema::all().into_iter().map(file).chain([of_config()]).collect()
}

/// The schema of plantools.toml, for editors.
fn of_config() -> Result<(PathBuf, String), Fail> {
    let text = serde_json::to_string_pretty(&config::schema()).map_err(|e| broken(config::NAME, &e))?;
    Ok((Path::new(CONFIG_FOLDER).join("plantools.toml.json"), text + "\n"))
}

/// The schema of one contract.
pub(crate) fn of(name: &str) -> Result<Value, Fail> {
    let schema = wire::schema::all().into_iter().find(|(other, _)| *other == name);
    let (_, schema) =
        schema.ok_or_else(|| Fail::data("no-schema", format!("there is no contract '{name}'")))?;
    serde_json::to_value(&schema).map_err(|e| broken(name, &e))
}

fn broken(name: &str, error: &serde_json::Error) -> Fail {
    Fail::data("bad-schema", format!("the schema of '{name}' cannot be written: {error}"))
}
