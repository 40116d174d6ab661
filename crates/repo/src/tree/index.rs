//! Git's index file, read and written without git.
//!
//! An index is used for two things: the names that git tracks, and the object of each file whose facts are still those
//! that the index has. Marks that tell git not to look at a file mean nothing here: every file is looked at.

use sha1::{Digest, Sha1};
use std::os::unix::fs::MetadataExt;

/// The name of an object.
pub(super) type Object = [u8; 20];

/// What a file system says of a file, as the index stores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Facts {
    changed: (u32, u32),
    modified: (u32, u32),
    device: u32,
    inode: u32,
    owner: u32,
    group: u32,
    size: u32,
}

/// A moment by the clock of a file system: seconds and nanoseconds.
pub(super) type Moment = (i64, i64);

impl Facts {
    /// Git keeps the lower 32 bits of each number.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as git stores them")]
    pub(super) fn of(about: &std::fs::Metadata) -> Self {
        Self {
            changed: (about.ctime() as u32, about.ctime_nsec() as u32),
            modified: (about.mtime() as u32, about.mtime_nsec() as u32),
            device: about.dev() as u32,
            inode: about.ino() as u32,
            owner: about.uid(),
            group: about.gid(),
            size: about.size() as u32,
        }
    }

    /// The same with another time of the last change.
    #[cfg(test)]
    pub(super) fn at_second(self, second: i64) -> Self {
        Self { changed: (u32::try_from(second).unwrap(), 0), ..self }
    }

    /// Whether both describe the same state of a file. The device is left out, as in git: it may have another number
    /// after the next start of the machine.
    pub(super) fn are(&self, other: &Self) -> bool {
        Self { device: 0, ..*self } == Self { device: 0, ..*other }
    }

    /// Whether the file is on the file system of another.
    pub(super) fn are_beside(&self, other: &Self) -> bool {
        self.device == other.device
    }

    /// Whether the file changed last before this moment, so that a later change shows.
    pub(super) fn are_before(&self, moment: Moment) -> bool {
        (i64::from(self.changed.0), i64::from(self.changed.1)) < moment
    }
}

/// One file of an index.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) facts: Facts,
    pub(super) mode: u32,
    pub(super) object: Object,
    /// Whether git has no object for it yet.
    pub(super) is_only_named: bool,
    /// Whether git is told that the file need not be there.
    pub(super) may_be_absent: bool,
    /// Whether git is told not to look at the file.
    pub(super) is_marked: bool,
    pub(super) path: Vec<u8>,
}

const MAGIC: &[u8] = b"DIRC";
const ASSUME_UNCHANGED: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
const STAGE: u16 = 0x3000;
/// In the second word of flags.
const SKIP_WORKTREE: u16 = 0x4000;
const INTENT_TO_ADD: u16 = 0x2000;
/// The mode of another repository within this one, and of a folder of a sparse index.
const REPOSITORY: u32 = 0o160_000;
const FOLDER: u32 = 0o040_000;

/// The entries of an index of version 2 to 4; `None` for one that only git can use: damaged, split, sparse, with
/// conflicts, with other repositories.
pub(super) fn read(bytes: &[u8]) -> Option<Vec<Entry>> {
    let end = bytes.len().checked_sub(20)?;
    let mut text = Bytes { all: bytes.get(..end)?, at: 0 };
    if text.take(4)? != MAGIC {
        return None;
    }
    let version = text.word()?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let count = usize::try_from(text.word()?).ok()?;
    let mut entries: Vec<Entry> = Vec::with_capacity(count.min(bytes.len() / 62));
    for _ in 0..count {
        let before = entries.last().map(|entry| entry.path.as_slice()).unwrap_or_default();
        entries.push(text.entry(version, before)?);
    }
    while text.at < end {
        // An extension with a small letter changes what the entries mean.
        let name = text.take(4)?;
        if !name.first()?.is_ascii_uppercase() {
            return None;
        }
        let length = usize::try_from(text.word()?).ok()?;
        text.take(length)?;
    }
    Some(entries)
}

struct Bytes<'b> {
    all: &'b [u8],
    at: usize,
}

