//! `orchestrate init --for CLIENT`: the plugin of a client, written into a project and taken out of it again.
//!
//! A plugin is files in folders of its own, so nothing that is there is merged with. Where the client keeps a list of
//! plugins for its user, its own commands put the plugin there and take it away; if they cannot be run, they are named.

use crate::find::locate::top;
use crate::find::profile::quoted;
use crate::tools::Tools;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use toolkit::cli::tool;
use toolkit::files::fs;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};

/// The clients that plugins are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Client {
    /// Claude Code: a plugin with the tools, the hooks and the skill
    Claude,
    /// Codex: a plugin in a marketplace of the project
    Codex,
    /// Gemini CLI: an extension
    Gemini,
    /// opencode: a plugin, a command and the skill
    Opencode,
    /// Any client that reads Agent Skills: the skill alone
    Agents,
}

/// A file of a plugin, as seen from the top of the project; `@VERSION@` in its text is our version.
struct File {
    path: &'static str,
    text: &'static str,
}

/// The plugin of a client.
struct Plugin {
    program: &'static str,
    files: &'static [File],
    /// The client's own commands that add it and take it away; `@TOP@` is the project.
    add: &'static [&'static [&'static str]],
    remove: &'static [&'static [&'static str]],
    /// What is left to a person.
    then: &'static str,
}

const SKILL: &str = include_str!("../../plugins/SKILL.md");

const CLAUDE: Plugin = Plugin {
    program: "claude",
    files: &[
        File {
            path: ".claude/skills/plantools/.claude-plugin/plugin.json",
            text: include_str!("../../plugins/claude/plugin.json"),
        },
        File {
            path: ".claude/skills/plantools/hooks/hooks.json",
            text: include_str!("../../plugins/claude/hooks.json"),
        },
        File {
            path: ".claude/skills/plantools/.mcp.json",
            text: include_str!("../../plugins/claude/mcp.json"),
        },
        File { path: ".claude/skills/plantools/skills/plantools/SKILL.md", text: SKILL },
    ],
    add: &[],
    remove: &[],
    then: "Claude Code loads it in a project that you trust: claude plugin list",
};

const CODEX: Plugin = Plugin {
    program: "codex",
    files: &[
        File {
            path: ".agents/plugins/marketplace.json",
            text: include_str!("../../plugins/codex/marketplace.json"),
        },
        File {
            path: ".agents/plugins/plantools/.codex-plugin/plugin.json",
            text: include_str!("../../plugins/codex/plugin.json"),
        },
        File {
            path: ".agents/plugins/plantools/hooks/hooks.json",
            text: include_str!("../../plugins/codex/hooks.json"),
        },
        File {
            path: ".agents/plugins/plantools/.mcp.json",
            text: include_str!("../../plugins/codex/mcp.json"),
        },
        File { path: ".agents/plugins/plantools/skills/plantools/SKILL.md", text: SKILL },
    ],
    add: &[&["plugin", "marketplace", "add", "@TOP@"], &["plugin", "add", "plantools@plantools"]],
    remove: &[
        &["plugin", "remove", "plantools@plantools"],
        &["plugin", "marketplace", "remove", "plantools"],
    ],
    then: "Codex runs the hooks after you have confirmed them at its terminal: codex plugin list",
};

const GEMINI: Plugin = Plugin {
    program: "gemini",
    files: &[
        File {
            path: ".gemini/extensions/plantools/gemini-extension.json",
            text: include_str!("../../plugins/gemini/gemini-extension.json"),
        },
        File {
            path: ".gemini/extensions/plantools/hooks/hooks.json",
            text: include_str!("../../plugins/gemini/hooks.json"),
        },
        File { path: ".gemini/extensions/plantools/skills/plantools/SKILL.md", text: SKILL },
    ],
    add: &[&["extensions", "link", "@TOP@/.gemini/extensions/plantools", "--consent"]],
    remove: &[&["extensions", "uninstall", "plantools"]],
    then: "Gemini CLI has it in its list: gemini extensions list",
};

const OPENCODE: Plugin = Plugin {
    program: "opencode",
    files: &[
        File {
            path: ".opencode/plugins/plantools.js",
            text: include_str!("../../plugins/opencode/plantools.js"),
        },
        File { path: ".opencode/command/plan.md", text: include_str!("../../plugins/opencode/plan.md") },
        File { path: ".agents/skills/plantools/SKILL.md", text: SKILL },
    ],
    add: &[],
    remove: &[],
    then: "opencode loads it when it starts: opencode mcp list",
};

const AGENTS: Plugin = Plugin {
    program: "",
    files: &[File { path: ".agents/skills/plantools/SKILL.md", text: SKILL }],
    add: &[],
    remove: &[],
    then: "clients that read Agent Skills find it there",
};

impl Client {
    fn plugin(self) -> &'static Plugin {
        match self {
            Self::Claude => &CLAUDE,
            Self::Codex => &CODEX,
            Self::Gemini => &GEMINI,
            Self::Opencode => &OPENCODE,
            Self::Agents => &AGENTS,
        }
    }
}

impl File {
    fn written(&self) -> String {
        self.text.replace("@VERSION@", env!("CARGO_PKG_VERSION"))
    }

