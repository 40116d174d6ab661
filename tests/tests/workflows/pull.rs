//! `execute` in a pull request: its state, its pushes, and what becomes of it when a task is given up. `gh` is a
//! stand-in that keeps one pull request and records every call.

use crate::execute::{PLAN, PROFILE, is_done, mend, needed_by_none, refuse_notes};
use crate::project::{calls, carried, orchestrate, project};
use pipeline_tests::{Bench, Got, bench, until, workspace};

#[test]
fn a_pull_request_is_begun_carried_out_pushed_and_published() {
    let bench = pull("");
    let before = bench.text(PLAN);
    let got = carried(&bench, &["7"], 0);
    is_done(&bench, &before);
    assert!(got.out().contains("MODE: PR #7"), "{got:?}");
    assert_eq!((labels(&bench).as_str(), bench.text("../home/gh/draft").as_str()), ("", "false\n"));
    let comments = bench.text("../home/gh/comments");
    let titles: Vec<&str> = comments.lines().filter(|l| l.starts_with("###")).collect();
    assert_eq!(titles, ["### 🤖 Execution Started", "### 🤖 Published"]);
    assert!(comments.contains("**State**: `created` → `executing`"), "{comments}");
    assert!(comments.contains("**State**: `executing` → `ready`"), "{comments}");
    let calls = bench.text("../home/gh/calls");
    assert!(calls.contains("label create state:executing --color 1D76DB --force"), "{calls}");
    assert_eq!(remote(&bench), bench.git(&["rev-parse", "HEAD"]), "everything is pushed");
}

#[test]
fn without_an_argument_the_draft_of_the_branch_is_taken_and_by_its_address_too() {
    for argument in [&[][..], &["https://github.com/somebody/shop/pull/7"][..]] {
        let bench = pull("");
        carried(&bench, argument, 0);
        assert_eq!(bench.text("../home/gh/draft"), "false\n", "{argument:?}");
    }
}

#[test]
fn without_a_draft_the_plan_that_the_branch_names_is_taken() {
    let bench = pull("");
    bench.write("../home/gh/draft", "false\n");
    let got = carried(&bench, &[], 0);
    assert!(got.out().contains("MODE: Local"), "{got:?}");
    assert!(!bench.path("../home/gh/comments").exists());
}

#[test]
fn one_that_is_executing_or_blocked_elsewhere_is_not_touched() {
    for (label, words) in [
        ("state:executing\n", "PR #7 already executing."),
        ("state:blocked\n", "PR is blocked. Release with `pr-state continue 7`."),
    ] {
        let bench = pull("");
        bench.write("../home/gh/labels", label);
        let got = carried(&bench, &["7"], 5);
        assert!(got.err().contains(words), "{got:?}");
        assert_eq!(labels(&bench), label);
        assert!(!bench.path("../home/calls").exists(), "no worker was called");
    }
}

#[test]
fn on_another_branch_nothing_is_done() {
    let bench = pull("");
    bench.git(&["switch", "--quiet", "--create", "other", "main"]);
    let url = "https://github.com/somebody/shop/pull/7";
    for args in [&["7"][..], &[url], &["--dry-run", "7"]] {
        let got = refused(&bench, args);
        let words =
            "pull request #7 is branch 'feat/shop', and 'other' is checked out; run: git switch feat/shop";
        assert!(got.err().contains(words), "{args:?} {got:?}");
    }
    bench.git(&["branch", "--quiet", "-D", "feat/shop"]);
    assert!(refused(&bench, &["7"]).err().contains("'other' is checked out; run: gh pr checkout 7"));
    bench.git(&["switch", "--quiet", "--detach"]);
    let got = refused(&bench, &["7"]);
    assert!(
        got.err().contains("'feat/shop', and no branch is checked out; run: gh pr checkout 7"),
        "{got:?}"
    );
}