impl<'b> Bytes<'b> {
    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let taken = self.all.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(taken)
    }

    fn word(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_be_bytes)
    }

    fn half(&mut self) -> Option<u16> {
        self.take(2)?.try_into().ok().map(u16::from_be_bytes)
    }

    fn entry(&mut self, version: u32, before: &[u8]) -> Option<Entry> {
        let begun = self.at;
        let changed = (self.word()?, self.word()?);
        let modified = (self.word()?, self.word()?);
        let (device, inode, mode) = (self.word()?, self.word()?, self.word()?);
        let (owner, group, size) = (self.word()?, self.word()?, self.word()?);
        let object: Object = self.take(20)?.try_into().ok()?;
        let flags = self.half()?;
        let further = if flags & EXTENDED == 0 { 0 } else { self.half()? };
        if flags & STAGE != 0 || matches!(mode, REPOSITORY | FOLDER) {
            return None;
        }
        let mut path = Vec::new();
        if version == 4 {
            let kept = before.len().checked_sub(self.number()?)?;
            path.extend_from_slice(&before[..kept]);
        }
        let length = self.all.get(self.at..)?.iter().position(|byte| *byte == 0)?;
        path.extend_from_slice(self.take(length)?);
        if version == 4 {
            self.take(1)?;
        } else {
            // One to eight NUL bytes, up to a multiple of eight.
            self.take(8 - (self.at - begun) % 8)?;
        }
        // Git refuses such a name, and it may lead anywhere.
        let leads_out = |part: &[u8]| matches!(part, b"" | b"." | b".." | b".git");
        if path.split(|byte| *byte == b'/').any(leads_out) {
            return None;
        }
        let facts = Facts { changed, modified, device, inode, owner, group, size };
        let is_only_named = further & INTENT_TO_ADD != 0;
        let may_be_absent = further & SKIP_WORKTREE != 0;
        let is_marked = may_be_absent || flags & ASSUME_UNCHANGED != 0;
        Some(Entry { facts, mode, object, is_only_named, may_be_absent, is_marked, path })
    }

    /// A number in the form that git uses where small ones are likely.
    fn number(&mut self) -> Option<usize> {
        let mut byte = *self.take(1)?.first()?;
        let mut number = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = *self.take(1)?.first()?;
            number = number.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
        }
        Some(number)
    }
}

/// An index of version 2 with these entries, which are sorted by their paths.
pub(super) fn write(entries: &[Entry]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    let count = u32::try_from(entries.len()).unwrap_or(u32::MAX);
    out.extend([2, count].map(u32::to_be_bytes).concat());
    for entry in entries {
        let begun = out.len();
        let facts = &entry.facts;
        let words = [
            facts.changed.0,
            facts.changed.1,
            facts.modified.0,
            facts.modified.1,
            facts.device,
            facts.inode,
            entry.mode,
            facts.owner,
            facts.group,
            facts.size,
        ];
        out.extend(words.into_iter().flat_map(u32::to_be_bytes));
        out.extend(entry.object);
        let length = u16::try_from(entry.path.len()).unwrap_or(u16::MAX).min(0x0fff);
        out.extend(length.to_be_bytes());
        out.extend(&entry.path);
        out.resize(out.len() + 8 - (out.len() - begun) % 8, 0);
    }
    let checksum = Sha1::digest(&out);
    out.extend(checksum);
    out
}

#[cfg(test)]
mod tests {
    use super::{Entry, Facts, read, write};

    fn entry(path: &str) -> Entry {
        Entry {
            facts: Facts {
                changed: (1, 2),
                modified: (3, 4),
                device: 5,
                inode: 6,
                owner: 7,
                group: 8,
                size: 9,
            },
            mode: 0o100_644,
            object: [10; 20],
            is_only_named: false,
            may_be_absent: false,
            is_marked: false,
            path: path.as_bytes().to_vec(),
        }
    }

    #[test]
    fn a_written_index_is_read_as_it_was() {
        let paths = ["a", "ab", "abc/d", "abcdefg", "abcdefgh", &"x".repeat(5000)];
        let entries: Vec<Entry> = paths.iter().map(|path| entry(path)).collect();
        let again = read(&write(&entries)).unwrap();
        assert_eq!(format!("{entries:?}"), format!("{again:?}"));
    }

    #[test]
    fn a_cut_or_changed_index_is_an_answer_too() {
        let whole = write(&[entry("a"), entry("b/c")]);
        for end in 0..whole.len() {
            let _ = read(&whole[..end]);
        }
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0xff;
            let _ = read(&bytes);
        }
        assert!(read(b"DIRC").is_none());
        for path in ["/etc/passwd", "a/../../b", "a//b", ".git/config", ""] {
            assert!(read(&write(&[entry(path)])).is_none(), "{path}");
        }
    }
}
