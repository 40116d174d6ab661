//! Byte for byte: everything that is not a mark is the same before and after.

use crate::place::Place;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

fn ticked(plan: &[u8], id: &str) -> Vec<u8> {
    let place = Place::with(plan);
    place.run(&["tick", id, "--reason", "r", "PLAN.md"]).exits(0);
    place.bytes("PLAN.md")
}

fn todo(id: &str, mark: &str) -> String {
    format!("### [{mark}] TODO {id}: Title of {id}\n\nText\n\n")
}

#[test]
fn todo_1_beside_todo_10() {
    let plan = format!("# P\n\n{}{}{}", todo("10", " "), todo("1", " "), todo("11", " "));
    let wanted = format!("# P\n\n{}{}{}", todo("10", " "), todo("1", "x"), todo("11", " "));
    assert_eq!(ticked(plan.as_bytes(), "1"), wanted.as_bytes());
    // Ticked already: the next similar one stays open.
    let place = Place::with(&wanted);
    place.run(&["tick", "1", "--reason", "r", "PLAN.md"]).exits(0).says("\"changed\":false");
    assert_eq!(place.text("PLAN.md"), wanted);
}

#[test]
fn a_duplicate_id_is_refused_with_both_lines() {
    let place = Place::with(format!("# P\n\n{}{}", todo("1", " "), todo("1", " ")));
    let before = place.bytes("PLAN.md");
    let got = place.run(&["tick", "1", "--reason", "r", "PLAN.md"]);
    assert_eq!(got.code, 65, "{got:?}");
    got.says("3").says("7");
    assert_eq!(place.bytes("PLAN.md"), before);
}

#[test]
fn the_final_task_and_ids_with_letters() {
    let plan = format!("# P\n\n{}{}{}", todo("P0-2", " "), todo("P0-2b", " "), todo("Final", " "));
    assert!(String::from_utf8(ticked(plan.as_bytes(), "Final")).unwrap().contains("### [x] TODO Final"));
    let text = String::from_utf8(ticked(plan.as_bytes(), "P0-2b")).unwrap();
    assert!(text.contains("### [x] TODO P0-2b") && text.contains("### [ ] TODO P0-2:"), "{text}");
}

#[test]
fn a_tilde_is_a_mark_like_any_other() {
    let plan = format!("# P\n\n{}{}", todo("1", "~"), todo("2", " "));
    let wanted = plan.replace("[~]", "[x]");
    assert_eq!(ticked(plan.as_bytes(), "1"), wanted.as_bytes());
}

#[test]
fn crlf_stays_crlf() {
    let plan = format!("# P\n\n{}{}", todo("1", " "), todo("2", " ")).replace('\n', "\r\n");
    let wanted = plan.replacen("[ ]", "[x]", 1);
    assert_eq!(ticked(plan.as_bytes(), "1"), wanted.as_bytes());
}

#[test]
fn byte_order_mark_no_line_end_and_bytes_that_are_no_text() {
    let mut plan = b"\xef\xbb\xbf# P\n\n- [ ] 1. one \xff\xfe\n- [ ] 2. two".to_vec();
    let second = ticked(&plan, "2");
    let at = plan.len() - "[ ] 2. two".len() + 1;
    plan[at] = b'x';
    assert_eq!(second, plan);
}

#[test]
fn every_kind_of_list_and_nested_boxes() {
    for bullet in ["-", "*", "+", "1.", "1)"] {
        let plan = format!("{bullet} [ ] first\n{bullet} [ ] second\n    {bullet} [ ] inside\n");
        let place = Place::with(&plan);
        let listed = place.run(&["list", "--text", "PLAN.md"]);
        let ids: Vec<String> = listed
            .exits(0)
            .out
            .lines()
            .filter_map(|l| l.split_whitespace().nth(1).map(str::to_owned))
            .collect();
        assert_eq!(ids.len(), 3, "{bullet}: {listed:?}");
        place.run(&["tick", &ids[2], "--reason", "r", "PLAN.md"]).exits(0);
        // What holds the last open part is done with it, and open again with it.
        let done = plan.replace("[ ] inside", "[x] inside").replace("[ ] second", "[x] second");
        assert_eq!(place.text("PLAN.md"), done, "{bullet}");
        place.run(&["untick", &ids[2], "--reason", "r", "PLAN.md"]).exits(0);
        assert_eq!(place.text("PLAN.md"), plan, "{bullet}");
    }
}

#[test]
fn one_byte_keeps_inode_and_hard_links_and_a_new_file_keeps_mode_and_link() {
    let place = Place::with("- [ ] 1. one\n- [] 2. two\n");
    fs::set_permissions(place.path("PLAN.md"), Permissions::from_mode(0o640)).unwrap();
    fs::hard_link(place.path("PLAN.md"), place.path("twin")).unwrap();
    symlink("PLAN.md", place.path("link.md")).unwrap();
    place.run(&["tick", "1", "--reason", "r", "link.md"]).exits(0);
    assert_eq!(place.text("twin"), "- [x] 1. one\n- [] 2. two\n", "the same file");
    let owner = place.path("PLAN.md").metadata().unwrap();
    place.run(&["tick", "2", "--reason", "r", "link.md"]).exits(0);
    let now = place.path("PLAN.md").metadata().unwrap();
    assert_eq!(place.text("PLAN.md"), "- [x] 1. one\n- [x] 2. two\n");
    assert_eq!((now.mode(), now.uid(), now.gid()), (owner.mode(), owner.uid(), owner.gid()));
    assert!(place.path("link.md").symlink_metadata().unwrap().is_symlink());
}

#[test]
fn tick_and_untick_are_the_identity() {
    for plan in ["- [ ] 1. one\n", "### [ ] TODO 1: One\r\n\r\ntext", "1) [ ] 1. one\n   - [ ] inside\n"] {
        let place = Place::with(plan);
        place.run(&["tick", "1", "--reason", "r", "PLAN.md"]).exits(0);
        assert_ne!(place.text("PLAN.md"), plan);
        place.run(&["untick", "1", "--reason", "r", "PLAN.md"]).exits(0);
        assert_eq!(place.text("PLAN.md"), plan);
    }
}
