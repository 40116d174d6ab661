//! The answer to an agent that asks whether it may use a tool.

use super::calls::nature;
use config::workers::Permissions;
use serde_json::{Value, json};
use std::path::{Component, Path, PathBuf};

/// Whether the rights allow the call that a request is about. With `edit` it may read, search and think, and edit what is
/// in its tree; it may start no commands and fetch nothing, as any client with these rights.
pub(super) fn allows(rights: Permissions, params: &Value, tree: &Path) -> bool {
    let call = params.get("toolCall").unwrap_or(&Value::Null);
    // What an agent calls a read may be a command.
    let kind = match nature(call) {
        Some("shell") => Some("execute"),
        nature => nature.or(call.get("kind").and_then(Value::as_str)),
    };
    match (rights, kind) {
        (Permissions::All, _) | (_, Some("read" | "search" | "think")) => true,
        (Permissions::Edit, Some("edit" | "delete" | "move")) => {
            places(call).all(|path| is_below(&path, tree))
        }
        (Permissions::Edit, _) => false,
    }
}

/// Every path that a call names.
fn places(call: &Value) -> impl Iterator<Item = PathBuf> {
    let listed = |list: &str| call.get(list).and_then(Value::as_array).into_iter().flatten();
    let shown = listed("locations").chain(listed("content")).filter_map(|place| place.get("path")?.as_str());
    let input = call.get("rawInput").into_iter();
    let names = ["file_path", "filePath", "path", "abs_path", "new_path"];
    let given = input.flat_map(move |input| names.into_iter().filter_map(|name| input.get(name)?.as_str()));
    shown.chain(given).map(PathBuf::from)
}

fn is_below(path: &Path, tree: &Path) -> bool {
    let path = tree.join(path);
    let climbs = path.components().any(|part| part == Component::ParentDir);
    let real = |path: &Path| path.canonicalize().ok();
    // The file may be new: then its nearest folder counts.
    let there = path.ancestors().find_map(real);
    let tree = real(tree).unwrap_or_else(|| tree.to_path_buf());
    !climbs && there.is_some_and(|there| there.starts_with(&tree))
}

/// The answer with the option that says so; without one the agent is told that it was cancelled.
pub(super) fn answer(is_allowed: bool, params: &Value) -> Value {
    let wanted: &[&str] =
        if is_allowed { &["allow_once", "allow_always"] } else { &["reject_once", "reject_always"] };
    let options = params.get("options").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let of_kind = |kind: &&str| {
        let option = options.iter().find(|o| o.get("kind").and_then(Value::as_str) == Some(*kind))?;
        option.get("optionId").and_then(Value::as_str)
    };
    match wanted.iter().find_map(of_kind) {
        Some(id) => json!({"outcome": {"outcome": "selected", "optionId": id}}),
        None => json!({"outcome": {"outcome": "cancelled"}}),
    }
}

#[cfg(test)]
mod tests {
    use super::{allows, answer};
    use config::workers::Permissions::{All, Edit};
    use serde_json::json;

    #[test]
    fn edits_stay_in_the_tree_and_commands_need_all_rights() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("tree");
        std::fs::create_dir(&tree).unwrap();
        std::os::unix::fs::symlink(folder.path(), tree.join("out")).unwrap();
        let edit = |path: &str| json!({"toolCall": {"kind": "edit", "locations": [{"path": path}]}});
        for (path, is_allowed) in [
            ("a/new.rs", true),
            (tree.join("a.rs").to_str().unwrap(), true),
            ("../a.rs", false),
            ("/etc/passwd", false),
            ("out/a.rs", false),
        ] {
            assert_eq!(allows(Edit, &edit(path), &tree), is_allowed, "{path}");
        }
        let hidden = json!({"toolCall": {"kind": "edit", "rawInput": {"file_path": "/etc/passwd"}}});
        assert!(!allows(Edit, &hidden, &tree));
        for kind in ["execute", "fetch", "other", "switch_mode"] {
            let asked = json!({"toolCall": {"kind": kind}});
            assert!(!allows(Edit, &asked, &tree) && allows(All, &asked, &tree), "{kind}");
        }
        assert!(!allows(Edit, &json!({}), &tree));
        let command =
            json!({"toolCall": {"kind": "read", "rawInput": {"command": ["sh", "-c", "cat a; rm b"]}}});
        assert!(!allows(Edit, &command, &tree), "a command is no read");
        assert!(allows(Edit, &json!({"toolCall": {"kind": "read"}}), &tree));
    }

    #[test]
    fn an_answer_is_an_option_that_there_is() {
        let options = json!({"options": [
            {"optionId": "yes", "kind": "allow_always"}, {"optionId": "once", "kind": "allow_once"},
            {"optionId": "no", "kind": "reject_once"},
        ]});
        assert_eq!(answer(true, &options)["outcome"]["optionId"], "once");
        assert_eq!(answer(false, &options)["outcome"]["optionId"], "no");
        assert_eq!(answer(false, &json!({"options": "none"}))["outcome"]["outcome"], "cancelled");
    }
}
