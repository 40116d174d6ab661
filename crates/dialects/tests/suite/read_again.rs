//! A plan that a process reads again after a tick is the plan that another process reads.

use dialects::write::{self, Change};
use dialects::{Ask, Followed, PlanSnapshot, guide, open, table};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use toolkit::Fail;
use toolkit::files::{fs, sha};
use wire::{Plan, State};

/// Ticks one open task after the other, and compares the plan as this process knows it with one that is parsed; how many
/// ticks there were.
fn tick_all(root: &Path, name: &str, text: &str) -> Result<usize, Fail> {
    let path = root.join(name);
    fs::folder(path.parent().unwrap_or(root))?;
    fs::create(&path, text.as_bytes())?;
    let Ok(mut known) = PlanSnapshot::at(&path, root, None) else { return Ok(0) };
    let ids: Vec<_> =
        known.plan.tasks.iter().filter(|t| !t.state.is_settled()).map(|t| t.id.clone()).collect();
    let mut ticks = 0;
    for id in ids {
        let Some(task) = known.plan.tasks.iter().find(|task| task.id == id).cloned() else { break };
        let criteria: Vec<_> = task.criteria.iter().filter(|criterion| criterion.boxed).collect();
        let (now, reason) = ("2026-01-01T00:00:00Z", "");
        let change = Change { task: &task, state: State::Completed, criteria: &criteria, now, reason };
        let Ok(edits) = write::edits(&known, &change) else { continue };
        let own: Vec<_> = edits.iter().filter(|edit| edit.path == known.plan.source.path).collect();
        if own.len() < edits.len() || own.is_empty() {
            continue;
        }
        let bytes = write::applied(&fs::read(&path)?, &own);
        fs::create(&path, &bytes)?;
        let Ok(parsed) = open(&path, root, None) else { break };
        known = PlanSnapshot::at(&path, root, None)?;
        assert_eq!(whole(&known), parsed, "{name}: after the tick of {id}");
        assert_eq!(known.blanked(), known.blanked_with(&parsed, &bytes), "{name}: after the tick of {id}");
        ticks += 1;
    }
    Ok(ticks)
}

/// The plan with its digests, which are made only when they are asked for.
fn whole(known: &PlanSnapshot) -> Plan {
    let mut plan = Plan::clone(&known.plan);
    plan.source.sha256 = known.sha256();
    if let [file] = plan.source.files.as_mut_slice() {
        plan.source.sha256.clone_into(&mut file.sha256);
    }
    plan
}

#[test]
fn a_plan_is_followed_from_tick_to_tick() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let path = root.join("TODO.md");
    let text = "# W\n\n- [ ] one\n  Verify: `true` → exit 0\n- [ ] two\n  Verify: `true` → exit 0\n";
    fs::create(&path, text.as_bytes()).unwrap();
    let plan = open(&path, &root, None).unwrap();
    let mut followed = Followed::of(&plan, &Ask::default()).unwrap();
    assert!(followed.ticks().unwrap().tasks.is_empty());
    let ticked = text.replace("[ ] one", "[x] one");
    fs::create(&path, ticked.as_bytes()).unwrap();
    let ticks = followed.ticks().unwrap();
    assert_eq!(ticks.tasks, [plan.tasks[0].id.clone()]);
    assert_eq!(ticks.sha256, open(&path, &root, None).unwrap().source.sha256);
    for other in [text.to_owned(), ticked.replace("two", "owt"), ticked.replace("`true`", "`else`")] {
        fs::create(&path, other.as_bytes()).unwrap();
        assert_eq!(followed.ticks(), None, "{other}");
        fs::create(&path, ticked.as_bytes()).unwrap();
        assert!(followed.ticks().unwrap().tasks.is_empty());
    }
    fs::remove(&path).unwrap();
    assert_eq!(followed.ticks(), None);
}

#[test]
fn a_plan_that_changes_while_it_is_read_is_read_from_one_text() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let path = root.join("TODO.md");
    let short = "# W\n\n- [ ] one\n  Verify: `true` → exit 0\n".to_owned();
    let long = format!("# More words\n\n- [ ] zero\n  Verify: `true` → exit 0\n{}", &short[5..]);
    fs::create(&path, short.as_bytes()).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for text in [&long, &short] {
                    fs::replace(&path, text.as_bytes(), &root).unwrap();
                }
            }
        });
        for _ in 0..300 {
            // It may change each time that it is read.
            let Ok(read) = PlanSnapshot::at(&path, &root, None) else { continue };
            let bytes = read.files[0].1.as_slice();
            assert_eq!(read.plan.tasks.len(), if bytes == long.as_bytes() { 2 } else { 1 });
            assert_eq!(read.sha256(), sha::hex(bytes));
        }
        is_over.store(true, Ordering::Relaxed);
        writer.join().unwrap();
    });
}

#[test]
fn every_dialect_is_read_again_as_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let mut ticks = 0;
    for (number, dialect) in table().iter().enumerate() {
        let Some(guide) = guide(dialect) else { continue };
        ticks += tick_all(&root, &format!("{number}/{}", guide.path.trim_start_matches('/')), guide.example)
            .unwrap();
    }
    assert!(ticks >= table().len(), "{ticks} ticks");
}

#[test]
fn a_box_beside_another_mark_is_parsed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let path = root.join("Plans.md");
    let text =
        "# Plans\n\n## Now `cc:WIP`\n\n- [ ] Write the guide `cc:TODO`\n- [ ] Write the log `cc:TODO`\n";
    for text in [text.to_owned(), text.replace("[ ] Write the guide", "[x] Write the guide")] {
        fs::create(&path, text.as_bytes()).unwrap();
        let known = PlanSnapshot::at(&path, &root, None).unwrap();
        assert_eq!(whole(&known), open(&path, &root, None).unwrap(), "{text}");
    }
}

#[test]
fn what_is_no_tick_is_parsed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let path = root.join("TODO.md");
    let read = |text: &str| {
        fs::create(&path, text.as_bytes()).unwrap();
        PlanSnapshot::at(&path, &root, None).unwrap()
    };
    let text = "# W\n\n- [ ] one `a x` b\n  Verify: `true` → exit 0\n- [ ] two\n  - [ ] three\n";
    let first = read(text);
    assert_eq!(first.plan.tasks[0].title, "one `a x` b");
    for other in [
        // A blank of the text that becomes an x, a part, a mark of another kind, another length.
        text.replace("a x", "axx"),
        text.replace("[ ] three", "[x] three"),
        text.replace("[ ] one", "[-] one"),
        text.replace("true", "false"),
        text.replace("- [ ] one", "- [x] one").replace("→ exit 0", "→ exit 1"),
    ] {
        read(text);
        let known = read(&other);
        assert_eq!(whole(&known), open(&path, &root, None).unwrap(), "{other}");
    }
    read(text);
    let ticked = read(&text.replace("[ ] one", "[x] one"));
    assert_eq!(ticked.plan.tasks[0].state, State::Completed);
    assert_eq!(ticked.sha256(), open(&path, &root, None).unwrap().source.sha256);
    let open_again = read(text);
    assert_eq!(open_again.plan.tasks[0].state, State::Pending);
}
