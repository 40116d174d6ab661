//! Signals of this process, counted in the main loop: each one writes a byte into a socket that the loop polls.

use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::low_level::pipe;
use std::cell::Cell;
use std::io::{ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use toolkit::Fail;

/// The requests to stop that have arrived.
#[derive(Debug)]
pub(crate) struct Signals {
    /// Ctrl-C.
    interrupts: Counter,
    /// SIGTERM and SIGHUP.
    ends: Counter,
    /// A child has changed its state.
    children: Counter,
}

/// What the signals so far ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wish {
    /// Go on.
    None,
    /// Finish the running task, then stop.
    Finish,
    /// Stop now.
    Now,
}

/// Makes this process end with the one that started it, even if that is killed, and keeps it off its terminal.
pub(crate) fn belong_to_parent() {
    // A process that leads its session shares no terminal.
    let _ = rustix::process::setsid();
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM));
}

impl Signals {
    /// Takes over SIGINT, SIGTERM, SIGHUP and SIGCHLD for the rest of the process.
    pub(crate) fn take() -> Result<Self, Fail> {
        Ok(Self {
            interrupts: Counter::of(&[SIGINT])?,
            ends: Counter::of(&[SIGTERM, SIGHUP])?,
            children: Counter::of(&[SIGCHLD])?,
        })
    }

    /// What is asked for by now.
    pub(crate) fn wish(&self) -> Wish {
        self.children.read();
        match (self.interrupts.read(), self.ends.read()) {
            (0, 0) => Wish::None,
            (1, 0) => Wish::Finish,
            _ => Wish::Now,
        }
    }

    /// Forgets what was asked for: the last commands of a run may still be stopped by new signals.
    pub(crate) fn forget(&self) {
        for counter in [&self.interrupts, &self.ends] {
            counter.read();
            counter.count.set(0);
        }
    }

    /// What becomes readable when a signal arrives.
    pub(crate) fn descriptors(&self) -> [BorrowedFd<'_>; 3] {
        [&self.interrupts, &self.ends, &self.children].map(|counter| counter.reader.as_fd())
    }
}

#[derive(Debug)]
struct Counter {
    reader: UnixStream,
    count: Cell<usize>,
}

impl Counter {
    fn of(signals: &[i32]) -> Result<Self, Fail> {
        let failed = |e: std::io::Error| Fail::io(Path::new("a signal"), &e);
        let (reader, writer) = UnixStream::pair().map_err(failed)?;
        reader.set_nonblocking(true).map_err(failed)?;
        for signal in signals {
            pipe::register(*signal, writer.try_clone().map_err(failed)?).map_err(failed)?;
        }
        Ok(Self { reader, count: Cell::new(0) })
    }

    /// How many have arrived in all.
    fn read(&self) -> usize {
        let mut bytes = [0; 64];
        loop {
            match (&self.reader).read(&mut bytes) {
                Ok(0) => break,
                Ok(n) => self.count.set(self.count.get() + n),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        self.count.get()
    }
}
