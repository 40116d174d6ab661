//! Drives the example program `job`, which is single-threaded as callers of `supervise` must be, and checks after
//! every case that the time bound held and that no process is left.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Map, Value};
use supervise::{Ended, processes};
use tempfile::TempDir;

const MARK: &str = "SUPERVISE_TEST";

/// One run of the program, in a folder of its own.
pub(crate) struct Case {
    request: Map<String, Value>,
    action: Option<String>,
    through: Vec<String>,
    outside: Vec<(String, String)>,
    folder: Folder,
    bound: Option<Duration>,
    mark: String,
}

/// A folder that is removed with the test.
pub(crate) struct Folder(TempDir);

/// A case that runs a shell line.
pub(crate) fn sh(line: &str) -> Case {
    Case::new(["sh", "-c", line])
}

/// Waits for an event that must come soon, even on a loaded machine.
pub(crate) fn until(what: &str, mut is: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is() {
        assert!(start.elapsed() < Duration::from_secs(10), "not in time: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Asserts that no process has this in its command line.
pub(crate) fn assert_no_command(part: &str) {
    let lines = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| std::fs::read(entry.ok()?.path().join("cmdline")).ok());
    let found: Vec<_> =
        lines.filter(|line| line.windows(part.len()).any(|window| window == part.as_bytes())).collect();
    assert!(found.is_empty(), "left behind: {} times '{part}'", found.len());
}

/// The name of a Python, if there is one.
pub(crate) fn python() -> Option<&'static str> {
    Command::new("python3").arg("--version").output().is_ok().then_some("python3")
}

impl Case {
    pub(crate) fn new<'a, I: IntoIterator<Item = &'a str>>(argv: I) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let folder = Folder(TempDir::new().unwrap());
        let mark = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let case = Self {
            request: Map::new(),
            action: None,
            through: Vec::new(),
            outside: Vec::new(),
            bound: None,
            mark,
            folder,
        };
        let place = case.folder.path("");
        case.set("argv", argv.into_iter().collect::<Vec<_>>()).set("cwd", place)
    }

    /// Sets a field of the request.
    pub(crate) fn set(mut self, name: &str, value: impl serde::Serialize) -> Self {
        self.request.insert(name.to_owned(), serde_json::to_value(value).unwrap());
        self
    }

    pub(crate) fn env(self, name: &str, value: &str) -> Self {
        self.set("env", [[name, value]])
    }

    /// A variable of the caller itself.
    pub(crate) fn outside(mut self, name: &str, value: &str) -> Self {
        self.outside.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Keeps the output in `out.log`.
    pub(crate) fn log(self) -> Self {
        let path = self.folder.path("out.log");
        self.set("stdout_log", path)
    }

    pub(crate) fn action(mut self, action: &str) -> Self {
        self.action = Some(action.to_owned());
        self
    }

    /// Starts the program through another one.
    pub(crate) fn through<'a>(mut self, argv: impl IntoIterator<Item = &'a str>) -> Self {
        self.through = argv.into_iter().map(str::to_owned).collect();
        self
    }

    /// Sets another bound than deadline + grace + 1 s.
    pub(crate) fn within(mut self, bound: Duration) -> Self {
        self.bound = Some(bound);
        self
    }

    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Processes of this case that are alive.
    pub(crate) fn left(&self) -> Vec<u32> {
        processes::with_env(MARK, &self.mark)
    }

    pub(crate) fn run(self) -> Ended {
        self.run_kept().0
    }

    /// Runs, and keeps the folder to look into.
    pub(crate) fn run_kept(self) -> (Ended, Folder) {
        let ended = self.outcome().remove(0);
        (ended, self.folder)
    }

    pub(crate) fn run_all(self) -> Vec<Ended> {
        self.outcome()
    }

    pub(crate) fn start(&self) -> Child {
        self.command().stdout(Stdio::null()).spawn().unwrap()
    }

    pub(crate) fn command(&self) -> Command {
        let program = example();
        let mut words = self.through.clone();
        words.push(program.display().to_string());
        words.push(Value::Object(self.request.clone()).to_string());
        words.extend(self.action.iter().flat_map(|action| action.split(' ')).map(str::to_owned));
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).env(MARK, &self.mark).stdin(Stdio::null());
        command.envs(self.outside.iter().map(|(name, value)| (name, value)));
        command
    }

    fn outcome(&self) -> Vec<Ended> {
        let start = Instant::now();
        let output = self.command().stderr(Stdio::inherit()).output().unwrap();
        let took = start.elapsed();
        assert!(output.status.success(), "{}", output.status);
        let left = self.left();
        assert!(left.is_empty(), "left behind: {left:?}");
        assert!(took < self.bound(), "took {took:?}");
        let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
    }

    /// The bound that the crate promises, plus half a second for a loaded machine to start the program and the
    /// command.
    fn bound(&self) -> Duration {
        let milliseconds =
            |name: &str, default| self.request.get(name).and_then(Value::as_u64).unwrap_or(default);
        let promised = || milliseconds("timeout_ms", 8_000) + milliseconds("grace_ms", 10_000) + 1_500;
        self.bound.unwrap_or_else(|| Duration::from_millis(promised()))
    }
}

impl Folder {
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn size(&self, name: &str) -> u64 {
        std::fs::metadata(self.path(name)).unwrap().len()
    }

    /// Writes a file with this mode. Another process does it: a fork of another test could hold our descriptor for
    /// a moment, and a file that is open for writing cannot be executed.
    pub(crate) fn write(&self, name: &str, text: &str, mode: u32) {
        let line = "printf %s \"$2\" > \"$1\" && chmod \"$3\" \"$1\"";
        let mut command = Command::new("sh");
        command.args(["-c", line, "sh"]).arg(self.path(name)).arg(text).arg(format!("{mode:o}"));
        assert!(command.status().unwrap().success());
    }
}

/// The program, which Cargo builds beside the tests.
fn example() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    profile.join("examples").join("job")
}
