//! Rows about this machine and this repository.

use super::Row;
use crate::tools::Tools;
use config::workers::{ACP, CLIENTS, Network};
use config::{Config, ConfigArgs};
use std::ffi::OsStr;
use std::path::Path;
use toolkit::{Exit, Fail};

/// The tools of the pipe.
const TOOLS: [&str; 11] = [
    "plan-parse",
    "dag-next",
    "dag-export",
    "worker-run",
    "gate-run",
    "punch",
    "session-export",
    "context-save",
    "checkbox",
    "commit-run",
    "run-report",
];

pub(super) fn tools(tools: &Tools) -> Vec<Row> {
    let mut versions: Vec<String> = Vec::new();
    let mut missing = Vec::new();
    for tool in TOOLS {
        match tools.ask(tool, ["--version"]) {
            Ok(said) if said.code == 0 => {
                let version = said.line();
                versions
                    .push(version.split_once(' ').map_or(String::new(), |(_, version)| version.to_owned()));
            }
            _ => missing.push(tool),
        }
    }
    versions.dedup();
    let mut rows = Vec::new();
    if !missing.is_empty() {
        rows.push(Row::fail(
            Exit::Unavailable,
            format!("tools are missing: {}", missing.join(", ")),
            "scripts/install",
        ));
    }
    let place =
        tools.whereis("plan-parse").and_then(|path| path.parent().map(|folder| folder.display().to_string()));
    match versions.as_slice() {
        [] => {}
        [version] => rows.push(Row::ok(format!("tools {version} in {}", place.unwrap_or_default()))),
        several => {
            let text = format!("the tools are of different versions: {}", several.join(" and "));
            rows.push(Row::fail(Exit::Unavailable, text, "type -a plan-parse"));
        }
    }
    if tools.whereis("sh").is_none() {
        rows.push(Row::fail(
            Exit::Unavailable,
            "there is no program 'sh', which runs the command lines of a profile",
            "command -v sh",
        ));
    }
    rows
}

pub(super) fn git(tools: &Tools, top: &Path) -> Vec<Row> {
    let Some(version) = tools.git(top, &["--version"]) else {
        return vec![Row::fail(Exit::Unavailable, "git is missing: nothing is committed", "apt install git")];
    };
    if tools.git(top, &["rev-parse", "--is-inside-work-tree"]).is_none() {
        let text = format!(
            "{version}; no repository here: proofs hold for one round only, and nothing is committed"
        );
        return vec![Row::warn(text, "git init")];
    }
    let mut rows = vec![Row::ok(format!("{version}, repository {}", top.display()))];
    rows.extend(identity(tools, top));
    if tools.git(top, &["rev-parse", "--verify", "--quiet", "HEAD"]).is_none() {
        rows.push(Row::fail(Exit::Config, "the repository has no commit yet", "git add --all && git commit"));
    }
    if tools.git(top, &["status", "--porcelain"]).is_some_and(|changes| !changes.is_empty()) {
        rows.push(Row::warn(
            "there are changes that are not committed: a run leaves them alone",
            "git status",
        ));
    }
    rows
}

/// Whether git knows who commits.
pub(super) fn identity(tools: &Tools, top: &Path) -> Option<Row> {
    let known = tools.git(top, &["var", "GIT_AUTHOR_IDENT"]).is_some();
    let text = "git does not know who you are: no commit can be made";
    (!known)
        .then(|| Row::fail(Exit::Config, text, "git config user.name NAME && git config user.email ADDRESS"))
}

fn load(top: &Path) -> Result<Config, Fail> {
    ConfigArgs::default().load(top)
}

pub(super) fn configuration(tools: &Tools, top: &Path) -> Vec<Row> {
    let path = top.join(config::NAME);
    if !path.exists() {
        return vec![Row::warn(
            "no plantools.toml: the plan's own checks are all there is",
            "orchestrate init",
        )];
    }
    let config = match load(top) {
        Ok(config) => config,
        Err(fail) => return vec![Row::fail(Exit::Config, fail.to_string(), "gate-run --all")],
    };
    let names: Vec<&str> = config.gates.iter().map(|gate| gate.id.as_str()).collect();
    let shown = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let mut rows = vec![Row::ok(format!("plantools.toml, gates: {shown}"))];
    rows.extend(gates(tools, top).ok().flatten());
    let linted = tools.ask("punch", ["lint".as_ref(), path.as_os_str()]);
    if linted.is_ok_and(|said| said.code != 0) {
        rows.push(Row::fail(
            Exit::Config,
            "a card of plantools.toml can never be met",
            "punch lint plantools.toml",
        ));
    }
    rows
}

