//! What belongs to the person whose tree it is: edits, staged and ignored files, other plans. A run leaves them alone.

use pipeline_tests::{Bench, SMALL_PLAN, SUCCESS, bench};

/// The worker `w` of the configuration is the small worker.
fn configured(bench: &Bench) -> &Bench {
    let config = "[workers.w]\ncommand = [\"../home/w.sh\"]\n[proof]\nbefore = \"off\"\n";
    bench.write("plantools.toml", config).commit_all("configuration")
}

fn made(more: &str) -> String {
    format!("echo done > made.txt; {more}; {SUCCESS}")
}

#[test]
fn what_was_ignored_before_is_not_the_workers_when_it_no_longer_is() {
    let bench = bench!(small, &made("echo target > .gitignore"));
    let plan = SMALL_PLAN.replace("| `made.txt` | always", "| | always");
    bench.write("PLAN.md", plan).write(".gitignore", ".env\nprivate/\n").commit_all("ignored");
    bench.write(".env", "SECRET=hunter2").write("private/diary", "dear");
    configured(&bench);
    let got = bench.sh("orchestrate --worker w PLAN.md").within(60).run();
    // The person has to say what is to become of them.
    got.exits(1);
    assert!(got.err().contains("there before, and ignored by git until now: left as it is: .env"), "{got:?}");
    assert_eq!(bench.boxes("PLAN.md"), (1, 0));
    let listed = bench.git(&["log", "--name-only", "--format="]);
    assert!(!listed.contains(".env") && !listed.contains("diary"), "{listed}");
    assert!(listed.contains("made.txt") && listed.contains(".gitignore"), "{listed}");
}

#[test]
fn a_row_that_names_a_folder_does_not_take_what_a_person_changed_before() {
    let bench = bench!(small, &made("mkdir -p src; echo 1 > src/one.txt"));
    let plan = SMALL_PLAN.replace("| `made.txt` | always", "| `made.txt`, `src/` | always");
    bench.write("PLAN.md", plan).write("src/a.txt", "a\n").commit_all("a folder");
    configured(&bench);
    bench.write("src/a.txt", "mine\n").write("src/wip.txt", "mine\n");
    // Files have times of a few milliseconds.
    std::thread::sleep(std::time::Duration::from_millis(20));
    let got = bench.sh("orchestrate --worker w PLAN.md").within(60).run();
    got.exits(0);
    let listed = bench.git(&["show", "--name-only", "--format=", ":/feat: make it"]);
    assert_eq!(listed.trim(), "made.txt\nsrc/one.txt", "{got:?}");
    let line = "2 files changed before the run are left alone: src/a.txt, src/wip.txt";
    assert!(got.err().contains(line), "{got:?}");
    assert_eq!(bench.text("src/a.txt"), "mine\n");
}

#[test]
fn what_a_person_changed_before_and_a_worker_after_is_left_to_the_person() {
    let lines = |third: &str| format!("1\n2\n{third}\n4\n5\n6\n7\n8\n9\n");
    for (jobs, files, taken) in [("", "", 0), ("--jobs 2", "", 0), ("", "`made.txt`, `mine.txt`", 1)] {
        let bench = bench!(small, &made("sed -i s/^9$/worker/ mine.txt staged.txt"));
        let plan = SMALL_PLAN.replace("| `made.txt` | always", &format!("| {files} | always"));
        bench.write("PLAN.md", plan).write("mine.txt", lines("3")).write("staged.txt", lines("3"));
        configured(&bench);
        bench.write("mine.txt", lines("PERSON")).write("staged.txt", lines("PERSON"));
        bench.git(&["add", "staged.txt"]);
        let got = bench.sh(&format!("orchestrate --worker w {jobs} PLAN.md")).within(60).run();
        got.exits(1);
        assert_eq!(bench.boxes("PLAN.md"), (1, 0), "{got:?}");
        let log = bench.git(&["log", "-p", "--format="]);
        assert_eq!(log.matches("+PERSON").count(), taken, "{jobs} {files}: {log}");
        assert!(log.contains("made.txt"), "{log}");
        assert!(got.err().contains("changed before the work began, so left to you: "), "{got:?}");
        assert_eq!(got.err().contains("and committed as the plan names it: mine.txt"), taken > 0, "{got:?}");
        assert!(bench.text("staged.txt").contains("PERSON") && bench.text("staged.txt").contains("worker"));
    }
}

