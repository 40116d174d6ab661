//! Reads a file of JSON lines, each one parsed as a whole and typed, in bounded memory.
//!
//! A line that is no JSON is counted and left out; one with bytes that are no UTF-8, or that is not quite JSON, is mended,
//! so that a stray byte in some output does not hide the call beside it.

use crate::pieces::{self, Piece};
use crate::squeeze::Squeeze;
use crate::{json, mend};
use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use toolkit::Fail;

/// Lines that are longer than this even when squeezed are counted as unknown.
const LONGEST: usize = 6 << 20;

/// Somebody who takes the lines of a file, or the elements of a list, one by one.
pub(crate) trait Lines {
    /// What a line is read as.
    type Line<'a>: Deserialize<'a>;

    /// Takes one.
    fn line(&mut self, at: &At<'_>, line: Self::Line<'_>);
}

/// Where a line or an element stands.
pub(crate) struct At<'b> {
    /// Counted from 1.
    pub(crate) number: u64,
    /// Where the line begins in the file; of no use for elements.
    pub(crate) offset: u64,
    /// The line itself, with very long strings cut.
    pub(crate) bytes: &'b [u8],
}

/// Feeds every line of a file to `to` and says how many were not understood.
pub(crate) fn read_lines<L: Lines>(path: &Path, to: &mut L) -> Result<u64, Fail> {
    let file = File::open(path).map_err(|error| Fail::io(path, &error))?;
    let mut feed =
        Feed { to, number: 0, offset: 0, begin: 0, unknown: 0, squeeze: Squeeze::default(), long: false };
    pieces::each(file, |piece| {
        feed.lines(piece);
        let rest = &piece.bytes[piece.whole..];
        match piece.end {
            true => feed.end(rest),
            false if piece.whole == 0 => feed.part(rest),
            false => {}
        }
    })
    .map_err(|error| Fail::io(path, &error))?;
    Ok(feed.unknown)
}

/// The first line of a file, where it is not longer than a line may be.
pub(crate) fn first_line(path: &Path) -> Option<Vec<u8>> {
    line_at(path, 0)
}

/// The line that begins at `offset`, read once more.
pub(crate) fn line_at(path: &Path, offset: u64) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(offset)).ok()?;
    let mut line = Vec::new();
    let mut reader = BufReader::new(file.take(LONGEST as u64));
    reader.read_until(b'\n', &mut line).ok()?;
    Some(line)
}

/// Parses one line or element; `None` when it is not understood.
pub(crate) fn parse<L: Lines>(to: &mut L, at: &At<'_>) -> Option<()> {
    if let Ok(line) = json::from_slice(at.bytes) {
        to.line(at, line);
        return Some(());
    }
    let mended = mend::mended(at.bytes)?;
    to.line(&At { bytes: &mended, ..*at }, serde_json::from_slice(&mended).ok()?);
    Some(())
}

struct Feed<'l, L> {
    to: &'l mut L,
    number: u64,
    /// How many bytes have come, and where the line in hand begins.
    offset: u64,
    begin: u64,
    unknown: u64,
    squeeze: Squeeze,
    long: bool,
}

impl<L: Lines> Feed<'_, L> {
    /// The whole lines of a piece. One that is not understood, and the end of a long one, is looked at by itself.
    fn lines(&mut self, piece: &Piece) {
        for line in piece.lines() {
            let bytes = &piece.bytes[line.clone()];
            let read = if self.long { None } else { json::from_part(&piece.bytes, &piece.marks, line).ok() };
            match read {
                Some(line) => self.line(bytes, line),
                None => self.end(bytes),
            }
        }
    }

    /// A line that is read.
    fn line(&mut self, bytes: &[u8], line: L::Line<'_>) {
        self.number += 1;
        self.to.line(&At { number: self.number, offset: self.begin, bytes }, line);
        self.offset += bytes.len() as u64 + 1;
        self.begin = self.offset;
    }

    /// A piece of a long line.
    fn part(&mut self, bytes: &[u8]) {
        self.long = true;
        self.offset += bytes.len() as u64;
        if self.squeeze.out.len() < LONGEST {
            self.squeeze.push(bytes);
        }
    }

    /// A line, or the end of a long one.
    fn end(&mut self, bytes: &[u8]) {
        self.number += 1;
        let long = self.long;
        if long {
            self.part(bytes);
        } else {
            self.offset += bytes.len() as u64;
        }
        let bytes = if long { &self.squeeze.out } else { bytes };
        if !bytes.trim_ascii().is_empty() {
            let at = At { number: self.number, offset: self.begin, bytes };
            self.unknown += u64::from(parse(self.to, &at).is_none());
        }
        self.offset += 1;
        self.begin = self.offset;
        self.squeeze.clear();
        self.long = false;
    }
}
