//! Reads the ledger once from end to end in pieces: one thread takes the records, another reads the pieces and
//! checks that they can be trusted. In a run, what an index of before the run has was checked then and is guarded since:
//! of that part only the records of the plan are read.

use crate::survey::record::Record;
use ledger::OldPart;
use ledger::chain::{Chain, Flaw};
use memchr::{memchr, memrchr};
use repo::anchors::Anchors;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use toolkit::Fail;
use wire::report::Trusted;

/// How many bytes are read at once.
const PIECE: usize = 4 << 20;
/// The maximum number of problems in the report.
const TOLD: usize = 100;

/// Reads a ledger, passes its records to `each`, and returns whether its chain is intact and matches the commits; of an
/// old part only the records of a plan. It may be missing.
pub(crate) fn read(
    path: &Path,
    old: Option<(&OldPart, &str)>,
    anchors: &Anchors,
    each: &mut dyn FnMut(&Record<'_>),
) -> Result<Trusted, Fail> {
    if let Some((old, plan)) = old {
        let mut file = File::open(path).map_err(|e| Fail::io(path, &e))?;
        let mut piece = Vec::new();
        for (from, to) in old.places(plan) {
            piece.clear();
            let sought = file.seek(SeekFrom::Start(*from));
            let read = sought.and_then(|_| Read::take(&mut file, to - from.min(to)).read_to_end(&mut piece));
            read.map_err(|e| Fail::io(path, &e))?;
            lines(&piece).filter_map(Record::of).for_each(|record| each(&record));
        }
    }
    std::thread::scope(|scope| {
        let (send, receive) = sync_channel(1);
        let checker = scope.spawn(move || check(path, old.map(|(old, _)| old), anchors, &send));
        for piece in receive {
            lines(&piece).filter_map(Record::of).for_each(|record| each(&record));
        }
        checker.join().map_err(|_| Fail::data("bad-ledger", "the ledger cannot be checked"))?
    })
}

/// The lines of a piece, each with its newline.
pub(crate) fn lines(mut piece: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let end = memchr(b'\n', piece).map_or(piece.len(), |at| at + 1);
        piece.split_off(..end).filter(|line| !line.is_empty())
    })
}

/// Reads the pieces of a ledger, sends them on, and checks them.
fn check(
    path: &Path,
    old: Option<&OldPart>,
    anchors: &Anchors,
    send: &SyncSender<Arc<Vec<u8>>>,
) -> Result<Trusted, Fail> {
    let mut pieces = Pieces::new(path);
    let mut chain = Chain::default();
    let mut problems = Vec::new();
    let mut waiting = anchors.own.iter().peekable();
    if let Some(old) = old {
        (chain.head, chain.lines, chain.records) = (old.head.clone(), old.lines, old.head.seq);
        pieces.at = old.end;
        while waiting.next_if(|anchor| anchor.seq <= old.head.seq).is_some() {}
    }
    let told = |flaw: Flaw| format!("line {} {}", flaw.line, flaw.what.words());
    while let Some(piece) = pieces.next(End::Any)? {
        let piece = Arc::new(piece);
        // This fails only if the other thread has panicked, which is reported anyway.
        let _ = send.send(Arc::clone(&piece));
        for line in lines(&piece) {
            let Some(link) = chain.take(line, &mut |flaw| problems.push(told(flaw))) else { continue };
            while let Some(anchor) = waiting.next_if(|anchor| anchor.seq <= link.seq) {
                if anchor.seq != link.seq || anchor.hash != link.hash {
                    problems
                        .push(format!("commit {} vouches for another record {}", anchor.commit, anchor.seq));
                }
            }
            problems.truncate(TOLD);
        }
    }
    chain.end(&mut |flaw| problems.push(told(flaw)));
    problems
        .extend(waiting.map(|a| format!("commit {} vouches for record {}, which is gone", a.commit, a.seq)));
    problems.truncate(TOLD);
    let head = if chain.records == 0 { String::new() } else { chain.head.hash };
    Ok(Trusted {
        ok: problems.is_empty(),
        records: chain.records,
        head,
        anchors: anchors.own.len() as u64,
        elsewhere: anchors.elsewhere,
        problems,
        ..Trusted::default()
    })
}

/// How to treat a last line without a newline.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Return it as it is.
    Any,
    /// Hold it back until its newline arrives.
    Whole,
}

/// A file in pieces of whole lines, from where the last read stopped.
pub(crate) struct Pieces {
    path: PathBuf,
    file: Option<File>,
    at: u64,
    rest: Vec<u8>,
}

impl Pieces {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_path_buf(), file: None, at: 0, rest: Vec::new() }
    }

    /// Whether the file is shorter than what was read of it: then it is another file.
    pub(crate) fn is_replaced(&self) -> bool {
        std::fs::metadata(&self.path).map_or(0, |m| m.len()) < self.at
    }

    /// The next lines; `None` at the end.
    pub(crate) fn next(&mut self, end: End) -> Result<Option<Vec<u8>>, Fail> {
        let failed = |e: std::io::Error| Fail::io(&self.path, &e);
        if self.file.is_none() {
            self.file = match File::open(&self.path) {
                Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
                other => Some(other.map_err(failed)?),
            };
        }
        let Some(file) = &mut self.file else { return Ok(None) };
        file.seek(SeekFrom::Start(self.at)).map_err(failed)?;
        let mut piece = std::mem::take(&mut self.rest);
        loop {
            let had = piece.len();
            piece.reserve(PIECE);
            let got = Read::take(&mut *file, PIECE as u64).read_to_end(&mut piece).map_err(failed)?;
            self.at += got as u64;
            let line_end = memrchr(b'\n', &piece[had..]).map(|at| had + at + 1);
            match line_end {
                Some(cut) => {
                    self.rest = piece.split_off(cut);
                    return Ok(Some(piece));
                }
                None if got == 0 && (piece.is_empty() || end == End::Whole) => {
                    self.rest = piece;
                    return Ok(None);
                }
                None if got == 0 => return Ok(Some(piece)),
                None => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{End, Pieces};
    use std::io::Write;

    #[test]
    fn a_line_without_its_end_waits_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("l");
        let mut pieces = Pieces::new(&path);
        assert_eq!(pieces.next(End::Whole).unwrap(), None);
        let mut file = std::fs::File::create(&path).unwrap();
        file.write_all(b"one\ntw").unwrap();
        assert_eq!(pieces.next(End::Whole).unwrap().unwrap(), b"one\n");
        assert_eq!(pieces.next(End::Whole).unwrap(), None);
        file.write_all(b"o\n").unwrap();
        assert_eq!(pieces.next(End::Whole).unwrap().unwrap(), b"two\n");
        file.set_len(2).unwrap();
        assert!(pieces.is_replaced());
    }
}
