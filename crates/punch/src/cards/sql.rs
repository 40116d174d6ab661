//! The part of SQL that seed files need: words, strings, numbers and marks, without comments, statement by statement.

use toolkit::Fail;

/// One token and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    kind: Kind,
    pub(crate) line: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// A word, a number or a quoted name.
    Word(String),
    Text(String),
    Mark(char),
}

impl Token {
    pub(crate) fn is_word(&self, word: &str) -> bool {
        matches!(&self.kind, Kind::Word(own) if own.eq_ignore_ascii_case(word))
    }

    pub(crate) fn is(&self, mark: char) -> bool {
        self.kind == Kind::Mark(mark)
    }

    /// A name in lower case.
    pub(crate) fn name(&self) -> Option<String> {
        match &self.kind {
            Kind::Word(word) => Some(word.to_lowercase()),
            _ => None,
        }
    }

    /// The text of a string; `None` for `NULL`.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn truth(&self) -> Option<bool> {
        match &self.kind {
            Kind::Word(word) => match word.to_lowercase().as_str() {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Splits a text into tokens.
pub(crate) struct Tokens<'t> {
    rest: &'t str,
    line: u64,
}

impl<'t> Tokens<'t> {
    /// The tokens of each statement.
    pub(crate) fn statements(text: &'t str) -> Result<Vec<Vec<Token>>, Fail> {
        let mut tokens = Self { rest: text, line: 1 };
        let mut statements = vec![Vec::new()];
        while let Some(token) = tokens.next()? {
            if token.is(';') {
                statements.push(Vec::new());
            } else if let Some(last) = statements.last_mut() {
                last.push(token);
            }
        }
        Ok(statements)
    }

    fn next(&mut self) -> Result<Option<Token>, Fail> {
        self.skip()?;
        let line = self.line;
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        let kind = match first {
            '\'' | '"' => Kind::Text(self.quoted(first)?),
            '`' => Kind::Word(self.quoted(first)?),
            c if c.is_alphanumeric() || c == '_' => {
                let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
                Kind::Word(self.take(end.unwrap_or(self.rest.len())).to_owned())
            }
            mark => {
                self.take(mark.len_utf8());
                Kind::Mark(mark)
            }
        };
        Ok(Some(Token { kind, line }))
    }

    /// Skips white space and comments.
    fn skip(&mut self) -> Result<(), Fail> {
        loop {
            let space = self.rest.len() - self.rest.trim_start().len();
            self.take(space);
            if self.rest.starts_with("--") || self.rest.starts_with('#') {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.take(end);
            } else if self.rest.starts_with("/*") {
                let end = self.rest.find("*/").ok_or_else(|| self.open("a comment"))?;
                self.take(end + 2);
            } else {
                return Ok(());
            }
        }
    }

    /// The text between quotes: a doubled quote is one quote, a backslash escapes the next character.
    fn quoted(&mut self, quote: char) -> Result<String, Fail> {
        let fail = self.open("a string");
        self.take(1);
        let mut out = String::new();
        loop {
            let c = self.rest.chars().next().ok_or_else(|| fail.clone())?;
            self.take(c.len_utf8());
            let next = self.rest.chars().next();
            match c {
                '\\' if quote != '`' => {
                    let next = next.ok_or_else(|| fail.clone())?;
                    self.take(next.len_utf8());
                    // LIKE has its own use for the backslash before its wildcards.
                    if matches!(next, '%' | '_') {
                        out.push('\\');
                    }
                    out.push(match next {
                        'n' => '\n',
                        't' => '\t',
                        other => other,
                    });
                }
                c if c == quote && next == Some(quote) => {
                    self.take(1);
                    out.push(quote);
                }
                c if c == quote => return Ok(out),
                other => out.push(other),
            }
        }
    }

    fn take(&mut self, length: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(length);
        self.line += taken.matches('\n').count() as u64;
        self.rest = rest;
        taken
    }

    fn open(&self, what: &str) -> Fail {
        let mut fail = Fail::data("bad-sql", format!("{what} has no end"));
        fail.line = Some(self.line);
        fail
    }
}
