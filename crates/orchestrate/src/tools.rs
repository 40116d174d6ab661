//! The other tools as `orchestrate` sees them: started by name, known by their exit codes and their JSON.

use crate::round::processes::{Process, family, signal};
use crate::round::watch::{Bounds, Found, Watch, Watched};
use crate::stop_reason::Stop;
use rustix::process::Signal;
use serde::de::DeserializeOwned;
use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};
use toolkit::cli::env::{self, Program};
use toolkit::cli::tool;
use toolkit::{Exit, Fail};
use wire::Failure;

/// The words of one command: a program and its arguments.
pub(crate) type Words = Vec<OsString>;

/// Starts tools and other programs.
#[derive(Debug)]
pub(crate) struct Tools {
    /// The `PATH` of every program that is started.
    path: OsString,
    /// The name of the run, once there is one.
    pub(crate) run: Option<String>,
    /// What every stage of the run would have to find out again: variables and their values.
    pub(crate) known: Vec<(&'static str, String)>,
    /// How long a program may be stopped or silent.
    bounds: Bounds,
}

/// What a program said.
#[derive(Debug)]
pub(crate) struct Said {
    /// Its exit code; 128 and the signal's number if a signal ended it.
    pub(crate) code: i32,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
}

impl Said {
    /// Its output as one line.
    pub(crate) fn line(&self) -> String {
        String::from_utf8_lossy(&self.out).trim_end_matches('\n').to_owned()
    }

    /// Its output, if it ended with 0. Otherwise its own message stands for ours.
    pub(crate) fn success(self) -> Result<Self, Stop> {
        if self.code == 0 { Ok(self) } else { Err(self.stop()) }
    }

    /// Relays what a program that failed said.
    pub(crate) fn stop(&self) -> Stop {
        if !self.err.trim_end().is_empty() {
            tool::note(self.err.trim_end());
        }
        Stop::Said(Exit::from_code(self.code).unwrap_or(Exit::Unavailable))
    }

    /// The `failure/1` of a tool that was called with `--error-format=json`.
    pub(crate) fn failure(&self) -> Option<Failure> {
        self.err.lines().rev().find_map(|line| serde_json::from_str(line).ok())
    }

    /// Its output as one JSON document.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Fail> {
        let bad =
            |e: serde_json::Error| Fail::data("bad-answer", format!("a tool gave no valid answer: {e}"));
        serde_json::from_slice(&self.out).map_err(bad)
    }
}