#[test]
fn a_branch_whose_pushes_go_elsewhere_is_not_carried_out() {
    // The same name in a fork: a push would go to this repository.
    let bench = pull("");
    bench.write("../home/gh/head", "feat/shop\ntrue\nstranger\nshop\n");
    let got = refused(&bench, &["7"]);
    assert!(got.err().contains("pull request #7 is in 'stranger/shop'"), "{got:?}");
    assert!(got.err().contains("run: gh pr checkout 7"), "{got:?}");
    for url in ["https://github.com/somebody/shop.git", "git@github.com:somebody/shop"] {
        bench.git(&["config", "branch.feat/shop.pushRemote", url]);
        let got = refused(&bench, &["7"]);
        assert!(got.err().contains(&format!("and 'git push' goes to '{url}'")), "{got:?}");
    }
    bench.write("../home/gh/head", "feat/shop\ntrue\n");
    assert!(refused(&bench, &["7"]).err().contains("pull request #7 is in a fork that is gone"));
    bench.write("../home/gh/head", "feat/shop\ntrue\nstranger\nshop\n");
    // Where pushes go to the fork, as `gh pr checkout` has it, all is well.
    for url in [
        "https://github.com/Stranger/shop.git",
        "git@github.com:stranger/shop",
        "ssh://git@github.com/stranger/shop",
    ] {
        bench.git(&["config", "branch.feat/shop.pushRemote", url]);
        carried(&bench, &["--dry-run", "7"], 0);
    }
    // Without an argument a stranger's branch of the same name is no reason to stop.
    bench.git(&["config", "--unset", "branch.feat/shop.pushRemote"]);
    let got = carried(&bench, &[], 0);
    assert!(got.err().contains("not taken: pull request #7 is in 'stranger/shop'"), "{got:?}");
    assert!(got.out().contains("MODE: Local") && !bench.path("../home/gh/comments").exists(), "{got:?}");
    // The branch here may push to another name there.
    let bench = pull("");
    bench.sh("git push -q origin feat/shop:main && git branch -q -u origin/main && git config push.default upstream").run().exits(0);
    let got = refused(&bench, &["7"]);
    assert!(got.err().contains("'git push' goes to 'main' of 'origin'"), "{got:?}");
}

#[test]
fn a_github_that_cannot_be_reached_is_not_a_missing_pull_request() {
    let bench = pull("");
    bench.write("../home/gh/offline", "");
    for command in ["status", "spec", "begin"] {
        let got = state(&bench, &[command, "7"]);
        got.exits(69);
        assert!(got.err().contains("error connecting to api.github.com"), "{got:?}");
        assert!(!got.err().contains("No PR found"), "{got:?}");
    }
    let got = carried(&bench, &["7"], 69);
    assert!(got.err().contains("GitHub did not answer"), "{got:?}");
    assert!(!bench.path("../home/calls").exists(), "no worker was called");
}

#[test]
fn a_github_that_cannot_be_reached_is_not_a_missing_draft() {
    let bench = pull("");
    bench.write("../home/gh/offline", "");
    for url in ["https://github.com/somebody/shop.git", "git@github.com:somebody/shop.git"] {
        bench.git(&["remote", "set-url", "origin", url]);
        let got = carried(&bench, &[], 69);
        assert!(got.err().contains("error connecting to api.github.com"), "{got:?}");
        let words = "GitHub did not say whether 'feat/shop' has a draft; try again when gh can reach it, or name the plan";
        assert!(got.err().contains(words), "{got:?}");
        assert!(!bench.path("../home/calls").exists(), "no worker was called");
    }
    // Without gh the run says that it looked for none.
    bench.sh("rm ../bin/gh").run().exits(0);
    let got = orchestrate(&bench, &["--dry-run"]).run();
    assert!(got.err().contains("gh is not there, so no draft of 'feat/shop' is looked for"), "{got:?}");
    // A repository that is elsewhere has no pull request there.
    let bench = pull("");
    bench.write("../home/gh/offline", "");
    let got = carried(&bench, &[], 0);
    assert!(got.out().contains("MODE: Local"), "{got:?}");
}

#[test]
fn a_reason_that_begins_with_a_word_is_a_reason() {
    let bench = pull("1 1 nothing\n");
    let got = carried(&bench, &["7"], 5);
    assert!(!got.err().contains("unbound variable"), "{got:?}");
    assert_eq!(labels(&bench), "state:blocked\n");
    let comments = bench.text("../home/gh/comments");
    assert!(comments.contains("**Failed at**: TODO #1"), "{comments}");
    assert!(!comments.contains("**Retry count**"), "{comments}");
}

#[test]
fn a_run_with_no_attempts_left_leaves_it_blocked() {
    let bench = pull("1 1 fail\n1 2 fail\n1 3 fail\n1 4 fail\n");
    let got = carried(&bench, &["7"], 5);
    // The next command stays in the pull request.
    let next = "fix the cause, then: pr-state continue 7 && orchestrate 7; fresh attempts without a change: \
                pr-state continue 7 && orchestrate --retry 7\n";
    assert!(got.err().contains(next), "{got:?}");
    state(&bench, &["continue", "7"]).exits(0);
    carried(&bench, &["7"], 5);
    assert_eq!(labels(&bench), "state:blocked\n");
    let comments = bench.text("../home/gh/comments");
    assert_eq!(comments.matches("### 🚨 Blocked").count(), 2, "{comments}");
    assert_eq!(comments.matches("**Failed at**: TODO #1\n**Retry count**: 3/3").count(), 2, "{comments}");
}

