//! The worker of an attempt whose work is done by the agent of a session: prompt to the server, answer from it.

use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;
use toolkit::cli::env;
use toolkit::stream::input::Input;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};

/// How often the relay shows that it still waits; a worker that is silent for too long is ended.
const SIGN_OF_LIFE: Duration = Duration::from_secs(60);

/// What the relay tells the server.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Handed {
    /// The mark of the attempt: `RUN/TASK/ATTEMPT`.
    pub(crate) attempt: String,
    /// The prompt, as any worker gets it.
    pub(crate) prompt: String,
}

/// Hands the prompt over and prints the answer. Without an answer it fails, as a worker does that crashes.
pub(crate) fn relay(socket: &Path, out: &mut Output) -> Result<Exit, Fail> {
    let prompt = String::from_utf8_lossy(&Input::open(None)?.bytes()?).into_owned();
    let failed = |e: std::io::Error| Fail::io(socket, &e);
    let mut server = UnixStream::connect(socket).map_err(failed)?;
    let handed = Handed { attempt: env::get(env::ATTEMPT).unwrap_or_default(), prompt };
    let mut line = serde_json::to_vec(&handed).map_err(|e| Fail::data("bad-answer", e.to_string()))?;
    line.push(b'\n');
    server.write_all(&line).map_err(failed)?;
    server.set_read_timeout(Some(SIGN_OF_LIFE)).map_err(failed)?;
    let (mut answer, mut part) = (Vec::new(), [0; 4096]);
    loop {
        match server.read(&mut part) {
            Ok(0) => break,
            Ok(length) => answer.extend_from_slice(part.get(..length).unwrap_or_default()),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => out.line("")?,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(failed(e)),
        }
    }
    if answer.is_empty() {
        // A server that is gone takes its run with it, and that ends us: no attempt is spent.
        std::thread::sleep(SIGN_OF_LIFE);
        return Err(Fail::new(Exit::Stopped, "session-gone", "the session ended before it gave an answer"));
    }
    out.bytes(&answer)?;
    out.flush()?;
    Ok(Exit::Ok)
}
