//! One table from tool names to kinds, for all clients. Names are exact and case-sensitive.
//!
//! `TaskCreate` and similar tools manage to-do lists and spawn nothing: no name matches by prefix, except for
//! `mcp__`, which every client uses for tools of MCP servers.

use std::collections::BTreeMap;

/// The kind of a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Changes an existing file.
    Edit,
    /// Writes a whole file.
    Write,
    /// Runs a command.
    Shell,
    /// Reads a file or a page.
    Read,
    /// Searches for files, text or pages.
    Search,
    /// Starts another agent.
    Spawn,
    /// A tool of an MCP server.
    Mcp,
    /// Reports that the work is finished.
    Complete,
    /// Anything else.
    #[default]
    Other,
}

/// The table: every name that has a kind.
#[rustfmt::skip]
pub const TABLE: &[(Kind, &[&str])] = &[
    (Kind::Edit, &[
        "Edit", "MultiEdit", "NotebookEdit", "edit", "multiedit", "patch", "replace", "apply_patch", "apply_diff",
        "replace_in_file", "editor", "search_and_replace", "search_replace", "edit_file", "insert_content", "text_editor",
        "editedExistingFile", "appliedDiff", "insertContent", "searchAndReplace", "deleteFile", "fileDeleted",
        "delete_file", "file_change", "FileChange", "str_replace_editor", "str_replace_based_edit_tool",
    ]),
    (Kind::Write, &["Write", "write", "write_file", "write_to_file", "newFileCreated", "new_rule"]),
    (Kind::Shell, &[
        "Bash", "bash", "exec_command", "shell_command", "shell", "local_shell_call", "local_shell", "exec",
        "run_shell_command", "execute_command", "run_commands", "command", "command_execution", "CommandExecution", "write_stdin", "unified_exec",
        "BashOutput", "KillShell",
    ]),
    (Kind::Read, &[
        "Read", "NotebookRead", "read", "read_file", "read_many_files", "read_files", "view_image", "readFile", "WebFetch",
        "webfetch", "web_fetch", "list_code_definition_names", "listCodeDefinitionNames", "fetchInstructions",
        "fetch_instructions", "webFetch", "analyze",
    ]),
    (Kind::Search, &[
        "Grep", "Glob", "LS", "WebSearch", "grep", "glob", "list", "grep_search", "search_file_content",
        "list_directory", "google_web_search", "web_search", "websearch", "codesearch", "search_files",
        "list_files", "codebase_search", "searchFiles", "listFilesTopLevel", "listFilesRecursive",
        "codebaseSearch", "tree", "webSearch", "WebSearchCall", "web_search_call",
    ]),
    (Kind::Spawn, &[
        "Agent", "Task", "task", "spawn_agent", "invoke_agent", "delegate", "new_task", "newTask", "use_subagents",
        "subagent",
    ]),
    (Kind::Mcp, &["use_mcp_tool", "use_mcp_server", "access_mcp_resource", "mcp_tool_call", "McpToolCall"]),
    (Kind::Complete, &["attempt_completion", "complete_task", "finishTask", "submit_and_exit"]),
];

impl Kind {
    /// The kind of a tool according to the table.
    pub fn of(name: &str) -> Self {
        let row = TABLE.iter().find(|(_, names)| names.contains(&name));
        match row {
            Some((kind, _)) => *kind,
            None if name.starts_with("mcp__") => Self::Mcp,
            None => Self::Other,
        }
    }

    /// The word for the kind in cards and in text.
    pub fn word(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Write => "write",
            Self::Shell => "shell",
            Self::Read => "read",
            Self::Search => "search",
            Self::Spawn => "spawn",
            Self::Mcp => "mcp",
            Self::Complete => "complete",
            Self::Other => "other",
        }
    }

    /// The kind for a word.
    pub fn parse(word: &str) -> Option<Self> {
        ALL.into_iter().find(|kind| kind.word() == word)
    }
}

const ALL: [Kind; 9] = [
    Kind::Edit,
    Kind::Write,
    Kind::Shell,
    Kind::Read,
    Kind::Search,
    Kind::Spawn,
    Kind::Mcp,
    Kind::Complete,
    Kind::Other,
];

/// A user's own rows, which take precedence over the table. A name that ends in `*` is a prefix.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kinds {
    own: BTreeMap<String, Kind>,
    begins: BTreeMap<String, Kind>,
}

impl Kinds {
    /// Sets the kind of `name`.
    pub fn set(&mut self, name: impl Into<String>, kind: Kind) {
        let name = name.into();
        match name.strip_suffix('*') {
            Some(beginning) => self.begins.insert(beginning.to_owned(), kind),
            None => self.own.insert(name, kind),
        };
    }

    /// The kind of `name`: the user's, otherwise the table's.
    pub fn of(&self, name: &str) -> Kind {
        self.own_kind(name).unwrap_or_else(|| Kind::of(name))
    }

    /// Gives a call the user's kind, if there is one for its name.
    pub fn mark(&self, call: &mut crate::Call) {
        if let Some(kind) = self.own_kind(&call.name) {
            call.kind = kind;
        }
    }

    /// The exact name wins, then the longest prefix.
    fn own_kind(&self, name: &str) -> Option<Kind> {
        let begins = self.begins.iter().filter(|(beginning, _)| name.starts_with(beginning.as_str()));
        let longest = || begins.max_by_key(|(beginning, _)| beginning.len()).map(|(_, kind)| *kind);
        self.own.get(name).copied().or_else(longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_name_stands_in_two_rows() {
        let mut seen = HashSet::new();
        for name in TABLE.iter().flat_map(|(_, names)| *names) {
            assert!(seen.insert(name), "{name}");
        }
    }

    #[test]
    fn to_do_tools_are_no_spawns() {
        assert_eq!(Kind::of("Task"), Kind::Spawn);
        assert_eq!(Kind::of("TaskCreate"), Kind::Other);
        assert_eq!(Kind::of("mcp__server__tool"), Kind::Mcp);
    }

    #[test]
    fn words_and_kinds_go_both_ways() {
        for kind in ALL {
            assert_eq!(Kind::parse(kind.word()), Some(kind));
        }
        assert_eq!(Kind::parse("Edit"), None);
    }

    #[test]
    fn own_rows_win() {
        let mut kinds = Kinds::default();
        kinds.set("deploy", Kind::Shell);
        kinds.set("Write", Kind::Edit);
        assert_eq!(kinds.of("deploy"), Kind::Shell);
        assert_eq!(kinds.of("Write"), Kind::Edit);
        assert_eq!(kinds.of("Read"), Kind::Read);
        kinds.set("acme_*", Kind::Mcp);
        kinds.set("acme_edit_*", Kind::Edit);
        assert_eq!((kinds.of("acme_find"), kinds.of("acme_edit_file")), (Kind::Mcp, Kind::Edit));
    }
}