impl Tools {
    /// Finds the tools: beside this program, in `PLANTOOLS_BIN`, or on the `PATH`.
    pub(crate) fn find() -> Result<Self, Fail> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let called = std::env::args_os().next().unwrap_or_default();
        let typed = Path::new(&called)
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .map(Path::to_path_buf);
        let on_path = || std::env::split_paths(&path).find(|folder| folder.join(&called).is_file());
        let itself = || std::env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_path_buf));
        let beside = typed.or_else(on_path);
        let named = env::get("PLANTOOLS_BIN").map(PathBuf::from);
        let found =
            [beside, named, itself()].into_iter().flatten().find(|folder| folder.join(FIRST).is_file());
        let found = found.and_then(|folder| std::path::absolute(folder).ok());
        let path = match found {
            Some(folder) => {
                let folders = std::iter::once(folder).chain(std::env::split_paths(&path));
                std::env::join_paths(folders).unwrap_or(path.clone())
            }
            None if env::program(OsStr::new(FIRST)) == Program::There => path,
            None => {
                let message = format!(
                    "there is no program '{FIRST}': install plantools, or set PLANTOOLS_BIN to its folder"
                );
                return Err(Fail::new(Exit::Unavailable, "tools-missing", message));
            }
        };
        Ok(Self { path, run: None, known: Vec::new(), bounds: Bounds::load()? })
    }

    #[cfg(test)]
    pub(crate) fn for_tests() -> Self {
        let bounds = Bounds::load().expect("the bounds of the environment are numbers");
        Self { path: std::env::var_os("PATH").unwrap_or_default(), run: None, known: Vec::new(), bounds }
    }

    /// A command that finds the tools.
    pub(crate) fn command(&self, program: &OsStr) -> Command {
        let mut command = Command::new(program);
        command.env("PATH", &self.path);
        if let Some(run) = &self.run {
            command.env(env::RUN, run);
        }
        for (name, value) in &self.known {
            command.env(name, value);
        }
        command
    }

    /// Where a program is, as a shell would find it.
    pub(crate) fn whereis(&self, program: &str) -> Option<PathBuf> {
        use std::os::unix::fs::PermissionsExt;
        let runs = |path: &PathBuf| {
            path.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
        };
        std::env::split_paths(&self.path).map(|folder| folder.join(program)).find(runs)
    }

    /// Runs a program to its end.
    pub(crate) fn ask<S: AsRef<OsStr>>(
        &self,
        program: &str,
        args: impl IntoIterator<Item = S>,
    ) -> Result<Said, Fail> {
        let mut words: Words = vec![program.into()];
        words.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self.pipe(&[words])
    }

    /// Runs a pipe to its end: the output of the last program, the errors of all, and the code of the first that failed.
    pub(crate) fn pipe(&self, stages: &[Words]) -> Result<Said, Fail> {
        self.pipe_with(stages, &[], None)
    }

    /// The same with variables of the environment, and with this on the standard input of the first program. A program
    /// that is stopped is continued; one that does nothing any more is ended.
    pub(crate) fn pipe_with(
        &self,
        stages: &[Words],
        environment: &[(&str, &OsStr)],
        input: Option<&[u8]>,
    ) -> Result<Said, Fail> {
        let failed = |e: std::io::Error| Fail::io(Path::new("a pipe"), &e);
        let (errors, errors_in) = std::io::pipe().map_err(failed)?;
        let (mut children, mut first, mut previous) = (Vec::new(), None, None);
        for words in stages {
            let (program, args) =
                words.split_first().ok_or_else(|| Fail::usage("a command line is empty"))?;
            let err = errors_in.try_clone().map_err(failed)?;
            let reads = previous.take().map(Stdio::from);
            let from = match (reads, input) {
                (Some(reads), _) => reads,
                (None, Some(_)) if children.is_empty() => Stdio::piped(),
                _ => Stdio::null(),
            };
            let mut command = self.command(program);
            command.args(args).envs(environment.iter().copied());
            let child = command.stdin(from).stdout(Stdio::piped()).stderr(err).spawn();
            let mut child = child.map_err(|e| not_started(program, &e))?;
            first = first.or(child.stdin.take());
            previous = child.stdout.take();
            children.push(child);
        }
        drop(errors_in);
        std::thread::scope(|scope| {
            // A program that reads nothing may have ended by now.
            scope.spawn(move || first.zip(input).map(|(mut pipe, bytes)| pipe.write_all(bytes)));
            let err = reader(scope, Some(errors));
            let out = reader(scope, previous);
            let mut watch = Watch::new(self.bounds);
            let mut looked = Instant::now();
            let code = loop {
                let mut codes = Vec::new();
                for child in &mut children {
                    codes.push(child.try_wait().map_err(failed)?.map(code_of));
                }
                let left: Vec<i32> = children
                    .iter()
                    .zip(&codes)
                    .filter(|(_, code)| code.is_none())
                    .map(|(child, _)| child.id().cast_signed())
                    .collect();
                if left.is_empty() {
                    break codes.into_iter().flatten().find(|code| *code != 0).unwrap_or(0);
                }
                // The end of the output wakes us; after it the programs need a moment to end.
                if out.1.recv_timeout(SECOND.saturating_sub(looked.elapsed())).is_ok() {
                    std::thread::sleep(Duration::from_millis(1));
                } else if looked.elapsed() < SECOND {
                    std::thread::sleep(Duration::from_millis(5));
                }
                if looked.elapsed() >= SECOND {
                    looked = Instant::now();
                    if let Some(fail) = amiss(&mut watch, &left) {
                        for child in &mut children {
                            for process in family(child.id().cast_signed()) {
                                signal(process.pid, Signal::KILL);
                            }
                            drop(child.kill().and_then(|()| child.wait()));
                        }
                        return Err(fail);
                    }
                }
            };
            let (out, err) = (out.0.join().unwrap_or_default(), err.0.join().unwrap_or_default());
            Ok(Said { code, out, err: String::from_utf8_lossy(&err).into_owned() })
        })
    }

    /// Asks git in a folder; empty where git does not know.
    pub(crate) fn git(&self, folder: &Path, args: &[&str]) -> Option<String> {
        let mut command = self.command(OsStr::new("git"));
        command.arg("-C").arg(folder).args(args).env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
        let got = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        got.status.success().then(|| String::from_utf8_lossy(&got.stdout).trim_end().to_owned())
    }
}

/// Reads to the end in a thread, and tells when.
fn reader<'s, R: Read + Send + 's>(
    scope: &'s Scope<'s, '_>,
    from: Option<R>,
) -> (ScopedJoinHandle<'s, Vec<u8>>, Receiver<()>) {
    let (tell, told) = channel();
    let reads = scope.spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.map(|mut from| from.read_to_end(&mut bytes));
        let _ = tell.send(());
        bytes
    });
    (reads, told)
}

/// How often programs that answer a question are looked at.
const SECOND: Duration = Duration::from_secs(1);

/// Why the programs of a question do not come to an end.
fn amiss(watch: &mut Watch, left: &[i32]) -> Option<Fail> {
    for found in watch.look(Watched::Round(left)) {
        let (process, why) = match found {
            Found::Continued(process) => {
                tool::note(&format!("orchestrate: {}", continued(&process)));
                continue;
            }
            Found::StoppedAgain(process) => (process, "was stopped by a signal again and again"),
            Found::Hung(process) | Found::Quiet(process) => (process, "did nothing any more"),
        };
        let message = format!("{} {why}, and was ended: run it again to go on", process.shown());
        return Some(Fail::new(Exit::Stopped, "stage-hung", message));
    }
    None
}

/// What is said about a process that a signal had stopped.
pub(crate) fn continued(process: &Process) -> String {
    format!("{} was stopped by a signal for too long; it is continued", process.shown())
}

/// The tool that every run needs first.
const FIRST: &str = "plan-parse";

/// The exit code as a shell shows it.
pub(crate) fn code_of(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

/// A program that could not be started.
pub(crate) fn not_started(program: &OsStr, error: &std::io::Error) -> Fail {
    let message = format!("cannot start '{}': {error}", program.to_string_lossy());
    Fail::new(Exit::Unavailable, "tools-missing", message)
}