#[test]
fn what_a_killed_attempt_left_is_not_the_persons() {
    let bench = bench!(
        small,
        &made(
            "[ -f one.txt ] && echo 2 >> one.txt || { echo 1 > one.txt; set -- $(ps -o ppid= $PPID) $PPID; kill -STOP \"$@\"; kill -9 \"$@\"; sleep 1; }"
        )
    );
    let plan = SMALL_PLAN.replace("| `made.txt` | always", "| | always");
    bench.write("PLAN.md", plan);
    configured(&bench);
    bench.sh("orchestrate --worker w PLAN.md").within(60).run();
    assert_eq!(bench.count("attempt_end"), 0);
    let got = bench.sh("orchestrate --worker w PLAN.md").within(60).run();
    got.exits(0);
    assert_eq!(bench.git(&["status", "--porcelain"]), "", "{got:?}");
}

#[test]
fn what_is_staged_stays_staged_when_commits_of_a_worker_are_taken_back() {
    let bench = bench!(small, &made("git commit -qam behind"));
    bench.write("t.txt", "committed\n").commit_all("a file");
    bench.write("t.txt", "picked\n").git(&["add", "t.txt"]);
    bench.write("t.txt", "edited on\n");
    let got = bench.worker_round();
    got.exits(0);
    let behind = bench.git(&["log", "--walk-reflogs", "--format=%h %s", "--abbrev=8"]);
    let behind =
        behind.lines().find(|line| line.ends_with(" behind")).and_then(|line| line.split(' ').next());
    assert!(got.err().contains(&format!("({} 'behind')", behind.unwrap_or("none"))), "{got:?}");
    assert_eq!(bench.git(&["show", ":t.txt"]), "picked\n");
    assert_eq!(bench.text("t.txt"), "edited on\n");
    assert!(bench.git(&["status", "--porcelain", "t.txt"]).starts_with("MM"));
}

#[test]
fn what_a_worker_moves_and_removes_with_git_is_committed() {
    for deed in ["git mv b/b.txt b/c.txt", "git rm -q b/b.txt"] {
        let bench = bench!(small, &made(deed));
        let plan = SMALL_PLAN.replace("| `made.txt` | always", "| | always");
        bench.write("PLAN.md", plan).write("b/b.txt", "b\n").write("b/d.txt", "d\n").commit_all("files");
        configured(&bench);
        let got = bench.sh("orchestrate --worker w PLAN.md").within(60).run();
        got.exits(0);
        let listed = bench.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
        assert!(!listed.contains("b/b.txt") && listed.contains("made.txt"), "{deed}: {listed}");
        assert_eq!(bench.git(&["status", "--porcelain"]), "", "{deed}");
    }
}

#[test]
fn a_file_with_carriage_returns_is_committed_as_git_stores_it() {
    let bench = bench!(small, &made("printf 'one\\r\\ntwo\\r\\n' > crlf.txt"));
    let plan = SMALL_PLAN.replace("| `made.txt` | always", "| | always");
    bench.write("PLAN.md", plan).write("crlf.txt", "one\r\n").commit_all("a file");
    bench.write(".gitattributes", "* text=auto\n").git(&["add", ".gitattributes"]);
    bench.git(&["commit", "-qm", "attributes"]);
    configured(&bench);
    let got = bench.sh("orchestrate --worker w PLAN.md").within(60).run();
    got.exits(0);
    assert_eq!(bench.git(&["status", "--porcelain"]), "", "{got:?}");
    assert_eq!(bench.text("crlf.txt"), "one\r\ntwo\r\n");
}

#[test]
fn a_sparse_checkout_gets_its_commits() {
    let bench = bench!(small, &made(":"));
    bench.write("b/b.txt", "b\n").write("c/c.txt", "c\n").commit_all("folders");
    configured(&bench);
    bench.git(&["sparse-checkout", "set", "b"]);
    let got = bench.sh("orchestrate --worker w PLAN.md").within(60).run();
    got.exits(0);
    assert!(bench.subjects().contains(&"feat: make it".to_owned()), "{got:?}");
    assert!(!bench.path("c/c.txt").exists() && bench.git(&["ls-tree", "-r", "HEAD"]).contains("c/c.txt"));
}

