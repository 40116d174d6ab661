//! The digest of a stream: computed in place for little output, on a thread of its own for much.
//!
//! A digest takes about as long as reading and logging together. A block goes to the thread in exchange for one
//! that it has finished, so the number of blocks, and with it our memory, is fixed.

use std::{
    fmt::Write as _,
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread::{self, JoinHandle},
};

use sha2::{Digest as _, Sha256};

/// From this many bytes on a thread is worth its start.
const LOUD: u64 = 2 << 20;
/// Blocks on the way to the thread and back.
const IN_FLIGHT: usize = 4;

/// A running digest.
pub(crate) enum Digest {
    /// No digest was asked for.
    Off,
    /// Computed by the caller.
    Here { state: Sha256, bytes: u64 },
    /// Computed by a thread.
    There(Thread),
}

/// The thread, the blocks for it to digest, and those that it has finished.
pub(crate) struct Thread {
    full: SyncSender<(Vec<u8>, usize)>,
    empty: Receiver<Vec<u8>>,
    handle: JoinHandle<Sha256>,
}

impl Digest {
    pub(crate) fn new(wanted: bool) -> Self {
        if wanted { Self::Here { state: Sha256::new(), bytes: 0 } } else { Self::Off }
    }

    pub(crate) fn is_off(&self) -> bool {
        matches!(self, Self::Off)
    }

    /// Digests the first `size` bytes of the block; leaves a block of the same length to fill.
    pub(crate) fn update(&mut self, block: &mut Vec<u8>, size: usize) {
        match self {
            Self::Off => {}
            Self::Here { state, bytes } => {
                state.update(&block[..size]);
                *bytes += size as u64;
                if *bytes > LOUD
                    && let Ok(thread) = Thread::start(state.clone(), block.len())
                {
                    *self = Self::There(thread);
                }
            }
            Self::There(thread) => thread.swap(block, size),
        }
    }

    /// In lower-case hex; empty if no digest was asked for.
    pub(crate) fn finish(self) -> String {
        let state = match self {
            Self::Off => return String::new(),
            Self::Here { state, .. } => state,
            Self::There(thread) => match thread.join() {
                Some(state) => state,
                None => return String::new(),
            },
        };
        let mut hex = String::with_capacity(64);
        for byte in state.finalize() {
            // Writing to a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
        }
        hex
    }
}

impl Thread {
    fn start(mut state: Sha256, block: usize) -> std::io::Result<Self> {
        let (full, work) = sync_channel::<(Vec<u8>, usize)>(IN_FLIGHT);
        let (done, empty) = sync_channel(IN_FLIGHT);
        for _ in 1..IN_FLIGHT {
            let _ = done.send(vec![0; block]);
        }
        let handle = thread::Builder::new().stack_size(64 << 10).spawn(move || {
            for (block, size) in work {
                state.update(&block[..size]);
                // There is no receiver once the stream has ended.
                let _ = done.send(block);
            }
            state
        })?;
        Ok(Self { full, empty, handle })
    }

    /// Swaps a full block for an empty one. Both channels are open as long as the thread runs, and it runs until
    /// `full` is closed.
    fn swap(&self, block: &mut Vec<u8>, size: usize) {
        if let Ok(fresh) = self.empty.recv() {
            let _ = self.full.send((std::mem::replace(block, fresh), size));
        }
    }

    fn join(self) -> Option<Sha256> {
        drop(self.full);
        self.handle.join().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thread_and_the_place_agree_for_every_way_of_cutting() {
        let text: Vec<u8> = (0..6_000_000u32).map(|at| at.to_le_bytes()[0] ^ at.to_le_bytes()[2]).collect();
        let whole = {
            let mut digest = Digest::new(true);
            digest.update(&mut text.clone(), text.len());
            digest.finish()
        };
        for size in [997, 65_536] {
            let mut digest = Digest::new(true);
            let mut block = vec![0; 65_536];
            for part in text.chunks(size) {
                block[..part.len()].copy_from_slice(part);
                digest.update(&mut block, part.len());
                assert_eq!(block.len(), 65_536);
            }
            assert!(matches!(digest, Digest::There(_)));
            assert_eq!(digest.finish(), whole, "blocks of {size}");
        }
        assert_eq!(Digest::new(false).finish(), "");
    }
}
