//! What can be known before the first worker starts: one table of rows, for a run and for `orchestrate doctor`.
//!
//! A row is `ok`, `warn` or `fail`, says the fact, and names the command that fixes it. A run prints the rows that warn and
//! ends at the first that fails.

mod here;
mod of_plan;

use crate::conductor::course::Course;
use crate::find::locate::{places, top};
use crate::find::profile::Values;
use crate::show::console::Console;
use crate::stop_reason::Stop;
use crate::tools::Tools;
use std::path::Path;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};

/// How good a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Ok,
    Warn,
    /// A run ends with this.
    Fail(Exit),
}

/// One row.
#[derive(Debug)]
struct Row {
    level: Level,
    fact: String,
    /// The command that fixes it, or shows more.
    fix: String,
}

impl Row {
    fn ok(fact: impl Into<String>) -> Self {
        Self { level: Level::Ok, fact: fact.into(), fix: String::new() }
    }

    fn warn(fact: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { level: Level::Warn, fact: fact.into(), fix: fix.into() }
    }

    fn fail(exit: Exit, fact: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { level: Level::Fail(exit), fact: fact.into(), fix: fix.into() }
    }
}

/// Looks before the first round: ends the run at what cannot work, and names what may not.
pub(crate) fn before_a_run(
    tools: &Tools,
    course: &Course,
    values: &Values,
    console: &mut Console,
) -> Result<(), Stop> {
    let stages = values.expand(tools, &course.profile.round)?;
    let orders = tools.pipe(stages.get(..2).unwrap_or_default())?.success()?;
    let mut rows = Vec::new();
    rows.extend(of_plan::worker(tools, &stages, &orders.out)?);
    rows.extend(of_plan::repository(tools, course));
    rows.extend(of_plan::text(&course.facts));
    rows.extend(of_plan::named_files(tools, &course.facts));
    for row in rows {
        let fix = if row.fix.is_empty() { String::new() } else { format!(" (fix: {})", row.fix) };
        match row.level {
            Level::Ok => {}
            Level::Warn => console.note(&format!("{}{fix}", row.fact)),
            Level::Fail(exit) => {
                console.note(&format!("{}{fix}", row.fact));
                return Err(Stop::Said(exit));
            }
        }
    }
    Ok(())
}

/// `orchestrate doctor`: every row; 1 if one fails. It changes nothing.
pub(crate) fn doctor(tools: &Tools, out: &mut Output) -> Result<Exit, Fail> {
    let top = top(tools);
    let mut rows = here::tools(tools);
    rows.extend(here::git(tools, &top));
    rows.extend(here::configuration(tools, &top));
    rows.extend(here::agents(tools, &top));
    rows.extend(here::sandbox(tools, &top)?);
    rows.extend(here::ledger(tools, &top)?);
    rows.extend(plans(tools, &top)?);
    let mut wrong = 0;
    for row in rows {
        let word = match row.level {
            Level::Ok => "ok",
            Level::Warn => "warn",
            Level::Fail(_) => {
                wrong += 1;
                "fail"
            }
        };
        out.shown(&format!("{word:<5} {}\n", row.fact))?;
        if !row.fix.is_empty() {
            out.shown(&format!("      fix: {}\n", row.fix))?;
        }
    }
    out.text(&if wrong == 0 { "\nall is well\n".to_owned() } else { format!("\n{wrong} to fix\n") })?;
    Ok(if wrong == 0 { Exit::Ok } else { Exit::No })
}

/// Rows about every plan in the usual places.
fn plans(tools: &Tools, top: &Path) -> Result<Vec<Row>, Fail> {
    let mut rows = Vec::new();
    let mut count = 0;
    for place in places::find(top) {
        let shown = place.to_string_lossy().into_owned();
        let said = tools.ask(
            "plan-parse",
            [
                "--quiet".as_ref(),
                "--error-format=json".as_ref(),
                "--show".as_ref(),
                "facts".as_ref(),
                top.join(&place).as_os_str(),
            ],
        )?;
        if said.code != 0 {
            // A file that is no plan stands in a usual place by chance.
            if let Some(failure) = said.failure().filter(|failure| !NO_PLAN.contains(&failure.code.as_str()))
            {
                let line = failure.line.map(|line| format!("{line}: ")).unwrap_or_default();
                rows.push(Row::fail(
                    Exit::Data,
                    format!("{shown}: {line}{}", failure.message),
                    format!("plan-parse --explain {shown}"),
                ));
            }
            continue;
        }
        count += 1;
        let facts = said.json()?;
        let mut own = of_plan::next_worker(tools, &top.join(&place))?;
        own.extend(of_plan::text(&facts));
        own.extend(of_plan::agents(&facts));
        own.extend(of_plan::named_files(tools, &facts));
        rows.extend(
            own.into_iter()
                .filter(|row| row.level != Level::Ok)
                .map(|row| Row { fact: format!("{shown}: {}", row.fact), ..row }),
        );
    }
    rows.push(if count == 0 {
        Row::warn("no plan in the usual places", "orchestrate PLAN.md")
    } else {
        Row::ok(format!("plans: {count} ('orchestrate plans' lists them)"))
    });
    Ok(rows)
}

/// The code words of a text that is not meant as a plan.
const NO_PLAN: [&str; 3] = ["not-a-plan", "no-tasks", "empty-input"];
