//! Walls around workers: what one writes outside of its tree, into the ledger or into git's hooks is refused by the kernel,
//! an honest one does not notice, and where there can be no walls there is no worker.

use pipeline_tests::{Bench, Got, bench};
use std::process::{Command, Stdio};

const PLAN: &str = "# Small

## TODOs

### [ ] TODO 1: Make it

**Type**: work

**Acceptance Criteria**:

*Functional:*
- [ ] It is there: `test -f made.txt`
";

const ANSWER: &str = r#"echo '{"status":"SUCCESS"}'"#;

/// Whether walls can be had on this machine; where not, only the refusal can be tried.
fn walls() -> bool {
    let mut bwrap = Command::new("bwrap");
    bwrap.args(["--unshare-pid", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true"]);
    bwrap.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// A repository whose worker tries something, says in `said` how it went, and does its work.
fn tried(deed: &str) -> Bench {
    let bench = bench!(empty);
    bench.write("PLAN.md", PLAN).write("../home/victim", "untouched\n");
    let script = format!(
        "#!/bin/sh\n( {deed} ) > said 2>&1 || echo refused >> said\necho done > made.txt\n{ANSWER}\n"
    );
    bench.program("../home/worker", &script).write(".gitignore", "said\n").commit_all("plan");
    bench
}

fn round(bench: &Bench) -> Got {
    bench.round("PLAN.md", "worker-run --sandbox -- ../home/worker")
}

/// The deed was stopped, and the worker's honest work counts all the same.
fn stopped(deed: &str) -> Option<Bench> {
    if !walls() {
        return None;
    }
    let bench = tried(deed);
    round(&bench).exits(0);
    let said = bench.text("said");
    let words =
        ["Read-only file system", "Permission denied", "Operation not permitted", "Device or resource busy"];
    assert!(said.contains("refused") && words.iter().any(|word| said.contains(word)), "{said}");
    assert_eq!(bench.text("../home/victim"), "untouched\n");
    assert_eq!(bench.boxes("PLAN.md").0, 1, "its own work is done and counts");
    bench.command("punch").args(["verify"]).run().exits(0);
    Some(bench)
}

#[test]
fn an_honest_worker_does_not_notice_the_walls() {
    if !walls() {
        return;
    }
    let bench = tried(
        "git status && file=$(mktemp) && echo x > \"$file\" && echo y > new.txt && mkdir -p a/b && git add new.txt",
    );
    round(&bench).exits(0);
    assert!(!bench.text("said").contains("refused"), "{}", bench.text("said"));
    assert_eq!(bench.boxes("PLAN.md").0, 1);
    assert_eq!(bench.processes(), Vec::<String>::new());
}

#[test]
fn a_worker_in_a_sandbox_cannot_write_outside() {
    for deed in [
        "echo owned > ../home/victim",
        "rm ../home/victim",
        "mv ../home/victim ../home/gone",
        "echo x > /var/lib/x",
    ] {
        stopped(deed);
    }
}

#[test]
fn a_worker_in_a_sandbox_cannot_reach_the_ledger() {
    for deed in [
        "echo '{}' >> .plantools/ledger.ndjson",
        "rm -f .plantools/ledger.ndjson",
        "mv .plantools .plantools-old",
        "echo x > .plantools/work/x",
    ] {
        stopped(deed);
    }
}

#[test]
fn a_worker_in_a_sandbox_cannot_set_a_hook_or_git_configuration() {
    for deed in [
        "echo 'exit 0' > .git/hooks/pre-commit",
        "rm -rf .git/hooks && mkdir .git/hooks",
        "git config core.hooksPath /tmp",
        "mv .git .git-old",
        "echo '* -diff' > .git/info/attributes",
    ] {
        if let Some(bench) = stopped(deed) {
            assert!(!bench.path(".git/hooks/pre-commit").exists());
        }
    }
}

#[test]
fn a_worker_in_a_sandbox_sees_no_process_that_could_help_it_out() {
    if !walls() {
        return;
    }
    let bench = tried("ls -d /proc/[0-9]* | wc -l; kill -9 -1");
    // What it kills is its own, itself included.
    round(&bench);
    assert_eq!(bench.halts(), ["worker-run crashed"]);
    assert!(bench.text("said").trim().parse::<u32>().is_ok_and(|seen| seen < 12), "{}", bench.text("said"));
}

#[test]
fn a_worker_in_a_worktree_can_write_that_and_nothing_else() {
    if !walls() {
        return;
    }
    let bench = tried(
        "echo x > ../../../made-outside; git rev-parse --git-dir && echo x > \"$(git rev-parse --git-common-dir)/config\"",
    );
    let line = "plan-parse --quiet PLAN.md | dag-next | handoff | worker-run --isolate worktree --sandbox -- ../home/worker \
                | gate-run";
    bench.sh(line).run().exits(0);
    let said = bench.sh("find .plantools -name said -exec cat {} +").run().out();
    assert!(said.contains("Read-only file system") && said.contains("refused"), "{said}");
    assert_eq!(bench.halts(), Vec::<String>::new());
}

#[test]
fn what_the_configuration_opens_can_be_written() {
    if !walls() {
        return;
    }
    let bench = tried("echo kept > ../home/cache/x && echo owned > ../home/victim");
    bench.write("../home/cache/keep", "");
    let config = "[defaults]\nsandbox = true\n[workers.kit]\ncommand = [\"../home/worker\"]\nwritable = [\"~/cache\", \"~/not-there\"]\n";
    bench.write("plantools.toml", config).commit_all("configuration");
    bench.round("PLAN.md", "worker-run --worker kit").exits(0);
    assert_eq!(bench.text("../home/cache/x"), "kept\n");
    assert!(bench.text("said").contains("refused"), "{}", bench.text("said"));
}

#[test]
fn a_worker_without_a_network_reaches_nothing() {
    if !walls() {
        return;
    }
    let bench = tried("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '");
    let config = "[workers.kit]\ncommand = [\"../home/worker\"]\nnetwork = \"none\"\n";
    bench.write("plantools.toml", config).commit_all("configuration");
    bench.round("PLAN.md", "worker-run --worker kit").exits(0);
    assert_eq!(bench.text("said"), "lo\n", "only itself, and in a sandbox without being asked");
}

#[test]
fn outputs_of_the_shell_worker_come_through_the_walls() {
    if !walls() {
        return;
    }
    let bench = bench!(empty);
    let plan = PLAN.replace(
        "**Acceptance",
        "```sh\necho made > made.txt\necho 'size=5' >> \"$PLANTOOLS_OUTPUT\"\n```\n\n**Acceptance",
    );
    bench.write("PLAN.md", plan).commit_all("plan");
    bench.command("orchestrate").args(["--worker", "shell", "--sandbox", "PLAN.md"]).run().exits(0);
    assert!(bench.text("context/outputs.json").contains("size"), "{}", bench.text("context/outputs.json"));
}

#[test]
fn without_bubblewrap_there_is_no_worker() {
    let bench = tried("true");
    bench
        .program("../none/bwrap", "#!/bin/sh\necho 'bwrap: no permission to make a namespace' >&2\nexit 1\n");
    let line = "PATH=$PWD/../none:$PATH; plan-parse --quiet PLAN.md | dag-next | handoff | worker-run --sandbox -- ../home/worker";
    let got = bench.sh(line).run();
    got.exits(69);
    assert!(got.err().contains("a sandbox cannot be had here: bwrap: no permission"), "{}", got.err());
    assert!(!bench.path("made.txt").exists());
    assert_eq!(bench.count("attempt_begin"), 0, "nothing was begun");
}