#[test]
fn a_folder_for_notes_that_leads_elsewhere_is_refused_before_anybody_works() {
    let bench = bench!(small, &made("echo ran > ../home/ran"));
    bench.write("../home/theirs/outputs.json", "{}");
    std::os::unix::fs::symlink("../home/theirs", bench.path("context")).unwrap();
    bench.commit_all("a link");
    let got = bench.worker_round();
    got.exits(65);
    assert!(got.err().contains("'context' leaves"), "{got:?}");
    assert!(bench.path("context").is_symlink() && !bench.path("../home/ran").exists());
}

#[test]
fn a_worker_changes_no_other_plan() {
    let other = SMALL_PLAN.replace("made.txt", "other.txt");
    let two = format!(
        "{other}\n### [ ] TODO 2: More\n\n**Acceptance Criteria**:\n- [ ] It is: `test -f more.txt` → exit 0\n"
    );
    let begin = |deed: &str| {
        let bench = bench!(small, &format!("echo done > other.txt; {SUCCESS}"));
        bench.write("OTHER.md", &two).commit_all("another plan");
        configured(&bench);
        bench.sh("orchestrate --worker w --only 1 OTHER.md").within(60).run();
        assert_eq!(bench.boxes("OTHER.md"), (1, 1));
        bench.set_worker(&made(deed));
        let got = bench.sh("orchestrate --worker w PLAN.md").within(60).run();
        assert!(got.err().contains("'OTHER.md', another plan, changed while the worker"), "{got:?}");
        bench
    };
    // A criterion that is made easier.
    let bench = begin("sed -i 's/more.txt/OTHER.md/' OTHER.md");
    let got = bench.sh("orchestrate --worker w OTHER.md").within(60).run();
    got.exits(5);
    assert!(got.out().contains("the plan, by the worker of task '1' of 'PLAN.md'"), "{got:?}");
    assert_eq!(bench.boxes("OTHER.md"), (1, 1));
    // Whoever looked may go on.
    let got = bench.sh("orchestrate --worker w --accept-change 'I meant that' OTHER.md").within(60).run();
    assert_eq!(bench.boxes("OTHER.md"), (2, 0), "{got:?}");
    // A box that is ticked.
    let bench = begin("sed -i 's/\\[ \\] TODO 2/[x] TODO 2/' OTHER.md");
    bench.sh("orchestrate --worker w OTHER.md").within(60).run().exits(1);
}

#[test]
fn what_a_worker_changed_in_this_run_is_not_what_was_accepted() {
    let weaken = "if grep -q REAL plantools.toml; then sed -i 's/test -e REAL/true/' plantools.toml; else echo done > made.txt; fi";
    let bench = bench!(small, &format!("{weaken}; {SUCCESS}"));
    let gate = "[[gates]]\nid = \"real\"\ninvocation = \"test -e REAL\"\nwhen = [\"task\", \"end\"]\n";
    bench.write("plantools.toml", format!("[workers.w]\ncommand = [\"../home/w.sh\"]\n{gate}"));
    bench.commit_all("a gate");
    let line = "orchestrate --worker w --accept-change 'a word mended' PLAN.md";
    let got = bench.sh(line).within(60).run();
    got.exits(5);
    assert!(got.out().contains("changed by a worker or a check of this run: plantools.toml"), "{got:?}");
    assert_eq!((bench.count("tick"), bench.count("override")), (0, 0));
    // The next run starts where the folder can be read.
    bench.sh(line).within(60).run();
    assert_eq!((bench.count("tick"), bench.count("override")), (1, 1));
}

#[test]
fn a_decision_by_hand_is_refused_below_a_worker_whatever_it_forgets() {
    for escape in [
        "env -u PLANTOOLS_ATTEMPT",
        "env -i PATH=\"$PATH\" HOME=\"$HOME\"",
        "setsid -w env -u PLANTOOLS_ATTEMPT",
    ] {
        let bench = bench!(
            small,
            &format!(
                "{escape} checkbox tick 1 --reason done PLAN.md 2> ../home/said; echo $? > ../home/code; {SUCCESS}"
            )
        );
        let got = bench.worker_round();
        assert_eq!(bench.text("../home/code"), "1\n", "{escape}: {got:?}");
        assert!(bench.text("../home/said").contains("is for a person"), "{escape}");
        assert_eq!(bench.text("PLAN.md"), SMALL_PLAN);
    }
}

