//! The whole run of a plan, as an ordinary plan.

use toolkit::Fail;
use wire::Plan;

/// The plan, expanded in the way that `how` names.
pub(crate) fn plan(plan: Plan, how: Option<&str>) -> Result<Plan, Fail> {
    match how {
        None => Ok(plan),
        Some("execute-task") => dialects::expand::execute_task(&plan),
        Some(other) => Err(Fail::usage(format!("no expansion '{other}'; there is: execute-task"))),
    }
}
