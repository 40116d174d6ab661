//! An intact chain is accepted; a broken one is refused, naming the link.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![expect(clippy::disallowed_methods, reason = "a test lays out its own files")]

use sessions::resume;
use sessions::{Chain, Draft, Live, Over, Position, SessionText, Stage, Target, export};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const NOW: &str = "2026-01-31T12:00:00Z";
const DAY: &str = "2026-01-31";

/// A folder with a chain of task `core-1`: prep, two subtasks and the tests.
struct Shelf(TempDir);

impl Shelf {
    fn new() -> Self {
        let shelf = Self(tempfile::tempdir().unwrap());
        shelf.prep("core-1");
        for position in [Position::Subtask(1), Position::Subtask(2), Position::Tests] {
            shelf.grow(position, &shelf.last());
        }
        assert!(shelf.chain().is_whole(), "{:?}", shelf.chain().problems());
        shelf
    }

    fn dir(&self) -> &Path {
        self.0.path()
    }

    fn live(&self) -> Live {
        Live::at(self.dir(), None).unwrap()
    }

    fn think(&self, text: &str, tag: &str) {
        let draft = |number| Draft {
            thought: text.into(),
            number,
            total: number,
            tags: vec![tag.into()],
            timestamp: NOW.into(),
            ..Draft::of(Stage::Conclusion)
        };
        self.live().think(NOW, draft).unwrap();
    }

    fn prep(&self, task: &str) -> PathBuf {
        self.live().clear(NOW).unwrap();
        self.think(&format!("the plan of {task}"), "decision");
        let target = Target::link(self.dir(), task, Position::Prep, DAY, Over::Refuse);
        export(&self.live(), &target, NOW).unwrap();
        target.path
    }

    fn grow(&self, position: Position, from: &Path) -> PathBuf {
        self.live().import(&SessionText::open(from).unwrap(), NOW).unwrap();
        self.think(&format!("at {position}"), &position.to_string());
        let target = Target::link(self.dir(), "core-1", position, DAY, Over::Refuse);
        export(&self.live(), &target, NOW).unwrap();
        target.path
    }

    fn last(&self) -> PathBuf {
        self.chain().last_whole().unwrap().path.clone().into()
    }

    fn path(&self, link: &str) -> PathBuf {
        let kind = if link == "prep" { "task" } else { "execution" };
        self.dir().join(format!("{kind}-core-1-{link}-{DAY}.json"))
    }

    fn chain(&self) -> Chain {
        Chain::read(self.dir(), "core-1").unwrap()
    }

    fn edit(&self, link: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(link)).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(self.path(link), text.replace(from, to)).unwrap();
    }

    /// The problems, each as `code link`.
    fn wrong(&self) -> Vec<String> {
        self.chain().problems().iter().map(|problem| format!("{} {}", problem.code, problem.link)).collect()
    }

    fn next(&self) -> String {
        resume(&self.chain()).unwrap().next
    }
}

#[test]
fn a_whole_chain_shows_each_link_with_its_parent() {
    let shelf = Shelf::new();
    let document = shelf.chain().document();
    let links: Vec<_> =
        document.links.iter().map(|link| (link.link.as_str(), link.thoughts, link.added)).collect();
    assert_eq!(links, [("prep", 1, 1), ("subtask-1", 2, 1), ("subtask-2", 3, 1), ("tests", 4, 1)]);
    for pair in document.links.windows(2) {
        assert_eq!(pair[1].parent.as_ref().unwrap().sha256, pair[0].sha256);
    }
    assert_eq!(shelf.next(), "done");
}

#[test]
fn a_missing_link_is_named() {
    let shelf = Shelf::new();
    fs::remove_file(shelf.path("subtask-1")).unwrap();
    assert_eq!(shelf.wrong(), ["missing-link subtask-1", "missing-link subtask-2"]);
    assert_eq!(shelf.next(), "subtask-1");
    fs::remove_file(shelf.path("prep")).unwrap();
    assert!(shelf.wrong().contains(&"missing-link prep".to_owned()), "{:?}", shelf.wrong());
    assert_eq!(shelf.next(), "prep");
}

#[test]
fn a_forked_link_is_named() {
    let shelf = Shelf::new();
    let twin = shelf.path("subtask-2").with_file_name("execution-core-1-subtask-2-2026-02-01.json");
    fs::copy(shelf.path("subtask-2"), twin).unwrap();
    assert_eq!(shelf.wrong()[0], "doubled-link subtask-2");
    assert_eq!(shelf.next(), "subtask-2");

    // A second subtask that follows the preparation, made in another folder and copied here.
    let shelf = Shelf::new();
    let other = Shelf(tempfile::tempdir().unwrap());
    fs::copy(shelf.path("prep"), other.path("prep")).unwrap();
    let made = other.grow(Position::Subtask(2), &other.path("prep"));
    fs::copy(made, shelf.path("subtask-2")).unwrap();
    assert!(shelf.wrong().contains(&"forked-link subtask-2".to_owned()), "{:?}", shelf.wrong());
    assert_eq!(shelf.next(), "subtask-2");
}

