//! Fenced blocks: commands, outputs, and console sessions in the syntax of trycmd and cram.

use super::draft::{Below, Draft, Region};
use super::rewrites;
use crate::commands::class::{Classes, nature};
use crate::commands::shell::Script;
use crate::commands::{self, Shape};
use crate::grammar::tokens::{Token, TokenKind, tokens};
use crate::located::Part;
use crate::reading::Unclear;
use markdown::Extent;
use wire::plan::Clause;

/// What a block is.
pub(super) enum Block {
    /// A session: commands behind `$`, each with its output.
    Console,
    /// Commands.
    Commands,
    /// The output of the command before it.
    Output,
    /// Code of another language.
    Other,
}

/// What a block is, by its info string and its text.
pub(super) fn kind(info: &str, text: &str, awaits: bool, follows_command: bool) -> Block {
    let language = info.split([' ', ',', '{']).next().unwrap_or_default().to_ascii_lowercase();
    let prompted = || text.lines().any(|line| line.trim_start().starts_with("$ "));
    let session = matches!(
        language.as_str(),
        "console" | "shell-session" | "shellsession" | "sh-session" | "terminal" | "cram" | "trycmd"
    );
    let shell = matches!(language.as_str(), "bash" | "sh" | "shell" | "zsh");
    let plain = matches!(language.as_str(), "" | "text" | "txt" | "output" | "plaintext" | "log");
    match (awaits, session, shell, plain) {
        (true, ..) => Block::Output,
        (_, true, ..) => Block::Console,
        (_, _, true, _) if prompted() && has_output(text) => Block::Console,
        (_, _, true, _) => Block::Commands,
        (.., true) if follows_command => Block::Output,
        (.., true) if language.is_empty() && text.lines().all(is_command_line) && !text.trim().is_empty() => {
            Block::Commands
        }
        _ => Block::Other,
    }
}

fn has_output(text: &str) -> bool {
    let mut goes_on = false;
    text.lines().any(|line| {
        let own = line.trim_start();
        let is_command = own.starts_with("$ ") || goes_on || own.starts_with('#') || own.is_empty();
        goes_on = is_command && own.ends_with('\\');
        !is_command
    })
}

fn is_command_line(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#') || commands::shape(line) == Shape::Command
}

/// The commands of a session, each with its expected output and exit status.
pub(super) fn console(part: &Part<'_>) -> Result<Vec<(String, Vec<Clause>)>, Box<Unclear>> {
    let refused = |message: &str| {
        Box::new(Unclear {
            code: "unclear-block",
            message: message.to_owned(),
            group: "a console block".to_owned(),
            offers: vec![rewrites::manual("a console block")],
            at: part.at,
            ..Unclear::default()
        })
    };
    let mut found: Vec<(String, Option<i32>, Vec<String>)> = Vec::new();
    let indent = part.text.lines().filter(|line| !line.trim().is_empty()).map(indent_of).min().unwrap_or(0);
    let mut goes_on = false;
    for line in part.text.lines() {
        let line = line.get(indent.min(indent_of(line))..).unwrap_or_default().trim_end();
        if let Some(command) = line.strip_prefix("$ ") {
            goes_on = command.ends_with('\\');
            found.push((command.to_owned(), None, Vec::new()));
            continue;
        }
        let Some((command, exit, output)) = found.last_mut() else {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            return Err(refused("a console block begins with `$ command`"));
        };
        let more = line.strip_prefix("> ").filter(|_| output.is_empty() && exit.is_none());
        if let Some(more) = more.or(goes_on.then_some(line)) {
            goes_on = more.ends_with('\\');
            command.push('\n');
            command.push_str(more);
        } else if let Some(code) = status(line).filter(|_| exit.is_none()) {
            *exit = Some(code);
        } else if line.ends_with(" (re)") || line.ends_with(" (glob)") || line.ends_with(" (esc)") {
            return Err(refused("a console block has `[..]` and `...`, no (re), (glob) or (esc)"));
        } else {
            output.push(line.to_owned());
        }
    }
    if found.is_empty() {
        return Err(refused("a console block begins with `$ command`"));
    }
    if found.iter().any(|(command, ..)| comment_of(command).1.is_some()) {
        return Err(refused(
            "a comment behind the command of a console block may state a result: show the output",
        ));
    }
    let shows = |command: &str| {
        let classes = nature(command).classes;
        classes.has(Classes::RUNNER) || classes.has(Classes::BUILDER) || classes.has(Classes::LINTER)
    };
    let bare = found.iter().any(|(command, _, output)| output.iter().all(String::is_empty) && shows(command));
    if bare {
        return Err(refused("the block shows no output of a command that prints some: add it, or `...`"));
    }
    let done = found.into_iter().map(|(command, exit, mut output)| {
        while output.last().is_some_and(String::is_empty) {
            output.pop();
        }
        let mut clauses: Vec<Clause> =
            exit.filter(|code| *code != 0).map(|code| Clause::Exit { code }).into_iter().collect();
        clauses.push(Clause::Console { lines: output });
        (command, clauses)
    });
    Ok(done.collect())
}

