//! Completions for three shells, named as each shell looks for them.

use crate::tools::TOOLS;
use clap_complete::Shell;
use std::path::{Path, PathBuf};

/// Every completion as a file.
pub(crate) fn all() -> Vec<(PathBuf, String)> {
    let mut out = Vec::new();
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        for tool in TOOLS {
            let mut bytes = Vec::new();
            clap_complete::generate(shell, &mut (tool.command)(), tool.name, &mut bytes);
            out.push((place(shell, tool.name), String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    out
}

fn place(shell: Shell, name: &str) -> PathBuf {
    let file = match shell {
        Shell::Zsh => format!("_{name}"),
        Shell::Fish => format!("{name}.fish"),
        _ => name.to_owned(),
    };
    Path::new("man/completions").join(shell.to_string()).join(file)
}
