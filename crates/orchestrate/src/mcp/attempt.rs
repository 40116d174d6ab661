//! A run of one task, or of what closes a plan, as a child process; the relay below it is its worker.

use crate::mcp::relay::Handed;
use crate::tools::Tools;
use rustix::process::Signal;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use toolkit::Fail;
use toolkit::cli::env;
use toolkit::files::fs;
use wire::event::{Event, What};

/// How often the child and its relay are looked at.
const NAP: Duration = Duration::from_millis(5);
/// How long a relay may take to hand over its prompt.
const HANDING_OVER: Duration = Duration::from_secs(30);

/// A run that has begun.
pub(crate) struct Attempt {
    /// The plan, as its path was given to the run.
    pub(crate) plan: PathBuf,
    /// The task; `None` where only the end of the plan is left.
    pub(crate) task: Option<String>,
    /// What the relay has handed over, while it waits for the answer.
    pub(crate) handed: Option<Handed>,
    child: Child,
    relay: Option<UnixStream>,
    listener: UnixListener,
    folder: PathBuf,
    events: Receiver<Event>,
    /// What the run says to people.
    said: Option<JoinHandle<String>>,
}

/// What came of waiting.
pub(crate) enum Came {
    /// A worker is asked for: its prompt is handed over.
    Prompt,
    /// The run has ended with this exit code.
    End(i32, String),
}

impl Attempt {
    /// Starts the run.
    pub(crate) fn begin(tools: &Tools, plan: &Path, task: Option<&str>) -> Result<Self, Fail> {
        let folder = fs::sibling(&std::env::temp_dir().join("plantools-mcp"));
        fs::private_folder(&folder)?;
        let socket = folder.join("relay");
        let failed = |e: std::io::Error| Fail::io(&socket, &e);
        let listener = UnixListener::bind(&socket).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let mut command = tools.command(OsStr::new("orchestrate"));
        command.args(["--attended", "--events", "-", "--on-halt", "continue"]);
        command.args(task.iter().flat_map(|id| ["--only", id]));
        command.arg(plan).args(["--", "orchestrate", "mcp", "--relay"]).arg(&socket);
        // A client may mark what its agent starts as inside of an attempt; this run is not.
        command.env_remove(env::ATTEMPT);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            command.spawn().map_err(|e| crate::tools::not_started(OsStr::new("orchestrate"), &e))?;
        let (tell, events) = channel();
        if let Some(out) = child.stdout.take() {
            std::thread::spawn(move || {
                let told = BufReader::new(out).lines().map_while(Result::ok);
                for event in told.filter_map(|line| serde_json::from_str::<Event>(&line).ok()) {
                    // Nobody listens any more once the attempt is over.
                    let _ = tell.send(event);
                }
            });
        }
        let said = child.stderr.take().map(|mut err| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                let _ = err.read_to_end(&mut bytes);
                String::from_utf8_lossy(&bytes).into_owned()
            })
        });
        let task = task.map(str::to_owned);
        Ok(Self {
            plan: plan.to_owned(),
            task,
            handed: None,
            child,
            relay: None,
            listener,
            folder,
            events,
            said,
        })
    }

    /// Waits until the run asks for a worker, or ends.
    pub(crate) fn wait(&mut self) -> Result<Came, Fail> {
        let failed = |e: std::io::Error| Fail::io(Path::new("orchestrate"), &e);
        loop {
            // First the end: a relay that connected before it is gone too.
            let ended = self.child.try_wait().map_err(failed)?;
            if let Some(status) = ended {
                let said = self.said.take().and_then(|said| said.join().ok()).unwrap_or_default();
                return Ok(Came::End(crate::tools::code_of(status), said));
            }
            match self.listener.accept() {
                Ok((stream, _)) => {
                    if self.take_prompt(stream) {
                        return Ok(Came::Prompt);
                    }
                }
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => std::thread::sleep(NAP),
                Err(e) => return Err(failed(e)),
            }
        }
    }

    /// Reads what a relay hands over; no if it hands over nothing that can be read.
    fn take_prompt(&mut self, stream: UnixStream) -> bool {
        let mut line = String::new();
        let read = stream
            .set_nonblocking(false)
            .and_then(|()| stream.set_read_timeout(Some(HANDING_OVER)))
            .and_then(|()| BufReader::new(&stream).read_line(&mut line));
        let handed = read.ok().and_then(|_| serde_json::from_str(&line).ok());
        self.handed = handed;
        self.relay = self.handed.is_some().then_some(stream);
        self.handed.is_some()
    }

    /// Whether the worker's time is over, or the run has ended otherwise.
    pub(crate) fn is_over(&mut self) -> bool {
        let relay_gone = self.relay.as_ref().is_none_or(|relay| {
            let mut byte = [0];
            let peeked = relay.set_nonblocking(true).and_then(|()| (&mut &*relay).read(&mut byte));
            let _ = relay.set_nonblocking(false);
            matches!(peeked, Ok(0))
        });
        relay_gone || !matches!(self.child.try_wait(), Ok(None))
    }

    /// Gives the answer of the agent to the relay. A relay that is gone by now is found by waiting.
    pub(crate) fn answer(&mut self, text: &str) {
        self.handed = None;
        if let Some(mut relay) = self.relay.take() {
            let _ = relay.write_all(text.as_bytes());
            let _ = relay.shutdown(Shutdown::Write);
        }
    }

    /// What happened since this was asked last.
    pub(crate) fn news(&self) -> Vec<Event> {
        self.events.try_iter().collect()
    }

    /// What happened in a run that has ended, up to its last word.
    pub(crate) fn rest(&self) -> Vec<Event> {
        let mut all = Vec::new();
        while let Ok(event) = self.events.recv_timeout(Duration::from_secs(5)) {
            let is_last = event.event == What::End && event.exit.is_some();
            all.push(event);
            if is_last {
                break;
            }
        }
        all
    }
}

impl Drop for Attempt {
    /// Two interrupts stop a run at once; it puts the attempt on record as interrupted.
    fn drop(&mut self) {
        for _ in 0..2 {
            if !matches!(self.child.try_wait(), Ok(None)) {
                break;
            }
            crate::round::processes::signal(self.child.id().cast_signed(), Signal::INT);
            std::thread::sleep(Duration::from_millis(100));
        }
        let _ = self.child.wait();
        let _ = fs::remove_folder(&self.folder);
    }
}