/// `? 2` of trycmd, `[2]` of cram.
fn status(line: &str) -> Option<i32> {
    let inner =
        line.strip_prefix("? ").or_else(|| line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')))?;
    if inner.trim() == "success" {
        return Some(0);
    }
    inner.trim().parse().ok()
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The commands of a block of shell: one, or one script whose every line must succeed, or one check a line where the
/// lines state results in comments.
pub(super) fn commands(part: &Part<'_>) -> Result<Vec<Draft>, Box<Unclear>> {
    let lines = lines(&part.text);
    let colon = || Token { kind: TokenKind::Sign(':'), at: Extent::default() };
    let mut title: Vec<Token> = Vec::new();
    let mut drafts: Vec<Draft> = Vec::new();
    for line in &lines {
        if let Some(comment) = line.strip_prefix('#') {
            let comment = comment.trim_start_matches('#').trim();
            let is_result = comment.starts_with(['→', '⇒'])
                || crate::labels::label(comment)
                    .is_some_and(|(label, _)| label == crate::labels::Label::Expected);
            if let Some(draft) = drafts.last_mut().filter(|_| is_result) {
                draft.regions.push(comment_region(comment, part.at));
            } else {
                title.extend(tokens(comment));
                title.push(colon());
            }
            continue;
        }
        let (command, comment) = comment_of(line);
        let mut draft = Draft::new(command.trim().to_owned(), part.at);
        draft.title = std::mem::take(&mut title);
        if let Some(comment) = comment {
            draft.regions.push(comment_region(comment, part.at));
        }
        drafts.push(draft);
    }
    // A comment behind the last command is about it.
    let behind = title.iter().any(|token| !token.is(':'));
    if let Some(last) = drafts.last_mut().filter(|_| behind) {
        let said = lines
            .iter()
            .rev()
            .take_while(|line| line.starts_with('#'))
            .map(|line| line.trim_start_matches('#').trim());
        let said: Vec<&str> = said.collect();
        last.regions.push(comment_region(&said.into_iter().rev().collect::<Vec<_>>().join(" "), part.at));
    }
    let states = drafts.iter().any(|draft| !draft.regions.is_empty());
    let together = |draft: &Draft| {
        let script = Script::parse(&draft.command);
        let first = script.pipelines.first().and_then(|pipeline| pipeline.stages.first()?.first().cloned());
        script.complex
            || script.pipelines.is_empty()
            || first.is_some_and(|word| {
                matches!(word.as_str(), "cd" | "export" | "set" | "source" | "." | "pushd" | "trap")
            })
    };
    if drafts.len() <= 1 || states && !drafts.iter().any(together) {
        drafts.retain(|draft| !draft.command.is_empty());
        return Ok(drafts);
    }
    if states {
        return Err(Box::new(Unclear {
            code: "unclear-block",
            message: "comments of a script state results of single lines: write one command a check"
                .to_owned(),
            group: "results in the comments of a script".to_owned(),
            offers: vec![rewrites::manual("a script")],
            at: part.at,
            ..Unclear::default()
        }));
    }
    // One script. A line that only prints would be passed over.
    if let Some(silent) = drafts.iter().find(|draft| prints_only(&draft.command)) {
        return Err(Box::new(Unclear {
            code: "says-nothing",
            message: format!("nothing says what `{}` must print", silent.command),
            group: "a line of a script that only prints".to_owned(),
            offers: vec![rewrites::manual("a script")],
            at: part.at,
            ..Unclear::default()
        }));
    }
    let mut script = Draft::new(text_of(&part.text), part.at);
    script.title = drafts.into_iter().flat_map(|draft| draft.title.into_iter().chain([colon()])).collect();
    Ok(vec![script])
}

fn prints_only(command: &str) -> bool {
    let nature = nature(command);
    let script = Script::parse(command);
    // A line of a branch or a loop is judged with the rest of it.
    if script.complex {
        return false;
    }
    let first = script
        .pipelines
        .first()
        .and_then(|pipeline| pipeline.stages.first()?.first().cloned())
        .unwrap_or_default();
    let prepares = matches!(
        first.as_str(),
        "cd" | "echo"
            | "export"
            | "set"
            | "sleep"
            | "mkdir"
            | "source"
            | "."
            | "npm"
            | "pip"
            | "yarn"
            | "pnpm"
            | "uv"
            | "touch"
            | "rm"
            | "cp"
    );
    nature.masked.is_some() || nature.vacuous.is_some() && !prepares
}

/// What a comment states.
pub(super) fn comment_region(comment: &str, at: Extent) -> Region {
    let comment = comment.trim();
    Region { tokens: tokens(comment), text: comment.to_owned(), at, kind: Some(Below::Comment) }
}

/// The text of a block without prompts.
fn text_of(text: &str) -> String {
    let lines: Vec<&str> =
        text.lines().map(|line| line.trim_start().strip_prefix("$ ").unwrap_or(line)).collect();
    lines.join("\n").trim().to_owned()
}

/// The lines of a block, with those that go on joined, without blank ones.
fn lines(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        let line = line.trim();
        let line = line.strip_prefix("$ ").unwrap_or(line);
        if goes_on && let Some(last) = found.last_mut() {
            last.push('\n');
            last.push_str(line);
        } else if !line.is_empty() {
            found.push(line.to_owned());
        }
        goes_on = line.ends_with('\\');
    }
    found
}

/// A line and the comment behind it, outside of quotes.
pub(super) fn comment_of(line: &str) -> (&str, Option<&str>) {
    let mut quote = None;
    let mut blank = false;
    for (at, c) in line.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if blank && c == '#' => {
                let comment = line.get(at + 1..).unwrap_or_default().trim();
                return (
                    line.get(..at).unwrap_or_default(),
                    Some(comment).filter(|comment| !comment.is_empty()),
                );
            }
            _ => {}
        }
        blank = c.is_whitespace();
    }
    (line, None)
}
