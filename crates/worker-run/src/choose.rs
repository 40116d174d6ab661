//! Which worker does an order.

use crate::args::Args;
use std::collections::BTreeMap;
use std::ffi::OsString;
use toolkit::Fail;
use toolkit::config::{Config, PromptBy};
use wire::Order;

/// A worker that was chosen.
#[derive(Debug, Clone)]
pub(crate) struct Worker {
    pub(crate) name: String,
    pub(crate) how: How,
    pub(crate) timeout_seconds: u64,
    pub(crate) stall_seconds: u64,
    pub(crate) env: BTreeMap<String, String>,
    /// Where its own record will be, as seen from the root.
    pub(crate) transcript: Option<String>,
}

/// How it is run.
#[derive(Debug, Clone)]
pub(crate) enum How {
    /// The embedded one: the `sh` blocks of the task's own section.
    Shell,
    /// Somebody else's program.
    Program { argv: Vec<OsString>, prompt: PromptBy },
}

const TIMEOUT: u64 = 3600;
const STALL: u64 = 900;

/// Chooses: the command line first, then what the plan names, then the default of the configuration.
pub(crate) fn choose(args: &Args, config: &Config, order: &Order) -> Result<Worker, Fail> {
    let mut worker = if args.command.is_empty() { by_name(args, config, order)? } else { given(args) };
    if let Some(seconds) = order.task.timeout_seconds {
        worker.timeout_seconds = seconds;
    }
    worker.timeout_seconds = args.timeout_seconds.unwrap_or(worker.timeout_seconds);
    worker.stall_seconds = args.stall_seconds.unwrap_or(worker.stall_seconds);
    Ok(worker)
}

fn given(args: &Args) -> Worker {
    let name = args.command.first().map(|c| c.to_string_lossy().into_owned()).unwrap_or_default();
    let how = How::Program { argv: args.command.clone(), prompt: PromptBy::Stdin };
    Worker {
        name,
        how,
        timeout_seconds: TIMEOUT,
        stall_seconds: STALL,
        env: BTreeMap::new(),
        transcript: None,
    }
}

fn by_name(args: &Args, config: &Config, order: &Order) -> Result<Worker, Fail> {
    let named =
        [&order.task.agent, &order.task.model].into_iter().flatten().find_map(|n| config.agents.get(n));
    let name = args.worker.as_ref().or(named).or(config.defaults.worker.as_ref());
    let Some(name) = name else {
        let message =
            "no worker is configured; use --worker NAME, [defaults] worker in plantools.toml, or -- COMMAND";
        return Err(Fail::config("no-worker", message));
    };
    if let Some(rule) = config.workers.get(name) {
        return Ok(Worker {
            name: name.clone(),
            how: How::Program {
                argv: rule.command.iter().map(OsString::from).collect(),
                prompt: rule.prompt,
            },
            timeout_seconds: rule.timeout_seconds.unwrap_or(TIMEOUT),
            stall_seconds: rule.stall_seconds.unwrap_or(STALL),
            env: rule.env.clone(),
            transcript: rule.transcript.clone(),
        });
    }
    if name == "shell" {
        return Ok(Worker {
            name: name.clone(),
            how: How::Shell,
            timeout_seconds: TIMEOUT,
            stall_seconds: STALL,
            env: BTreeMap::new(),
            transcript: None,
        });
    }
    let known: Vec<_> = std::iter::once("shell").chain(config.workers.keys().map(String::as_str)).collect();
    Err(Fail::config(
        "unknown-worker",
        format!("there is no worker '{name}'; workers are {}", known.join(", ")),
    ))
}
