//! Chooses the worker of an order.

use crate::adapters::adapter::{self, Adapter};
use crate::args::Args;
use crate::attempt::escalation;
use config::Config;
use config::profile::Profile;
use config::workers::{ACP, Network, PromptBy, Route, Stop, WorkerRule, agent_file};
use serde_json::Value;
use std::ffi::OsString;
use std::path::Path;
use toolkit::cli::env::{self, Program};
use toolkit::{Exit, Fail};
use wire::Order;

/// A chosen worker.
#[derive(Clone)]
pub(crate) struct Worker {
    pub(crate) name: String,
    pub(crate) how: How,
    pub(crate) adapter: &'static Adapter,
    /// The model that the plan or the route asks for, whether or not the client accepts it.
    pub(crate) wanted: Option<String>,
    /// The model passed to the client.
    pub(crate) model: Option<String>,
    pub(crate) rule: WorkerRule,
    pub(crate) timeout_seconds: u64,
    pub(crate) stall_seconds: u64,
    /// Whether it runs in a sandbox.
    pub(crate) sandbox: bool,
    /// What it may reach from there.
    pub(crate) network: Network,
}

/// How it is run.
#[derive(Debug, Clone)]
pub(crate) enum How {
    /// The embedded one: the `sh` blocks of the task's own section.
    Shell,
    /// A client by its own command.
    Client { program: OsString },
    /// A complete command from the configuration or command line.
    Command { argv: Vec<OsString>, prompt: PromptBy },
    /// An agent that speaks the Agent Client Protocol.
    Acp { argv: Vec<OsString> },
}

/// Who does the order.
pub(crate) enum Choice {
    Worker(Box<Worker>),
    /// The route that the plan names ends with a person.
    User,
}

const TIMEOUT: u64 = 3600;
const STALL: u64 = 900;

/// Chooses: the command line first, then the plan, then the default of the configuration. `failed` returns the number
/// of attempts so far; it is called only if there is a route.
pub(crate) fn choose(
    args: &Args,
    config: &Config,
    order: &Order,
    failed: impl FnOnce() -> Result<u32, Fail>,
) -> Result<Choice, Fail> {
    let mut worker = if let Some(command) = typed(args, config).filter(|_| !is_apart(order)) {
        given(&command)
    } else {
        let (route, chosen) = match route(args, config, order) {
            Some(route) => (route, true),
            None if is_apart(order) => return Err(nobody_for(order)),
            None => (default(config).ok_or_else(|| no_worker(order))?, false),
        };
        let profile = config.profile(&order.plan.dialect)?;
        // A step whose cause a diagnosis mended begins anew with its own worker.
        let resumed = order.is_resumed();
        let again = order.last_failure.is_some() && args.worker.is_none() && !is_errand(order) && !resumed;
        let failed = if (route.0.len() > 1 || again) && !resumed { failed()? } else { 0 };
        let next = if again { escalation::next(config, &profile, order, &route, failed) } else { None };
        let stop = next.as_ref().map(|(stop, _)| stop).or_else(|| route.after(failed));
        let Some(Stop::Worker { name, model }) = stop else { return Ok(Choice::User) };
        let worker = by_name(config, order, name, model.clone())?;
        match &next {
            // A worker that does not run with the model it is escalated to is no other worker.
            Some(_) if !model.as_deref().is_none_or(|model| takes(&worker, model)) => {
                return Ok(Choice::User);
            }
            None if !chosen => suits(&profile, order, &worker)?,
            _ => {}
        }
        worker
    };
    if let Some(seconds) = order.task.timeout_seconds {
        worker.timeout_seconds = seconds;
    }
    worker.timeout_seconds = args.timeout_seconds.unwrap_or(worker.timeout_seconds);
    worker.stall_seconds = args.stall_seconds.unwrap_or(worker.stall_seconds);
    let without_network = worker.network == Network::None;
    worker.sandbox =
        args.sandbox || without_network || worker.rule.sandbox.unwrap_or(config.defaults.sandbox);
    Ok(Choice::Worker(Box::new(worker)))
}

