//! Files and locks: a replacement is whole and keeps mode and link; a lock has one holder at a time.

use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::{Duration, Instant, SystemTime};
use toolkit::Exit;
use toolkit::files::fs;
use toolkit::files::lock::Lock;
use toolkit::files::root::{self, Home};

#[test]
fn replacing_keeps_mode_and_link_and_leaves_no_temporary_file() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real.md"), folder.path().join("link.md"));
    std::fs::File::create(&real).unwrap().write_all(b"old").unwrap();
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.md", &link).unwrap();
    let scratch = Home::of(folder.path()).unwrap().folder("tmp").unwrap();
    fs::replace(&link, b"new", &scratch).unwrap();
    assert_eq!(std::fs::read(&real).unwrap(), b"new");
    assert!(link.symlink_metadata().unwrap().file_type().is_symlink());
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0);
}

#[test]
fn a_folder_in_place_of_a_file_is_an_error_and_nothing_is_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.md");
    std::fs::create_dir(&path).unwrap();
    let scratch = Home::of(folder.path()).unwrap().folder("tmp").unwrap();
    assert_eq!(fs::replace(&path, b"x", &scratch).unwrap_err().exit, Exit::Io);
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0);
}

#[test]
fn a_lock_that_is_held_says_by_whom() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let held = Lock::take(&path, Duration::ZERO, "a test").unwrap();
    let busy = Lock::take(&path, Duration::from_millis(20), "another").unwrap_err();
    assert_eq!(busy.exit, Exit::Busy);
    assert!(busy.message.contains("a test"), "{}", busy.message);
    drop(held);
    Lock::take(&path, Duration::ZERO, "another").unwrap();
}

#[test]
fn a_queue_of_holders_is_waited_for_longer_than_one_of_them() {
    const PATIENCE: Duration = Duration::from_secs(2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let held = Lock::take(&path, Duration::ZERO, "one of many").unwrap();
    let waiter = {
        let path = path.clone();
        std::thread::spawn(move || Lock::take(&path, PATIENCE, "waiter").map(drop))
    };
    // A new holder writes its note, so a queue that moves shows as repeated writes to the file.
    let began = Instant::now();
    let file = std::fs::File::options().append(true).open(&path).unwrap();
    while began.elapsed() < PATIENCE + PATIENCE / 4 {
        file.set_modified(SystemTime::now()).unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!waiter.is_finished(), "the waiter gave up although the queue moved");
    drop(held);
    waiter.join().unwrap().unwrap();
}

#[test]
fn our_folder_is_private_ignored_and_never_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::of(folder.path()).unwrap();
    let made = home.folder("work").unwrap();
    assert_eq!(made.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(std::fs::read(home.path(".gitignore")).unwrap(), b"*\n");
    let other = tempfile::tempdir().unwrap();
    symlink(folder.path(), other.path().join(".plantools")).unwrap();
    assert_eq!(Home::of(other.path()).unwrap().folder("work").unwrap_err().code, "bad-home");
}

#[test]
fn a_link_must_not_lead_out_of_the_root() {
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    symlink(outside.path(), folder.path().join("out")).unwrap();
    assert_eq!(root::inside(folder.path(), "out/x").unwrap_err().code, "path-outside");
    assert!(root::inside(folder.path(), "in/x").is_ok());
}

#[test]
fn a_link_in_place_of_a_lock_or_the_ledger_is_refused_and_what_it_leads_to_stays() {
    let folder = tempfile::tempdir().unwrap();
    let victim = folder.path().join("victim");
    std::fs::File::create(&victim).unwrap().write_all(b"precious").unwrap();
    let home = Home::of(folder.path()).unwrap();
    let lock = home.folder("locks").unwrap().join("ledger");
    symlink(&victim, &lock).unwrap();
    assert_eq!(Lock::take(&lock, Duration::ZERO, "a test").unwrap_err().code, "bad-home");
    symlink(&victim, home.path("ledger.ndjson")).unwrap();
    assert_eq!(fs::append(&home.path("ledger.ndjson"), b"line\n").unwrap_err().code, "bad-home");
    assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
}

#[test]
fn a_folder_of_ours_that_is_a_link_is_refused_before_anything_is_made_behind_it() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let home = Home::of(folder.path()).unwrap();
    home.folder("").unwrap();
    for name in ["work", "snapshots", "worktrees"] {
        symlink(elsewhere.path(), home.path(name)).unwrap();
        let refused = home.folder(&format!("{name}/r1/1")).unwrap_err();
        assert_eq!((refused.code, refused.message.as_str()), ("bad-home", "is no folder"));
    }
    assert_eq!(home.folder("work/../../x").unwrap_err().exit, Exit::Io);
    assert_eq!(home.folder("../x").unwrap_err().code, "path-outside");
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn a_plan_that_a_link_leads_out_of_its_repository_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (repo, other) = (folder.path().join("repo"), folder.path().join("other"));
    std::fs::create_dir_all(repo.join(".git")).unwrap();
    std::fs::create_dir(&other).unwrap();
    std::fs::File::create(other.join("PLAN.md")).unwrap();
    symlink("../other/PLAN.md", repo.join("PLAN.md")).unwrap();
    symlink("../other", repo.join("plans")).unwrap();
    for name in ["PLAN.md", "plans/PLAN.md"] {
        assert_eq!(root::find(&repo.join(name)).unwrap_err().code, "path-outside", "{name}");
    }
    // Named at its real path, by any route, it belongs to its own folder.
    let real = other.canonicalize().unwrap();
    assert_eq!(root::find(&repo.join("../other/PLAN.md")).unwrap(), real);
    assert_eq!(root::find(&other.join("PLAN.md")).unwrap(), real);
}
