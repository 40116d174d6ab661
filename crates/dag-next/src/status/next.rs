//! The command that helps a task that is held back.

use crate::choose::pick::Table;
use ledger::pins::{PINS_TOUCHED, PLAN_TOUCHED};
use toolkit::cli::shell_word;
use wire::status::Code;

/// The halt of a task whose plan, configuration or hooks changed since its first attempt.
const CHANGED: [&str; 3] = ["pin-changed", PINS_TOUCHED, PLAN_TOUCHED];

/// What to run, once the cause is mended where there is one; `None` where there is nothing to do but wait.
pub(crate) fn command(table: &Table<'_>, i: usize, code: Code) -> Option<String> {
    let plan = shell_word::path(&table.sheet.source.path);
    let id = shell_word::quoted(&table.item(i).id);
    let halt = table.standing(i).halt.as_ref().map(|(halt, _)| halt.code.as_str());
    Some(match code {
        Code::Ready | Code::Later | Code::Container => return None,
        Code::Running | Code::NotBefore | Code::CommitPending => format!("run-report --follow {plan}"),
        Code::CommitOwed => format!("commit-run pending {plan}"),
        Code::AttemptsUsed | Code::SameFailure | Code::SameError | Code::GivenUp => {
            format!("orchestrate --retry={id} {plan}")
        }
        Code::Refused | Code::NoProgress if halt.is_some_and(|code| CHANGED.contains(&code)) => {
            format!("orchestrate --accept-change REASON {plan}")
        }
        Code::RunStopped | Code::Refused | Code::NoProgress | Code::Budget => format!("orchestrate {plan}"),
        Code::Human => format!("checkbox tick {id} {plan} --reason WHY"),
        Code::Optional => format!("orchestrate --only {id} {plan}"),
        Code::Unclear => format!("checkbox fix {plan}"),
        Code::Failed => format!("checkbox untick {id} {plan} --reason WHY"),
    })
}
