//! A plan that is being followed: plan and ledger, read incrementally.

use crate::survey::book::Book;
use crate::survey::ledger_scan::{End, Pieces, lines};
use crate::survey::record::Record;
use crate::survey::{self, OpenedPlan};
use ledger::Ledger;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use toolkit::Fail;
use wire::report::Report;

/// A new record of the plan.
pub(crate) struct News<'l> {
    /// Its line in the ledger.
    pub(crate) line: &'l [u8],
    pub(crate) record: &'l Record<'l>,
    /// The index of its task; `None` if it is about no task as the plan has it now.
    pub(crate) task: Option<usize>,
}

/// A plan that is followed.
pub(crate) struct PlanWatch {
    path: PathBuf,
    pub(crate) ground: OpenedPlan,
    pub(crate) book: Book,
    pieces: Pieces,
    stamps: Vec<Option<(SystemTime, u64)>>,
}

impl PlanWatch {
    /// Reads plan and ledger as they are now.
    pub(crate) fn new(path: &Path) -> Result<Self, Fail> {
        Self::from_the_first(path, &mut |_| ())
    }

    /// The same, and passes each record of the plan to `each`.
    pub(crate) fn from_the_first(path: &Path, each: &mut dyn FnMut(&News<'_>)) -> Result<Self, Fail> {
        let ground = OpenedPlan::at(path)?;
        let book = Book::new(&ground.plan, ground.loaded.as_ref());
        let pieces = Pieces::new(&Ledger::new(ground.home.clone()).path());
        let stamps = stamps(&ground);
        let mut watch = Self { path: path.to_path_buf(), ground, book, pieces, stamps };
        watch.read_on(each)?;
        Ok(watch)
    }

    /// Reads what is new; passes each new record of the plan to `each`.
    pub(crate) fn refresh(&mut self, each: &mut dyn FnMut(&News<'_>)) -> Result<(), Fail> {
        let stamps = stamps(&self.ground);
        if stamps != self.stamps {
            // A plan that cannot be read is being written; the next look will find it whole.
            if let Ok(ground) = OpenedPlan::at(&self.path) {
                let same = self.book.fits(&ground.plan);
                (self.ground, self.stamps) = (ground, stamps);
                if !same {
                    self.start_over()?;
                }
            }
        }
        if self.pieces.is_replaced() {
            self.start_over()?;
        }
        self.read_on(each)
    }

    /// The report as it is now.
    pub(crate) fn report(&self) -> Report {
        survey::report(&self.ground, &self.book)
    }

    fn start_over(&mut self) -> Result<(), Fail> {
        self.book = Book::new(&self.ground.plan, self.ground.loaded.as_ref());
        self.pieces = Pieces::new(&Ledger::new(self.ground.home.clone()).path());
        self.read_on(&mut |_| ())
    }

    fn read_on(&mut self, each: &mut dyn FnMut(&News<'_>)) -> Result<(), Fail> {
        while let Some(piece) = self.pieces.next(End::Whole)? {
            for line in lines(&piece) {
                let Some(record) = Record::of(line) else { continue };
                let task = self.book.take(&record);
                if record.plan == self.ground.plan.source.path {
                    each(&News { line, record: &record, task });
                }
            }
        }
        Ok(())
    }
}

/// The modification time and the size of each file of the plan.
fn stamps(ground: &OpenedPlan) -> Vec<Option<(SystemTime, u64)>> {
    let stamp = |path: &str| {
        let meta = std::fs::metadata(ground.root.join(path)).ok()?;
        Some((meta.modified().ok()?, meta.len()))
    };
    ground.plan.source.files.iter().map(|file| stamp(&file.path)).collect()
}