#[test]
fn more_files_than_an_order_can_carry_end_one_attempt_and_not_the_plan() {
    let many = "[ -f .gitignore ] && { echo done > made.txt; } || \
                { mkdir -p node_modules; name=$(printf 'x%.0s' {1..200}); for n in {1..12000}; do : > node_modules/$name-$n; done; }";
    let bench = bench!(small, &format!("{many}; {SUCCESS}"));
    configured(&bench);
    let got = bench.sh("orchestrate --worker w --max-attempts 1 PLAN.md").within(120).run();
    got.exits(5);
    assert_eq!(bench.halts().first().map(String::as_str), Some("worker-run too-much"), "{got:?}");
    assert!(got.out().contains("12000 files, more than an order can carry"), "{got:?}");
    bench.write(".gitignore", "node_modules\n").commit_all("ignored");
    let got = bench.sh("orchestrate --worker w --max-attempts 3 PLAN.md").within(120).run();
    got.exits(0);
}

#[test]
fn a_plan_with_a_task_that_was_lost_is_not_complete() {
    let bench = bench!(small, &made(":"));
    bench
        .write("PLAN.md", format!("{SMALL_PLAN}\n###[ ] TODO 2: Remove the back door\n"))
        .commit_all("a slip");
    configured(&bench);
    let got = bench.sh("orchestrate --worker w PLAN.md").within(60).run();
    got.exits(1);
    assert!(
        got.err().contains("orchestrate: PLAN.md:30: there is no blank between '###' and its box"),
        "{got:?}"
    );
    assert!(got.out().contains("PLAN.md:30: there is no blank"), "still open: {got:?}");
}

#[test]
fn branches_of_a_person_stay_whatever_they_are_called() {
    let bench = bench!(small, &made(":"));
    configured(&bench);
    bench.git(&["branch", "plantools/upgrade-to-0.2"]);
    let tree = bench.git(&["rev-parse", "HEAD^{tree}"]);
    let only = bench.git(&["commit-tree", tree.trim(), "-m", "nowhere else"]);
    bench.git(&["branch", "plantools/release-20261117", only.trim()]);
    bench.git(&["checkout", "-q", "-b", "plantools/work-0123abcd"]);
    let head = bench.git(&["rev-parse", "HEAD"]);
    let got = bench.sh("orchestrate --worker w PLAN.md").within(60).run();
    got.exits(0);
    let branches = bench.git(&["branch", "--format=%(refname:short)"]);
    for branch in ["upgrade-to-0.2", "work-0123abcd", "release-20261117"] {
        assert!(branches.contains(&format!("plantools/{branch}")), "{branch} is gone: {branches}");
    }
    assert!(bench.git(&["log", "--format=%H"]).contains(head.trim()), "the history is whole");
}

#[test]
fn what_a_worker_hides_from_git_is_named() {
    let bench = bench!(small, &made("echo made.txt > .gitignore"));
    configured(&bench);
    let got = bench.sh("orchestrate --worker w PLAN.md").within(60).run();
    assert!(got.err().contains("neither checked nor committed: made.txt"), "{got:?}");
}

#[test]
fn what_a_worker_writes_with_escapes_is_a_secret_when_it_is_decoded() {
    let key = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let escaped = key.replace('_', "\\u005f");
    let bench = bench!(
        small,
        &format!(
            "echo done > made.txt; printf '%s\\n' '{{\"status\":\"SUCCESS\",\"summary\":\"{escaped}\",\"outputs\":{{\"made\":\"{escaped}\"}},\
             \"learnings\":[\"{escaped}\"]}}'"
        )
    );
    configured(&bench);
    bench.sh("orchestrate --worker w PLAN.md").within(60).run();
    bench.sh(&format!("checkbox untick 1 --reason {key} PLAN.md")).run().exits(0);
    let left = bench.sh(&format!("grep -rl {key} . || :")).run().out();
    assert_eq!(left, "", "in clear");
}

#[test]
fn texts_for_people_steer_no_terminal() {
    let bench = bench!(empty);
    let escape = "\u{1b}]0;owned\u{7}";
    bench.write("PLAN.md", format!("## TODOs\n\n### [ ] TODO 1: A {escape} title\n\n**Acceptance Criteria**:\n- [ ] `test -f {escape}`\n"));
    bench.commit_all("a plan").write(&format!("new{escape}.txt"), "");
    bench.sh(&format!("punch append --type message --key '{escape}'")).run().exits(0);
    for line in [
        "checkbox list --text PLAN.md",
        "punch list --text",
        "commit-run check-clean",
        "plan-parse --explain PLAN.md",
        "plan-parse --quiet PLAN.md | dag-next --status --text",
        "orchestrate plans",
        "run-report --final PLAN.md",
    ] {
        let got = bench.sh(line).run();
        assert!(!got.out().contains('\u{1b}') && !got.err().contains('\u{1b}'), "{line}: {got:?}");
        assert!(!got.out().is_empty(), "{line}: {got:?}");
    }
}