/// Who takes over from a worker whose attempt fails, as the `failed`th, where the workflow escalates: a model, another worker
/// or `user`.
pub(crate) fn successor(
    args: &Args,
    config: &Config,
    order: &Order,
    failure: Option<Value>,
    failed: u32,
    now: &Worker,
) -> Option<String> {
    let profile = config.profile(&order.plan.dialect).ok()?;
    let chosen = args.worker.is_some() || typed(args, config).is_some() || is_errand(order);
    if chosen || profile.escalation.is_empty() {
        return None;
    }
    let route = route(args, config, order).or_else(|| default(config))?;
    let order = Order { last_failure: Some(failure.unwrap_or_default()), ..order.clone() };
    let next = escalation::next(config, &profile, &order, &route, failed);
    let stop = next.as_ref().map(|(stop, _)| stop).or_else(|| route.after(failed));
    let Some(Stop::Worker { name, model }) = stop else {
        return Some(USER.to_owned());
    };
    let worker = by_name(config, &order, name, model.clone()).ok()?;
    if next.is_some() && !model.as_deref().is_none_or(|model| takes(&worker, model)) {
        return Some(USER.to_owned());
    }
    let is_other = worker.name != now.name || worker.model != now.model;
    let of_route = || is_other.then(|| model.clone().unwrap_or_else(|| agent_of(config, name)));
    // The same worker once more is another agent where the chain says so.
    next.as_ref().map(|(_, called)| called.clone()).or_else(of_route)
}

/// What plans call a worker: the agent whose row begins with it, where there is one such row, else its own name.
fn agent_of(config: &Config, worker: &str) -> String {
    let is_first = |row: &&Route| matches!(row.after(0), Some(Stop::Worker { name, .. }) if name == worker);
    let mut rows = config.agents.iter().filter(|(_, row)| is_first(row)).map(|(agent, _)| agent);
    match (config.agents.contains_key(worker), rows.next(), rows.next()) {
        (false, Some(agent), None) => agent.clone(),
        _ => worker.to_owned(),
    }
}

/// The stop of a route that is a person.
const USER: &str = "user";

/// The template of the Fitter's prompt, and its agent.
pub(crate) const FITTER: &str = "fitter";

/// Whether the prompt is for a worker that does no work of the task: the Fitter, the reviewer of a change, or the agent that
/// proposes checks.
pub(crate) fn is_errand(order: &Order) -> bool {
    errand(order).is_some()
}

/// What a worker is asked for instead of the work: the name of the template, and of the agent that does it.
pub(crate) fn errand(order: &Order) -> Option<&'static str> {
    let template = order.handoff.as_ref().map(|handoff| handoff.template.as_str());
    [FITTER, wire::order::REVIEW, wire::order::CHECK].into_iter().find(|name| template == Some(*name))
}

/// Whether the prompt is for the reviewer of a change.
pub(crate) fn is_review(order: &Order) -> bool {
    order.is_review()
}

/// Whether the prompt is for the agent that proposes checks for the task.
pub(crate) fn is_check(order: &Order) -> bool {
    errand(order) == Some(wire::order::CHECK)
}

/// Whether only the configuration names the worker, which must not be one of the task.
fn is_apart(order: &Order) -> bool {
    is_review(order) || is_check(order)
}

fn nobody_for(order: &Order) -> Fail {
    if is_check(order) {
        let message =
            "no worker proposes checks; name one with check = \"NAME\" below [agents] in plantools.toml";
        return Fail::config("no-checker", message);
    }
    let message = "no reviewer is configured; name another worker with review = \"NAME\" below [agents] in plantools.toml";
    Fail::config("no-reviewer", message)
}

