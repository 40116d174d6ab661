//! `gate-run --stale`: runs only the checks of ticked tasks whose evidence in the history does not fit.
//!
//! What passed on this very tree by this ledger is not run again either, so that a second call runs nothing.

use crate::args::Args;
use crate::gates::catalog::Catalog;
use crate::gates::configured::Bench;
use crate::gates::one_command;
use crate::gates::recheck::Again;
use crate::run::progress::Progress;
use attest::{Ground, fit};
use std::collections::HashSet;
use std::path::Path;
use toolkit::cli::tool;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::attestation::{FitDoc, FitStatus};

/// Runs what does not fit, and returns the overall result.
pub(crate) fn run(args: &Args, path: &Path, out: &mut Output) -> Result<Exit, Fail> {
    let fits = fit::of(&Ground::read(path, &args.config)?)?;
    let is_stale = |fit: &&FitDoc| fit.status != FitStatus::Fits;
    let stale: Vec<&FitDoc> = fits.iter().filter(is_stale).collect();
    if !args.show.json_only {
        let (all, fit) = (fits.len(), fits.len() - stale.len());
        tool::note(&format!("gate-run: the evidence of {fit} of {all} ticked tasks fits"));
        for one in &stale {
            let (task, words, reason) = (&one.task, one.status.words(), &one.reason);
            tool::note(&format!("gate-run: task '{task}': {words}: {reason}"));
        }
    }
    let checks = stale.iter().flat_map(|fit| {
        let own = fit.checks.iter().filter(|check| check.status != FitStatus::Fits);
        own.map(|check| (fit.task.clone(), check.id.clone()))
    });
    let only: HashSet<_> = checks.collect();
    if only.is_empty() {
        return Ok(Exit::Ok);
    }
    let root = root::find(path)?;
    let (catalog, home) = (Catalog::load(&args.config, &root)?, Home::of(&root)?);
    let watch = Progress::alone(args);
    let mut bench = Bench::new(args, &catalog, &home, &watch)?;
    let mut again = Again { args, catalog: &catalog, home: &home, bench: &mut bench, only: Some(&only) };
    let (statuses, entries) = again.run(path, out)?;
    bench.records.append_all(entries)?;
    if watch.is_over() {
        return Ok(Exit::NoVerdict);
    }
    Ok(one_command::exit_of(statuses.into_iter()))
}
