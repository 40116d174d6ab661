//! The project's own table of synonyms, from `[checks]` of its configuration.

use checks::{Synonyms, Titles};
use config::NAME;
use config::checks::{ChecksRule, TitleRule};
use std::path::Path;
use toolkit::Fail;

/// Makes the table of the project at a root the one that every plan of this process is read with.
pub(crate) fn load(root: &Path) -> Result<(), Fail> {
    let rule = config::checks::at(root)?;
    set(&rule).map_err(|fail| fail.in_file(&root.join(NAME)))
}

/// The same for a table that is already read; the first one stays.
pub fn set(rule: &ChecksRule) -> Result<(), Fail> {
    if *rule == ChecksRule::default() {
        return Ok(());
    }
    let titles = match rule.titles {
        TitleRule::Read => Titles::Read,
        TitleRule::Ignore => Titles::Ignore,
    };
    let table = Synonyms::with(&rule.synonyms, titles)
        .map_err(|why| Fail::config("bad-synonym", format!("[checks.synonyms]: {why}")))?;
    table.set_project();
    Ok(())
}
