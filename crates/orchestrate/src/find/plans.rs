//! `orchestrate plans`: every plan that is found, with its dialect, how far it is and what comes next.

use crate::conductor::words;
use crate::find::locate::{places, top};
use crate::tools::{Said, Tools};
use serde_json::Value;
use std::path::Path;
use toolkit::stream::output::{Output, plain};
use toolkit::{Exit, Fail};
use wire::Answer;
use wire::facts::Facts;
use wire::status::StatusDoc;

/// Lists the plans; 66 if there are none.
pub(crate) fn list(tools: &Tools, out: &mut Output) -> Result<Exit, Fail> {
    let top = top(tools);
    let mut count = 0;
    for place in places::find(&top) {
        // A file that is no plan stands in a usual place by chance.
        let Some(facts) = facts(tools, &top.join(&place)) else { continue };
        count += 1;
        let shown = place.to_string_lossy().replace(char::is_control, "?");
        let status = status(tools, &top.join(&place))?;
        let Some(status) = status else {
            out.text(&format!("{shown}\n  {}, cannot be carried out: plan-parse {shown}\n", facts.dialect))?;
            continue;
        };
        let counted: Vec<String> = status.states.iter().map(|(state, n)| format!("{n} {state}")).collect();
        let tasks = if status.total == 1 { "task" } else { "tasks" };
        let counts = format!("{} {tasks}: {}", status.total, counted.join(", "));
        let next = next(tools, &top.join(&place), &status, &shown)?;
        let next = plain(&next).replace('\n', " ");
        out.text(&format!("{shown}\n  {}, {counts}\n  next: {next}\n", facts.dialect))?;
    }
    if count == 0 {
        let message = format!(
            "no plan in the usual places below {}; name one to orchestrate, and 'plan-parse --list-dialects' says what can \
             be read",
            top.display()
        );
        return Err(Fail::new(Exit::NoInput, "no-plan", message));
    }
    Ok(Exit::Ok)
}

/// What is known about a plan; `None` if it cannot be read.
pub(crate) fn facts(tools: &Tools, plan: &Path) -> Option<Facts> {
    let args = ["--quiet".as_ref(), "--show".as_ref(), "facts".as_ref(), plan.as_os_str()];
    tools.ask("plan-parse", args).ok().filter(|said| said.code == 0)?.json().ok()
}

/// Where a plan stands; `None` if it cannot be read.
fn status(tools: &Tools, plan: &Path) -> Result<Option<StatusDoc>, Fail> {
    Ok(asked(tools, plan, &["--status"])?.json().ok())
}

/// What dag-next says about a plan.
fn asked(tools: &Tools, plan: &Path, args: &[&str]) -> Result<Said, Fail> {
    let mut parse = words(&["plan-parse", "--quiet"]);
    parse.push(plan.into());
    tools.pipe(&[parse, words(&[&["dag-next"], args].concat())])
}

fn next(tools: &Tools, plan: &Path, status: &StatusDoc, shown: &str) -> Result<String, Fail> {
    Ok(match status.answer {
        Answer::Done => "everything is done".to_owned(),
        Answer::More => {
            let orders = asked(tools, plan, &["--jobs", "1"])?;
            let first = orders.out.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let order: Value = serde_json::from_slice(first).unwrap_or_default();
            let word = |at: &str| order.pointer(at).and_then(Value::as_str).unwrap_or_default().to_owned();
            format!("{} {} ({})", word("/task/id"), word("/task/title"), word("/task/state"))
        }
        Answer::Stuck | Answer::Wait => {
            let why = status.waiting.first().map(|waiting| format!("{}: {}", waiting.id, waiting.cause));
            format!(
                "{}; 'run-report --final {shown}' says more",
                why.unwrap_or_else(|| "nothing may run now".to_owned())
            )
        }
    })
}