#[test]
fn an_edited_link_is_named_wherever_it_stands() {
    for (link, next) in [("prep", "prep"), ("subtask-1", "subtask-1"), ("tests", "tests")] {
        let shelf = Shelf::new();
        let (from, to) =
            if link == "prep" { ("the plan of", "the other plan of") } else { ("at ", "not at ") };
        shelf.edit(link, from, to);
        assert!(shelf.wrong().contains(&format!("edited-link {link}")), "{:?}", shelf.wrong());
        let expected = if next == "tests" { "subtask-3" } else { next };
        assert_eq!(shelf.next(), expected, "the first link that is not whole is made again");
    }
}

#[test]
fn an_edit_outside_the_thoughts_shows_by_the_link_behind_it() {
    let shelf = Shelf::new();
    shelf.edit("subtask-1", "\"exportedAt\"", "\"exported_at\"");
    assert_eq!(shelf.wrong(), ["edited-link subtask-1"]);
}

#[test]
fn a_foreign_link_is_named() {
    let shelf = Shelf::new();
    let other = shelf.prep("core-2");
    fs::copy(&other, shelf.path("tests")).unwrap();
    assert!(shelf.wrong().contains(&"foreign-link tests".to_owned()), "{:?}", shelf.wrong());
    // Thoughts of another task in an otherwise intact link.
    let shelf = Shelf::new();
    shelf.prep("other");
    shelf.live().import(&SessionText::open(&shelf.path("subtask-2")).unwrap(), NOW).unwrap();
    shelf.think("somebody else's", "other");
    let target = Target::link(shelf.dir(), "core-1", Position::Tests, "2026-01-31", Over::Replace);
    export(&shelf.live(), &target, NOW).unwrap();
    assert_eq!(shelf.wrong(), ["foreign-link tests"]);
}

#[test]
fn an_unreadable_link_is_named() {
    let shelf = Shelf::new();
    fs::write(shelf.path("subtask-2"), "{\"thoughts\": [").unwrap();
    assert_eq!(shelf.wrong()[0], "unreadable-link subtask-2");
    assert_eq!(shelf.next(), "subtask-2");
}

#[test]
fn links_of_another_program_are_held_by_their_thoughts() {
    let shelf = Shelf::new();
    fs::remove_file(shelf.path("tests")).unwrap();
    // The thinking server writes the thoughts and knows nothing of chains.
    let bare = |link: &str, drop: &str| {
        let text = fs::read_to_string(shelf.path(link)).unwrap();
        let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
        value.as_object_mut().unwrap().remove("chain");
        if !drop.is_empty() {
            value["thoughts"].as_array_mut().unwrap().retain(|thought| thought["thought"] != drop);
        }
        fs::write(shelf.path(link), serde_json::to_string_pretty(&value).unwrap()).unwrap();
    };
    bare("subtask-2", "");
    let document = shelf.chain().document();
    assert!(document.ok, "{:?}", document.problems);
    assert_eq!(document.links[2].held_by.as_deref(), Some("thoughts"));
    bare("subtask-2", "at subtask-1");
    assert_eq!(shelf.wrong(), ["forked-link subtask-2"]);
    bare("subtask-2", "the plan of core-1");
    assert_eq!(shelf.wrong(), ["foreign-link subtask-2"]);
}

#[test]
fn of_several_preparations_the_one_that_was_used_counts() {
    let shelf = Shelf::new();
    let newer = shelf.path("prep").with_file_name("task-core-1-prep-2026-02-01.json");
    let text = fs::read_to_string(shelf.path("prep")).unwrap();
    fs::write(&newer, text.replace("\"chain\"", "\"was\"").replace("the plan", "a later plan")).unwrap();
    assert!(shelf.chain().is_whole(), "{:?}", shelf.chain().problems());
    assert_eq!(shelf.chain().at(Position::Prep).unwrap().date, DAY);
}

#[test]
fn no_link_is_written_that_would_break_the_chain() {
    let shelf = Shelf::new();
    let refused = |position, from: &str| {
        shelf.live().import(&SessionText::open(&shelf.path(from)).unwrap(), NOW).unwrap();
        shelf.think("more", "x");
        let target = Target::link(shelf.dir(), "core-1", position, "2026-01-31", Over::Refuse);
        export(&shelf.live(), &target, NOW).unwrap_err().code
    };
    assert_eq!(refused(Position::Tests, "subtask-1"), "forked-link");
    assert_eq!(refused(Position::Tests, "subtask-2"), "would-lose");
    shelf.edit("subtask-1", "at subtask-1", "elsewhere");
    assert_eq!(refused(Position::Tests, "subtask-2"), "edited-link");
    shelf.live().clear(NOW).unwrap();
    shelf.think("from nothing", "x");
    let target = Target::link(shelf.dir(), "core-1", Position::Subtask(1), DAY, Over::Refuse);
    assert_eq!(export(&shelf.live(), &target, NOW).unwrap_err().code, "missing-link");
}

#[test]
fn a_task_without_a_session_is_missing_input() {
    let shelf = Shelf::new();
    for (dir, task) in [(shelf.dir().to_path_buf(), "core-9"), (shelf.dir().join("nowhere"), "core-1")] {
        assert_eq!(Chain::read(&dir, task).unwrap_err().exit, toolkit::Exit::NoInput);
    }
}
