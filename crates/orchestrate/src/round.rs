//! One round: the stages of a pipe as children of this process, watched until the last of them has ended.

pub(crate) mod pipe;
pub(crate) mod processes;
pub(crate) mod signals;
pub(crate) mod watch;
