//! Repositories as people have them: hooks that format, staged and changed files, locks, submodules, pushes, signatures, a
//! rebase, a commit meanwhile. Each run ends as its user would expect.

use crate::plans::{WRITER, carry, files, list_of, with_plan};
use pipeline_tests::{Bench, Got, bench, until};
use std::time::Duration;

fn todo(tasks: usize) -> Bench {
    let bench = bench!(empty);
    with_plan(&bench, "TODO.md", &list_of(tasks));
    bench
}

#[track_caller]
fn is_done(bench: &Bench, got: &Got, subjects: &[&str]) {
    got.exits(0);
    assert_eq!(bench.subjects(), subjects, "{got:?}");
    assert_eq!(bench.git(&["status", "--porcelain"]), "", "{got:?}");
}

const BOTH: [&str; 4] = ["start", "plan", "1: Write 1.txt", "2: Write 2.txt"];

#[test]
fn what_a_hook_formats_is_checked_again_and_committed() {
    // As pre-commit does, which ends with 1 where it has changed a file; and as husky with lint-staged, which adds it.
    for ends in ["exit 1", "git add \"$f\""] {
        let bench = todo(2);
        let hook = format!(
            "#!/bin/sh\nfor f in *.txt; do grep -q formatted \"$f\" || {{ echo formatted >> \"$f\"; {ends}; }}; done\n"
        );
        bench.program(".git/hooks/pre-commit", &hook);
        let got = carry(&bench, "TODO.md");
        is_done(&bench, &got, &BOTH);
        assert_eq!(bench.git(&["show", "HEAD:2.txt"]), "done\nformatted\n", "{ends}: {got:?}");
        assert_eq!(bench.count("attempt_begin"), 2, "no attempt is lost: {got:?}");
        assert!(got.out().contains("✓ 1 Write 1.txt: ticked; a commit hook changed 1.txt"), "{got:?}");
        assert!(!got.out().contains('✗'), "{got:?}");
        bench.command("punch").args(["verify"]).run().exits(0);
    }
}

#[test]
fn a_formatted_file_that_fails_its_check_is_refused_by_name() {
    let bench = todo(1);
    bench.program(
        ".git/hooks/pre-commit",
        "#!/bin/sh\ngrep -q DONE 1.txt || { echo DONE > 1.txt; git add 1.txt; }\n",
    );
    let got = carry(&bench, "TODO.md");
    assert_ne!(got.status, 0);
    assert!(got.err().contains("'1.txt' changed after the proof"), "{got:?}");
    assert!(!bench.git(&["ls-files"]).contains("1.txt"), "{got:?}");
}

#[test]
fn staged_and_changed_files_of_a_person_stay_theirs() {
    let bench = todo(2);
    bench.write("a.md", "a\n").write("b.md", "b\n").commit_all("texts");
    bench.write("a.md", "staged\n").git(&["add", "a.md"]);
    bench.write("a.md", "staged and more\n").write("b.md", "changed\n").write("new.md", "new\n");
    let before = bench.git(&["status", "--porcelain"]);
    let got = carry(&bench, "TODO.md");
    got.exits(0);
    assert_eq!(bench.git(&["status", "--porcelain"]), before, "{got:?}");
    assert_eq!(bench.git(&["show", ":a.md"]), "staged\n");
    assert_eq!(files(&bench, "HEAD"), "2.txt\nTODO.md");
}

#[test]
fn a_lock_that_a_killed_git_left_is_named_before_the_first_worker() {
    let bench = todo(1);
    bench.write(".git/index.lock", "");
    let got = carry(&bench, "TODO.md");
    got.exits(75);
    assert!(
        got.err().contains("index.lock' was left by a git that was killed") && got.err().contains("rm "),
        "{got:?}"
    );
    assert!(!bench.path("../home/prompt").exists());
    bench.sh("rm .git/index.lock").run().exits(0);
    is_done(&bench, &carry(&bench, "TODO.md"), &BOTH[..3]);
}

#[test]
fn a_submodule_that_a_person_adds_meanwhile_is_no_fault_of_the_work() {
    let bench = todo(2);
    let other = "git init -q ../tmp/other && git -C ../tmp/other -c user.name=T -c user.email=t@example.invalid commit -q --allow-empty -m first";
    bench.sh(other).run().exits(0);
    bench.sh("git -c protocol.file.allow=always submodule --quiet add ../tmp/other part && git commit -qm 'a part'").run().exits(0);
    let got = carry(&bench, "TODO.md");
    is_done(&bench, &got, &["start", "plan", "a part", "1: Write 1.txt", "2: Write 2.txt"]);
    // A submodule that has moved on is a person's change.
    bench
        .sh("git -C part -c user.name=T -c user.email=t@example.invalid commit -q --allow-empty -m second")
        .run()
        .exits(0);
    bench
        .write(
            "TODO.md",
            format!("{}- [ ] Write 3.txt\n  Verify: `grep -qx done 3.txt`\n", bench.text("TODO.md")),
        )
        .git(&["commit", "-qm", "more", "TODO.md"]);
    let got = carry(&bench, "TODO.md");
    got.exits(0);
    assert_eq!(bench.git(&["status", "--porcelain"]), " M part\n", "{got:?}");
    assert_eq!(files(&bench, "HEAD"), "3.txt\nTODO.md");
}

