//! What a task costs besides its work: the processes that it starts, git among them, and its syncs. Counts, so that no
//! machine is too slow.

use pipeline_tests::{Bench, SUCCESS, bench};
use std::fmt::Write;

/// A repository with a plan of this many tasks, each with a file to make, and a git that counts how often it is started.
fn repository(tasks: usize) -> Bench {
    let bench = bench!(empty);
    let mut plan = "# Work\n\n".to_owned();
    for task in 0..tasks {
        let _ = writeln!(plan, "- [ ] make made/t{task}.txt\n  Verify: `test -f made/t{task}.txt` → exit 0");
    }
    // The commits of tasks are counted apart.
    bench.write("TODO.md", plan).write("plantools.toml", "[commit]\neach = \"plan\"\n");
    let find = "file=$(grep -o 'made/t[0-9]*[.]txt' | head -n 1)";
    bench.program("w.sh", &format!("#!/bin/sh\n{find}\nmkdir -p made\necho x >\"$file\"\n{SUCCESS}\n"));
    for file in 0..50 {
        bench.write(&format!("src/{file}.txt"), "source\n");
    }
    bench.commit_all("a plan, a worker and sources");
    let count = "mkdir ../home/shim && git=$(command -v git) && cd ../home/shim &&
        printf '#!/bin/sh\\necho \"$*\" >>\"%s/git.log\"\\nexec %s \"$@\"\\n' \"$HOME\" \"$git\" >git && chmod +x git";
    bench.sh(count).run().exits(0);
    bench
}

/// How often git is started for four tasks, by the difference of two plans; and each start of the larger one.
fn starts_of_four(options: &str, prepare: impl Fn(&Bench)) -> (usize, String) {
    let run = |tasks: usize| {
        let bench = repository(tasks);
        prepare(&bench);
        let line = format!("PATH=\"$HOME/shim:$PATH\" orchestrate {options} --worker ./w.sh TODO.md");
        let got = bench.sh(&line).within(120).run();
        got.exits(0);
        assert_eq!(bench.text("TODO.md").matches("- [x]").count(), tasks, "{got:?}");
        let log = bench.text("../home/git.log");
        (log.lines().count(), log)
    };
    let (few, _) = run(2);
    let (many, log) = run(6);
    (many.saturating_sub(few), log)
}

#[test]
fn a_task_starts_git_at_most_twice() {
    let (starts, log) = starts_of_four("", |_| {});
    assert!(starts <= 4 * 2, "{starts} starts of git for four tasks\n{log}");
}

#[test]
fn the_commit_of_a_task_starts_git_a_few_times() {
    let (starts, log) = starts_of_four("", |bench| {
        bench.write("plantools.toml", "").commit_all("a commit for each task");
    });
    assert!(starts <= 4 * 18, "{starts} starts of git for four tasks\n{log}");
}

#[test]
fn a_repository_of_a_usual_kind_costs_the_same() {
    let (starts, log) = starts_of_four("", |bench| {
        bench.sh("git pack-refs --all && git worktree prune").run().exits(0);
        bench.write(".gitattributes", "* text=auto\n").commit_all("attributes");
        bench.git(&["update-index", "--index-version", "4"]);
    });
    assert!(starts <= 4 * 2, "{starts} starts of git for four tasks\n{log}");
}

#[test]
fn a_task_with_a_tree_of_its_own_starts_git_for_the_tree_and_the_landing() {
    let (starts, log) = starts_of_four("--jobs 2", |_| {});
    assert!(starts <= 4 * 22, "{starts} starts of git for four tasks\n{log}");
}

/// Notes each program that starts, and each sync, in the file that `COUNTED` names.
const COUNTER: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static void note(const char *what) {
    const char *name = getenv("COUNTED");
    int file = name ? open(name, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;
    if (file >= 0) {
        if (write(file, what, strlen(what)) < 0) { }
        close(file);
    }
}
__attribute__((constructor)) static void started(void) { note("process\n"); }
int fsync(int file) { note("sync\n"); return (int)syscall(SYS_fsync, file); }
int fdatasync(int file) { note("sync\n"); return (int)syscall(SYS_fdatasync, file); }
int syncfs(int file) { note("sync\n"); return (int)syscall(SYS_syncfs, file); }
"#;

#[test]
fn a_task_starts_few_processes_and_syncs_what_counts() {
    let counted = |tasks: usize| {
        let bench = bench!(empty);
        let mut plan = "# Work\n\n".to_owned();
        for task in 0..tasks {
            let _ = writeln!(
                plan,
                "- [ ] line {task}\n  Verify: `grep -qx {task} made` → exit 0\n\n  ```sh\n  echo {task} >> made\n  ```\n"
            );
        }
        // The commit of a task is git's own cost.
        bench.write("plantools.toml", "[commit]\neach = \"plan\"\n");
        bench.write("TODO.md", plan).write("made", "").commit_all("a plan and a file");
        bench.write("../home/counter.c", COUNTER);
        let build = "cc -shared -fPIC -o ../home/counter.so ../home/counter.c";
        bench.sh(build).run().exits(0);
        let line =
            "COUNTED=\"$HOME/counted\" LD_PRELOAD=\"$HOME/counter.so\" orchestrate --worker shell TODO.md";
        let got = bench.sh(line).within(120).run();
        got.exits(0);
        assert_eq!(bench.text("TODO.md").matches("- [x]").count(), tasks, "{got:?}");
        let log = bench.text("../home/counted");
        let count = |what: &str| log.lines().filter(|line| *line == what).count();
        (count("process"), count("sync"))
    };
    let ((few, few_syncs), (more, more_syncs)) = (counted(2), counted(6));
    assert!(few > 11 && few_syncs > 2, "{few} processes and {few_syncs} syncs of two tasks were counted");
    assert!(more - few <= 4 * 8, "{} processes for four tasks", more - few);
    assert!(more_syncs - few_syncs <= 4 * 6, "{} syncs for four tasks", more_syncs - few_syncs);
}
