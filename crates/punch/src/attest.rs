//! `punch attest`: states the evidence of ticked tasks in the history, and says in a clone which of it still fits.

use crate::args::AttestArgs;
use ::attest::{Ground, fit, notes, state};
use ledger::Ledger;
use toolkit::cli::clock::RunArgs;
use toolkit::cli::tool;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::attestation::{FitDoc, FitStatus};

/// States, or verifies.
pub(crate) fn run(asked: &AttestArgs, run: &RunArgs, out: &mut Output) -> Result<Exit, Fail> {
    let ground = Ground::read(&asked.plan, &asked.config)?;
    if asked.verify {
        return verify(asked, &ground, out);
    }
    let home = Home::of(&root::find(&asked.plan)?)?;
    let head = Ledger::new(home).head()?;
    let (stated, missing) = state::state(&ground, &asked.task, head.as_ref(), &run.clock()?.now())?;
    notes::add(ground.git(), &stated)?;
    for one in &stated {
        if asked.show.format.is_text() {
            let about = &one.statement.predicate;
            let commit = one.commit.get(..12).unwrap_or(&one.commit);
            out.shown(&format!("{} {}: attested at commit {commit}\n", about.task, about.title))?;
        } else {
            out.document(&one.statement, asked.show.pretty)?;
        }
    }
    for lack in &missing {
        let checks = if lack.checks.is_empty() {
            "it has no check".to_owned()
        } else {
            format!("no pass on this tree for {}", lack.checks.join(", "))
        };
        tool::note(&format!("punch: task '{}' is not attested: {checks}", lack.task));
    }
    if !missing.is_empty() {
        tool::note(&format!(
            "punch: run its checks first: gate-run --when end --plan {}",
            asked.plan.display()
        ));
    }
    Ok(if missing.is_empty() && !stated.is_empty() { Exit::Ok } else { Exit::No })
}

/// Says of each ticked task whether its evidence still fits; runs nothing.
fn verify(asked: &AttestArgs, ground: &Ground, out: &mut Output) -> Result<Exit, Fail> {
    let mut fits = fit::of(ground)?;
    if !asked.task.is_empty() {
        fits.retain(|fit| asked.task.iter().any(|id| fit.task.as_str() == id));
    }
    for fit in &fits {
        if asked.show.format.is_text() {
            out.shown(&line(fit))?;
        } else {
            out.document(fit, asked.show.pretty)?;
        }
    }
    if fits.is_empty() {
        tool::note(&format!("punch: no task of {} is ticked", ground.plan()));
        return Ok(Exit::No);
    }
    if fits.iter().all(|fit| fit.commit.is_none()) {
        let fetch = format!("git fetch origin '{0}:{0}'", notes::REF);
        tool::note(&format!(
            "punch: the history has no statement about {}; the notes come with: {fetch}",
            ground.plan()
        ));
    }
    Ok(if fits.iter().all(|fit| fit.status == FitStatus::Fits) { Exit::Ok } else { Exit::No })
}

fn line(fit: &FitDoc) -> String {
    format!("{} {}: {}: {}\n", fit.task, fit.title, fit.status.words(), fit.reason)
}