#[test]
fn in_a_clone_and_without_our_folder_a_run_ends_as_it_would_have() {
    let bench = todo(2);
    is_done(&bench, &carry(&bench, "TODO.md"), &BOTH);
    let more = "printf -- '- [ ] Write 3.txt\\n  Verify: `grep -qx done 3.txt`\\n' >> TODO.md && git commit -qam more";
    let who = "git config user.name T && git config user.email t@example.invalid";
    bench
        .sh(&format!("git clone -q . ../tmp/clone && cd ../tmp/clone && {who} && ls -A && {more}"))
        .run()
        .exits(0);
    bench.sh("mkdir -p ../tmp/home && cp ../home/w.sh ../tmp/home").run().exits(0);
    let got = bench.sh("cd ../tmp/clone && orchestrate TODO.md").within(60).run();
    assert!(got.exits(0).out().contains("done: TODO.md, 3 of 3 tasks"), "{got:?}");
    bench.sh("rm -rf .plantools").run().exits(0);
    is_done(&bench, &carry(&bench, "TODO.md"), &BOTH);
    bench.sh(more).run().exits(0);
    let got = carry(&bench, "TODO.md");
    is_done(&bench, &got, &["start", "plan", "1: Write 1.txt", "2: Write 2.txt", "more", "3: Write 3.txt"]);
    let got = bench.command("punch").args(["verify"]).run();
    assert!(got.exits(0).err().contains("2 commits name records of another ledger"), "{got:?}");
    assert!(got.out().contains("1 anchor, 0 problems"), "{got:?}");
    // A ledger that was cut short still contradicts its own commit.
    bench.sh("sed -i '3,$d' .plantools/ledger.ndjson").run().exits(0);
    let got = bench.command("punch").args(["verify"]).run();
    assert!(got.exits(1).err().contains("the end was removed"), "{got:?}");
}

#[test]
fn a_push_without_an_upstream_is_named_before_the_first_worker() {
    let bench = todo(1);
    let got = carry(&bench, "--push TODO.md");
    got.exits(65);
    assert!(
        got.err().contains("has no upstream") && got.err().contains("git push --set-upstream"),
        "{got:?}"
    );
    assert!(!bench.path("../home/prompt").exists());
    bench.sh("git init -q --bare ../tmp/origin && git remote add origin ../tmp/origin && git push -q --set-upstream origin main").run().exits(0);
    is_done(&bench, &carry(&bench, "--push TODO.md"), &BOTH[..3]);
    assert_eq!(bench.git(&["rev-parse", "HEAD"]), bench.git(&["rev-parse", "origin/main"]));
}

#[test]
fn a_signature_that_cannot_be_made_is_named_before_the_first_worker() {
    let bench = todo(1);
    bench.git(&["config", "commit.gpgSign", "true"]);
    bench.git(&["config", "gpg.program", "false"]);
    let got = carry(&bench, "TODO.md");
    got.exits(78);
    assert!(got.err().contains("told to sign commits and cannot"), "{got:?}");
    assert!(!bench.path("../home/prompt").exists());
    bench.git(&["config", "commit.gpgSign", "false"]);
    is_done(&bench, &carry(&bench, "TODO.md"), &BOTH[..3]);
}

#[test]
fn a_rebase_under_way_is_named_before_the_first_worker() {
    let bench = todo(1);
    bench.write("x.md", "one\n").commit_all("one");
    bench.sh("GIT_SEQUENCE_EDITOR='sed -i s/^pick/edit/' git rebase -q -i HEAD~1").run();
    let got = carry(&bench, "TODO.md");
    got.exits(75);
    assert!(
        got.err().contains("a rebase is under way") && got.err().contains("git rebase --continue"),
        "{got:?}"
    );
    assert!(!bench.path("../home/prompt").exists());
    bench.sh("git rebase --continue").run().exits(0);
    is_done(&bench, &carry(&bench, "TODO.md"), &["start", "plan", "one", "1: Write 1.txt"]);
}

