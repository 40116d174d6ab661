//! Counts pulldown-cmark's events of a file: the lower bound for the time that reading a plan takes.
//!
//! `cargo run --release -p dialects --example events -- FILE`

use pulldown_cmark::{Options, Parser};
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(file) = std::env::args_os().nth(1) else { return ExitCode::from(2) };
    let Ok(text) = std::fs::read_to_string(file) else { return ExitCode::from(66) };
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    let events = Parser::new_ext(&text, options).into_offset_iter().count();
    match writeln!(std::io::stdout(), "{events}") {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(74),
    }
}
