//! A command line as manual pages show it: synopsis, options, commands. All of it comes from the definition itself.

use crate::markdown;
use crate::roff::{Page, Words};
use clap::{Arg, ArgAction, Command};

/// Writes every way to call a command, leaving out the options that all tools have.
pub(crate) fn synopsis(page: &mut Page, command: &Command) {
    page.paragraph(&call(command.get_name(), command));
    for sub in commands(command) {
        page.paragraph(&call(&format!("{} {}", command.get_name(), sub.get_name()), sub));
    }
}

/// Writes what each argument means, each once: the tool's own, those of every tool, those of several commands, and
/// then each command's.
pub(crate) fn options(page: &mut Page, command: &Command) {
    let (common, own): (Vec<_>, Vec<_>) = shown(command).partition(|arg| is_common(arg));
    page.section("options");
    arguments(page, &own);
    if !own.is_empty() {
        page.subsection(&Words::plain("Common options"));
    }
    arguments(page, &common);
    if commands(command).next().is_some() {
        page.section("commands");
    }
    let known: Vec<_> = shown(command).map(identity).collect();
    let shared = shared(command, &known);
    if !shared.is_empty() {
        page.subsection(&Words::plain("Shared by several commands"));
        arguments(page, &shared);
    }
    let known: Vec<_> = known.into_iter().chain(shared.into_iter().map(identity)).collect();
    for sub in commands(command) {
        page.subsection(&call(&format!("{} {}", command.get_name(), sub.get_name()), sub));
        if let Some(about) = sub.get_long_about().or_else(|| sub.get_about()) {
            page.paragraph(&sentences(&about.to_string()));
        }
        let rest: Vec<_> = own_arguments(sub).filter(|arg| !known.contains(&identity(arg))).collect();
        arguments(page, &rest);
    }
}

/// Arguments that several commands take with the same meaning and that are not known already, in order.
fn shared<'c>(command: &'c Command, known: &[Identity]) -> Vec<&'c Arg> {
    let all: Vec<&Arg> = commands(command).flat_map(own_arguments).collect();
    let mut shared: Vec<&Arg> = Vec::new();
    for arg in &all {
        let is_same = |other: &&&Arg| identity(other) == identity(arg);
        let is_new = !known.contains(&identity(arg)) && !shared.iter().any(|other| is_same(&other));
        if is_new && all.iter().filter(is_same).count() > 1 {
            shared.push(arg);
        }
    }
    shared
}

/// Two arguments with the same name, value and help are the same argument to a reader.
type Identity = (Option<String>, String, String);

fn identity(arg: &Arg) -> Identity {
    let values = arg.get_value_names().unwrap_or_default().join(" ");
    let help = arg.get_long_help().or_else(|| arg.get_help()).map(ToString::to_string).unwrap_or_default();
    (arg.get_long().map(str::to_owned), values, help)
}

/// The arguments of a command that only some commands have.
fn own_arguments(command: &Command) -> impl Iterator<Item = &Arg> {
    shown(command).filter(|arg| !arg.is_global_set() && !is_everywhere(arg))
}

/// The commands that a tool has of its own.
fn commands(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|sub| sub.get_name() != "help" && !sub.is_hide_set())
}

fn shown(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| !arg.is_hide_set())
}

/// Options that every tool has, or every tool that records.
fn is_common(arg: &Arg) -> bool {
    arg.get_help_heading() == Some("Common") || is_everywhere(arg)
}

fn is_everywhere(arg: &Arg) -> bool {
    matches!(arg.get_id().as_str(), "help" | "help_all" | "version")
}

