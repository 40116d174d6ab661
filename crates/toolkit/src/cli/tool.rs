//! How every tool starts and ends.
//!
//! One place parses the arguments, prints help, version and schema, runs the tool, and turns its answer into
//! an exit code and at most one line on stderr.

use crate::cli::old_spellings::{self, OldSpelling};
use crate::cli::{caret, clock};
use crate::stream::output::{Output, plain};
use crate::{Exit, Fail};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use wire::Failure;

/// Flags that every tool has.
///
/// Help is one screen of 24 lines: what the tool is, the three lines most used (its `before_help`), and the
/// options most used; `--help-all` has the rest.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(
    disable_help_flag = true,
    disable_version_flag = true,
    disable_help_subcommand = true,
    term_width = 80,
    help_template = "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}"
)]
pub struct Manners {
    /// How errors look on stderr
    #[arg(
        long,
        value_name = "FORM",
        value_enum,
        default_value = "text",
        global = true,
        hide_short_help = true,
        help_heading = "Common"
    )]
    pub error_format: ErrorFormat,
    /// Print the JSON Schema of the output and exit
    #[arg(long, global = true, hide_short_help = true, help_heading = "Common")]
    pub json_schema: bool,
    /// Print this screen; --help-all has every option
    #[arg(short, long, global = true, action = clap::ArgAction::HelpShort, display_order = 900)]
    help: Option<bool>,
    /// Print help with every option
    #[arg(long, global = true, action = clap::ArgAction::HelpLong, hide_short_help = true, display_order = 901)]
    help_all: Option<bool>,
    /// Print the version
    #[arg(short = 'V', long, action = clap::ArgAction::Version, hide_short_help = true, display_order = 902)]
    version: Option<bool>,
}

/// How errors look on stderr.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ErrorFormat {
    /// One line for people.
    #[default]
    Text,
    /// One line of `failure/1`.
    Json,
}

/// The facts about a tool that [`main`] needs.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// The command's name.
    pub name: &'static str,
    /// Schemas of what it writes, as JSON.
    pub schemas: &'static [&'static str],
    /// Whether it changes anything beyond its output.
    pub effects: Effects,
}

/// Whether a tool changes anything beyond its output: decides what a closed pipe means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effects {
    /// It only answers: once its reader has gone, it is done.
    None,
    /// It acts: a result that cannot be written is an error.
    Some,
}

/// A tool: its arguments and what it does with them.
pub trait Tool: clap::Parser {
    /// The facts that [`main`] needs.
    const ABOUT: About;

    /// Flags that have become subcommands, accepted for one more release.
    const OLD_SPELLINGS: &'static [OldSpelling] = &[];

    /// The common flags.
    fn manners(&self) -> &Manners;

    /// Whether this call changes anything: a query has no effects, even in a tool that acts.
    fn effects(&self) -> Effects {
        Self::ABOUT.effects
    }

    /// Does the job.
    fn run(self, out: &mut Output) -> Result<Exit, Fail>;
}

/// The whole of a tool's `main`; `commit` is the commit it was built from.
pub fn main<T: Tool>(commit: Option<&str>) -> ExitCode {
    clock::began();
    let mut out = Output::stdout();
    let arguments: Vec<_> = std::env::args_os().collect();
    let format = format_asked_for(&arguments);
    let mut effects = Effects::None;
    let result = match parse::<T>(arguments) {
        Ok(tool) if tool.manners().json_schema => schema(&T::ABOUT, &mut out),
        Ok(tool) => {
            effects = tool.effects();
            tool.run(&mut out)
        }
        Err(error) => usage(&error, commit, &mut out),
    };
    let result = result.and_then(|exit| out.flush().map(|()| exit));
    match result {
        Ok(exit) => exit.into(),
        Err(fail) if fail.is_reader_gone() && effects == Effects::None => Exit::Ok.into(),
        Err(fail) => {
            say(T::ABOUT.name, format, &fail);
            fail.exit.into()
        }
    }
}

