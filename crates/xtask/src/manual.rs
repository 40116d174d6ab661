//! Every manual page: tools in section 1, formats in section 5, the contract in section 7.

use crate::format_page::{self, FORMATS};
use crate::roff::Page;
use crate::tools::TOOLS;
use crate::{checks_tables, markdown, tool_page};
use std::path::{Path, PathBuf};
use toolkit::Fail;
use toolkit::files::fs;

/// Pages that are prose alone.
const BY_HAND: [(&str, char); 8] = [
    ("pr-state", '1'),
    ("plantools", '7'),
    ("plantools-checks", '7'),
    ("plantools-dialects", '7'),
    ("plantools-workflows", '7'),
    ("plantools-scale", '7'),
    ("plantools-security", '7'),
    ("plantools-errors", '7'),
];

/// Every page as a file.
pub(crate) fn all(root: &Path) -> Result<Vec<(PathBuf, String)>, Fail> {
    let mut out = Vec::new();
    let mut add = |name: &str, section: char, text: String| {
        out.push((PathBuf::from(format!("man/{name}.{section}")), text));
    };
    for tool in &TOOLS {
        let text = prose(root, &format!("crates/{}/man.md", tool.name))?;
        add(tool.name, '1', tool_page::write(tool, &text));
    }
    for format in FORMATS {
        let text = prose(root, &format!("crates/xtask/pages/{}.5.md", format.name))?;
        add(format.name, '5', format_page::write(format, &text)?);
    }
    for (name, section) in BY_HAND {
        let mut page = Page::new(name, section);
        let text = prose(root, &format!("crates/xtask/pages/{name}.{section}.md"))?;
        markdown::write(&mut page, &checks_tables::fill(&text));
        add(name, section, page.finish());
    }
    Ok(out)
}

fn prose(root: &Path, name: &str) -> Result<String, Fail> {
    let path = root.join(name);
    String::from_utf8(fs::read(&path)?).map_err(|e| Fail::data("bad-prose", e.to_string()).in_file(&path))
}