#[test]
fn settings_that_a_persons_tools_add_meanwhile_are_no_fault_of_the_work() {
    let bench = todo(2);
    bench.program(".githooks/pre-commit", "#!/bin/sh\nexit 0\n").commit_all("hooks");
    bench.sh("git init -q --bare ../tmp/origin && git clone -q . ../tmp/part").run().exits(0);
    let meanwhile = "git remote add origin ../tmp/origin && git push -q -u origin main && git remote add fork ../tmp/origin && \
        git config core.hooksPath .githooks && git config branch.main.vscode-merge-base origin/main && \
        git -c protocol.file.allow=always clone -q ../tmp/part vendored && git config submodule.part.url ../tmp/part && rm -rf vendored";
    let got = while_the_first_works(&bench, "orchestrate TODO.md", || {
        bench.sh(meanwhile).run().exits(0);
    });
    is_done(&bench, &got, &["start", "plan", "hooks", "1: Write 1.txt", "2: Write 2.txt"]);
}

/// Carries a plan of two tasks out; while the first worker is at work, a person does something else.
fn while_the_first_works(bench: &Bench, command: &str, meanwhile: impl FnOnce()) -> Got {
    let waits = "[ \"$name\" != 1.txt ] || { touch ../home/began; while [ ! -f ../home/go ]; do sleep 0.02; done; }\necho done";
    bench.set_worker(&WRITER.replace("echo done", waits));
    let live = bench.sh(command).start();
    until(|| bench.path("../home/began").exists());
    meanwhile();
    bench.write("../home/go", "");
    let Ok(got) = live.wait(Duration::from_secs(60)) else { panic!("the run does not end") };
    got
}

/// While the first worker is at work, a person commits in another shell.
fn with_a_commit_meanwhile(command: &str) -> (Bench, Got) {
    let bench = todo(2);
    let got = while_the_first_works(&bench, command, || {
        bench.write("mine.md", "mine\n").git(&["add", "mine.md"]);
        bench.git(&["commit", "-qm", "mine: a note"]);
    });
    (bench, got)
}

#[test]
fn a_commit_that_a_person_makes_meanwhile_stays_where_the_work_has_a_tree_of_its_own() {
    let (bench, got) = with_a_commit_meanwhile("orchestrate --worktree TODO.md");
    is_done(&bench, &got, &["start", "plan", "mine: a note"]);
    bench.git(&["merge", "--quiet", "--no-ff", "--no-edit", "plan/todo"]);
    assert_eq!(bench.git(&["ls-files"]), "1.txt\n2.txt\nTODO.md\nmine.md\nplantools.toml\n");
}

#[test]
fn in_the_same_tree_a_commit_meanwhile_is_named_and_its_files_and_message_are_kept() {
    // Nothing tells it from a commit that a worker makes and denies.
    let (bench, got) = with_a_commit_meanwhile("orchestrate TODO.md");
    is_done(&bench, &got, &BOTH);
    assert!(
        got.err().contains("took back 1 commit of the worker") && got.err().contains("'mine: a note'"),
        "{got:?}"
    );
    assert_eq!(files(&bench, "HEAD~1"), "1.txt\nTODO.md\nmine.md");
    assert!(bench.git(&["log", "-1", "--format=%b", "HEAD~1"]).contains("    mine: a note\n"));
}

#[test]
fn swap_files_of_an_editor_that_has_the_plan_open_are_left_alone() {
    let bench = todo(2);
    bench.write(".TODO.md.swp", "swap\n");
    let worker = "n=$(sed -n '1s/^# .*Write \\(.\\).*/\\1/p'); echo done > $n.txt; echo x > .$n.txt.swp; echo x > 4913; echo '{\"status\":\"SUCCESS\"}'";
    bench.set_worker(worker);
    let got = carry(&bench, "TODO.md");
    got.exits(0);
    assert_eq!(bench.subjects(), BOTH);
    assert_eq!(bench.git(&["ls-files"]), "1.txt\n2.txt\nTODO.md\nplantools.toml\n", "{got:?}");
    assert!(bench.path(".TODO.md.swp").exists() && bench.path("4913").exists());
}

#[test]
fn a_file_that_a_hook_adds_is_gone_after_the_refusal_and_files_of_a_person_stay() {
    let bench = todo(1);
    bench.program(".git/hooks/pre-commit", "#!/bin/sh\ndate > BUILD\ngit add -A\n");
    bench.write("mine.txt", "mine\n");
    let got = carry(&bench, "TODO.md");
    assert_ne!(got.status, 0);
    assert!(got.err().contains("a commit hook put '") && got.err().contains("into the commit"), "{got:?}");
    assert!(!bench.path("BUILD").exists(), "{got:?}");
    assert_eq!(bench.text("mine.txt"), "mine\n");
    assert_eq!(bench.text("1.txt"), "done\n");
}
