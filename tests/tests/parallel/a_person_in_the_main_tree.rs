//! What a person has in the main tree meanwhile: no landing and no way back writes over it.

use crate::generated_plans::{PLAN, Task, carry, pipe, repository, story};
use pipeline_tests::{Bench, until};

/// The first halt names this file, nothing of the task has landed, and its work is kept.
#[track_caller]
fn is_in_the_way(bench: &Bench, file: &str) {
    let got = carry(bench, 2).run();
    got.exits(5);
    assert!(got.out().contains(&format!("'{file}' is in the way")), "{got:?}\n{}", story(bench));
    assert_eq!(bench.boxes(PLAN), (0, 1));
    assert!(bench.git(&["worktree", "list"]).lines().count() > 1, "its work is kept");
}

/// A file of thirty lines.
fn long() -> String {
    (1..=30).fold(String::new(), |text, n| text + &format!("line {n}\n"))
}

#[test]
fn a_folder_that_git_ignores_is_not_replaced_by_a_file() {
    let bench = repository(&[Task::of(1, &[], "rm -rf build; echo made > build", "test -f build")]);
    bench.write(".gitignore", "build/\n").commit_all("ignore").write("build/results", "precious");
    is_in_the_way(&bench, "build/results");
    assert_eq!(bench.text("build/results"), "precious");
}

#[test]
fn a_file_that_git_ignores_is_not_written_over() {
    let script = "echo '*.log' > .gitignore; echo SECRET=changeme > .env";
    let bench = repository(&[Task::of(1, &[], script, "test -f .env")]);
    bench.write(".gitignore", ".env\n").commit_all("ignore").write(".env", "SECRET=mine");
    is_in_the_way(&bench, ".env");
    assert_eq!(bench.text(".env"), "SECRET=mine");
}

#[test]
fn a_file_that_git_is_told_not_to_look_at_is_not_written_over() {
    let bench = repository(&[
        Task::of(1, &[], "echo new >> settings", "grep -q new settings"),
        Task::plain(2, &[1], ""),
    ]);
    bench.write("settings", "theirs\n").commit_all("settings");
    bench.git(&["update-index", "--skip-worktree", "settings"]);
    bench.write("settings", "mine\n");
    let got = carry(&bench, 2).run();
    got.exits(5);
    assert!(got.out().contains("'settings' is in the way"), "{got:?}");
    assert_eq!(bench.text("settings"), "mine\n");
}

#[test]
fn a_link_that_becomes_a_folder_lands_and_writes_nothing_behind_it() {
    let bench = repository(&[Task::of(1, &[], "rm d; mkdir d; echo vendored > d/keep", "test -f d/keep")]);
    bench.write("../home/theirs/keep", "precious");
    std::os::unix::fs::symlink("../home/theirs", bench.path("d")).unwrap();
    bench.commit_all("a link");
    let got = carry(&bench, 2).run();
    got.exits(4);
    assert_eq!(
        (bench.text("../home/theirs/keep"), bench.text("d/keep")),
        ("precious".into(), "vendored\n".into())
    );
}

#[test]
fn what_a_person_wrote_into_landed_files_stays_when_they_are_taken_back() {
    let long = long();
    // It passes alone, and on the combined tree it waits for the person and fails.
    let check = "case $PWD in */worktrees/*) exit 0;; esac; touch .plantools/looked; \
                 until [ -f .plantools/go ]; do sleep 0.05; done; exit 1";
    let script =
        "sed -i '1s/.*/changed/' long.txt; [ -f new.txt ] || echo landed > new.txt; echo only > only.txt";
    let bench = repository(&[Task::of(1, &[], script, check)]);
    bench.write("long.txt", &long).commit_all("a long file");
    let line = pipe(2).replace("dag-next --follow", "dag-next --follow --max-attempts 1");
    let run = bench.sh(&line).within(60).start();
    until(|| bench.path(".plantools/looked").exists());
    bench.write("long.txt", bench.text("long.txt") + "mine\n").write("new.txt", "landed\nmine\n");
    bench.write(".plantools/go", "");
    let got = run.wait(std::time::Duration::from_secs(60)).unwrap();
    got.exits(5);
    assert_eq!(bench.text("long.txt"), long + "mine\n", "{got:?}");
    assert_eq!(bench.text("new.txt"), "landed\nmine\n", "what cannot be told apart stays");
    assert!(!bench.path("only.txt").exists(), "the rest is taken back");
    assert!(got.err().contains("not taken back with it: new.txt"), "{got:?}");
}

#[test]
fn what_a_person_wrote_after_a_crash_stays_when_the_next_run_goes_on() {
    let check = "case $PWD in */worktrees/*) exit 0;; esac; [ -f ../home/again ] && exit 0; \
                 touch .plantools/looked; sleep 60";
    let bench =
        repository(&[Task::of(1, &[], "sed -i '1s/.*/changed/' long.txt; echo landed > new.txt", check)]);
    let long = long();
    bench.write("long.txt", &long).commit_all("a long file");
    let run = bench.sh(&pipe(2)).within(60).start();
    until(|| bench.path(".plantools/looked").exists());
    run.kill();
    drop(run);
    bench.write("../home/again", "").write("long.txt", bench.text("long.txt") + "mine\n");
    let got = carry(&bench, 2).run();
    got.exits(4);
    assert_eq!(bench.text("long.txt"), long.replace("line 1\n", "changed\n") + "mine\n", "{}", story(&bench));
    assert_eq!(bench.text("new.txt"), "landed\n");
}

#[test]
fn what_git_was_made_to_take_although_it_is_ignored_lands_and_is_taken_back_like_the_rest() {
    let script = "mkdir dist; echo made > dist/app; git add -f dist/app; echo more > dist/left";
    for (check, exit, tracked) in [
        ("test -f dist/app", 4, "dist/app\n"),
        // It passes alone, and not on the combined tree.
        ("case $PWD in */worktrees/*) exit 0;; esac; exit 1", 5, ""),
    ] {
        let bench = repository(&[Task::of(1, &[], script, check)]);
        bench.write(".gitignore", "dist/\n").commit_all("ignore");
        let line = pipe(2).replace("dag-next --follow", "dag-next --follow --max-attempts 1");
        let got = bench.sh(&line).within(60).run();
        got.exits(exit);
        assert_eq!(bench.git(&["ls-files", "dist"]), tracked, "{got:?}\n{}", story(&bench));
        assert_eq!(bench.path("dist/app").exists(), exit == 4);
        assert!(!bench.path("dist/left").exists(), "only what git has is brought in");
    }
}
