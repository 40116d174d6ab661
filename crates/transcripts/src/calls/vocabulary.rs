//! The words that clients really write: every tool name, and the form of the keys of other punches.
//!
//! A card that waits for a word found in no record can neither be met nor broken; `punch lint` looks the words up
//! here. MCP servers name their own tools, so no list contains them.

/// The words of one client.
#[derive(Debug, Clone, Copy)]
pub struct Vocabulary {
    /// The client's row in [`crate::table`], or one of its forms.
    pub name: &'static str,
    /// A description in a few words.
    pub about: &'static str,
    /// Every tool by its own name.
    pub tools: &'static [&'static str],
    /// Whether the name of a started agent is a title for people ("Code Fabricator") rather than an id.
    pub spawns_by_title: bool,
}

/// All vocabularies.
pub fn vocabularies() -> &'static [Vocabulary] {
    TABLE
}

const CLAUDE: &[&str] = &[
    "Agent",
    "Task",
    "Bash",
    "BashOutput",
    "KillShell",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "Read",
    "Write",
    "Glob",
    "Grep",
    "LS",
    "WebFetch",
    "WebSearch",
    "TodoWrite",
    "TaskCreate",
    "TaskUpdate",
    "TaskList",
    "TaskStop",
    "TaskOutput",
    "Skill",
    "ToolSearch",
    "Workflow",
    "ExitPlanMode",
    "SlashCommand",
    "ListAgents",
    "ReportFindings",
    "ScheduleWakeup",
];
const CODEX: &[&str] = &[
    "shell",
    "shell_command",
    "local_shell_call",
    "exec_command",
    "write_stdin",
    "exec",
    "apply_patch",
    "update_plan",
    "view_image",
    "web_search_call",
    "spawn_agent",
    "wait_agent",
    "wait",
    "send_input",
    "close_agent",
    "CommandExecution",
    "FileChange",
    "McpToolCall",
    "command_execution",
    "file_change",
    "mcp_tool_call",
    "web_search",
];
const OPENCODE: &[&str] = &[
    "bash",
    "edit",
    "multiedit",
    "patch",
    "apply_patch",
    "write",
    "read",
    "glob",
    "grep",
    "list",
    "task",
    "todowrite",
    "todoread",
    "webfetch",
    "websearch",
    "codesearch",
    "skill",
    "invalid",
];
const GEMINI: &[&str] = &[
    "write_file",
    "replace",
    "run_shell_command",
    "read_file",
    "read_many_files",
    "grep_search",
    "search_file_content",
    "glob",
    "list_directory",
    "write_todos",
    "save_memory",
    "invoke_agent",
    "complete_task",
    "google_web_search",
    "web_fetch",
];
const GOOSE: &[&str] =
    &["write", "edit", "shell", "delegate", "tree", "analyze", "todo__todo_write", "text_editor", "subagent"];
/// Names that the user interface of Cline, Roo and the Kilo extension logs; these are not the model's names.
const EXTENSION: &[&str] = &[
    "editedExistingFile",
    "appliedDiff",
    "newFileCreated",
    "readFile",
    "searchFiles",
    "listFilesTopLevel",
    "listFilesRecursive",
    "listCodeDefinitionNames",
    "codebaseSearch",
    "switchMode",
    "newTask",
    "finishTask",
    "updateTodoList",
    "deleteFile",
    "fileDeleted",
    "fetchInstructions",
    "generateImage",
    "imageGenerated",
    "runSlashCommand",
    "insertContent",
    "searchAndReplace",
    "webFetch",
    "webSearch",
    "execute_command",
    "use_mcp_tool",
    "browser_action",
    "attempt_completion",
];
/// The tools offered to the model in the same family, as named in its conversation.
const EXTENSION_API: &[&str] = &[
    "execute_command",
    "read_file",
    "write_to_file",
    "apply_diff",
    "replace_in_file",
    "search_and_replace",
    "search_replace",
    "edit_file",
    "insert_content",
    "apply_patch",
    "delete_file",
    "search_files",
    "list_files",
    "list_code_definition_names",
    "codebase_search",
    "ask_followup_question",
    "attempt_completion",
    "switch_mode",
    "new_task",
    "update_todo_list",
    "run_slash_command",
    "fetch_instructions",
    "use_mcp_tool",
    "access_mcp_resource",
    "use_subagents",
    "browser_action",
    "new_rule",
    "editor",
    "run_commands",
    "read_files",
    "submit_and_exit",
];
const AIDER: &[&str] = &["edit", "run"];

#[rustfmt::skip]
const TABLE: &[Vocabulary] = &[
    Vocabulary { name: "claude", about: "Claude Code", tools: CLAUDE, spawns_by_title: false },
    Vocabulary { name: "codex", about: "Codex", tools: CODEX, spawns_by_title: false },
    Vocabulary { name: "opencode", about: "opencode", tools: OPENCODE, spawns_by_title: false },
    Vocabulary { name: "kilo", about: "Kilo CLI", tools: OPENCODE, spawns_by_title: false },
    Vocabulary { name: "gemini", about: "Gemini CLI", tools: GEMINI, spawns_by_title: false },
    Vocabulary { name: "goose", about: "goose", tools: GOOSE, spawns_by_title: false },
    Vocabulary { name: "extension", about: "Cline, Roo and Kilo extension: ui_messages.json", tools: EXTENSION, spawns_by_title: true },
    Vocabulary { name: "extension-api", about: "Cline, Roo and Kilo extension: api_conversation_history.json", tools: EXTENSION_API, spawns_by_title: false },
    Vocabulary { name: "aider", about: "aider", tools: AIDER, spawns_by_title: false },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, TABLE as KINDS};

    #[test]
    fn no_name_with_a_kind_is_foreign_to_every_client() {
        // Names of plain events, of other agents and of older forms belong to no client of the table.
        let foreign = [
            "command",
            "str_replace_editor",
            "str_replace_based_edit_tool",
            "unified_exec",
            "local_shell",
            "use_mcp_server",
            "WebSearchCall",
        ];
        for name in KINDS.iter().flat_map(|(_, names)| *names).filter(|name| !foreign.contains(name)) {
            assert!(TABLE.iter().any(|words| words.tools.contains(name)), "{name}");
        }
    }

    #[test]
    fn every_client_can_edit_by_some_name() {
        for words in TABLE {
            assert!(words.tools.iter().any(|name| Kind::of(name) == Kind::Edit), "{}", words.name);
        }
    }
}
