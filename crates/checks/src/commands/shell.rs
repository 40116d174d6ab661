//! The structure of a shell line: lists, pipelines, stages, words. Nothing is expanded or run.
//!
//! It is only as deep as a verdict needs: which commands run last, and in which pipeline. Anything else (loops,
//! functions, here-documents, unbalanced quotes) is [`Script::complex`].

/// A shell line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// The pipelines, each with the operator that stands before it.
    pub pipelines: Vec<Pipeline>,
    /// Whether there is anything beyond simple pipelines in lists.
    pub complex: bool,
    /// Whether a part of it runs in the background.
    pub background: bool,
}

/// One pipeline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pipeline {
    /// What stands before it.
    pub before: Joint,
    /// Whether `!` negates it.
    pub negated: bool,
    /// The words of each stage, without quotes, redirections and assignments.
    pub stages: Vec<Vec<String>>,
    /// Where the output goes.
    pub streams: Streams,
    /// Its text, up to the operator behind it.
    pub text: String,
}

/// Which streams of a pipeline are redirected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Streams {
    /// Standard output of the last stage goes elsewhere.
    pub hides_stdout: bool,
    /// Standard error.
    pub stderr: Stderr,
    /// The last stages show only a part of what comes out: `| head`, `| tail -3`.
    pub cuts: bool,
    /// A stage reads or writes another command, whose exit status is lost: `<(…)`.
    pub substitutes: bool,
}

/// Where standard error goes; of several stages, the furthest counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stderr {
    /// Nowhere else.
    #[default]
    Own,
    /// To standard output.
    Joined,
    /// It is not to be seen.
    Dropped,
}

