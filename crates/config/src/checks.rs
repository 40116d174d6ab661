//! The table `[checks]` of `plantools.toml`: what the words of this project's checks mean.

use crate::NAME;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::fs;

/// What the words of this project's checks mean.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ChecksRule {
    /// What a title before a command means where a clause is stated.
    pub titles: TitleRule,
    /// Whole phrases, each with the clauses that it means.
    pub synonyms: BTreeMap<String, String>,
}

/// What a title before a command means where a clause is stated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TitleRule {
    /// Nothing, unless it has a number, a comparison or a negation: then the check is unclear.
    #[default]
    Read,
    /// Nothing at all.
    Ignore,
}

/// The table of the configuration at a root. Other tables are not looked at: a tool that needs them reads them itself.
pub fn at(root: &Path) -> Result<ChecksRule, Fail> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Only {
        checks: ChecksRule,
    }
    let path = root.join(NAME);
    let Some(bytes) = fs::read_if_there(&path)? else { return Ok(ChecksRule::default()) };
    let text = String::from_utf8_lossy(&bytes);
    let only: Only = toml::from_str(&text).map_err(|e| {
        let fail = Fail::config("bad-config", e.message().to_owned()).in_file(&path);
        fail.within(&text, e.span().map(|span| span.start))
    })?;
    Ok(only.checks)
}
