//! Laws of a merge for a plan of every dialect, and what becomes of ticks, tasks and checks.

use super::*;
use dialects::write::{self, Change};
use dialects::{PlanSnapshot, guide, table};
use markdown::Text;
use proptest::prelude::*;
use repo::tree::OwnFiles;
use std::sync::{Arc, OnceLock};
use wire::Plan;

/// The dialect, the path and the plan of each dialect's guide that one file alone is.
fn plans() -> &'static [(&'static str, &'static str, &'static str)] {
    static PLANS: OnceLock<Vec<(&str, &str, &str)>> = OnceLock::new();
    PLANS.get_or_init(|| {
        let all = table().iter().filter_map(|row| Some((row.name, guide(row)?)));
        let is_plan = |name: &str, path: &str, text: &str| {
            read(path, text.as_bytes()).is_some_and(|plan| plan.source.dialect == name)
        };
        all.filter(|(name, guide)| is_plan(name, guide.path, guide.example))
            .map(|(name, guide)| (name, guide.path, guide.example))
            .collect()
    })
}

fn read(path: &str, bytes: &[u8]) -> Option<Plan> {
    dialects::read(&Text { path, bytes }, None).ok()
}

fn merged(path: &str, base: &str, ours: &str, theirs: &str) -> Merged {
    let versions = Versions { path, base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
    by_tasks(&versions, &Markers::default()).unwrap_or_else(|| panic!("{path} is no plan"))
}

/// The plan with one task in this state; `None` if its state cannot be written into this file.
fn with_state(path: &str, text: &str, at: usize, state: State) -> Option<String> {
    let plan = Arc::new(read(path, text.as_bytes())?);
    let field = PlanSnapshot {
        plan: Arc::clone(&plan),
        files: vec![(path.to_owned(), text.as_bytes().to_vec().into())],
        ground: OwnFiles::default(),
    };
    let task = plan.tasks.get(at)?;
    let boxes: Vec<_> = task.criteria.iter().collect();
    let criteria = if state == State::Completed { boxes.as_slice() } else { &[] };
    let change = Change { task, state, criteria, now: "2026-01-31T00:00:00Z", reason: "" };
    let edits = write::edits(&field, &change).ok()?;
    let own: Vec<_> = edits.iter().filter(|edit| edit.path == path).collect();
    let text = String::from_utf8(write::applied(text.as_bytes(), &own)).unwrap();
    (!own.is_empty() && read(path, text.as_bytes())?.tasks.get(at)?.state == state).then_some(text)
}

fn ticked(path: &str, text: &str, at: usize) -> Option<String> {
    with_state(path, text, at, State::Completed)
}

/// The plan with every task open that can be.
fn opened(path: &str, text: &str) -> String {
    let count = read(path, text.as_bytes()).map_or(0, |plan| plan.tasks.len());
    (0..count).fold(text.to_owned(), |text, at| with_state(path, &text, at, State::Pending).unwrap_or(text))
}

fn states(path: &str, text: &str) -> Vec<State> {
    read(path, text.as_bytes())
        .unwrap_or_else(|| panic!("no plan:\n{text}"))
        .tasks
        .iter()
        .map(|task| task.state)
        .collect()
}

#[test]
fn what_one_side_did_is_taken_byte_for_byte_in_every_dialect() {
    assert!(plans().len() > 25, "{}", plans().len());
    for (dialect, path, base) in plans() {
        let mut versions = vec![(*base).to_owned()];
        versions.extend((0..4).filter_map(|at| ticked(path, base, at)));
        versions.extend(
            lines(base).into_iter().filter(|text| {
                read(path, text.as_bytes()).is_some_and(|plan| plan.source.dialect == *dialect)
            }),
        );
        for side in &versions {
            for (o, a, b) in [(*base, *base, &**side), (base, side, base), (base, side, side)] {
                let merged = merged(path, o, a, b);
                assert_eq!(String::from_utf8(merged.bytes).unwrap(), *side, "{dialect}");
                assert_eq!(merged.conflicts, [""; 0], "{dialect}:\n{side}");
            }
        }
    }
}

/// The text without one of its lines, and with one twice.
fn lines(text: &str) -> Vec<String> {
    let all: Vec<&str> = text.split_inclusive('\n').collect();
    let without = (0..all.len()).map(|at| [&all[..at], &all[at + 1..]].concat().concat());
    let twice = (0..all.len()).map(|at| [&all[..=at], &all[at..]].concat().concat());
    without.chain(twice).collect()
}

#[test]
fn ticks_of_both_sides_are_kept_in_every_dialect() {
    let mut shown = Vec::new();
    for (dialect, path, example) in plans() {
        let base = opened(path, example);
        let states_of = |text: &str| states(path, text);
        let open: Vec<usize> =
            (0..states_of(&base).len()).filter(|at| ticked(path, &base, *at).is_some()).collect();
        let [first, .., second] = open.as_slice() else { continue };
        let (ours, theirs) = (ticked(path, &base, *first).unwrap(), ticked(path, &base, *second).unwrap());
        let merged = merged(path, &base, &ours, &theirs);
        let text = String::from_utf8(merged.bytes).unwrap();
        assert_eq!(merged.conflicts, [""; 0], "{dialect}:\n{text}");
        assert_eq!(states_of(&text)[*first], State::Completed, "{dialect}:\n{text}");
        assert_eq!(states_of(&text)[*second], State::Completed, "{dialect}:\n{text}");
        shown.push(dialect);
    }
    assert!(shown.len() > 20, "{} of {}: {shown:?}", shown.len(), plans().len());
}

const LIST: &str =
    "# Work\n\n- [ ] One\n  - Verify: `sh a.sh` → >= 3\n- [ ] Two\n  - Verify: `sh b.sh`\n- [ ] Three\n";

#[test]
fn ticks_of_neighbours_are_kept_and_a_tick_of_both_is_one() {
    let ours = LIST.replace("[ ] One", "[x] One").replace("[ ] Two", "[x] Two");
    let theirs = LIST.replace("[ ] Two", "[X] Two").replace("[ ] Three", "[x] Three");
    let merged = merged("TODO.md", LIST, &ours, &theirs);
    assert_eq!(String::from_utf8(merged.bytes).unwrap(), LIST.replace("[ ]", "[x]"));
    assert_eq!((merged.conflicts, merged.reopened), (vec![], vec![]));
}

#[test]
fn tasks_that_both_add_at_one_place_are_both_kept() {
    let ours = format!("{LIST}- [ ] Mine\n  - Verify: `sh c.sh`\n");
    let theirs = format!("{LIST}- [ ] Yours\n").replace("[ ] One", "[x] One");
    let merged = merged("TODO.md", LIST, &ours, &theirs);
    let text = String::from_utf8(merged.bytes).unwrap();
    assert_eq!(text, format!("{ours}- [ ] Yours\n").replace("[ ] One", "[x] One"));
    assert_eq!(merged.conflicts, [""; 0]);
}

#[test]
fn a_task_that_both_add_with_the_same_name_and_other_text_is_a_conflict() {
    let ours = format!("{LIST}- [ ] New\n  - Verify: `sh c.sh`\n");
    let theirs = format!("{LIST}- [ ] New\n  - Verify: `sh d.sh`\n");
    let merged = merged("TODO.md", LIST, &ours, &theirs);
    let text = String::from_utf8(merged.bytes).unwrap();
    let wanted =
        "- [ ] New\n<<<<<<< ours\n  - Verify: `sh c.sh`\n=======\n  - Verify: `sh d.sh`\n>>>>>>> theirs\n";
    assert!(text.ends_with(wanted), "{text}");
    assert_eq!(merged.conflicts.len(), 1);
}

#[test]
fn a_loosened_check_is_a_conflict_although_the_other_side_left_it_alone() {
    let ours = LIST.replace("[ ] Three", "[x] Three");
    for (theirs, why) in [
        (
            LIST.replace(">= 3", ">= 2"),
            "theirs changes a check of task 1 'One': `sh a.sh` → >= 3 becomes `sh a.sh` → >= 2",
        ),
        (
            LIST.replace("sh a.sh", "true"),
            "theirs removes or replaces a check of task 1 'One': `sh a.sh` → >= 3",
        ),
        (
            LIST.replace("  - Verify: `sh b.sh`\n", ""),
            "theirs removes or replaces a check of task 2 'Two': `sh b.sh` → exit 0",
        ),
    ] {
        let merged = merged("TODO.md", LIST, &ours, &theirs);
        let text = String::from_utf8(merged.bytes).unwrap();
        assert_eq!(merged.conflicts, [why], "{text}");
        for marker in ["<<<<<<< ours\n", "=======\n", ">>>>>>> theirs\n"] {
            assert!(text.contains(marker), "{text}");
        }
        assert!(text.contains("[x] Three"), "{text}");
    }
    let stricter = merged("TODO.md", LIST, &ours, &LIST.replace(">= 3", ">= 4"));
    assert_eq!(stricter.conflicts, [""; 0]);
}

#[test]
fn a_tick_on_a_text_that_the_other_side_changed_is_taken_back_and_named() {
    let ours = LIST.replace("[ ] One", "[x] One").replace("[ ] Two", "[x] Two");
    let theirs = LIST.replace("`sh b.sh`\n", "`sh b.sh`\n  - Verify: `sh more.sh`\n");
    for (one, other, who) in [(&ours, &theirs, ("ours", "theirs")), (&theirs, &ours, ("theirs", "ours"))] {
        let merged = merged("TODO.md", LIST, one, other);
        let text = String::from_utf8(merged.bytes).unwrap();
        assert_eq!(text, theirs.replace("[ ] One", "[x] One"));
        assert_eq!(merged.conflicts, [""; 0]);
        let wanted = format!(
            "task 2 'Two' is open again: {} ticked it, and {} changed what it asks for",
            who.0, who.1
        );
        assert_eq!(merged.reopened, [wanted]);
    }
}

#[test]
fn a_task_that_one_side_ticked_and_the_other_removed_is_a_conflict() {
    let ours = LIST.replace("[ ] Three", "[x] Three");
    let theirs = LIST.replace("- [ ] Three\n", "").replace("Work", "The work");
    let merged = merged("TODO.md", LIST, &ours, &theirs);
    let text = String::from_utf8(merged.bytes).unwrap();
    assert!(text.ends_with("<<<<<<< ours\n- [x] Three\n=======\n>>>>>>> theirs\n"), "{text}");
    assert_eq!(merged.conflicts, ["ours decided on task 3 'Three', and theirs removed or changed it"]);
}

#[test]
fn a_weakened_check_of_a_task_that_the_other_side_ticked_is_a_conflict() {
    let ours = LIST.replace("[ ] One", "[x] One");
    for theirs in [LIST.replace(">= 3", ">= 1"), LIST.replace("  - Verify: `sh a.sh` → >= 3\n", "")] {
        let merged = merged("TODO.md", LIST, &ours, &theirs);
        let text = String::from_utf8(merged.bytes).unwrap();
        assert_eq!((merged.conflicts.len(), merged.reopened.len()), (1, 1), "{text}");
        assert!(text.contains("<<<<<<< ours\n  - Verify: `sh a.sh` → >= 3\n=======\n"), "{text}");
        assert!(text.contains("[ ] One"), "{text}");
    }
}

#[test]
fn other_line_ends_take_no_tick_away() {
    let crlf = |text: &str| text.replace('\n', "\r\n");
    let ours = LIST.replace("[ ] One", "[x] One");
    let theirs = crlf(&LIST.replace("[ ] Two", "[x] Two"));
    for (one, other) in [(ours.as_bytes(), theirs.as_bytes()), (theirs.as_bytes(), ours.as_bytes())] {
        let versions = Versions { path: "TODO.md", base: LIST.as_bytes(), ours: one, theirs: other };
        let merged = merge(&versions, &Markers::default()).unwrap();
        assert_eq!((merged.conflicts.len(), merged.reopened.len()), (0, 0));
        let wanted = crlf(&ours.replace("[ ] Two", "[x] Two"));
        assert_eq!(String::from_utf8(merged.bytes).unwrap(), wanted);
    }
}

#[test]
fn tasks_that_one_side_moved_keep_the_ticks_of_the_other() {
    let base = "# Work\n\n- [ ] One\n  - [ ] a part\n- [ ] Two\n  - Verify: `sh b.sh`\n- [ ] Three\n";
    let moved = "# Work\n\n- [ ] Three\n- [ ] Two\n  - Verify: `sh b.sh`\n- [ ] One\n  - [ ] a part\n";
    let ticked = base.replace("[ ] Two", "[x] Two").replace("[ ] Three", "[x] Three");
    let wanted = moved.replace("[ ] Two", "[x] Two").replace("[ ] Three", "[x] Three");
    for (one, other) in [(moved, ticked.as_str()), (ticked.as_str(), moved)] {
        let merged = merged("TODO.md", base, one, other);
        assert_eq!(merged.conflicts, [""; 0]);
        assert_eq!(String::from_utf8(merged.bytes).unwrap(), wanted);
    }
}

#[test]
fn two_new_tasks_with_one_id_are_a_conflict() {
    let base = "{\"userStories\": [\n  {\"id\": \"US-001\", \"title\": \"Dig\", \"passes\": false}\n]}\n";
    let with = |title: &str, passes: bool| {
        let story = format!(",\n  {{\"id\": \"US-002\", \"title\": \"{title}\", \"passes\": {passes}}}\n]}}");
        base.replace("\n]}", &story)
    };
    let merged = merged("prd.json", base, &with("Build", true), &with("Paint", false));
    let text = String::from_utf8(merged.bytes).unwrap();
    assert_eq!(merged.conflicts, ["both sides added a task US-002: 'Build' and 'Paint'"], "{text}");
    assert!(text.contains("<<<<<<< ours\n"), "{text}");
}

const DATA: &str = r#"{"master": {"tasks": [{"id": 1, "title": "Dig", "status": "pending", "dependencies": []}, {"id": 2, "title": "Build", "status": "pending", "dependencies": [1]}], "metadata": {"updated": "2026-01-01T00:00:00Z"}}}"#;

#[test]
fn data_in_one_line_is_merged_by_its_tokens() {
    let done = |title: &str, text: &str| {
        text.replace(
            &format!("\"{title}\", \"status\": \"pending\""),
            &format!("\"{title}\", \"status\": \"done\""),
        )
    };
    let ours = done("Dig", DATA).replace("01-01T", "02-01T");
    let theirs = done("Build", DATA)
        .replace("01-01T", "02-02T")
        .replace("[1]}]", r#"[1]}, {"id": 3, "title": "Paint", "status": "pending", "dependencies": []}]"#);
    let both = merged("tasks.json", DATA, &ours, &theirs);
    assert_eq!(both.conflicts, [""; 0]);
    assert_eq!(String::from_utf8(both.bytes).unwrap(), done("Dig", &theirs));
    let mine = theirs.replace("Paint", "Roof").replace("\"id\": 3", "\"id\": 4");
    let more = merged("tasks.json", DATA, &mine, &theirs);
    let text = String::from_utf8(more.bytes).unwrap();
    assert_eq!(more.conflicts, [""; 0], "{text}");
    assert_eq!(states("tasks.json", &text).len(), 4, "{text}");
    let other = DATA.replace("Dig", "Drill");
    let clash = merged("tasks.json", DATA, &DATA.replace("Dig", "Burrow"), &other);
    let text = String::from_utf8(clash.bytes).unwrap();
    assert!(text.starts_with("<<<<<<< ours\n{"), "{text}");
    assert_eq!(clash.conflicts.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever both sides do to the lines: no panic; without a conflict every line is one that a side has; with one it is
    /// marked.
    #[test]
    fn every_line_comes_from_a_side(
        which in any::<prop::sample::Index>(),
        ours in prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8), 0..3),
        theirs in prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8), 0..3),
    ) {
        let (_, path, base) = plans()[which.index(plans().len())];
        let (ours, theirs) = (changed(base, &ours), changed(base, &theirs));
        let versions = Versions { path, base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
        let Some(merged) = by_tasks(&versions, &Markers::default()) else { return Ok(()) };
        let text = String::from_utf8(merged.bytes).unwrap();
        let is_marked = text.contains("<<<<<<< ours\n") && text.contains(">>>>>>> theirs\n");
        prop_assert_eq!(is_marked, !merged.conflicts.is_empty(), "{}", text);
        if merged.conflicts.is_empty() {
            prop_assert!(read(path, text.as_bytes()).is_some(), "{}", text);
        }
    }
}

/// The text with lines removed, doubled, ticked or moved.
fn changed(text: &str, changes: &[(prop::sample::Index, u8)]) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    for (at, what) in changes {
        let at = at.index(lines.len());
        match what {
            0 if lines.len() > 1 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[at].clone()),
            2 => lines[at] = lines[at].replace("[ ]", "[x]").replace("\"pending\"", "\"done\""),
            _ => {
                let last = lines.len() - 1;
                lines.swap(at, last);
            }
        }
    }
    lines.concat()
}