/// The worker and the model that the first attempt at the task of an order gets, whatever the order asks for.
pub(crate) fn of_the_work(config: &Config, order: &Order) -> Option<(String, Option<String>)> {
    let route = names(order).find_map(|name| row(config, name)).or_else(|| default(config))?;
    match route.after(0)? {
        Stop::Worker { name, model } => Some((name.clone(), model.clone())),
        Stop::User => None,
    }
}

/// The route that a person chose for an order: a name on the command line is a route with one stop, else the row of
/// `[agents]` for the agent or the model that the plan names.
fn route(args: &Args, config: &Config, order: &Order) -> Option<Route> {
    // The command line and the plan name the worker of the task, never its reviewer.
    if is_apart(order) {
        return errand(order).and_then(|name| config.agents.get(name)).cloned();
    }
    let named = || match errand(order) {
        // The agent of the task plays no Fitter.
        Some(name) => config.agents.get(name).cloned(),
        None => names(order).find_map(|name| row(config, name)),
    };
    args.worker.as_deref().map(one).or_else(named)
}

/// What the plan calls the worker of an order: its agent, then its model.
fn names(order: &Order) -> impl Iterator<Item = &str> {
    [&order.task.agent, &order.task.model].into_iter().flatten().map(String::as_str)
}

/// The row of `[agents]` for a name.
fn row(config: &Config, name: &str) -> Option<Route> {
    config.agents.get(name).or_else(|| config.agents.get(name.trim_start_matches('@'))).cloned()
}

fn default(config: &Config) -> Option<Route> {
    config.defaults.worker.as_deref().map(one)
}

fn one(name: &str) -> Route {
    Route(vec![Stop::from(name)])
}

/// Refuses the default worker for an order that names an agent or a model which that worker does not have: never another
/// one without a word.
fn suits(profile: &Profile, order: &Order, worker: &Worker) -> Result<(), Fail> {
    if is_errand(order) {
        return Ok(());
    }
    let task = &order.task;
    let refuse = |what: &str, name: &str, why: &str| {
        let row = format!("[agents]\n{} = {:?}", key(name), worker.name);
        let message = format!(
            "task '{}' asks for the {what} '{name}', {why}; say in plantools.toml who does its work (and go on with \
             --accept-change REASON once a worker has begun), for example:\n{row}",
            task.id
        );
        Err(Fail::config("unknown-agent", message))
    };
    if let Some(model) = task.model.as_deref()
        && !takes(worker, model)
    {
        let why = format!("which the default worker '{}' does not run with", worker.name);
        return refuse("model", model, &why);
    }
    let Some(agent) = task.agent.as_deref().map(|agent| agent.trim_start_matches('@')) else { return Ok(()) };
    let root = Path::new(&order.plan.root);
    let has_file = agent_file(agent).is_some_and(|path| root.join(path).is_file());
    let own = worker.rule.agent.as_deref() == Some(agent) || worker.name == agent;
    if has_file || own || profile.modes.iter().any(|mode| mode == agent) || matches!(worker.how, How::Shell) {
        return Ok(());
    }
    refuse("agent", agent, "which has no row there and no file in .claude/agents")
}

/// Whether a worker runs with a model. The embedded one runs the plan's own commands, with no model at all.
fn takes(worker: &Worker, model: &str) -> bool {
    match (&worker.how, &worker.rule.model) {
        (How::Shell, _) => true,
        (_, Some(own)) => own == model,
        (How::Client { .. }, None) => (worker.adapter.takes)(model),
        // Which models it has is known once it runs.
        (How::Acp { .. }, None) => false,
        (How::Command { .. }, None) => worker.rule.model_flag.is_some(),
    }
}

