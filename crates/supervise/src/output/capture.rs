//! Reads the output of the command: from pipes into logs, digests and the tail.
//!
//! Blocks are read into one buffer and go straight to the log; memory does not grow with the output. Output beyond
//! the limit of a job is neither stored nor digested, so most of it is not even read: it is counted, and only the
//! bytes for the tail are looked at.

use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    time::{Duration, Instant},
};

use rustix::io::Errno;

use crate::output::digest::Digest;
use crate::output::log::Log;
use crate::output::ring::Ring;
use crate::{Ended, Job, Stream, system};

/// Size of a pipe. While output is kept, wider pipes and larger blocks were measured to be slower: they fall out of
/// the cache between the command's write, our read, the log and the digest. Output that is dropped unread needs a
/// wide pipe.
const BLOCK: usize = 64 << 10;
/// Blocks taken from one pipe before the clock is checked again.
const BURST: usize = 16;

/// All output of one command.
pub(crate) struct Capture {
    channels: Vec<Channel>,
    ring: Ring,
    block: Vec<u8>,
}

/// One pipe and where its bytes go.
pub(crate) struct Channel {
    /// `None` after end of file.
    pipe: Option<OwnedFd>,
    log: Option<Log>,
    digest: Digest,
    /// How many bytes came.
    bytes: u64,
    /// How many more bytes the log and the digest take.
    room: u64,
    /// Some bytes came when there was no room.
    truncated: bool,
}

impl Channel {
    /// A pipe whose first bytes, as many as the job says, go to the log and into the digest.
    pub(crate) fn new(pipe: OwnedFd, log: Option<Log>, job: &Job) -> Self {
        let room = if log.is_some() || job.digest { job.max_log_bytes } else { 0 };
        if room == 0 {
            system::widen(pipe.as_fd());
        }
        Self { pipe: Some(pipe), log, digest: Digest::new(job.digest), bytes: 0, room, truncated: false }
    }
}

impl Capture {
    pub(crate) fn new(job: &Job, channels: Vec<Channel>) -> Self {
        Self { channels, ring: Ring::new(&job.tail), block: vec![0; BLOCK] }
    }

    /// The pipes that are still open.
    pub(crate) fn open(&self) -> impl Iterator<Item = (usize, BorrowedFd<'_>)> {
        self.channels
            .iter()
            .enumerate()
            .filter_map(|(at, channel)| Some((at, channel.pipe.as_ref()?.as_fd())))
    }

    /// Reads what one pipe has, but at most a burst. Returns whether any byte came.
    pub(crate) fn pump(&mut self, at: usize) -> bool {
        for burst in 0..BURST {
            let channel = &mut self.channels[at];
            let skipped = channel.skip(self.ring.room());
            let size = channel.read(&mut self.block);
            if size == 0 {
                return burst > 0 || skipped;
            }
            self.ring.push(&self.block[..size]);
            channel.take(&mut self.block, size);
            if size < self.block.len() {
                break;
            }
        }
        true
    }

    /// Reads the rest once the tree is dead. An unrelated process may hold the pipe open, or even keep writing, so
    /// this waits neither for end of file nor for silence.
    pub(crate) fn drain(&mut self, within: Duration) {
        let end = Instant::now() + within;
        for at in 0..self.channels.len() {
            while self.pump(at) && Instant::now() < end {}
        }
    }

    /// Puts the results into the answer.
    pub(crate) fn report(mut self, ended: &mut Ended) {
        for channel in &mut self.channels {
            ended.truncated |= channel.truncated;
            if let Some(error) = channel.log.as_mut().and_then(|log| log.error.take()) {
                ended.log_error.get_or_insert(error.to_string());
                ended.truncated = true;
            }
        }
        ended.tail = self.ring.text();
        let mut streams = self.channels.into_iter().map(Channel::stream);
        if let Some(first) = streams.next() {
            ended.bytes = first.bytes;
            ended.sha256 = first.sha256;
        }
        ended.stderr = streams.next();
    }
}

impl Channel {
    /// Drops bytes unread that neither log nor digest takes and that are followed by as many bytes as the tail
    /// keeps.
    fn skip(&mut self, keep: usize) -> bool {
        let Some(pipe) = self.pipe.as_ref().filter(|_| self.room == 0) else { return false };
        let skipped = system::discard(pipe.as_fd(), keep);
        self.count(skipped, 0);
        skipped > 0
    }

    /// Reads one block; 0 if there is nothing now or nothing ever again.
    fn read(&mut self, block: &mut [u8]) -> usize {
        let Some(pipe) = &self.pipe else { return 0 };
        match rustix::io::read(pipe, block) {
            Err(Errno::AGAIN | Errno::INTR) => 0,
            Ok(0) | Err(_) => {
                self.pipe = None;
                0
            }
            Ok(size) => size,
        }
    }

    fn take(&mut self, block: &mut Vec<u8>, size: usize) {
        let kept = usize::try_from(self.room).map_or(size, |room| size.min(room));
        self.count(size, kept);
        if kept == 0 {
            return;
        }
        if let Some(log) = &mut self.log {
            log.write(&block[..kept]);
        }
        self.digest.update(block, kept);
        if let Some(pipe) = self.pipe.as_ref().filter(|_| self.room == 0) {
            system::widen(pipe.as_fd());
        }
    }

    /// Counts bytes that came, and how many of them are kept.
    fn count(&mut self, came: usize, kept: usize) {
        self.bytes += came as u64;
        self.room -= kept as u64;
        self.truncated |= kept < came && (self.log.is_some() || !self.digest.is_off());
    }

    fn stream(self) -> Stream {
        Stream { bytes: self.bytes, sha256: self.digest.finish() }
    }
}
