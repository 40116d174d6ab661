//! The bytes of a ledger up to a moment, to detect later whether anything but an append happened.

use crate::chain::Chain;
use crate::{Head, Last, Ledger};
use serde::Deserialize;
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind};
use toolkit::Fail;
use toolkit::files::sha;

/// A ledger up to a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    bytes: u64,
    sha256: String,
    head: Option<Head>,
}

impl Extent {
    /// The number of its last line.
    pub fn seq(&self) -> u64 {
        self.head.as_ref().map_or(0, |head| head.seq)
    }
}

impl Ledger {
    /// The ledger as it is now, to compare with a later state.
    pub fn extent(&self) -> Result<Extent, Fail> {
        let (mut bytes, mut hasher, mut last) = (0, sha::Hasher::new(), Vec::new());
        self.lines(|line| {
            bytes += line.len() as u64;
            hasher.update(line);
            line.clone_into(&mut last);
        })?;
        // Take the head from the lines just read: others may have written since.
        let head = Last::of(&last).map(|last| Head { seq: last.seq, hash: last.hash.into_owned() });
        Ok(Extent { bytes, sha256: hasher.finish(), head: if head.is_some() { head } else { self.head()? } })
    }

    /// Whether every old byte is still there, and the added lines continue the chain.
    pub fn has_grown_from(&self, before: &Extent) -> Result<bool, Fail> {
        let (mut hasher, mut seen, mut whole) = (sha::Hasher::new(), 0, true);
        let mut chain = Chain::default();
        if let Some(head) = &before.head {
            chain.head = head.clone();
        }
        self.lines(|line| {
            seen += line.len() as u64;
            if seen <= before.bytes {
                hasher.update(line);
            } else {
                chain.take(line, &mut |_| whole = false);
            }
        })?;
        chain.end(&mut |_| whole = false);
        Ok(whole && seen >= before.bytes && hasher.finish() == before.sha256)
    }

    /// Every plan that has records.
    pub fn plans(&self) -> Result<Vec<String>, Fail> {
        #[derive(Deserialize)]
        struct About<'l> {
            #[serde(borrow)]
            plan: Cow<'l, str>,
        }
        let (mut last, mut out) = (Vec::new(), Vec::new());
        self.lines(|line| {
            // The name is near the beginning of a line, and mostly the same as in the line before.
            let head = &line[..line.len().min(4096)];
            let about = head.windows(8).position(|w| w == b"\"plan\":\"").map(|at| &head[at..]);
            let end =
                about.and_then(|about| about.windows(2).position(|w| w == b"\",").map(|end| &about[..=end]));
            let Some(end) = end.filter(|end| **end != last[..]) else { return };
            end.clone_into(&mut last);
            if let Ok(about) = serde_json::from_slice::<About<'_>>(&[b"{", end, b"}"].concat())
                && !about.plan.is_empty()
                && !out.iter().any(|known| *known == about.plan)
            {
                out.push(about.plan.into_owned());
            }
        })?;
        Ok(out)
    }

    /// Passes every whole line, with its newline, to `show`.
    pub fn lines(&self, mut show: impl FnMut(&[u8])) -> Result<(), Fail> {
        let path = self.path();
        let failed = |e: std::io::Error| Fail::io(&path, &e);
        let file = match File::open(&path) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
            other => other.map_err(failed)?,
        };
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).map_err(failed)? > 0 && line.ends_with(b"\n") {
            show(&line);
            line.clear();
        }
        Ok(())
    }
}
