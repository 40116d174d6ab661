//! The embedded worker: runs the `sh` blocks of the task's own section, in order.
//!
//! It needs no agent and no network. Each block is a separate script file; inputs are in the environment as
//! `INPUT_NAME`; a block may set outputs with lines `name=value` in the file `$PLANTOOLS_OUTPUT`. Declared outputs
//! with a value in the plan are reported as declared.

pub(crate) mod task_steps;

use markdown::{Fence, Outline, Text};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toolkit::Fail;
use toolkit::files::fs;
use wire::order::{Category, Halt};
use wire::{Extra, Order, Task};

/// Runs each script in its own shell; the first failure ends it. This is our only line of shell, and nothing is ever
/// spliced into it.
const DRIVER: &str = r#"for script in "$@"; do sh -eu "$script" || exit; done"#;

/// The command for the blocks of a section; `None` if there are none.
pub(crate) fn command(body: &[u8], folder: &Path) -> Result<Option<Vec<OsString>>, Fail> {
    let mut argv: Vec<OsString> = ["sh", "-c", DRIVER, "sh"].map(OsString::from).to_vec();
    for (number, text) in scripts(body).iter().enumerate() {
        let script = folder.join(format!("block-{}.sh", number + 1));
        fs::create_unsynced(&script, text)?;
        argv.push(script.into_os_string());
    }
    // Create it now, so that a sandbox can open this file alone to the worker.
    fs::create_unsynced(&output_file(folder), b"")?;
    Ok((argv.len() > 4).then_some(argv))
}

/// The blocks of a section, without indentation.
fn scripts(body: &[u8]) -> Vec<Vec<u8>> {
    let text = Text { path: "", bytes: body };
    let outline = Outline::new(&text);
    let blocks = outline.fences.iter().filter(|f| matches!(f.language.as_str(), "sh" | "bash" | "shell"));
    let script = |block: &Fence| {
        let before = body.get(..block.at.start).unwrap_or_default();
        let line = before.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
        let opening = body.get(line..).unwrap_or_default();
        let indent = opening.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        let text = body.get(block.content.start..block.content.end).unwrap_or_default();
        without_returns(&without_indent(text, indent))
    };
    blocks.map(script).collect()
}

/// The halt for a task with nothing to run.
pub(crate) fn nothing_to_run() -> Halt {
    Halt {
        stage: crate::STAGE.into(),
        code: "nothing-to-run".into(),
        category: Category::PlanError,
        message: "the task has no `sh` block and no step with a command for the shell worker".into(),
        retry: false,
        counts: true,
        not_before: None,
    }
}

/// Removes the indentation of the fence, which a block in a list item has.
fn without_indent(text: &[u8], indent: usize) -> Vec<u8> {
    let out = text.split_inclusive(|b| *b == b'\n').flat_map(|line| {
        let blanks = line.iter().take(indent).take_while(|b| matches!(b, b' ' | b'\t')).count();
        &line[blanks..]
    });
    out.copied().collect()
}

/// A shell would take the carriage return of a CRLF file for part of a word.
fn without_returns(text: &[u8]) -> Vec<u8> {
    text.split_inclusive(|b| *b == b'\n')
        .flat_map(|line| match line.strip_suffix(b"\r\n") {
            Some(line) => [line, b"\n"].concat(),
            None => line.to_vec(),
        })
        .collect()
}

/// The environment of the blocks.
pub(crate) fn environment(order: &Order, folder: &Path) -> Vec<(OsString, OsString)> {
    let inputs = order.handoff.iter().flat_map(|h| &h.inputs).map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        (OsString::from(format!("INPUT_{}", variable(name))), OsString::from(value))
    });
    inputs.chain([("PLANTOOLS_OUTPUT".into(), output_file(folder).into_os_string())]).collect()
}

/// The outputs: those declared in the plan, then those that the blocks wrote.
pub(crate) fn outputs(task: &Task, folder: &Path) -> Result<Extra, Fail> {
    let mut out: Extra = task
        .outputs
        .iter()
        .filter_map(|o| o.value.as_ref().map(|v| (o.name.clone(), v.clone().into())))
        .collect();
    let written = fs::read_if_there(&output_file(folder))?.unwrap_or_default();
    for line in String::from_utf8_lossy(&written).lines() {
        if let Some((name, value)) = line.split_once('=') {
            out.insert(name.trim().to_owned(), value.to_owned().into());
        }
    }
    Ok(out)
}

/// The file for outputs.
pub(crate) fn output_file(folder: &Path) -> PathBuf {
    folder.join("outputs.env")
}

/// A name as an environment variable.
fn variable(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::scripts;

    #[test]
    fn a_block_in_an_item_is_as_if_it_stood_at_the_margin() {
        let body = b"- [ ] Write\r\n  ```sh\r\n  cat > a.py <<'END'\r\n  if x:\r\n    y = 5\r\n\r\n  END\r\n  ```\r\n";
        let script = scripts(body).concat();
        let script = String::from_utf8_lossy(&script);
        assert_eq!(script, "cat > a.py <<'END'\nif x:\n  y = 5\n\nEND\n");
    }
}
