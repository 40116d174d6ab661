//! Calls written as XML in the text of a message, as Cline and Roo have their models write them.
//!
//! A call runs from its opening to its closing tag; everything in between is arguments, whatever it looks like. A
//! call that is never closed was never made.

/// Every tool that can be called this way.
#[rustfmt::skip]
const TOOLS: &[&str] = &[
    "write_to_file", "replace_in_file", "apply_diff", "execute_command", "read_file", "new_task", "use_subagents",
    "attempt_completion", "search_files", "list_files", "list_code_definition_names", "browser_action",
    "use_mcp_tool", "access_mcp_resource", "ask_followup_question", "plan_mode_respond", "load_mcp_documentation",
    "insert_content", "search_and_replace", "search_replace", "edit_file", "apply_patch", "delete_file",
    "switch_mode", "update_todo_list", "run_slash_command", "fetch_instructions", "codebase_search", "new_rule",
    "condense", "report_bug", "web_fetch", "web_search", "generate_image", "skill", "use_skill",
];

/// One call in a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found<'t> {
    /// Where the opening tag begins.
    pub(crate) start: usize,
    pub(crate) name: &'static str,
    body: &'t str,
}

impl<'t> Found<'t> {
    /// The object of the call.
    pub(crate) fn target(&self) -> Option<String> {
        if let (Some(server), Some(tool)) = (self.value("server_name"), self.value("tool_name")) {
            return Some(format!("{server}:{tool}"));
        }
        let names = ["path", "file_path", "command", "url", "mode", "mode_slug", "query", "uri", "question"];
        names.iter().find_map(|name| self.value(name)).map(str::to_owned)
    }

    /// The text of an argument.
    pub(crate) fn value(&self, name: &str) -> Option<&'t str> {
        let (_, after) = self.body.split_once(&format!("<{name}>"))?;
        let (value, _) = after.split_once(&format!("</{name}>"))?;
        Some(value.trim())
    }
}

/// The calls of a text in order.
pub(crate) fn calls(text: &str) -> Vec<Found<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = text[at..].find('<') {
        let start = at + offset;
        at = start + 1;
        let Some(name) = tool(&text[at..]) else { continue };
        let body = at + name.len() + 1;
        let Some(length) = text[body..].find(&format!("</{name}>")) else { continue };
        found.push(Found { start, name, body: &text[body..body + length] });
        at = body + length + name.len() + 3;
    }
    found
}

/// The tool whose opening tag continues here.
fn tool(text: &str) -> Option<&'static str> {
    TOOLS.iter().copied().find(|name| text.strip_prefix(name).is_some_and(|after| after.starts_with('>')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_call_writes_is_no_call() {
        let text = "Now.\n<write_to_file>\n<path>doc.md</path>\n<content>\n<execute_command>\n<command>rm x</command>\n\
                    </execute_command>\n</content>\n</write_to_file>\n<read_file><path>a</path></read_file>";
        let found = calls(text);
        let got: Vec<_> = found.iter().map(|call| (call.name, call.target())).collect();
        assert_eq!(got, [("write_to_file", Some("doc.md".into())), ("read_file", Some("a".into()))]);
        assert_eq!(&text[..found[0].start], "Now.\n");
    }

    #[test]
    fn an_open_call_was_never_made() {
        assert!(calls("<execute_command>\n<command>rm x").is_empty());
        assert!(calls("the tag <execute_commands> and 3 < 4").is_empty());
    }

    #[test]
    fn an_mcp_tool_is_named_with_its_server() {
        let text = "<use_mcp_tool><server_name>s</server_name><tool_name>t</tool_name></use_mcp_tool>";
        assert_eq!(calls(text)[0].target().as_deref(), Some("s:t"));
    }
}
