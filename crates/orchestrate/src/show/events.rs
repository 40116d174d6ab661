//! `--events`: one `event/1` line for each event of the run, from the ledger and from the conductor itself.

use crate::show::hooks::Hooks;
use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use toolkit::cli::clock::Clock;
use toolkit::files::fs;
use toolkit::{Exit, Fail};
use wire::event::{Event, Events, What};
use wire::{Punch, RunId};

/// Where events go; nowhere unless they were asked for.
pub(crate) struct EventLog<'t> {
    to: Option<Box<dyn Write>>,
    hooks: Hooks<'t>,
    ledger: PathBuf,
    /// How far the ledger was read.
    offset: u64,
    plan: String,
    run: String,
    events: Events,
}

impl<'t> EventLog<'t> {
    /// Opens the file that was asked for; `-` is standard output. What is on record before the run is not told again.
    pub(crate) fn open(
        path: Option<&Path>,
        root: &Path,
        plan: &str,
        run: &str,
        hooks: Hooks<'t>,
    ) -> Result<Self, Fail> {
        let to: Option<Box<dyn Write>> = match path {
            None => None,
            Some(path) if path == Path::new("-") => Some(Box::new(std::io::stdout())),
            Some(path) => Some(Box::new(fs::open_own(path, OpenOptions::new().append(true).create(true))?)),
        };
        let ledger = root.join(".plantools/ledger.ndjson");
        let offset = ledger.metadata().map_or(0, |about| about.len());
        let mut log = Self {
            to,
            hooks,
            ledger,
            offset,
            plan: plan.to_owned(),
            run: run.to_owned(),
            events: Events::default(),
        };
        log.tell(What::Run, |event| event);
        Ok(log)
    }

    /// A round begins.
    pub(crate) fn round(&mut self, number: u64) {
        self.tell(What::Round, |event| Event { round: Some(number), ..event });
    }

    /// The run ends.
    pub(crate) fn end(&mut self, word: &str, why: &str, exit: Exit, next: &str) {
        self.catch_up();
        let next = Some(next.to_owned()).filter(|next| !next.is_empty());
        self.tell(What::End, |event| Event {
            code: Some(word.to_owned()),
            message: Some(why.to_owned()),
            exit: Some(exit.code()),
            next,
            ..event
        });
        self.hooks.finish();
    }

    /// Tells of the records that were added since.
    pub(crate) fn catch_up(&mut self) {
        if !self.is_wanted() {
            return;
        }
        for record in self.news() {
            // The first record of the run would tell of the run again.
            let told = self.events.take(&record).into_iter().filter(|event| event.event != What::Run);
            for event in told.collect::<Vec<_>>() {
                self.write(&event);
            }
        }
    }

    /// The whole lines of the ledger that are new and about this plan.
    fn news(&mut self) -> Vec<Punch> {
        let Ok(mut file) = std::fs::File::open(&self.ledger) else { return Vec::new() };
        let mut bytes = Vec::new();
        let read = file.seek(SeekFrom::Start(self.offset)).and_then(|_| file.read_to_end(&mut bytes));
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if read.is_err() || whole == 0 {
            return Vec::new();
        }
        self.offset += whole as u64;
        let lines = bytes.get(..whole).unwrap_or_default().split(|byte| *byte == b'\n');
        let records = lines.filter_map(|line| serde_json::from_slice::<Punch>(line).ok());
        records.filter(|record| record.plan == self.plan).collect()
    }

    fn tell(&mut self, what: What, fill: impl FnOnce(Event) -> Event) {
        if self.is_wanted() {
            let event = Event::new(what, &self.plan, &Clock::default().now());
            let event = fill(Event { run: Some(RunId(self.run.clone())), ..event });
            self.write(&event);
        }
    }

    fn is_wanted(&self) -> bool {
        self.to.is_some() || self.hooks.any()
    }

    /// A reader that is gone does not stop the run.
    fn write(&mut self, event: &Event) {
        // What other runs on the same plan do has hooks of theirs.
        if event.run.as_ref().is_some_and(|run| run.as_str() == self.run) {
            self.hooks.tell(event);
        }
        let Ok(mut line) = serde_json::to_vec(event) else { return };
        line.push(b'\n');
        let _ = self.to.as_mut().map(|to| to.write_all(&line).and_then(|()| to.flush()));
    }
}
