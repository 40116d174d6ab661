//! What can be known before the first worker starts: one table of rows, for a run and for `orchestrate doctor`.
//!
//! A row is `ok`, `warn` or `fail`, says the fact, and names the command that fixes it. A run prints the rows that warn and
//! ends at the first that fails.

mod here;
mod of_plan;

use crate::conductor::course::{self, Course};
use crate::find::locate::{places, top};
use crate::find::profile::Values;
use crate::preflight::of_plan::Stages;
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
    /// The code word of the tool that said so.
    code: Option<String>,
}

impl Row {
    fn ok(fact: impl Into<String>) -> Self {
        Self { level: Level::Ok, fact: fact.into(), fix: String::new(), code: None }
    }

    fn warn(fact: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { level: Level::Warn, fact: fact.into(), fix: fix.into(), code: None }
    }

    fn fail(exit: Exit, fact: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { level: Level::Fail(exit), fact: fact.into(), fix: fix.into(), code: None }
    }
}

/// Looks before the first worker: ends the run at what cannot work, and names what may not.
pub(crate) fn before_a_run(
    tools: &Tools,
    course: &Course,
    values: &Values,
    may_ask: bool,
    console: &mut Console,
) -> Result<(), Stop> {
    let plan = Path::new(values.get("plan"));
    let mut facts = course::facts(tools, plan)?;
    if may_ask && of_plan::unclear(&facts).next().is_some() {
        make_clear(tools, plan, console)?;
        facts = course::facts(tools, plan)?;
    }
    let stages = values.expand(tools, &course.profile.round)?;
    let mut rows = of_plan::repository(tools, course);
    rows.extend(here::gates(tools, Path::new(&facts.root))?);
    rows.extend(of_plan::rows(tools, &facts, &Stages::of(&stages))?);
    for row in rows {
        let fix = match row.fix.as_str() {
            "" => String::new(),
            // The command that is typed right now.
            _ if row.fix.starts_with("orchestrate") => String::new(),
            fix => format!(" (fix: {fix})"),
        };
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

/// Lets a person make unclear checks clear before the first worker; those that are left hold their tasks.
fn make_clear(tools: &Tools, plan: &Path, console: &mut Console) -> Result<(), Stop> {
    console.note("checks of this plan are unclear; their tasks wait until each is clear");
    let ended = tools.command("checkbox".as_ref()).arg("fix").arg(plan).status();
    let code = crate::tools::code_of(ended.map_err(|e| crate::tools::not_started("checkbox".as_ref(), &e))?);
    match Exit::from_code(code) {
        Some(Exit::Ok | Exit::Stuck) => Ok(()),
        exit => Err(Stop::Said(exit.unwrap_or(Exit::Unavailable))),
    }
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
        let mut own = of_plan::rows(tools, &facts, &Stages::plain(&top.join(&place)))?;
        own.extend(of_plan::disagreements(tools, &top.join(&place), &shown)?);
        rows.extend(
            own.into_iter()
                .filter(|row| row.level != Level::Ok)
                .map(weaker)
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

/// A worker may still be named on the command line.
fn weaker(row: Row) -> Row {
    let is_open = row.code.as_deref() == Some(of_plan::NO_WORKER);
    if is_open { Row { level: Level::Warn, ..row } } else { row }
}

/// The code words of a text that is not meant as a plan.
const NO_PLAN: [&str; 3] = ["not-a-plan", "no-tasks", "empty-input"];