/// The operator between two pipelines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Joint {
    /// The first one.
    #[default]
    Begin,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;`
    Then,
    /// The end of a line.
    Line,
    /// `&`: the one before runs in the background.
    Background,
}

impl Script {
    /// The structure of a command.
    pub fn parse(command: &str) -> Self {
        let mut reader =
            Reader { chars: command.chars().collect(), at: 0, start: 0, script: Self::default() };
        reader.read();
        reader.script
    }

    /// The last pipeline.
    pub fn last(&self) -> Option<&Pipeline> {
        self.pipelines.last()
    }

    /// Whether any pipeline has several stages.
    pub fn is_piped(&self) -> bool {
        self.pipelines.iter().any(|pipeline| pipeline.stages.len() > 1)
    }
}

/// Whether a command is one program with arguments, whose output is to be seen.
pub fn is_simple(command: &str) -> bool {
    let script = Script::parse(command);
    let one = |pipeline: &Pipeline| {
        pipeline.stages.len() == 1 && !pipeline.negated && pipeline.streams == Streams::default()
    };
    !script.complex
        && !command.contains('\n')
        && script.pipelines.len() == 1
        && script.pipelines.iter().all(one)
}

/// A list without the members that hide its exit status: `x || true` is `x`, and `a; b` is `a && b`.
pub fn unmasked(command: &str) -> Option<String> {
    let script = Script::parse(command);
    let grouped =
        |pipeline: &Pipeline| pipeline.text.contains(['(', ')', '{', '}', '#']) || pipeline.text.is_empty();
    if script.complex || script.background || command.contains('\n') || script.pipelines.iter().any(grouped) {
        return None;
    }
    let prints = |pipeline: &Pipeline| {
        let words: Vec<&str> = pipeline.stages.first().into_iter().flatten().map(String::as_str).collect();
        matches!(words.as_slice(), ["true" | ":" | "echo" | "printf", ..] | ["exit", "0"])
    };
    let or = script.pipelines.iter().position(|pipeline| pipeline.before == Joint::Or);
    let mut kept: Vec<&Pipeline> = script.pipelines.iter().collect();
    if let Some(or) = or {
        if !kept.iter().skip(or).all(|pipeline| prints(pipeline)) {
            return None;
        }
        kept.truncate(or);
    }
    while kept.len() > 1 && kept.last().is_some_and(|last| prints(last)) {
        kept.pop();
    }
    // `exit 1` behind `&&` turns the meaning round.
    if kept.iter().any(|pipeline| pipeline.text.starts_with("exit")) {
        return None;
    }
    let text = kept.iter().map(|pipeline| pipeline.text.as_str()).collect::<Vec<_>>().join(" && ");
    (text != command.trim() && !text.is_empty()).then_some(text)
}

/// The same request in the form that fails where the server answers with an error.
pub fn failing(command: &str) -> Option<String> {
    let rest = command.strip_prefix("curl ").filter(|_| is_simple(command))?;
    Some(format!("curl -f {rest}"))
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    /// Where the pipeline begins.
    start: usize,
    script: Script,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn read(&mut self) {
        let mut pipeline = Pipeline::default();
        let mut words: Vec<String> = Vec::new();
        let mut depth = 0_usize;
        while let Some(c) = self.peek(0) {
            match (c, self.peek(1)) {
                (' ' | '\t', _) => self.at += 1,
                ('\\', Some('\n')) => self.at += 2,
                ('#', _) => self.comment(),
                ('(' | '{', _) if words.is_empty() && self.is_group(c) => {
                    depth += 1;
                    self.at += 1;
                }
                (')' | '}', _) if depth > 0 && (c == ')' || words.is_empty()) => {
                    depth -= 1;
                    self.at += 1;
                    self.script.complex |=
                        !matches!(self.after_blanks(), None | Some('&' | '|' | ';' | '\n' | ')' | '>' | '2'));
                }
                ('&', Some('&')) => self.end(&mut pipeline, &mut words, Joint::And, 2),
                ('|', Some('|')) => self.end(&mut pipeline, &mut words, Joint::Or, 2),
                ('|', next) => {
                    self.at += if next == Some('&') { 2 } else { 1 };
                    self.script.complex |= words.is_empty();
                    // What an earlier stage prints goes into the next one anyway.
                    pipeline.streams.hides_stdout = false;
                    if next == Some('&') {
                        pipeline.streams.stderr = pipeline.streams.stderr.max(Stderr::Joined);
                    }
                    pipeline.stages.push(std::mem::take(&mut words));
                }
                (';', _) => self.end(&mut pipeline, &mut words, Joint::Then, 1),
                ('\n', _) => self.end(&mut pipeline, &mut words, Joint::Line, 1),
                ('<' | '>', _) | ('&', Some('>')) => self.redirect('1', &mut pipeline.streams),
                ('&', _) => self.end(&mut pipeline, &mut words, Joint::Background, 1),
                ('0'..='9', Some('<' | '>')) => {
                    self.at += 1;
                    self.redirect(c, &mut pipeline.streams);
                }
                ('!', Some(' ')) if words.is_empty() && pipeline.stages.is_empty() => {
                    pipeline.negated = !pipeline.negated;
                    self.at += 1;
                }
                _ => {
                    let word = self.word();
                    if words.is_empty() && is_assignment(&word) {
                        continue;
                    }
                    self.script.complex |= words.is_empty() && KEYWORDS.contains(&word.as_str());
                    words.push(word);
                }
            }
        }
        self.script.complex |= depth > 0;
        self.end(&mut pipeline, &mut words, Joint::Then, 0);
    }

    fn comment(&mut self) {
        let begins =
            self.at == 0 || self.chars.get(self.at - 1).is_some_and(|c| c.is_whitespace() || *c == ';');
        if !begins {
            self.at += 1;
            return;
        }
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    fn is_group(&self, c: char) -> bool {
        c == '(' || self.peek(1).is_some_and(char::is_whitespace)
    }

    fn after_blanks(&self) -> Option<char> {
        self.chars.iter().skip(self.at).find(|c| !matches!(c, ' ' | '\t')).copied()
    }

    /// Ends a pipeline at an operator of this length; `next` stands before the pipeline that follows.
    fn end(&mut self, pipeline: &mut Pipeline, words: &mut Vec<String>, next: Joint, length: usize) {
        let text: String = self.chars.get(self.start..self.at).unwrap_or_default().iter().collect();
        self.at += length;
        self.start = self.at;
        if !words.is_empty() {
            pipeline.stages.push(std::mem::take(words));
        }
        let mut done = std::mem::take(pipeline);
        text.trim().clone_into(&mut done.text);
        if done.stages.is_empty() {
            // A blank line or a `;` behind another operator changes nothing.
            pipeline.before = if done.before == Joint::Begin || matches!(next, Joint::Then | Joint::Line) {
                done.before
            } else {
                next
            };
        } else {
            self.script.pipelines.push(done);
            pipeline.before = next;
        }
        self.script.background |= length > 0 && next == Joint::Background;
        if length > 0 && next == Joint::Background && self.after_blanks().is_none() {
            // What runs in the background has no exit status.
            self.script.complex = true;
        }
    }

    fn redirect(&mut self, descriptor: char, streams: &mut Streams) {
        let start = self.at;
        while self.peek(0).is_some_and(|c| matches!(c, '<' | '>' | '&' | '|')) {
            if self.peek(0) == Some('<') && self.peek(1) == Some('<') && self.peek(2) != Some('<') {
                self.script.complex = true;
            }
            if self.peek(0) == Some('<') && self.peek(1) == Some('(') {
                self.at += 1;
                self.balanced('(', ')', &mut String::new());
                streams.substitutes = true;
                return;
            }
            self.at += 1;
        }
        let operator: String = self.chars.get(start..self.at).unwrap_or_default().iter().collect();
        while self.peek(0).is_some_and(|c| matches!(c, ' ' | '\t')) {
            self.at += 1;
        }
        if operator.contains('>') && self.peek(0) == Some('(') {
            streams.substitutes = true;
            self.balanced('(', ')', &mut String::new());
            return;
        }
        let target = self.word();
        if !operator.contains('>') {
            return;
        }
        // `&>` and `>&file` take both streams, `2>&1` and `>&2` join them.
        let joins = operator.ends_with('&') && matches!(target.as_str(), "1" | "2");
        let both = operator.starts_with('&') || operator.ends_with('&') && !joins && target != "-";
        let is_stderr = descriptor == '2';
        streams.hides_stdout |= both || descriptor == '1' && !(joins && target == "1");
        let stderr = match (both, is_stderr, joins) {
            (true, ..) | (_, true, false) => Stderr::Dropped,
            (_, true, true) => Stderr::Joined,
            (_, false, _) => Stderr::Own,
        };
        streams.stderr = streams.stderr.max(stderr);
    }

    /// A word with its quotes taken off; substitutions stay as they are.
    fn word(&mut self) -> String {
        let mut word = String::new();
        let mut taken = false;
        while let Some(c) = self.peek(0) {
            match c {
                '\'' | '"' => {
                    self.at += 1;
                    self.quoted(c, &mut word);
                }
                '\\' => {
                    word.extend(self.peek(1));
                    self.at += 2;
                }
                '$' if self.peek(1) == Some('(') => {
                    self.at += 1;
                    word.push('$');
                    self.balanced('(', ')', &mut word);
                }
                '$' if self.peek(1) == Some('{') => {
                    self.at += 1;
                    word.push('$');
                    self.balanced('{', '}', &mut word);
                }
                '`' => {
                    self.at += 1;
                    word.push('`');
                    while let Some(c) = self.peek(0) {
                        self.at += 1;
                        word.push(c);
                        if c == '`' {
                            break;
                        }
                    }
                }
                '(' if !word.is_empty() => {
                    // A function, or an array.
                    self.script.complex = true;
                    self.balanced('(', ')', &mut word);
                }
                c if c.is_whitespace() || matches!(c, '|' | '&' | ';' | '<' | '>' | ')') => break,
                c => {
                    word.push(c);
                    self.at += 1;
                }
            }
            taken = true;
        }
        if !taken {
            // Never stand still.
            self.at += 1;
        }
        word
    }

    fn quoted(&mut self, quote: char, word: &mut String) {
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                _ if c == quote => return,
                '\\' if quote == '"' => {
                    word.extend(self.peek(0));
                    self.at += 1;
                }
                '$' if quote == '"' && self.peek(0) == Some('(') => {
                    word.push('$');
                    self.balanced('(', ')', word);
                }
                c => word.push(c),
            }
        }
        self.script.complex = true;
    }

    fn balanced(&mut self, open: char, close: char, word: &mut String) {
        let mut depth = 0_usize;
        while let Some(c) = self.peek(0) {
            self.at += 1;
            word.push(c);
            if c == open {
                depth += 1;
            } else if c == close {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return;
                }
            }
        }
        self.script.complex = true;
    }
}

