//! A PID namespace around a worker: when its first process ends, the kernel kills all others.
//!
//! The supervisor finds and ends everything that a worker leaves behind in any case; the namespace is for users who
//! want the kernel to do it. `unshare` of util-linux creates it, with a shell as the first process, since the first
//! process of a namespace ignores signals that it has no handler for.

use std::ffi::OsString;
use std::process::{Command, Stdio};
use toolkit::{Exit, Fail};

/// Whether a worker gets a PID namespace of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Contain {
    /// Where it can be had
    Auto,
    /// No
    #[default]
    None,
    /// Yes, or no worker at all
    Pidns,
}

/// The shell waits for the worker and exits with its code; nothing is spliced into it.
const FIRST: [&str; 4] = ["sh", "-c", r#""$@"; exit"#, "sh"];
/// As root, otherwise in a user namespace that keeps the user.
const WAYS: [&[&str]; 2] = [
    &["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--"],
    &["unshare", "--user", "--map-current-user", "--pid", "--fork", "--kill-child", "--mount-proc", "--"],
];

/// The wrapped command.
pub(crate) fn wrap(contain: Contain, argv: Vec<OsString>) -> Result<Vec<OsString>, Fail> {
    if contain == Contain::None {
        return Ok(argv);
    }
    match WAYS.iter().find(|way| works(way)) {
        Some(way) => Ok(way.iter().chain(&FIRST).map(OsString::from).chain(argv).collect()),
        None if contain == Contain::Auto => Ok(argv),
        None => {
            let message = "a PID namespace cannot be had here: 'unshare' is missing or not allowed";
            Err(Fail::new(Exit::Unavailable, "no-namespace", message))
        }
    }
}

fn works(way: &[&str]) -> bool {
    let mut probe = Command::new(way[0]);
    probe.args(&way[1..]).arg("true").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}
