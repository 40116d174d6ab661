//! Keeping a live session from the shell: think, import, export, clear.

use crate::args::{Export, LiveArgs, Think};
use crate::here;
use sessions::{Draft, Live, Moment, Over, Position, SessionText, Stage, Target};
use std::path::Path;
use toolkit::cli::clock::Clock;
use toolkit::stream::input::Input;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};

/// Adds one thought.
pub(crate) fn think(asked: &Think, clock: &Clock, out: &mut Output) -> Result<Exit, Fail> {
    let Some(stage) = Stage::of(&asked.stage) else {
        let message = format!("'{}' is not one of the stages {}", asked.stage, Stage::names());
        return Err(Fail::usage(message));
    };
    let thought = match asked.text.as_deref() {
        Some(text) if text != "-" => text.to_owned(),
        _ => String::from_utf8(Input::open(asked.text.as_deref().map(Path::new))?.bytes()?)
            .map_err(|_| Fail::data("not-utf8", "the thought is no valid UTF-8"))?,
    };
    let live = open(&asked.live)?;
    let now = clock.now();
    let (_, kept) = live.think(&now, |next| {
        let number = asked.number.unwrap_or(next);
        Draft {
            thought: thought.trim_end().to_owned(),
            number,
            total: asked.total.unwrap_or(number),
            next: !asked.last,
            tags: asked.tags.clone(),
            axioms: asked.axioms.clone(),
            assumptions: asked.assumptions.clone(),
            revises: asked.revises,
            branch_from: asked.from,
            branch_id: asked.branch.clone(),
            timestamp: now.clone(),
            ..Draft::of(stage)
        }
    })?;
    out.document(&live.document(&kept)?, false)?;
    Ok(Exit::Ok)
}

/// Makes a session the base of the next thoughts.
pub(crate) fn import(file: &Path, live: &LiveArgs, clock: &Clock, out: &mut Output) -> Result<Exit, Fail> {
    let sheet = SessionText::open(file)?;
    out.document(&open(live)?.import(&sheet, &clock.now())?, false)?;
    Ok(Exit::Ok)
}

/// Writes the live session under its name.
pub(crate) fn export(asked: &Export, clock: &Clock, out: &mut Output) -> Result<Exit, Fail> {
    let now = clock.now();
    let over = if asked.replace { Over::Replace } else { Over::Refuse };
    let target = match (&asked.to, &asked.task, &asked.link) {
        (Some(file), ..) => Target::file(file, over),
        (None, Some(task), Some(link)) => {
            let Some(position) = Position::parse(link) else {
                return Err(Fail::usage(format!("'{link}' is not one of prep, subtask-N, tests")));
            };
            let date = asked.date.as_deref().unwrap_or(now.get(..10).unwrap_or(&now));
            if !Moment::is_date(date) {
                return Err(Fail::usage(format!("'{date}' is no day; write 2026-01-31")));
            }
            Target::link(&asked.dir, task, position, date, over)
        }
        _ => return Err(Fail::usage("--to FILE, or --task ID and --as PLACE")),
    };
    let live = open(&asked.live)?;
    out.document(&sessions::export(&live, &target, &now)?, false)?;
    Ok(Exit::Ok)
}

/// Begins anew.
pub(crate) fn clear(live: &LiveArgs, clock: &Clock, out: &mut Output) -> Result<Exit, Fail> {
    out.document(&open(live)?.clear(&clock.now())?, false)?;
    Ok(Exit::Ok)
}

/// The live session that is meant.
pub(crate) fn open(live: &LiveArgs) -> Result<Live, Fail> {
    Live::at(&here()?, live.live.as_deref())
}