/// The name in bold, options in brackets, then what is given without a name.
fn call(name: &str, command: &Command) -> Words {
    let (bare, named): (Vec<_>, Vec<_>) =
        shown(command).filter(|arg| !is_common(arg)).partition(|arg| arg.is_positional());
    let mut words = Words::bold(name);
    for arg in named.into_iter().chain(bare) {
        let start = if arg.is_last_set() { "[-- " } else { "[" };
        let (start, end) = if arg.is_required_set() { ("", "") } else { (start, "]") };
        // A positional has its dots at its value already.
        let again = if !arg.is_positional() && is_repeated(arg) { "..." } else { "" };
        words = words.and(" ").and(start).join(&term(arg, Form::Short)).and(end).and(again);
    }
    words
}

fn arguments(page: &mut Page, arguments: &[&Arg]) {
    let (bare, named): (Vec<&Arg>, Vec<&Arg>) = arguments.iter().partition(|arg| arg.is_positional());
    for arg in bare.into_iter().chain(named) {
        page.tagged(&term(arg, Form::Long), &meaning(arg));
    }
}

/// How much of an argument is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// One name of it.
    Short,
    /// All its names.
    Long,
}

/// An argument's names and its value.
fn term(arg: &Arg, form: Form) -> Words {
    let values: Vec<_> =
        arg.get_value_names().unwrap_or_default().iter().map(clap::builder::Str::as_str).collect();
    let takes = arg.get_num_args().is_some_and(|range| range.takes_values());
    let value = if takes { values.join(" ") } else { String::new() };
    let dots = if arg.is_positional() && is_repeated(arg) { "..." } else { "" };
    let names: Vec<String> = arg
        .get_short()
        .map(|c| format!("-{c}"))
        .into_iter()
        .chain(arg.get_long().map(|l| format!("--{l}")))
        .collect();
    let shown =
        if form == Form::Short { names.get(names.len().saturating_sub(1)..) } else { Some(&names[..]) };
    let mut words = Words::default();
    for (index, name) in shown.unwrap_or_default().iter().enumerate() {
        words = if index > 0 { words.and(", ").and_bold(name) } else { words.and_bold(name) };
    }
    if value.is_empty() {
        return words;
    }
    let words = if names.is_empty() { words } else { words.and_hard_space() };
    words.and_italic(&value).and(dots)
}

fn is_repeated(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Append)
}

/// What an argument means, the values it takes and what it is by itself.
fn meaning(arg: &Arg) -> Words {
    let help = arg.get_long_help().or_else(|| arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut words = sentences(&help);
    let takes = arg.get_num_args().is_some_and(|range| range.takes_values());
    let values = if takes { arg.get_possible_values() } else { Vec::new() };
    let is_news = values.iter().any(|v| !help.contains(v.get_name()));
    for (index, value) in values.iter().filter(|v| is_news && !v.is_hide_set()).enumerate() {
        words = words.and(if index == 0 { "\nOne of " } else { ", " }).and_bold(value.get_name());
        if let Some(help) = value.get_help() {
            let help = help.to_string();
            words = words.and(" (").join(&markdown::words(&lower(help.trim_end_matches('.')))).and(")");
        }
    }
    words = words.stop();
    let defaults: Vec<_> = arg.get_default_values().iter().map(|v| v.to_string_lossy()).collect();
    if !takes || defaults.is_empty() || arg.is_hide_default_value_set() {
        return words;
    }
    words.and("\nDefault: ").and_bold(&defaults.join(" "))
}

/// A help text of several paragraphs as sentences that follow each other.
fn sentences(text: &str) -> Words {
    let mut paragraphs = text.split("\n\n").map(|paragraph| markdown::words(paragraph).stop());
    let first = paragraphs.next().unwrap_or_default();
    paragraphs.fold(first, |words, paragraph| words.and("\n").join(&paragraph))
}

/// The text as it stands inside a sentence: only a capital that begins an ordinary word is one of the sentence.
pub(crate) fn lower(text: &str) -> String {
    let mut chars = text.chars();
    match (chars.next(), text.chars().nth(1)) {
        (Some(first), Some(second)) if !second.is_uppercase() => first.to_lowercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}