/// Parses the arguments. An argument of the plain stage in front of a subcommand would be ignored, so it is an error.
fn parse<T: Tool>(arguments: Vec<OsString>) -> Result<T, clap::Error> {
    let mut command = T::command();
    let matches = command.try_get_matches_from_mut(old_spellings::rewrite(T::OLD_SPELLINGS, arguments))?;
    if let Some(message) = misplaced(&command, &matches) {
        return Err(command.error(ErrorKind::ArgumentConflict, message));
    }
    T::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Says which argument of the plain stage stands in front of a subcommand, and where it belongs.
fn misplaced(command: &clap::Command, matches: &clap::ArgMatches) -> Option<String> {
    let name = matches.subcommand_name()?;
    let typed = |arg: &&clap::Arg| {
        !arg.is_global_set() && matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
    };
    let arg = command.get_arguments().find(typed)?;
    let its_own = command.find_subcommand(name)?.get_arguments().any(|own| own.get_id() == arg.get_id());
    Some(if its_own {
        format!("write '{arg}' after '{name}'")
    } else {
        format!("the argument '{arg}' cannot be used with '{name}'")
    })
}

/// Prints one failure on stderr: for people one line, and below it the line of the file that it names.
pub fn say(tool: &str, format: ErrorFormat, fail: &Fail) {
    let text = match format {
        ErrorFormat::Text => match caret::below(fail) {
            Some(place) => format!("{tool}: {fail}\n{place}"),
            None => format!("{tool}: {fail}"),
        },
        ErrorFormat::Json => serde_json::to_string(&Failure {
            schema: wire::failure::SCHEMA.to_owned(),
            tool: tool.to_owned(),
            code: fail.code.to_owned(),
            exit: fail.exit.code(),
            message: fail.message.clone(),
            path: fail.path.clone(),
            line: fail.line,
        })
        .unwrap_or_else(|_| fail.to_string()),
    };
    note(&text);
}

/// Prints one line for people on stderr; ignores write errors.
pub fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", plain(text));
}

/// Help and version go to stdout and may fail like any output; the rest is a wrong command line.
fn usage(error: &clap::Error, commit: Option<&str>, out: &mut Output) -> Result<Exit, Fail> {
    let text = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayHelp => out.text(&text)?,
        ErrorKind::DisplayVersion => out.text(&with_commit(&text, commit))?,
        _ => return Err(Fail::usage(one_line(&text))),
    }
    Ok(Exit::Ok)
}

/// A line of name and version, with the commit behind it.
pub fn with_commit(line: &str, commit: Option<&str>) -> String {
    match commit {
        Some(commit) if !commit.is_empty() => format!("{} ({commit})\n", line.trim_end()),
        _ => line.to_owned(),
    }
}

/// A wrong command line as one line: the mistake, and clap's suggestion.
fn one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    let shown =
        lines.iter().take_while(|l| !l.starts_with("Usage:") && !l.starts_with("For more information"));
    let words: Vec<&str> =
        shown.map(|l| l.trim_start_matches("error: ").trim_start_matches("tip: ")).collect();
    // What a line announces stands on the next ones.
    format!("{} (see --help)", words.join("; ").replace(":; ", ": "))
}

fn schema(about: &About, out: &mut Output) -> Result<Exit, Fail> {
    match about.schemas {
        [one] => out.text(one)?,
        several => {
            out.text("{\n\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n\"anyOf\": [\n")?;
            out.text(&several.iter().map(|s| s.trim_end()).collect::<Vec<_>>().join(",\n"))?;
            out.text("\n]\n}\n")?;
        }
    }
    Ok(Exit::Ok)
}

/// The error format must be known before the arguments are: they may be what is wrong.
fn format_asked_for(arguments: &[OsString]) -> ErrorFormat {
    let mut words = arguments.iter().filter_map(|a| a.to_str()).take_while(|a| *a != "--");
    let json = words.any(|a| a == "--error-format=json")
        || arguments.windows(2).any(|w| w[0] == "--error-format" && w[1] == "json");
    if json { ErrorFormat::Json } else { ErrorFormat::Text }
}

#[cfg(test)]
mod tests {
    use super::with_commit;

    #[test]
    fn a_version_names_its_commit_where_that_is_known() {
        assert_eq!(with_commit("punch 1.2.3\n", Some("abc")), "punch 1.2.3 (abc)\n");
        assert_eq!(with_commit("punch 1.2.3\n", Some("")), "punch 1.2.3\n");
        assert_eq!(with_commit("punch 1.2.3\n", None), "punch 1.2.3\n");
    }
}
