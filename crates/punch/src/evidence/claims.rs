//! Compares a worker's claims with its own record.
//!
//! If a worker claims that a command passed, but the last run of that command in its record failed, it needs another
//! reviewer, not another attempt.

use crate::evidence::deed::Deed;
use std::collections::BTreeMap;
use wire::order::Claim;
use wire::punch::Type;

/// The commands that are claimed to have passed, each with its last result.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    commands: BTreeMap<String, Option<bool>>,
}

impl Claims {
    pub(crate) fn new(claims: &[Claim]) -> Self {
        let passed = claims.iter().filter(|claim| claim.status.eq_ignore_ascii_case("pass"));
        let commands = passed.map(|claim| claim.command.trim()).filter(|command| !command.is_empty());
        Self { commands: commands.map(|command| (command.to_owned(), None)).collect() }
    }

    pub(crate) fn take(&mut self, deed: &Deed) {
        if self.commands.is_empty() || deed.kind != Type::CommandExec {
            return;
        }
        let Some(tool) = &deed.tool else { return };
        if let Some(last) = self.commands.get_mut(deed.key.trim()) {
            let by_code = tool.exit_code.map(|code| code == 0);
            *last = by_code.or(tool.ok).or(*last);
        }
    }

    /// Commands that are claimed to have passed but failed in their last run.
    pub(crate) fn contradicted(&self) -> Vec<String> {
        let failed = self.commands.iter().filter(|(_, last)| **last == Some(false));
        failed.map(|(command, _)| command.clone()).collect()
    }
}