#[test]
fn a_run_that_is_stopped_leaves_it_blocked() {
    let bench = pull("1 1 slow\n");
    let run = orchestrate(&bench, &["7"]).start();
    until(|| bench.path("../home/calls").exists());
    run.terminate();
    let got = run.wait(std::time::Duration::from_secs(60)).unwrap_or_else(|got| panic!("{got:?}"));
    got.exits(130);
    assert_eq!(labels(&bench), "state:blocked\n");
    let comments = bench.text("../home/gh/comments");
    assert!(comments.contains("**Reason**: the run was stopped"), "{comments}");
    state(&bench, &["continue", "7"]).exits(0);
    carried(&bench, &["7"], 0);
    assert_eq!((labels(&bench).as_str(), bench.text("../home/gh/draft").as_str()), ("", "false\n"));
}

#[test]
fn it_is_not_published_while_a_commit_is_owed() {
    for (is_needed, code, words) in [
        (true, 5, "**Reason**: TODO #Final: waits for the commit of task 3: git refused the commit"),
        (false, 1, "**Reason**: task 3: its commit is owed"),
    ] {
        let bench = pull("");
        if !is_needed {
            needed_by_none(&bench, "always");
        }
        refuse_notes(&bench);
        carried(&bench, &["7"], code);
        let state_of = || (labels(&bench), bench.text("../home/gh/draft"));
        assert_eq!(state_of(), ("state:blocked\n".to_owned(), "true\n".to_owned()));
        let comments = bench.text("../home/gh/comments");
        assert!(comments.contains(words), "{words}\n{comments}");
        mend(&bench);
        state(&bench, &["continue", "7"]).exits(0);
        carried(&bench, &["7"], 0);
        assert_eq!(state_of(), (String::new(), "false\n".to_owned()));
        assert_eq!(bench.git(&["log", "--format=%s", "--", "NOTES.md"]), "docs: how to use it\n");
        assert_eq!(remote(&bench), bench.git(&["rev-parse", "HEAD"]), "everything is pushed");
    }
}

#[test]
fn a_task_that_is_given_up_blocks_it_and_a_person_releases_it() {
    let bench = pull("1 1 fail\n1 2 fail\n1 3 fail\n1 4 fail\n");
    carried(&bench, &["7"], 5);
    assert_eq!(
        (labels(&bench).as_str(), calls(&bench).as_str()),
        ("state:blocked\n", "1 1\n1 2\n1 3\n1 4\n")
    );
    let comments = bench.text("../home/gh/comments");
    for words in ["### 🚨 Blocked", "**Reason**: ", "**Failed at**: TODO #1", "**Retry count**: 3/3"] {
        assert!(comments.contains(words), "{words}\n{comments}");
    }
    let before = bench.git(&["show", &format!("HEAD:{PLAN}")]);
    state(&bench, &["continue", "7"]).exits(0);
    assert_eq!(labels(&bench), "state:queued\n");
    carried(&bench, &["--max-attempts", "5", "7"], 0);
    is_done(&bench, &before);
    assert_eq!(labels(&bench), "");
}

#[test]
fn what_the_plan_calls_done_is_settled_before_it_is_published() {
    let bench = pull("");
    bench.write(PLAN, bench.text(PLAN).replacen(" → 1\n", " → 1\n- [ ] Somebody likes it\n", 1));
    bench.commit_all("a wish");
    carried(&bench, &["7"], 5);
    assert_eq!(
        (labels(&bench).as_str(), bench.text("../home/gh/draft").as_str()),
        ("state:blocked\n", "true\n")
    );
    assert!(bench.text("../home/gh/comments").contains("**Reason**: success criteria are open"));
    bench.command("checkbox").args(["criterion", "note:2", "--reason", "she does", PLAN]).run().exits(0);
    state(&bench, &["continue", "7"]).exits(0);
    carried(&bench, &["7"], 0);
    assert_eq!((labels(&bench).as_str(), bench.text("../home/gh/draft").as_str()), ("", "false\n"));
    assert_eq!(remote(&bench), bench.git(&["rev-parse", "HEAD"]), "everything is pushed");
}

