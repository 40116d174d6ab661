//! A file in pieces that end with a line, the next one read by a thread of its own while this one is taken.

use memchr::memrchr;
use std::fs::File;
use std::io::{self, Read};
use std::sync::mpsc::{channel, sync_channel};
use std::thread;

/// How much is read at once; a line longer than this comes in parts. There are two such buffers.
const CHUNK: usize = 3 << 19;

/// Hands out all pieces of a file, in order.
pub(crate) fn each(file: File, mut take: impl FnMut(&Piece)) -> io::Result<()> {
    let size = file.metadata().map_or(u64::MAX, |facts| facts.len());
    let mut source = Source { file, rest: Vec::new() };
    if size >= CHUNK as u64 && ahead(&mut source, &mut take)? {
        return Ok(());
    }
    // A small file needs no large buffer, and no second thread.
    let mut buffer = vec![0; usize::try_from(size).unwrap_or(CHUNK).saturating_add(1).min(CHUNK)];
    loop {
        let piece = source.next(buffer)?;
        take(&piece);
        if piece.end {
            return Ok(());
        }
        buffer = piece.buffer();
    }
}

/// Takes all pieces of a file while the next one is being read by a thread; no where none can be had.
fn ahead(source: &mut Source, take: &mut impl FnMut(&Piece)) -> io::Result<bool> {
    thread::scope(|scope| {
        let (send, read) = sync_channel(1);
        let (back, empty) = channel();
        let reading = thread::Builder::new().spawn_scoped(scope, move || {
            while let Ok(buffer) = empty.recv() {
                let piece = source.next(buffer);
                let last = piece.as_ref().map_or(true, |piece| piece.end);
                if send.send(piece).is_err() || last {
                    break;
                }
            }
        });
        if reading.is_err() {
            return Ok(false);
        }
        // One is read while the other one is taken; whoever reads has left when none can be sent.
        let _ = back.send(vec![0; CHUNK]).and_then(|()| back.send(vec![0; CHUNK]));
        while let Ok(piece) = read.recv() {
            let piece = piece?;
            take(&piece);
            if piece.end {
                break;
            }
            let _ = back.send(piece.buffer());
        }
        Ok(true)
    })
}

/// A file that is read piece by piece.
struct Source {
    file: File,
    /// The beginning of a line whose end has not come.
    rest: Vec<u8>,
}

/// Some whole lines, a part of one that is longer than a piece, or the end of the file.
pub(crate) struct Piece {
    /// The bytes themselves.
    pub(crate) bytes: Vec<u8>,
    /// Where the whole lines end.
    pub(crate) whole: usize,
    /// Whether nothing follows.
    pub(crate) end: bool,
    /// How long its buffer is.
    size: usize,
}

impl Source {
    /// The next piece, in a buffer that is done with.
    fn next(&mut self, mut buffer: Vec<u8>) -> io::Result<Piece> {
        let size = buffer.len();
        let mut filled = self.rest.len();
        buffer[..filled].copy_from_slice(&self.rest);
        self.rest.clear();
        let mut end = false;
        while !end && filled < size {
            let count = self.file.read(&mut buffer[filled..])?;
            filled += count;
            end = count == 0;
        }
        let whole = memrchr(b'\n', &buffer[..filled]).map_or(0, |end| end + 1);
        if whole > 0 && !end {
            self.rest.extend_from_slice(&buffer[whole..filled]);
            filled = whole;
        }
        buffer.truncate(filled);
        Ok(Piece { bytes: buffer, whole, end, size })
    }
}

impl Piece {
    /// Its buffer, for the next one.
    fn buffer(self) -> Vec<u8> {
        let mut buffer = self.bytes;
        buffer.resize(self.size, 0);
        buffer
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
            let ends = piece.bytes[..piece.whole].last();
            assert!(ends.is_none_or(|last| *last == b'\n'));
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
