//! A folder to work in, with the tools on the path and nothing else of this machine.

use crate::Run;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The twelve tools, in the order of the pipe; `dag-export` stands beside it.
pub const TOOLS: [&str; 12] = [
    "plan-parse",
    "dag-next",
    "dag-export",
    "handoff",
    "worker-run",
    "gate-run",
    "punch",
    "session-export",
    "context-save",
    "checkbox",
    "commit-run",
    "run-report",
];

/// The tool that repeats the pipe.
pub const CONDUCTOR: &str = "orchestrate";

/// The name of the variable by which processes of one bench are found.
const MARK: &str = "PLANTOOLS_BENCH";

/// A temporary folder with `repo/`, `bin/`, `home/` and `tmp/`; removed when dropped.
#[derive(Debug)]
pub struct Bench {
    folder: TempDir,
}

/// The top folder of the workspace.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package stands in the workspace")
}

impl Bench {
    /// A folder without git; `tools` is the executable that is every tool.
    pub fn bare(tools: &str) -> Self {
        let bench = Self { folder: testbench::temporary("bench-") };
        for name in ["repo", "bin", "home", "tmp"] {
            fs::create_dir(bench.folder.path().join(name)).expect("make a folder");
        }
        for tool in TOOLS {
            symlink(tools, bench.folder.path().join("bin").join(tool)).expect("link a tool");
        }
        symlink(tools, bench.folder.path().join("bin").join(CONDUCTOR)).expect("link the conductor");
        symlink(workspace().join("scripts/pr-state"), bench.folder.path().join("bin/pr-state"))
            .expect("link the script");
        bench
    }

    /// A git repository with one commit.
    pub fn empty(tools: &str) -> Self {
        let bench = Self::bare(tools);
        bench.git(&["init", "--quiet", "--initial-branch=main"]);
        bench.git(&["config", "user.name", "Test"]);
        bench.git(&["config", "user.email", "test@example.invalid"]);
        bench.git(&["commit", "--quiet", "--allow-empty", "--message=start"]);
        bench
    }

    /// The repository of `scripts/demo`, as it is before anything ran.
    pub fn demo(tools: &str) -> Self {
        let bench = Self::bare(tools);
        let script = workspace().join("scripts/demo");
        bench.command(&script.to_string_lossy()).args(["--only-make", "."]).run().exits(0);
        bench
    }

    /// Everything of the bench, the repository included: nothing may be written outside of it.
    pub fn outside(&self) -> &Path {
        self.folder.path()
    }

    /// The repository.
    pub fn repo(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    /// A path in the repository.
    pub fn path(&self, name: &str) -> PathBuf {
        self.repo().join(name)
    }

    /// Writes a file of the repository, with the folders above it.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a file stands in a folder")).expect("make a folder");
        testbench::write_file(&path, bytes.as_ref());
        self
    }

    /// Writes a program of the repository.
    pub fn program(&self, name: &str, text: &str) -> &Self {
        self.write(name, text);
        fs::set_permissions(self.path(name), Permissions::from_mode(0o755)).expect("set the mode");
        self
    }

    /// The bytes of a file of the repository.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// The text of a file of the repository.
    pub fn text(&self, name: &str) -> String {
        String::from_utf8_lossy(&self.bytes(name)).into_owned()
    }

    /// Whether a program that a test is about is not on this machine, which is said: then the test is left out.
    #[expect(clippy::print_stderr, reason = "whoever reads the tests' output should know")]
    pub fn lacks(&self, program: &str) -> bool {
        let lacks = self.sh(&format!("command -v {program}")).run().status != 0;
        if lacks {
            eprintln!("left out: {program} is not here");
        }
        lacks
    }

    /// Runs git and gives what it printed.
    pub fn git(&self, args: &[&str]) -> String {
        self.command("git").args(args).run().exits(0).out()
    }

    /// Commits everything there is.
    pub fn commit_all(&self, message: &str) -> &Self {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
        self
    }

    /// The subjects of all commits, oldest first.
    pub fn subjects(&self) -> Vec<String> {
        self.git(&["log", "--reverse", "--format=%s"]).lines().map(str::to_owned).collect()
    }

    /// A tool or another program, in the repository.
    pub fn command(&self, program: &str) -> Run {
        let linked = self.folder.path().join("bin").join(program);
        let mut command = Command::new(if linked.exists() { linked } else { PathBuf::from(program) });
        command.current_dir(self.repo()).env_clear().envs(self.environment());
        Run::new(command, self.folder.path().join("tmp"))
    }

    /// A line of bash, in the repository, with `pipefail`.
    pub fn sh(&self, line: &str) -> Run {
        self.command("bash").args(["-c", &format!("set -o pipefail\n{line}")])
    }

    fn environment(&self) -> Vec<(&'static str, std::ffi::OsString)> {
        let at = |name: &str| self.folder.path().join(name).into_os_string();
        let mut path = at("bin");
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        vec![
            ("PATH", path),
            ("PLANTOOLS_BIN", at("bin")),
            ("HOME", at("home")),
            ("TMPDIR", at("tmp")),
            ("LC_ALL", "C.UTF-8".into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("GIT_CONFIG_GLOBAL", "/dev/null".into()),
            (MARK, self.folder.path().into()),
        ]
    }

    /// The processes that were started on this bench and still live, as `pid name`.
    pub fn processes(&self) -> Vec<String> {
        let mark = format!("{MARK}={}\0", self.folder.path().display());
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let lives = |entry: &fs::DirEntry| {
            let environ = fs::read(entry.path().join("environ")).unwrap_or_default();
            environ.windows(mark.len()).any(|w| w == mark.as_bytes())
        };
        let name = |entry: fs::DirEntry| {
            let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
            format!("{} {}", entry.file_name().to_string_lossy(), name.trim())
        };
        entries.filter(lives).map(name).collect()
    }
}
