//! Reads a file of JSON lines, each one parsed as a whole and typed, in bounded memory.
//!
//! A line that is not JSON is counted and skipped; a line that is not UTF-8, or not quite JSON, is repaired, so that
//! a stray byte in some output does not hide the call beside it.

use crate::json::pieces::{self, Piece};
use crate::json::squeeze::Squeeze;
use crate::json::{self, mend};
use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use toolkit::Fail;

/// Lines longer than this even after squeezing are counted as unknown.
const LONGEST: usize = 6 << 20;

/// A receiver of the lines of a file, or of the elements of a list.
pub(crate) trait Lines {
    /// The type that a line is read as.
    type Line<'a>: Deserialize<'a>;

    /// Receives one line or element.
    fn line(&mut self, at: &At<'_>, line: Self::Line<'_>);
}

/// The position of a line or an element.
pub(crate) struct At<'b> {
    /// The number, starting at 1.
    pub(crate) number: u64,
    /// Where the line begins in the file; meaningless for elements.
    pub(crate) offset: u64,
    /// The line itself, with very long strings cut.
    pub(crate) bytes: &'b [u8],
}

/// Feeds every line of a file to `to` and returns how many were not understood.
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

/// The first line of a file, if it does not exceed the limit.
pub(crate) fn first_line(path: &Path) -> Option<Vec<u8>> {
    line_at(path, 0)
}

/// The line that begins at `offset`, read again.
pub(crate) fn line_at(path: &Path, offset: u64) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(offset)).ok()?;
    let mut line = Vec::new();
    let mut reader = BufReader::new(file.take(LONGEST as u64));
    reader.read_until(b'\n', &mut line).ok()?;
    Some(line)
}

/// Parses one line or element; `None` if it is not understood.
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
    /// The number of bytes read so far, and where the current line begins.
    offset: u64,
    begin: u64,
    unknown: u64,
    squeeze: Squeeze,
    long: bool,
}

impl<L: Lines> Feed<'_, L> {
    /// Processes the whole lines of a piece. A line that is not understood, and the end of a long one, is handled
    /// separately.
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

    /// Passes a parsed line on.
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
