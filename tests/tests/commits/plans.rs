//! Plans whose tasks each write a file, and a worker that does what the title says.

use pipeline_tests::{Bench, Got};

/// The configuration that names the worker.
pub(crate) const CONFIG: &str =
    "[defaults]\nworker = \"w\"\nmax_attempts = 1\n\n[workers.w]\ncommand = [\"../home/w.sh\"]\n";

/// Writes the file that the title of the task names, one line `done`. It keeps every prompt.
pub(crate) const WRITER: &str = r#"cat > ../home/prompt
cat ../home/prompt >> ../home/prompts
name=$(sed -n '1s/^# .*Write //p' ../home/prompt)
echo done > "$name"
echo '{"status":"SUCCESS"}'"#;

/// A repository with a plan and that worker.
pub(crate) fn with_plan(bench: &Bench, path: &str, plan: &str) {
    bench.write(path, plan).write("plantools.toml", CONFIG).commit_all("plan");
    bench.set_worker(WRITER);
}

/// A checklist whose tasks write `1.txt`, `2.txt` and so on.
pub(crate) fn list_of(tasks: usize) -> String {
    let task = |n: usize| format!("- [ ] Write {n}.txt\n  Verify: `grep -qx done {n}.txt`\n");
    format!("# Todo\n\n{}", (1..=tasks).map(task).collect::<String>())
}

/// Carries a plan out.
pub(crate) fn carry(bench: &Bench, plan: &str) -> Got {
    bench.sh(&format!("orchestrate {plan}")).within(120).run()
}

/// The files of a commit, one a line.
pub(crate) fn files(bench: &Bench, commit: &str) -> String {
    bench.git(&["show", "--name-only", "--format=", commit]).trim().to_owned()
}

/// A trailer of a commit.
pub(crate) fn trailer(bench: &Bench, commit: &str, key: &str) -> String {
    let format = format!("--format=%(trailers:key={key},valueonly)");
    bench.git(&["log", "-1", &format, commit]).trim().to_owned()
}
