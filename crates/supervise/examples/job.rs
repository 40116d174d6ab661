//! Runs one job, given as JSON in the first argument, and prints its outcome as JSON: `supervise` needs a
//! single-threaded caller, which the test harness is not, so the tests go through this program.
//!
//! An optional second argument adds an action: `interrupt-after MS`, `twice-after MS`, `drop-after MS`, `many N`.

use std::{
    error::Error,
    io::{self, Write},
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use serde::Deserialize;
use supervise::{Job, Limits, Running, Stdin, Tail, run, spawn, wait_any};

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Request {
    argv: Vec<String>,
    cwd: PathBuf,
    env: Vec<(String, String)>,
    env_remove: Vec<String>,
    stdin: Option<PathBuf>,
    stdout_log: Option<PathBuf>,
    stderr_log: Option<PathBuf>,
    max_log_bytes: u64,
    digest: bool,
    timeout_ms: Option<u64>,
    stall_ms: Option<u64>,
    grace_ms: u64,
    linger_ms: u64,
    tail_lines: usize,
    tail_bytes: usize,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            argv: Vec::new(),
            cwd: PathBuf::from("."),
            env: Vec::new(),
            env_remove: Vec::new(),
            stdin: None,
            stdout_log: None,
            stderr_log: None,
            max_log_bytes: 64 << 20,
            digest: true,
            timeout_ms: None,
            stall_ms: None,
            grace_ms: 10_000,
            linger_ms: 100,
            tail_lines: 50,
            tail_bytes: 16 << 10,
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let request: Request = serde_json::from_str(arguments.first().map_or("{}", String::as_str))?;
    let job = request.job();
    let number = || arguments.get(2).and_then(|number| number.parse().ok()).unwrap_or(0);
    let ended = match arguments.get(1).map(String::as_str) {
        None => vec![run(&job)?],
        Some("interrupt-after") => vec![interrupted(&job, number(), 1)?],
        Some("twice-after") => vec![interrupted(&job, number(), 2)?],
        Some("drop-after") => {
            let running = spawn(&job)?;
            thread::sleep(Duration::from_millis(number()));
            drop(running);
            Vec::new()
        }
        Some("many") => many(&job, number())?,
        Some(other) => return Err(format!("what is '{other}'?").into()),
    };
    let mut output = io::stdout().lock();
    for ended in ended {
        serde_json::to_writer(&mut output, &ended)?;
        output.write_all(b"\n")?;
    }
    Ok(())
}

impl Request {
    fn job(self) -> Job {
        Job {
            cwd: self.cwd,
            env: self.env.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
            env_remove: self.env_remove.into_iter().map(Into::into).collect(),
            stdin: self.stdin.map_or(Stdin::Null, Stdin::File),
            stdout_log: self.stdout_log,
            stderr_log: self.stderr_log,
            max_log_bytes: self.max_log_bytes,
            digest: self.digest,
            limits: Limits {
                timeout: self.timeout_ms.map(Duration::from_millis),
                stall: self.stall_ms.map(Duration::from_millis),
                grace: Duration::from_millis(self.grace_ms),
                linger: Duration::from_millis(self.linger_ms),
            },
            tail: Tail { lines: self.tail_lines, bytes: self.tail_bytes },
            ..Job::new(self.argv)
        }
    }
}

fn interrupted(job: &Job, after: u64, times: u32) -> io::Result<supervise::Ended> {
    let mut running = spawn(job)?;
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(after) {
        if let Some(ended) = running.try_finish()? {
            return Ok(ended);
        }
        wait_any(&[&running], Some(Duration::from_millis(10)))?;
    }
    for _ in 0..times {
        running.interrupt();
    }
    running.finish()
}

fn many(job: &Job, count: u64) -> io::Result<Vec<supervise::Ended>> {
    let mut all: Vec<Running> = (0..count).map(|_| spawn(job)).collect::<io::Result<_>>()?;
    let mut ended = Vec::new();
    while !all.is_empty() {
        let handles: Vec<&Running> = all.iter().collect();
        if let Some(at) = wait_any(&handles, None)?
            && let Some(one) = all[at].try_finish()?
        {
            all.remove(at);
            ended.push(one);
        }
    }
    Ok(ended)
}
