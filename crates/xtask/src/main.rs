//! Makes what is committed and derived: JSON Schemas, manual pages, completions.
//!
//! `generate` writes them, `check` compares them byte for byte. Both ask [`outputs::all`] what there should be, so
//! that they cannot disagree. Always true: the same sources give the same bytes on every machine and on every day.

mod checks_tables;
mod completions;
mod fields;
mod files;
mod format_page;
mod manual;
mod markdown;
mod outputs;
mod roff;
mod schemas;
mod tool_page;
mod tools;
mod usage;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use toolkit::Fail;
use toolkit::cli::tool;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match run(&arguments) {
        Ok(complaints) if complaints.is_empty() => ExitCode::SUCCESS,
        Ok(complaints) => {
            for complaint in complaints {
                tool::note(&format!("xtask: {complaint}"));
            }
            ExitCode::FAILURE
        }
        Err(fail) => {
            tool::note(&format!("xtask: {fail}"));
            ExitCode::FAILURE
        }
    }
}

/// Does what was asked for and says what is not as it should be.
fn run(arguments: &[OsString]) -> Result<Vec<String>, Fail> {
    let root = root()?;
    let words: Vec<_> = arguments.iter().filter_map(|a| a.to_str()).collect();
    match words.as_slice() {
        ["generate"] => files::generate(root, &outputs::all(root)?).map(|()| Vec::new()),
        ["check"] => files::check(root, &outputs::all(root)?),
        _ => Err(Fail::usage("say what to do: generate or check")),
    }
}

/// The workspace, two folders above this crate.
fn root() -> Result<&'static Path, Fail> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).ok_or_else(|| Fail::data("no-root", "there is no workspace above this crate"))
}
