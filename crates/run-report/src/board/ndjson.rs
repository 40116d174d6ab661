//! Events as `event/1` lines, from the ledger alone.

use crate::board::follow::{LOOK, answer};
use crate::board::plan_watch::PlanWatch;
use std::path::Path;
use std::time::Duration;
use toolkit::cli::clock::Clock;
use toolkit::cli::signals::Signals;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::event::{Event, Events, What};
use wire::{Answer, Punch, RunId};

/// Prints the events that are on record.
pub(crate) fn once(path: &Path, clock: &Clock, out: &mut Output) -> Result<Exit, Fail> {
    let mut stream = Stream::default();
    let watch = stream.begin(path, out)?;
    stream.close(&watch, clock, out)
}

/// Prints the events that are on record and then those that come, until every task is done or the user quits.
pub(crate) fn follow(path: &Path, clock: &Clock, out: &mut Output) -> Result<Exit, Fail> {
    let signals = Signals::take();
    let mut stream = Stream::default();
    let mut watch = stream.begin(path, out)?;
    let mut is_quiet = true;
    while !signals.no_new_work() {
        // The record of the last commit comes after the last tick.
        if is_quiet && stream.close(&watch, clock, out)? == Exit::Done {
            return Ok(Exit::Done);
        }
        out.flush()?;
        std::thread::sleep(Duration::from_millis(LOOK.unsigned_abs()));
        let mut records: Vec<Punch> = Vec::new();
        watch.refresh(&mut |news| records.extend(serde_json::from_slice::<Punch>(news.line).ok()))?;
        stream.print(&records, out)?;
        is_quiet = records.is_empty();
    }
    Ok(Exit::Ok)
}

#[derive(Default)]
struct Stream {
    events: Events,
    run: Option<RunId>,
}

impl Stream {
    /// Prints what is on record.
    fn begin(&mut self, path: &Path, out: &mut Output) -> Result<PlanWatch, Fail> {
        let mut records: Vec<Punch> = Vec::new();
        let watch = PlanWatch::from_the_first(path, &mut |news| {
            records.extend(serde_json::from_slice::<Punch>(news.line).ok());
        })?;
        self.print(&records, out)?;
        Ok(watch)
    }

    fn print(&mut self, records: &[Punch], out: &mut Output) -> Result<(), Fail> {
        for event in records.iter().flat_map(|record| self.events.take(record)) {
            self.run.clone_from(&event.run);
            out.document(&event, false)?;
        }
        Ok(())
    }

    /// The last event, once every task is settled.
    fn close(&self, watch: &PlanWatch, clock: &Clock, out: &mut Output) -> Result<Exit, Fail> {
        let exit = answer(&watch.report());
        if exit == Exit::Done {
            let end = Event::new(What::End, &watch.ground.plan.source.path, &clock.now());
            out.document(&Event { run: self.run.clone(), answer: Some(Answer::Done), ..end }, false)?;
        }
        Ok(exit)
    }
}
