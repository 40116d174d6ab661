//! A file in pieces of whole lines. A second thread reads and marks the next piece while the caller processes this
//! one.

use crate::json::marks::Marks;
use memchr::memrchr;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::mpsc::{channel, sync_channel};
use std::thread;

/// How many bytes to read at once; a longer line comes in parts.
const CHUNK: usize = 1 << 20;
/// The number of pieces in use at once.
const PIECES: usize = 2;

/// Passes on all pieces of a file, in order.
pub(crate) fn each(file: File, mut take: impl FnMut(&Piece)) -> io::Result<()> {
    let size = file.metadata().map_or(u64::MAX, |facts| facts.len());
    let mut source = Source { file, rest: Vec::new() };
    if size >= CHUNK as u64 && ahead(&mut source, &mut take)? {
        return Ok(());
    }
    // A small file needs neither a large buffer nor a second thread.
    let mut piece = Piece::new(usize::try_from(size).unwrap_or(CHUNK).saturating_add(1).min(CHUNK));
    loop {
        piece = source.next(piece)?;
        take(&piece);
        if piece.end {
            return Ok(());
        }
    }
}

/// Processes all pieces of a file while a thread reads the next one; false if no thread can be started.
fn ahead(source: &mut Source, take: &mut impl FnMut(&Piece)) -> io::Result<bool> {
    thread::scope(|scope| {
        let (send, read) = sync_channel(PIECES);
        let (back, done) = channel();
        let reading = thread::Builder::new().spawn_scoped(scope, move || {
            while let Ok(piece) = done.recv() {
                let piece = source.next(piece);
                let last = piece.as_ref().map_or(true, |piece| piece.end);
                if send.send(piece).is_err() || last {
                    break;
                }
            }
        });
        if reading.is_err() {
            return Ok(false);
        }
        // One piece is read while another is processed. Sending fails only after the reading thread has ended.
        for _ in 0..PIECES {
            let _ = back.send(Piece::new(CHUNK));
        }
        while let Ok(piece) = read.recv() {
            let piece = piece?;
            take(&piece);
            if piece.end {
                break;
            }
            let _ = back.send(piece);
        }
        Ok(true)
    })
}

/// A file read piece by piece.
struct Source {
    file: File,
    /// The beginning of a line that is not complete yet.
    rest: Vec<u8>,
}

/// Some whole lines, a part of a line longer than a piece, or the end of the file.
pub(crate) struct Piece {
    /// The bytes.
    pub(crate) bytes: Vec<u8>,
    /// Where the whole lines end.
    pub(crate) whole: usize,
    /// The marks of the whole lines.
    pub(crate) marks: Marks,
    /// Whether this is the last piece.
    pub(crate) end: bool,
    /// Its maximum size.
    size: usize,
}

impl Piece {
    fn new(size: usize) -> Self {
        Self { bytes: Vec::new(), whole: 0, marks: Marks::default(), end: false, size }
    }

    /// The ranges of its whole lines, without line ends.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Range<usize>> {
        let mut begin = 0;
        std::iter::from_fn(move || {
            let mut end = self.marks.doubt(begin)?;
            while *self.bytes.get(end)? != b'\n' {
                end = self.marks.doubt(end + 1)?;
            }
            Some(std::mem::replace(&mut begin, end + 1)..end)
        })
    }
}

impl Source {
    /// Reads the next piece, reusing a finished one.
    fn next(&mut self, mut piece: Piece) -> io::Result<Piece> {
        let buffer = &mut piece.bytes;
        buffer.resize(piece.size, 0);
        let mut filled = self.rest.len();
        buffer[..filled].copy_from_slice(&self.rest);
        self.rest.clear();
        while !piece.end && filled < piece.size {
            let count = self.file.read(&mut buffer[filled..])?;
            filled += count;
            piece.end = count == 0;
        }
        piece.whole = memrchr(b'\n', &buffer[..filled]).map_or(0, |end| end + 1);
        if piece.whole > 0 && !piece.end {
            self.rest.extend_from_slice(&buffer[piece.whole..filled]);
            filled = piece.whole;
        }
        buffer.truncate(filled);
        piece.marks.take(&buffer[..piece.whole]);
        Ok(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, SeekFrom, Write};

    /// The pieces joined again, and how many there were.
    fn read(text: &[u8]) -> (Vec<u8>, usize) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text).unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        let (mut joined, mut count) = (Vec::new(), 0);
        each(file, |piece| {
            let lines: Vec<_> = piece.lines().map(|line| &piece.bytes[line]).collect();
            let whole = lines.iter().map(|line| [line, &b"\n"[..]].concat()).collect::<Vec<_>>().concat();
            assert!(whole == piece.bytes[..piece.whole] && !lines.iter().any(|line| line.contains(&b'\n')));
            joined.extend_from_slice(&piece.bytes);
            count += 1;
        })
        .unwrap();
        (joined, count)
    }

    #[test]
    fn nothing_is_lost_between_pieces() {
        let line = |length: usize| [vec![b'x'; length], b"\n".to_vec()].concat();
        let lines = [line(70_000).repeat(100), line(3 * CHUNK), line(5).repeat(7), b"torn".to_vec()].concat();
        for text in [&b""[..], b"\n", b"a\nb", &line(CHUNK - 1), &line(CHUNK), &lines] {
            assert!(read(text).0 == text, "{} bytes", text.len());
        }
        assert!(read(&lines).1 > 4);
    }
}
