//! The thinking tools as a server of the Model Context Protocol.

mod tools;

use crate::args::LiveArgs;
use crate::serve::tools::Tools;
use crate::{here, keep};
use serde_json::Value;
use sessions::Live;
use std::path::Path;
use toolkit::cli::clock::Clock;
use toolkit::stream::mcp;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};

/// Serves until standard input ends.
pub(crate) fn serve(asked: &LiveArgs, clock: &Clock, out: &mut Output) -> Result<Exit, Fail> {
    mcp::serve(&mut Tools { live: keep::open(asked)?, root: here()?, clock: *clock }, out)
}

/// The answers to some lines, for a root of its own.
pub(crate) fn answers<'l>(root: &Path, lines: impl Iterator<Item = &'l [u8]>) -> Result<Vec<Value>, Fail> {
    let mut tools = Tools { live: Live::at(root, None)?, root: root.to_path_buf(), clock: Clock::default() };
    Ok(lines.filter_map(|line| mcp::answer(&mut tools, line)).collect())
}