#[test]
fn a_refused_push_is_an_issue_and_the_reason_of_the_pull_request() {
    let bench = pull("");
    let hook = "../home/remote.git/hooks/pre-receive";
    bench.write(hook, "#!/bin/sh\necho 'no pushes on a holiday' >&2\nexit 1\n");
    bench.sh(&format!("chmod +x {hook}")).run().exits(0);
    carried(&bench, &["7"], 74);
    assert_eq!(labels(&bench), "state:blocked\n");
    let comments = bench.text("../home/gh/comments");
    let reason = comments.lines().find(|line| line.starts_with("**Reason**: the push was refused: "));
    assert!(reason.is_some_and(|line| line.contains("no pushes on a holiday")), "{comments}");
    let issues = bench.text(".dev/specs/shop/context/issues.md");
    assert!(issues.contains("- [ ] the commits are made, but not pushed: "), "{issues}");
    bench.sh(&format!("rm {hook}")).run().exits(0);
    state(&bench, &["continue", "7"]).exits(0);
    carried(&bench, &["7"], 0);
    assert_eq!(remote(&bench), bench.git(&["rev-parse", "HEAD"]), "everything is pushed");
}

#[test]
fn report_exit_code_and_pull_request_agree_on_what_is_open() {
    let blocked = |bench: &Bench, words: &str| {
        let got = carried(bench, &["7"], 1);
        assert!(got.out().contains("ORCHESTRATION INCOMPLETE") && got.out().contains(words), "{got:?}");
        let state = (labels(bench), bench.text("../home/gh/draft"));
        assert_eq!(state, ("state:blocked\n".to_owned(), "true\n".to_owned()), "{got:?}");
        let comments = bench.text("../home/gh/comments");
        assert!(
            comments.contains(&format!("**Reason**: {words}")) && !comments.contains("Published"),
            "{comments}"
        );
    };
    let bench = pull("");
    let gate = "\n[[gates]]\nid = \"lint\"\ninvocation = \"test -e mended\"\nwhen = [\"end\"]\n";
    bench.write("plantools.toml", bench.text("plantools.toml") + gate);
    bench.commit_all("a gate of the end");
    blocked(&bench, "the check 'gate:lint' of the whole plan did not pass");
    bench.write("mended", "");
    bench.commit_all("mended");
    state(&bench, &["continue", "7"]).exits(0);
    carried(&bench, &["7"], 0);
    assert_eq!((labels(&bench).as_str(), bench.text("../home/gh/draft").as_str()), ("", "false\n"));
    // A box that was ticked without a record.
    let bench = pull("");
    let text = bench.text(PLAN).replace("### [ ] TODO 3", "### [x] TODO 3");
    bench.write(
        PLAN,
        text.replace("- [ ] It names the program: `grep -c bin/print NOTES.md` → 1", "- [x] It is there"),
    );
    bench.commit_all("ticked by hand");
    blocked(&bench, "task 3: ticked, and nothing on record says why");
}

#[test]
fn a_run_that_ends_early_leaves_it_blocked_and_goes_on_once_released() {
    let bench = pull("");
    let before = bench.text(PLAN);
    let got = carried(&bench, &["--budget-attempts", "1", "7"], 5);
    assert_eq!(labels(&bench), "state:blocked\n", "no run is under way");
    assert!(got.err().contains("#7 is blocked; to go on: pr-state continue 7, then run it again"), "{got:?}");
    assert_eq!(bench.boxes(PLAN), (1, 3));
    assert_eq!(remote(&bench), bench.git(&["rev-parse", "HEAD"]), "pushed after the commit");
    state(&bench, &["continue", "7"]).exits(0);
    carried(&bench, &["7"], 0);
    is_done(&bench, &before);
}

#[test]
fn a_run_that_was_killed_goes_on_in_the_state_that_it_began() {
    let bench = pull("1 1 slow\n");
    let before = bench.text(PLAN);
    let run = orchestrate(&bench, &["7"]).start();
    until(|| bench.path("../home/calls").exists());
    run.kill();
    until(|| bench.processes().is_empty());
    assert_eq!(labels(&bench), "state:executing\n");
    carried(&bench, &["7"], 0);
    is_done(&bench, &before);
}