const KEYWORDS: &[&str] = &[
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "function",
    "select", "time", "coproc",
];

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(command: &str) -> String {
        let script = Script::parse(command);
        let mut out = String::new();
        for pipeline in &script.pipelines {
            let joint = match pipeline.before {
                Joint::Begin => "",
                Joint::And => " && ",
                Joint::Or => " || ",
                Joint::Then => " ; ",
                Joint::Line => " ⏎ ",
                Joint::Background => " & ",
            };
            out.push_str(joint);
            out.push_str(if pipeline.negated { "! " } else { "" });
            let stages: Vec<String> = pipeline.stages.iter().map(|stage| stage.join("·")).collect();
            out.push_str(&stages.join(" | "));
        }
        out + if script.complex { " complex" } else { "" }
    }

    #[test]
    fn a_line_is_cut_into_lists_pipelines_and_words() {
        for (command, structure) in [
            ("test -f a", "test·-f·a"),
            ("cd web && npm test 2>&1 | tail -5", "cd·web && npm·test | tail·-5"),
            ("! grep -q 'a | b; c' f", "! grep·-q·a | b; c·f"),
            ("A=1 B='x y' make test; echo $?", "make·test ; echo·$?"),
            ("x || true", "x || true"),
            ("(cd a && make)", "cd·a && make"),
            ("test \"$(ls | wc -l)\" = 3", "test·$(ls | wc -l)·=·3"),
            ("echo \"a \\\" b\" # note | x", "echo·a \" b"),
            ("a |& b &> log", "a | b"),
            ("a # not\nb", "a ⏎ b"),
            ("server &", "server complex"),
            ("if a; then b; fi", "if·a ; then·b ; fi complex"),
            ("cat <<X\na\nX", "cat ⏎ a ⏎ X complex"),
            ("echo 'open", "echo·open complex"),
            ("diff <(a) <(b)", "diff"),
            ("a \\\n  b", "a·b"),
            ("echo a#b", "echo·a#b"),
            ("x || { echo bad; exit 1; }", "x || echo·bad ; exit·1"),
        ] {
            assert_eq!(shown(command), structure, "{command}");
        }
    }

    #[test]
    fn redirected_streams_are_known() {
        for (command, stdout, stderr) in [
            ("a", false, Stderr::Own),
            ("a > f", true, Stderr::Own),
            ("a >> f", true, Stderr::Own),
            ("a 1>&2", true, Stderr::Own),
            ("a >&2", true, Stderr::Own),
            ("a 2>&1", false, Stderr::Joined),
            ("a 2>/dev/null", false, Stderr::Dropped),
            ("a 2>&-", false, Stderr::Dropped),
            ("a &> f", true, Stderr::Dropped),
            ("a >& f", true, Stderr::Dropped),
            ("a > f | b", false, Stderr::Own),
            ("a 2>&1 | b", false, Stderr::Joined),
            ("a |& b", false, Stderr::Joined),
            ("a < f", false, Stderr::Own),
            ("a > f && b", false, Stderr::Own),
        ] {
            let streams = Script::parse(command).last().map(|last| last.streams).unwrap_or_default();
            assert_eq!((streams.hides_stdout, streams.stderr), (stdout, stderr), "{command}");
        }
        assert!(Script::parse("cat <(a)").last().is_some_and(|last| last.streams.substitutes));
    }

    #[test]
    fn what_hides_a_status_is_taken_off() {
        for (command, bare) in [
            ("x || true", Some("x")),
            ("x && echo YES || echo NO", Some("x")),
            ("cd a; make test; echo done", Some("cd a && make test")),
            ("a; b", Some("a && b")),
            ("x 2>&1 | tail -5 || :", Some("x 2>&1 | tail -5")),
            ("a || b", None),
            ("a && exit 1 || exit 0", None),
            ("a && exit 1; exit 0", None),
            ("a &", None),
            ("(a || true)", None),
            ("a", None),
        ] {
            assert_eq!(unmasked(command).as_deref(), bare, "{command}");
        }
        assert_eq!(failing("curl -s http://x").as_deref(), Some("curl -f -s http://x"));
        assert!(is_simple("sh a.sh -x") && !is_simple("a | b") && !is_simple("a > f") && !is_simple("a; b"));
    }
}
