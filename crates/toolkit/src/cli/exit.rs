//! Exit codes: the same numbers for every tool, never reused.

/// How a tool ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done; where a question was asked, yes.
    Ok = 0,
    /// The answer is no: a check failed, a card is not met, a box is not ticked, an order was halted.
    No = 1,
    /// The command line is wrong.
    Usage = 2,
    /// No verdict: timeout, stall, missing program, moved tree; for `punch`: no evidence.
    NoVerdict = 3,
    /// Everything is done.
    Done = 4,
    /// All remaining tasks are blocked, have failed or wait for a person.
    Stuck = 5,
    /// Nothing is ready now; something is running or must wait.
    Wait = 6,
    /// Input does not match its schema.
    Data = 65,
    /// Input is missing.
    NoInput = 66,
    /// A program that the tool itself needs is missing.
    Unavailable = 69,
    /// Input or output failed.
    Io = 74,
    /// A lock is busy: try again.
    Busy = 75,
    /// The configuration is wrong.
    Config = 78,
    /// A bug.
    Bug = 101,
    /// A signal stopped it; run it again to go on.
    Stopped = 130,
}

impl Exit {
    /// The exit with this number; `None` if no tool has it.
    pub fn from_code(code: i32) -> Option<Self> {
        let all = [
            Self::Ok,
            Self::No,
            Self::Usage,
            Self::NoVerdict,
            Self::Done,
            Self::Stuck,
            Self::Wait,
            Self::Data,
            Self::NoInput,
            Self::Unavailable,
            Self::Io,
            Self::Busy,
            Self::Config,
            Self::Bug,
            Self::Stopped,
        ];
        all.into_iter().find(|exit| i32::from(exit.code()) == code)
    }

    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