#[test]
fn what_refused_attempts_and_checks_left_is_committed_with_what_was_proved() {
    // The first attempt commits by itself, which is refused; the second finds its files there.
    let bench = bench!(
        small,
        &made("[ -f a.txt ] && echo b > b.txt || { echo a > a.txt; git add a.txt; git commit -qm behind; }")
    );
    let config = "[commit]\nby_worker = \"refuse\"\n[workers.w]\ncommand = [\"../home/w.sh\"]\n";
    bench.write("plantools.toml", config).commit_all("configuration");
    let got = bench.sh("orchestrate --worker w PLAN.md").within(60).run();
    got.exits(0);
    let listed = bench.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert!(listed.contains("a.txt") && listed.contains("b.txt"), "{listed}");
    // A file that only a check writes is named once with a line for .gitignore, and not committed.
    let bench = bench!(small, &made(":"));
    bench.write("check.sh", "[ -e lock ] || echo x > lock; test -f made.txt\n");
    let plan = SMALL_PLAN.replace("`test -f made.txt`", "`sh check.sh` → exit 0");
    bench.write("PLAN.md", plan).commit_all("a check that writes");
    configured(&bench);
    let got = bench.sh("orchestrate --worker w PLAN.md").within(60).run();
    got.exits(0);
    assert!(got.err().contains("part of the evidence: lock; lines for .gitignore: /lock\n"), "{got:?}");
    assert_eq!(got.err().matches(".gitignore").count(), 1, "{got:?}");
    assert!(!bench.git(&["ls-tree", "-r", "--name-only", "HEAD"]).contains("lock"));
    assert_eq!(bench.count("attempt_begin"), 1, "{got:?}");
}

#[test]
fn what_holds_tasks_is_ticked_with_the_last_of_them() {
    let bench = bench!(empty);
    let plan = "- [ ] 1. One\n  - Verify: `test -f one`\n- [ ] 2. Parts\n  - [ ] 2.1 Two\n    - Verify: `test -f two`\n  - [ ] 2.2 Three\n    - Verify: `test -f three`\n";
    bench.write("tasks.md", plan).commit_all("a list");
    bench.program("../home/w.sh", &format!("#!/bin/sh\ntouch one two three\n{SUCCESS}\n"));
    configured(&bench);
    let got = bench.sh("orchestrate --worker w tasks.md").within(60).run();
    got.exits(0);
    assert!(!bench.text("tasks.md").contains("[ ]"), "{got:?}");
    bench.sh("checkbox untick 2.2 --reason again tasks.md").run().exits(0);
    let open: Vec<_> =
        bench.text("tasks.md").lines().filter(|l| l.contains("[ ]")).map(str::to_owned).collect();
    assert_eq!(open, ["- [ ] 2. Parts", "  - [ ] 2.2 Three"]);
}

#[test]
fn what_a_worker_makes_git_take_although_it_is_ignored_is_not_committed() {
    let bench = bench!(small, &made("git add -f .env"));
    let plan = SMALL_PLAN.replace("| `made.txt` | always", "| | always");
    bench
        .write("PLAN.md", plan)
        .write(".gitignore", ".env\n")
        .commit_all("ignored")
        .write(".env", "SECRET=hunter2");
    std::thread::sleep(std::time::Duration::from_millis(20));
    configured(&bench);
    let got = bench.sh("orchestrate --worker w PLAN.md").within(60).run();
    assert!(!bench.git(&["log", "--name-only", "--format="]).contains(".env"), "{got:?}");
    assert_eq!(bench.boxes("PLAN.md"), (1, 0), "{got:?}");
}

#[test]
fn git_may_tidy_up_meanwhile() {
    let bench = bench!(small, &made("git gc --quiet; git update-server-info"));
    configured(&bench);
    bench.sh("orchestrate --worker w PLAN.md").within(60).run().exits(0);
}
