//! `orchestrate mcp`: a plan as tools of the Model Context Protocol, for an agent in an interactive session.
//!
//! The agent takes the place of a worker and of nothing else. A task that it takes is an attempt of an ordinary run
//! (`orchestrate --only ID PLAN`), whose worker is a relay: it hands the prompt to this server, waits, and prints what
//! the agent says. So every rule of a run holds: checks before and after, the level of evidence, the guard over plan,
//! ledger and history, attempts, commits. This server writes nothing but the answers, and clears boxes that
//! an agent or a person ticked between two attempts.

mod attempt;
mod plan_watch;
mod relay;
mod schemas;
mod service;

pub(crate) use self::relay::relay;

use crate::mcp::service::Session;
use crate::tools::Tools;
use std::path::PathBuf;
use toolkit::stream::mcp;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};

/// Serves until standard input ends; an attempt that is open then is interrupted, and costs nothing.
pub(crate) fn serve(tools: Tools, plan: Option<PathBuf>, out: &mut Output) -> Result<Exit, Fail> {
    let mut session = Session::new(tools, plan)?;
    mcp::serve(&mut session, out)
}