/// No worker at all: where the order names one, the row that is missing.
fn no_worker(order: &Order) -> Fail {
    let asked = match errand(order) {
        Some(name) => Some(("agent", name)),
        None => order.task.model.as_deref().map(|name| ("model", name)),
    };
    let asked = asked.or_else(|| order.task.agent.as_deref().map(|name| ("agent", name)));
    let Some((what, name)) = asked else {
        let message =
            "no worker is configured; use --worker NAME, [defaults] worker in plantools.toml, or -- COMMAND";
        return Fail::config("no-worker", message);
    };
    let name = name.trim_start_matches('@');
    let message = format!(
        "task '{}' asks for the {what} '{name}', and no worker is configured for it; add its row to plantools.toml (or use \
         --worker NAME, [defaults] worker, or -- COMMAND):\n[agents]\n{} = \"WORKER\"",
        order.task.id,
        key(name)
    );
    Fail::config("no-worker", message)
}

/// The command on the command line: the words after `--`, or a path in place of a worker's name.
fn typed(args: &Args, config: &Config) -> Option<Vec<OsString>> {
    if !args.command.is_empty() {
        return Some(args.command.clone());
    }
    // `WORKER:MODEL` may have a slash in the name of the model.
    let is_path = |name: &&String| name.split(':').next().is_some_and(|first| first.contains('/'));
    let path = args.worker.as_ref().filter(is_path).filter(|name| !config.workers.contains_key(*name))?;
    Some(vec![path.into()])
}

/// Refuses a command of the command line that cannot be started.
pub(crate) fn startable(args: &Args, config: &Config) -> Result<(), Fail> {
    let Some(program) = typed(args, config).and_then(|command| command.into_iter().next()) else {
        return Ok(());
    };
    let shown = program.to_string_lossy().into_owned();
    let missing = |exit, message| Err(Fail::new(exit, "worker-missing", message));
    match env::program(&program) {
        Program::There => Ok(()),
        Program::NotExecutable => {
            let message = format!("the worker '{shown}' is not executable: chmod +x {shown}");
            missing(Exit::Unavailable, message)
        }
        Program::NoFile => {
            missing(Exit::NoInput, format!("there is no file '{shown}' to run as the worker; check its path"))
        }
        Program::NotOnPath => {
            let message = format!(
                "there is no program '{shown}' on the PATH; install it, or write ./{shown} for a file in this folder"
            );
            missing(Exit::Unavailable, message)
        }
    }
}

/// A worker given as a command on the command line; its path is relative to the current folder.
fn given(command: &[OsString]) -> Worker {
    let name = command.first().map(|c| c.to_string_lossy().into_owned()).unwrap_or_default();
    let mut argv = command.to_vec();
    if let Some(program) = argv.first_mut() {
        *program = env::from_here(program);
    }
    let how = How::Command { argv, prompt: PromptBy::Stdin };
    Worker {
        name,
        how,
        adapter: adapter::plain(),
        wanted: None,
        model: None,
        rule: WorkerRule::default(),
        timeout_seconds: TIMEOUT,
        stall_seconds: STALL,
        sandbox: false,
        network: Network::All,
    }
}

/// `acp:COMMAND`: the words of the command, without quotes.
fn acp(command: Option<&str>) -> Result<Worker, Fail> {
    let argv: Vec<OsString> = command.unwrap_or_default().split_whitespace().map(OsString::from).collect();
    if argv.is_empty() {
        let message = "an agent that speaks the Agent Client Protocol has a command: --worker 'acp:COMMAND', \
                       or command = [\"COMMAND\"] and result = \"acp\" in plantools.toml";
        return Err(Fail::config("empty-command", message));
    }
    let name = format!("{ACP}:{}", command.unwrap_or_default());
    let adapter = adapter::named(ACP).unwrap_or_else(adapter::plain);
    Ok(Worker { name, adapter, how: How::Acp { argv }, ..given(&[]) })
}

