//! Both ends of a stage's pipe: whether there is input, and whether the output still has a reader.
//!
//! A stage that only waits for input would not notice that the next stage has exited. So every wait covers both
//! ends; this ends a pipe that follows a plan as a whole when one of its stages ends.

use crate::Fail;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::Duration;

/// What ended a wait; all false on a timeout or a signal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Woke {
    /// The input has what was wanted.
    pub input: bool,
    /// One of the other descriptors is readable.
    pub other: bool,
}

/// What to wait for on the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// Something to read, or the end of the input.
    Data,
    /// The writer has closed the pipe; unread data may wait.
    End,
}

/// Whether standard output can lead to another stage: a file or a terminal does not.
pub fn has_reader() -> bool {
    use rustix::fs::{FileType, fstat};
    let kind = fstat(io::stdout()).map(|about| FileType::from_raw_mode(about.st_mode));
    matches!(kind, Ok(FileType::Fifo | FileType::Socket))
}

/// Waits until standard input is readable; fails if our own reader closes its pipe.
pub fn wait_for_input() -> Result<(), Fail> {
    while !wait(Some(Want::Data), &[], None)?.input {}
    Ok(())
}

/// Waits for standard input, one of the others, or the time limit; fails if our own reader closes its pipe before
/// there is input.
pub fn wait(want: Option<Want>, others: &[BorrowedFd<'_>], limit: Option<Duration>) -> Result<Woke, Fail> {
    let (stdin, stdout) = (io::stdin(), io::stdout());
    let flags = if want == Some(Want::Data) { PollFlags::IN } else { PollFlags::empty() };
    let mut fds = vec![PollFd::from_borrowed_fd(stdout.as_fd(), PollFlags::empty())];
    fds.extend(others.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)));
    if want.is_some() {
        fds.push(PollFd::from_borrowed_fd(stdin.as_fd(), flags));
    }
    let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
    match poll(&mut fds, limit.as_ref()) {
        Ok(_) => {}
        Err(Errno::INTR) => return Ok(Woke::default()),
        Err(error) => return Err(Fail::io(Path::new("<stdin>"), &error.into())),
    }
    let input = want.is_some() && fds.last().is_some_and(|fd| !fd.revents().is_empty());
    if !input && fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) {
        return Err(gone());
    }
    let other = fds[1..=others.len()].iter().any(|fd| !fd.revents().is_empty());
    Ok(Woke { input, other })
}

/// Whether the reader of our standard output has closed it.
pub fn reader_is_gone() -> bool {
    let stdout = io::stdout();
    let mut fds = [PollFd::from_borrowed_fd(stdout.as_fd(), PollFlags::empty())];
    let now = Timespec::default();
    poll(&mut fds, Some(&now)).is_ok() && fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
}

/// The failure of a stage whose reader is gone.
pub fn gone() -> Fail {
    Fail::io(Path::new("<stdout>"), &io::Error::from(io::ErrorKind::BrokenPipe))
}
