//! `fitter.toml` of the source workflow, given as the configuration itself.

use crate::gates::catalog::Catalog;
use config::Config;
use config::compat::fitter_toml;
use toml::Table;
use toolkit::Fail;

/// Reads the file.
pub(crate) fn read(table: &Table) -> Result<Catalog, Fail> {
    let file = fitter_toml::read(table)?;
    let config = Config { gates: file.gates, profiles: file.profiles, ..Config::default() };
    Ok(Catalog { config, values: file.values, ..Catalog::default() })
}