fn by_name(config: &Config, order: &Order, name: &str, model: Option<String>) -> Result<Worker, Fail> {
    let rule = config.workers.get(name).cloned();
    match name.strip_prefix(ACP) {
        Some("") if rule.is_none() => return acp(model.as_deref()),
        Some(command) if rule.is_none() && command.starts_with(':') => return acp(command.get(1..)),
        _ => {}
    }
    let known = rule.is_some() || name == "shell" || adapter::names().any(|client| client == name);
    if !known {
        let mut names: Vec<_> = ["shell", "acp:COMMAND"].into_iter().chain(adapter::names()).collect();
        names.extend(config.workers.keys().map(String::as_str).filter(|own| adapter::named(own).is_none()));
        let message = format!(
            "there is no worker '{name}'; workers are {}; two lines in plantools.toml define another:\n{}",
            names.join(", "),
            definition(name)
        );
        return Err(Fail::config("unknown-worker", message));
    }
    let shell = name == "shell" && rule.is_none();
    let rule = rule.unwrap_or_default();
    let adapter = adapter::named(rule.client(name)).unwrap_or_else(adapter::plain);
    let wanted = model.clone().or_else(|| rule.model.clone()).or_else(|| order.task.model.clone());
    // A configured model is passed on unchanged; a model from the plan only if the client may know it.
    let own = || order.task.model.clone().filter(|model| (adapter.takes)(model));
    let model = model.or_else(|| rule.model.clone()).or_else(own);
    let how = if shell {
        How::Shell
    } else if rule.command.is_empty() {
        How::Client { program: rule.program.as_deref().unwrap_or(adapter.program).into() }
    } else {
        let argv = rule.command.iter().map(OsString::from).collect();
        if adapter.name == ACP { How::Acp { argv } } else { How::Command { argv, prompt: rule.prompt } }
    };
    Ok(Worker {
        name: name.to_owned(),
        how,
        adapter,
        wanted,
        model,
        timeout_seconds: rule.timeout_seconds.unwrap_or(TIMEOUT),
        stall_seconds: rule.stall_seconds.unwrap_or(STALL),
        sandbox: false,
        network: rule.network,
        rule,
    })
}

/// Whether a name and a model mean the same program with the same model as a chosen worker: another name for a command
/// is no other worker.
pub(crate) fn is_same(
    config: &Config,
    order: &Order,
    name: &str,
    model: Option<String>,
    chosen: &Worker,
) -> bool {
    if name == chosen.name && model == chosen.model {
        return true;
    }
    // A name that is unknown now was a command of the command line.
    let other = by_name(config, order, name, model).unwrap_or_else(|_| given(&[name.into()]));
    identity(&other) == identity(chosen)
}

/// The program and its arguments, and the model where the program takes one.
fn identity(worker: &Worker) -> (Vec<OsString>, Option<&str>) {
    let model = worker.model.as_deref();
    match &worker.how {
        How::Shell => (vec!["shell".into()], None),
        How::Client { program } => {
            let args = worker.rule.args.iter().map(OsString::from);
            (std::iter::once(resolved(program)).chain(args).collect(), model)
        }
        How::Acp { argv } => (argv.clone(), model),
        How::Command { argv, .. } => {
            let (program, args) =
                argv.split_first().map_or((OsString::new(), &[][..]), |(p, a)| (resolved(p), a));
            let words = std::iter::once(program).chain(args.iter().cloned()).collect();
            (words, model.filter(|_| worker.rule.model_flag.is_some()))
        }
    }
}

/// A program that is a file, by the file itself.
fn resolved(program: &OsString) -> OsString {
    let path = Path::new(program);
    let file = path.components().nth(1).and_then(|_| path.canonicalize().ok());
    file.map_or_else(|| program.clone(), Into::into)
}

/// The lines of `plantools.toml` that make a program of this name a worker.
fn definition(name: &str) -> String {
    let program = if name.contains('/') { name.to_owned() } else { format!("./{name}") };
    format!("[workers.{}]\ncommand = [{program:?}]", key(name))
}

/// A name as a key of TOML.
fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.chars().all(is_bare) { name.to_owned() } else { format!("{name:?}") }
}