    /// Whether a text is this file, of whatever version.
    fn is(&self, text: &str) -> bool {
        let Some((before, after)) = self.text.split_once("@VERSION@") else { return text == self.text };
        let version = text.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        version.is_some_and(|version| {
            version.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte))
        })
    }

    fn there(&self, top: &Path) -> Result<Option<String>, Fail> {
        let bytes = fs::read_if_there(&top.join(self.path))?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }
}

/// Writes the plugin into the project, or prints what would be written.
pub(crate) fn install(tools: &Tools, client: Client, is_dry: bool, out: &mut Output) -> Result<Exit, Fail> {
    let (top, plugin) = (top(tools), client.plugin());
    for file in plugin.files {
        if file.there(&top)?.is_some_and(|text| !file.is(&text)) {
            let message = format!("'{}' is there already and is not ours: move it away", file.path);
            return Err(Fail::new(Exit::No, "already-there", message));
        }
    }
    for file in plugin.files {
        if is_dry {
            out.shown(&format!("== {}\n{}", file.path, file.written()))?;
            continue;
        }
        let path = top.join(file.path);
        if let Some(folder) = path.parent() {
            fs::folder(folder)?;
        }
        fs::create(&path, file.written().as_bytes())?;
        tool::note(&format!("orchestrate: wrote {}", file.path));
    }
    client_commands(tools, plugin, plugin.add, &top, is_dry);
    if !is_dry {
        tool::note(&format!("orchestrate: {}; take it out again with '--undo'", plugin.then));
    }
    Ok(Exit::Ok)
}

/// Takes the plugin out again; a file that was changed since stays, and is named.
pub(crate) fn undo(tools: &Tools, client: Client, dry_run: bool) -> Result<Exit, Fail> {
    let (top, plugin) = (top(tools), client.plugin());
    client_commands(tools, plugin, plugin.remove, &top, dry_run);
    let mut left = false;
    for file in plugin.files {
        match file.there(&top)? {
            None => {}
            Some(text) if file.is(&text) && dry_run => {
                tool::note(&format!("orchestrate: would remove {}", file.path));
            }
            Some(text) if file.is(&text) => {
                fs::remove(&top.join(file.path))?;
                tool::note(&format!("orchestrate: removed {}", file.path));
            }
            Some(_) => {
                left = true;
                tool::note(&format!("orchestrate: {} was changed since and stays", file.path));
            }
        }
        if dry_run {
            continue;
        }
        let folders =
            Path::new(file.path).ancestors().skip(1).filter(|folder| folder.components().count() > 0);
        for folder in folders {
            // Removes only a folder that is empty.
            let _ = std::fs::remove_dir(top.join(folder));
        }
    }
    Ok(if left { Exit::No } else { Exit::Ok })
}

/// Runs the client's own commands; those that cannot be run are named.
fn client_commands(tools: &Tools, plugin: &Plugin, lines: &[&[&str]], top: &Path, is_dry: bool) {
    for line in lines {
        let top = top.to_string_lossy();
        let words: Vec<OsString> = line.iter().map(|word| word.replace("@TOP@", &top).into()).collect();
        let shown: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        let shown = format!("{} {}", plugin.program, shown.join(" "));
        if is_dry {
            tool::note(&format!("orchestrate: would run: {shown}"));
            continue;
        }
        if tools.whereis(plugin.program).is_none() {
            tool::note(&format!("orchestrate: '{}' is not on the PATH; run: {shown}", plugin.program));
            continue;
        }
        match tools.ask(plugin.program, words.iter().map(OsString::as_os_str).collect::<Vec<&OsStr>>()) {
            Ok(said) if said.code == 0 => tool::note(&format!("orchestrate: ran: {shown}")),
            Ok(said) => {
                let why = said.err.lines().last().unwrap_or_default();
                tool::note(&format!("orchestrate: exit {} of: {shown}: {why}", said.code));
            }
            Err(fail) => tool::note(&format!("orchestrate: cannot run: {shown}: {fail}")),
        }
    }
}
