//! Both ends of a stage's pipe: what has come in, and whether anybody still reads what goes out.
//!
//! A stage that only waits for input would never hear that the stage behind it is gone. So whoever waits, waits for
//! both; that is how a pipe that follows a plan falls as a whole when one of its stages does.

use crate::Fail;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::Duration;

/// What a wait ended with; nothing of it where the time was up or a signal came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Woke {
    /// What was wanted of the input is there.
    pub input: bool,
    /// One of the others can be read.
    pub other: bool,
}

/// What is wanted of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// Something to read, be it its end.
    Data,
    /// That whoever writes it has left; what he wrote may wait.
    End,
}

/// Whether somebody can be behind us: what goes to a file or a terminal goes to no stage.
pub fn has_reader() -> bool {
    use rustix::fs::{FileType, fstat};
    let kind = fstat(io::stdout()).map(|about| FileType::from_raw_mode(about.st_mode));
    matches!(kind, Ok(FileType::Fifo | FileType::Socket))
}

/// Waits until standard input can be read; that our own reader has left is an error.
pub fn wait_for_input() -> Result<(), Fail> {
    while !wait(Some(Want::Data), &[], None)?.input {}
    Ok(())
}

/// Waits for standard input, for one of the others, or for the time to be up; that our own reader has left before there
/// is input is an error.
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

/// Whether whoever read our standard output has left.
pub fn reader_is_gone() -> bool {
    let stdout = io::stdout();
    let mut fds = [PollFd::from_borrowed_fd(stdout.as_fd(), PollFlags::empty())];
    let now = Timespec::default();
    poll(&mut fds, Some(&now)).is_ok() && fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
}

/// The failure of a stage that nobody reads any more.
pub fn gone() -> Fail {
    Fail::io(Path::new("<stdout>"), &io::Error::from(io::ErrorKind::BrokenPipe))
}
