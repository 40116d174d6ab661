//! What the command says: pipes into logs, digests and the tail.
//!
//! Blocks are read into one buffer and go straight to the log; memory does not grow with the output.

use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    time::{Duration, Instant},
};

use rustix::io::Errno;

use crate::{Ended, Job, Stream, digest::Digest, log::Log, ring::Ring, system};

/// What a pipe holds. Wider pipes and larger blocks were measured to be slower: they fall out of the cache between
/// the command's write, our read, the log and the digest.
const BLOCK: usize = 64 << 10;
/// Blocks taken from one pipe before the clock is looked at again.
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
    bytes: u64,
}

impl Channel {
    pub(crate) fn new(pipe: OwnedFd, log: Option<Log>, digest: bool) -> Self {
        Self { pipe: Some(pipe), log, digest: Digest::new(digest), bytes: 0 }
    }
}

impl Capture {
    pub(crate) fn new(job: &Job, channels: Vec<Channel>) -> Self {
        Self { channels, ring: Ring::new(&job.tail), block: vec![0; BLOCK] }
    }

    /// The pipes that may still say something.
    pub(crate) fn open(&self) -> impl Iterator<Item = (usize, BorrowedFd<'_>)> {
        self.channels
            .iter()
            .enumerate()
            .filter_map(|(at, channel)| Some((at, channel.pipe.as_ref()?.as_fd())))
    }

    /// Takes what is there on one pipe, but no more than a burst. Says whether any byte came.
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

    /// Takes what is left once the tree is dead. A stranger that was handed the pipe may hold it open, or even go on
    /// writing, so neither end of file nor silence is waited for.
    pub(crate) fn drain(&mut self, within: Duration) {
        let end = Instant::now() + within;
        for at in 0..self.channels.len() {
            while self.pump(at) && Instant::now() < end {}
        }
    }

    /// Puts what came into the answer.
    pub(crate) fn report(mut self, ended: &mut Ended) {
        for log in self.channels.iter_mut().filter_map(|channel| channel.log.as_mut()) {
            ended.truncated |= log.truncated;
            if let Some(error) = log.error.take() {
                ended.log_error.get_or_insert(error.to_string());
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
    /// Drops what nobody will look at, unread: neither log nor digest takes it, and as many bytes as the tail keeps
    /// wait behind it.
    fn skip(&mut self, keep: usize) -> bool {
        let Some(pipe) = self.pipe.as_ref().filter(|_| self.digest.is_off()) else { return false };
        if self.log.as_ref().is_some_and(|log| !log.is_full()) {
            return false;
        }
        let skipped = system::discard(pipe.as_fd(), keep);
        self.bytes += skipped as u64;
        if let Some(log) = &mut self.log {
            log.truncated |= skipped > 0;
        }
        skipped > 0
    }

    /// One block, or 0 when there is nothing now or nothing ever again.
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
        self.bytes += size as u64;
        if let Some(log) = &mut self.log {
            log.write(&block[..size]);
        }
        self.digest.update(block, size);
    }

    fn stream(self) -> Stream {
        Stream { bytes: self.bytes, sha256: self.digest.finish() }
    }
}
