//! `fitter.toml` of the source workflow, named as the configuration itself.

use crate::catalog::Catalog;
use toml::Table;
use toolkit::config::Config;
use toolkit::{Fail, fitter};

/// Reads the file.
pub(crate) fn read(table: &Table) -> Result<Catalog, Fail> {
    let file = fitter::read(table)?;
    let config = Config { gates: file.gates, profiles: file.profiles, ..Config::default() };
    Ok(Catalog { config, values: file.values, ..Catalog::default() })
}