/// Whether every gate could run: its tokens are resolved, and it calls no Python but the project's. Asked of gate-run.
pub(super) fn gates(tools: &Tools, root: &Path) -> Result<Option<Row>, Fail> {
    let args = ["--preflight", "--error-format=json", "--cwd"].map(OsStr::new);
    let said = tools.ask("gate-run", args.into_iter().chain([root.as_os_str()]))?;
    let exit = Exit::from_code(said.code).filter(|exit| *exit != Exit::Ok);
    let message = said.failure().map_or(said.err, |failure| failure.message);
    Ok(exit.map(|exit| Row::fail(exit, message, "gate-run --preflight")))
}

pub(super) fn agents(tools: &Tools, top: &Path) -> Vec<Row> {
    let clients = CLIENTS.iter().filter(|name| !matches!(**name, "plain" | ACP));
    let found: Vec<&str> = clients.copied().filter(|name| tools.whereis(name).is_some()).collect();
    let mut rows = vec![if found.is_empty() {
        Row::warn(
            "no agent is installed; '--worker shell' runs the sh blocks of the tasks",
            "npm install -g @anthropic-ai/claude-code",
        )
    } else {
        Row::ok(format!("agents: {}", found.join(" ")))
    }];
    let Ok(config) = load(top) else { return rows };
    let named = config.defaults.worker.iter().chain(config.workers.keys());
    let mut named: Vec<&String> = named.collect();
    named.sort();
    named.dedup();
    for name in named {
        let rule = config.workers.get(name).cloned().unwrap_or_default();
        let program = rule.command.first().cloned().or(rule.program).unwrap_or_else(|| name.clone());
        let is_client = CLIENTS.contains(&name.as_str()) || config.workers.contains_key(name);
        let is_there = if program.contains('/') {
            top.join(&program).exists()
        } else {
            tools.whereis(&program).is_some()
        };
        if is_client && !is_there {
            let text =
                format!("the worker '{name}' of plantools.toml is not installed: there is no '{program}'");
            rows.push(Row::fail(Exit::Unavailable, text, format!("command -v {program}")));
        }
    }
    rows
}

/// Asks worker-run itself, with a stream of no orders.
pub(super) fn sandbox(tools: &Tools, top: &Path) -> Result<Option<Row>, Fail> {
    let args = ["--sandbox", "--worker-dry-run", "--error-format=json", "/dev/stdin"];
    let script = format!("printf '%s\\n' '{}'", r#"{"schema":"end/1","answer":"done","orders":0}"#);
    let ask = ["sh", "-c", &script].map(Into::into).to_vec();
    let said = tools.pipe(&[ask, std::iter::once("worker-run").chain(args).map(Into::into).collect()])?;
    if said.code == 0 {
        return Ok(Some(Row::ok("sandbox: bubblewrap ('--sandbox' keeps a worker's writes in the tree)")));
    }
    let message = said.failure().map_or_else(|| "no sandbox".to_owned(), |failure| failure.message);
    let fix = "apt install bubblewrap";
    let asked = load(top).is_ok_and(|config| {
        let mut rules = config.workers.values();
        config.defaults.sandbox
            || rules.any(|rule| rule.sandbox == Some(true) || rule.network == Network::None)
    });
    Ok(Some(if asked {
        Row::fail(Exit::Unavailable, format!("plantools.toml asks for a sandbox: {message}"), fix)
    } else {
        Row::warn(format!("no sandbox: {message}"), fix)
    }))
}

pub(super) fn ledger(tools: &Tools, top: &Path) -> Result<Vec<Row>, Fail> {
    if !top.join(".plantools/ledger.ndjson").exists() {
        return Ok(Vec::new());
    }
    let said = tools.ask("punch", ["verify".as_ref(), top.as_os_str()])?;
    let last = said.line().lines().last().or(said.err.lines().last()).unwrap_or_default().to_owned();
    Ok(vec![if said.code == 0 {
        Row::ok(format!("ledger: {last}"))
    } else {
        Row::fail(Exit::Data, format!("the ledger is damaged: {last}"), "punch verify")
    }])
}