#[test]
fn every_transition_that_is_not_allowed_says_why() {
    for (label, action, words) in [
        ("", "pause", "Not executing - nothing to pause"),
        ("", "continue", "Not blocked - nothing to continue"),
        ("", "complete", "Not executing - nothing to complete"),
        ("state:queued\n", "queue", "Not in 'created' state"),
        ("state:executing\n", "begin", "already executing"),
        ("state:blocked\n", "begin", "blocked"),
    ] {
        let bench = pull("");
        bench.write("../home/gh/labels", label);
        let got = state(&bench, &[action, "7", "why"]);
        got.exits(1);
        assert!(got.err().contains(words), "{got:?}");
        assert_eq!(labels(&bench), label, "{action}");
    }
    let bench = pull("");
    state(&bench, &["status", "8"]).exits(66);
    state(&bench, &["queue", "7"]).exits(0);
    assert_eq!(
        (labels(&bench).as_str(), state(&bench, &["status", "7"]).out().as_str()),
        ("state:queued\n", "queued\n")
    );
}

#[test]
fn the_plan_is_found_in_each_of_the_places_that_the_text_may_name_it() {
    let bench = pull("");
    for body in [
        "Spec → [.dev/specs/shop/PLAN.md](x)",
        "→ [PLAN.md](.dev/specs/shop/PLAN.md)",
        "---\nspec: .dev/specs/shop/PLAN.md\n---\n",
    ] {
        bench.write("../home/gh/body", body);
        assert_eq!(state(&bench, &["spec", "7"]).out(), format!("{PLAN}\n"), "{body}");
    }
    bench.write("../home/gh/body", "nothing\n");
    carried(&bench, &["7"], 66);
    // The text of a pull request is about this repository.
    bench
        .write("../home/theirs/PLAN.md", bench.text(PLAN))
        .write("../home/gh/body", "spec: ../home/theirs/PLAN.md\n");
    let got = carried(&bench, &["7"], 65);
    assert!(got.err().contains("leaves"), "{got:?}");
}

/// The project on the branch of a draft pull request, with a remote.
fn pull(script: &str) -> Bench {
    let bench = project(PROFILE, script);
    let gh = workspace().join("tests/workflows/execute/gh");
    let line = "cp \"$0\" ../bin/gh && mkdir ../home/gh && touch ../home/gh/labels && echo true >../home/gh/draft \
                && git checkout -q -b feat/shop && git init -q --bare ../home/remote.git \
                && git remote add origin \"$PWD/../home/remote.git\" && git push -q -u origin feat/shop";
    bench.command("bash").args(["-c", line, &gh.to_string_lossy()]).run().exits(0);
    bench.write("../home/gh/body", "## Spec Reference\n\n→ [.dev/specs/shop/PLAN.md](../blob/feat/shop)\n");
    bench
}

/// Ends with 65 before anything is done: to the pull request, the branches, or by a worker.
#[track_caller]
fn refused(bench: &Bench, args: &[&str]) -> Got {
    let branches =
        || bench.git(&["for-each-ref"]) + &bench.git(&["--git-dir", "../home/remote.git", "for-each-ref"]);
    let before = branches();
    let got = carried(bench, args, 65);
    let asked = bench.text("../home/gh/calls");
    assert!(asked.lines().all(|call| call.starts_with("pr view") || call.starts_with("pr list")), "{asked}");
    assert!(!bench.path("../home/calls").exists(), "no worker was called");
    assert_eq!(branches(), before);
    got
}

fn state(bench: &Bench, args: &[&str]) -> Got {
    bench.command(&workspace().join("scripts/pr-state").to_string_lossy()).args(args).run()
}

fn labels(bench: &Bench) -> String {
    bench.text("../home/gh/labels")
}

fn remote(bench: &Bench) -> String {
    bench.git(&["--git-dir", "../home/remote.git", "rev-parse", "feat/shop"])
}

#[test]
fn without_gh_a_number_is_no_plan() {
    let bench = bench!(demo);
    carried(&bench, &["7"], 69);
}

#[test]
fn each_commit_is_pushed_when_it_is_made_with_several_jobs_too() {
    for args in [&["7"][..], &["--jobs", "3", "7"]] {
        let bench = pull("");
        bench.program("../home/remote.git/hooks/post-receive", "#!/bin/sh\necho push >> ../pushes\n");
        carried(&bench, args, 0);
        let commits = bench.subjects().len() - 1;
        assert_eq!(bench.text("../home/pushes").lines().count(), commits, "{args:?}: {:?}", bench.subjects());
    }
}

#[test]
fn a_pull_request_that_github_does_not_publish_is_blocked() {
    let bench = pull("");
    let gh = bench.text("../bin/gh").replace("pr:ready:7)", "pr:ready:7) exit 1 ;; pr:never:7)");
    bench.program("../bin/gh", &gh);
    let got = carried(&bench, &["7"], 1);
    assert_eq!(labels(&bench), "state:blocked\n", "{got:?}");
    assert!(got.out().contains("GitHub did not publish pull request #7"), "{got:?}");
}
