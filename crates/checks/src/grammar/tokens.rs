//! Cuts a text into tokens. Spelling is handled here and nowhere else: full-width signs, typographic quotes and arrows,
//! emphasis, escapes and entities of Markdown.

use markdown::Extent;
use markdown::code_spans;
use wire::plan::clause::Op;

/// One token with its bytes in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) at: Extent,
}

/// What a token is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A code span: a command or a literal.
    Code(String),
    /// A text in quotes: a literal.
    Quote(String),
    /// A number in ASCII digits, with its fraction, its sign and `%` where there is one.
    Number(String),
    /// A comparison.
    Op(Op),
    /// An arrow.
    Arrow,
    /// A regular expression behind `matches`.
    Regex(String),
    /// A JSON pointer behind `json`.
    Pointer(String),
    /// A word in lower case.
    Word(String),
    /// A sign; dashes are all `—`.
    Sign(char),
}

impl Token {
    /// The word, if it is one.
    pub(crate) fn word(&self) -> Option<&str> {
        match &self.kind {
            TokenKind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Whether it is this sign.
    pub(crate) fn is(&self, sign: char) -> bool {
        self.kind == TokenKind::Sign(sign)
    }

    /// The literal, if it is one.
    pub(crate) fn literal(&self) -> Option<&str> {
        match &self.kind {
            TokenKind::Code(text) | TokenKind::Quote(text) => Some(text),
            _ => None,
        }
    }
}

/// The tokens of a text, in order.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, tokens: Vec::new() };
    let mut spans = code_spans::spans(text).into_iter().peekable();
    while lexer.at < text.len() {
        if let Some(span) = spans.next_if(|span| span.at.start <= lexer.at) {
            if span.at.start == lexer.at {
                let inner = text.get(span.inner.start..span.inner.end).unwrap_or_default().trim();
                lexer.code(inner, span.at);
                lexer.at = span.at.end;
            }
            continue;
        }
        let end = spans.peek().map_or(text.len(), |span| span.at.start);
        lexer.next(end);
    }
    lexer.tokens
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn push(&mut self, kind: TokenKind, length: usize) {
        let at = Extent { start: self.at, end: self.at + length };
        self.tokens.push(Token { kind, at });
        self.at += length;
    }

    fn last_word(&self) -> &str {
        self.tokens.last().and_then(Token::word).unwrap_or_default()
    }

    fn code(&mut self, inner: &str, at: Extent) {
        let slashed = inner.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
        let kind = match (self.last_word(), slashed) {
            ("matches" | "match", Some(pattern)) if !pattern.is_empty() => {
                TokenKind::Regex(unslashed(pattern))
            }
            ("json", _) if inner.starts_with('/') => TokenKind::Pointer(inner.to_owned()),
            _ => TokenKind::Code(inner.to_owned()),
        };
        self.tokens.push(Token { kind, at });
    }

    /// The next token before `end`, or a blank.
    fn next(&mut self, end: usize) {
        let Some(rest) = self.text.get(self.at..end) else {
            self.at = end.max(self.at + 1);
            return;
        };
        let Some(first) = rest.chars().next() else { return };
        if first.is_whitespace() || is_invisible(first) {
            self.at += first.len_utf8();
            return;
        }
        // Only a word begins with a plain letter.
        if first.is_ascii_alphabetic() {
            let (word, length) = word(rest);
            return self.push(TokenKind::Word(word), length);
        }
        if self.last_word() == "matches"
            && first == '/'
            && let Some(length) = slashed_length(rest)
        {
            let pattern = unslashed(rest.get(1..length - 1).unwrap_or_default());
            return self.push(TokenKind::Regex(pattern), length);
        }
        if self.last_word() == "json" && first == '/' {
            let length =
                rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | ';')).unwrap_or(rest.len());
            let pointer = rest.get(..length).unwrap_or_default().to_owned();
            return self.push(TokenKind::Pointer(pointer), length);
        }
        if let Some((inner, length)) = element(rest) {
            self.code(&inner, Extent { start: self.at, end: self.at + length });
            self.at += length;
            return;
        }
        if let Some((entity, c)) = ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity)) {
            let follows = rest.get(entity.len()..).unwrap_or_default();
            if let Some((op, length)) = operator(*c, follows) {
                return self.push(TokenKind::Op(op), entity.len() + length);
            }
            return self.push(TokenKind::Sign(*c), entity.len());
        }
        if let Some(length) = arrow(rest) {
            return self.push(TokenKind::Arrow, length);
        }
        if let Some((inner, length)) = self.quoted(first, rest) {
            return self.push(TokenKind::Quote(inner), length);
        }
        let plain = narrow(first);
        let follows = rest.get(first.len_utf8()..).unwrap_or_default();
        if let Some((op, length)) = operator(plain, follows) {
            return self.push(TokenKind::Op(op), first.len_utf8() + length);
        }
        if let Some((number, length)) = self.number(rest) {
            return self.push(TokenKind::Number(number), length);
        }
        if is_word(plain) {
            let (word, length) = word(rest);
            return self.push(TokenKind::Word(word), length);
        }
        self.sign(plain, first.len_utf8(), follows);
    }

    fn sign(&mut self, plain: char, length: usize, follows: &str) {
        match plain {
            // Emphasis. A `~~` strikes a text through, which has a meaning.
            '*' | '_' => self.at += length,
            '\\' if follows.starts_with(|c: char| c.is_ascii_punctuation()) => self.at += length,
            // `3-5`: no dash between two clauses.
            '-' | '\u{2013}' if self.is_tight(follows) => self.push(TokenKind::Sign('-'), length),
            '\u{2010}'..='\u{2015}' => self.push(TokenKind::Sign('—'), length),
            '-' => {
                let more = follows.bytes().take_while(|byte| *byte == b'-').count();
                self.push(TokenKind::Sign('—'), length + more);
            }
            sign => self.push(TokenKind::Sign(sign), length),
        }
    }

    /// Whether a dash joins two words or numbers.
    fn is_tight(&self, follows: &str) -> bool {
        let before = self.tokens.last().filter(|last| last.at.end == self.at);
        before.is_some_and(|last| matches!(last.kind, TokenKind::Number(_) | TokenKind::Word(_)))
            && follows.starts_with(|c: char| c.is_alphanumeric())
    }

    /// A text in quotes; an apostrophe within a word opens none.
    fn quoted(&self, first: char, rest: &str) -> Option<(String, usize)> {
        let (_, closes) = QUOTES.iter().find(|(open, _)| *open == first)?;
        let before = self.text.get(..self.at).and_then(|text| text.chars().next_back());
        if first == '\'' && before.is_some_and(char::is_alphanumeric) {
            return None;
        }
        let inner = rest.get(first.len_utf8()..)?;
        let (end, close) = inner.char_indices().find(|(at, c)| {
            let after = inner.get(at + c.len_utf8()..).and_then(|after| after.chars().next());
            closes.contains(c) && (*c != '\'' && *c != '’' || !after.is_some_and(char::is_alphanumeric))
        })?;
        // What a code span holds is no part of a quotation that begins outside of it.
        let text = inner.get(..end)?;
        (!text.trim().is_empty() && !text.contains(['`', '\n']))
            .then(|| (text.trim().to_owned(), first.len_utf8() + end + close.len_utf8()))
    }

    /// `12`, `-3`, `90.5`, `80%`, `1,600`; words such as `30s`, `3rd` or `1.2.3` are not numbers.
    fn number(&self, rest: &str) -> Option<(String, usize)> {
        let mut chars = rest.char_indices().map(|(at, c)| (at, narrow(c))).peekable();
        let mut text = String::new();
        let before = self.tokens.last().filter(|last| last.at.end == self.at);
        let follows_word = before.is_some_and(|last| {
            matches!(last.kind, TokenKind::Number(_) | TokenKind::Word(_))
                && !last.word().is_some_and(ends_wide)
        });
        if let Some((_, '-' | '−')) = chars.peek()
            && before.is_none()
        {
            text.push('-');
            chars.next();
        }
        let is_digit = |next: &(usize, char)| next.1.is_ascii_digit();
        let mut digits = 0;
        while let Some((_, digit)) = chars.next_if(is_digit) {
            text.push(digit);
            digits += 1;
        }
        if digits == 0 || follows_word || digits > LONGEST {
            return None;
        }
        // Three digits behind a comma go on; any other comma ends the number.
        loop {
            let mut ahead = chars.clone();
            let Some((_, ',')) = ahead.next() else { break };
            let group: Vec<char> = ahead.clone().take(4).map(|(_, c)| c).collect();
            let is_group = group.iter().take(3).filter(|c| c.is_ascii_digit()).count() == 3
                && !group.get(3).is_some_and(char::is_ascii_digit);
            if !is_group {
                break;
            }
            chars.next();
            while let Some((_, digit)) = chars.next_if(is_digit) {
                text.push(digit);
            }
        }
        let mut ahead = chars.clone();
        if matches!(ahead.next(), Some((_, '.'))) && ahead.peek().is_some_and(is_digit) {
            text.push('.');
            chars.next();
            let mut fraction = 0;
            while let Some((_, digit)) = chars.next_if(is_digit) {
                text.push(digit);
                fraction += 1;
            }
            // `1.000` is one, or a thousand where a point stands between thousands.
            if fraction == 3 && digits <= 3 && !text.trim_start_matches('-').starts_with('0') {
                return None;
            }
        }
        if matches!(chars.peek(), Some((_, '%'))) {
            text.push('%');
            chars.next();
        }
        let (end, next) = chars.peek().copied().unwrap_or((rest.len(), ' '));
        let goes_on = next.is_ascii_alphabetic()
            || next == '_'
            || next == '.' && chars.clone().nth(1).is_some_and(|(_, c)| c.is_alphanumeric());
        (!goes_on).then_some((text, end))
    }
}

/// Longer numbers are none.
const LONGEST: usize = 15;

const QUOTES: &[(char, &[char])] = &[
    ('"', &['"']),
    ('\'', &['\'']),
    ('“', &['”', '“']),
    ('„', &['“', '”']),
    ('‟', &['”']),
    ('‘', &['’']),
    ('‚', &['‘', '’']),
    ('«', &['»']),
    ('»', &['«']),
    ('「', &['」']),
    ('『', &['』']),
    ('＂', &['＂']),
];

const ENTITIES: &[(&str, char)] =
    &[("&gt;", '>'), ("&lt;", '<'), ("&amp;", '&'), ("&quot;", '"'), ("&#39;", '\'')];

/// The content of `<code>…</code>` at the beginning of a text, and how long the element is.
fn element(rest: &str) -> Option<(String, usize)> {
    let inner = rest.strip_prefix("<code>")?;
    let end = inner.find("</code>")?;
    let mut text = inner.get(..end)?.trim().to_owned();
    for (entity, c) in ENTITIES {
        text = text.replace(entity, c.encode_utf8(&mut [0; 4]));
    }
    Some((text, "<code></code>".len() + end))
}

/// Whether an arrow stands anywhere in a text.
pub(crate) fn has_arrow(text: &str) -> bool {
    // Every plain arrow ends with this sign.
    (!text.is_ascii() || text.contains('>'))
        && text.char_indices().any(|(at, _)| text.get(at..).and_then(arrow).is_some())
}

/// How long the arrow at the beginning of a text is.
fn arrow(rest: &str) -> Option<usize> {
    let first = rest.chars().next()?;
    if matches!(first, '→' | '⇒' | '➜' | '➔' | '➝' | '➞' | '⟶' | '⟹' | '⇨' | '►' | '▶')
    {
        return Some(first.len_utf8());
    }
    if !matches!(first, '-' | '=' | '—' | '–') {
        return None;
    }
    ["-->", "==>", "->", "=>", "—>", "–>"]
        .iter()
        .find(|arrow| rest.starts_with(**arrow))
        .map(|arrow| arrow.len())
}

/// A comparison that begins with `first`, and how much of what follows belongs to it.
fn operator(first: char, follows: &str) -> Option<(Op, usize)> {
    let next = follows.chars().next();
    let equal = next.filter(|c| narrow(*c) == '=').map(char::len_utf8);
    Some(match (first, equal) {
        ('>', Some(length)) => (Op::Ge, length),
        ('<', Some(length)) => (Op::Le, length),
        ('=', Some(length)) => {
            let third = follows.get(length..).filter(|rest| rest.starts_with('='));
            (Op::Eq, length + third.map_or(0, |_| 1))
        }
        ('!', Some(length)) => (Op::Ne, length),
        ('>', None) => (Op::Gt, 0),
        ('<', None) if next != Some('-') => (Op::Lt, 0),
        ('=', None) => (Op::Eq, 0),
        ('≥' | '⩾' | '≧', _) => (Op::Ge, 0),
        ('≤' | '⩽' | '≦', _) => (Op::Le, 0),
        ('≠', _) => (Op::Ne, 0),
        _ => return None,
    })
}

/// The ASCII form of a full-width sign.
fn narrow(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '。' => '.',
        '、' => ',',
        '−' => '-',
        '’' | 'ʼ' => '\'',
        other => other,
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric()
}

/// A word in lower case, and its length: letters and digits, with `-`, `'`, `_` and `.` only between them. Scripts
/// without blanks end at a digit.
fn word(rest: &str) -> (String, usize) {
    // Nearly every word has plain letters only.
    let plain_length = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let mut word = rest.get(..plain_length).unwrap_or_default().to_ascii_lowercase();
    let mut end = plain_length;
    let goes_on = |byte: &u8| !byte.is_ascii() || matches!(byte, b'-' | b'\'' | b'_' | b'.');
    if !rest.as_bytes().get(plain_length).is_some_and(goes_on) {
        return (word, end);
    }
    let mut chars = rest.get(plain_length..).unwrap_or_default().char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let plain = narrow(c);
        let next = chars.peek().map(|(_, c)| narrow(*c));
        let joins = matches!(plain, '-' | '\'' | '_' | '.') && next.is_some_and(is_word) && !word.is_empty();
        if !is_word(plain) && !joins {
            break;
        }
        if plain.is_ascii_digit() && ends_wide(&word) {
            break;
        }
        // A wide letter begins a word of its own behind a narrow one.
        if is_wide(plain) && !word.is_empty() && !ends_wide(&word) {
            break;
        }
        word.extend(plain.to_lowercase());
        end = plain_length + at + c.len_utf8();
    }
    (word, end)
}

/// Whether a word ends with a letter of a script that has no blanks or glues particles to words.
fn ends_wide(word: &str) -> bool {
    word.chars().next_back().is_some_and(is_wide)
}

fn is_wide(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3040}'..='\u{30ff}' | '\u{3130}'..='\u{318f}' | '\u{3400}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}')
}

/// Characters without a glyph: joiners, variation selectors.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{2060}' | '\u{00ad}')
}

/// How long `/…/` at the beginning of a text is; `\/` is a slash within it.
fn slashed_length(rest: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '/' if at > 1 => return Some(at + 1),
            '/' => return None,
            _ => {}
        }
    }
    None
}

fn unslashed(pattern: &str) -> String {
    pattern.replace("\\/", "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let one = |token: &Token| match &token.kind {
            TokenKind::Code(text) => format!("`{text}`"),
            TokenKind::Quote(text) => format!("\"{text}\""),
            TokenKind::Number(text) => format!("#{text}"),
            TokenKind::Op(op) => op.sign().to_owned(),
            TokenKind::Arrow => "→".to_owned(),
            TokenKind::Regex(text) => format!("/{text}/"),
            TokenKind::Pointer(text) => format!("@{text}"),
            TokenKind::Word(text) => text.clone(),
            TokenKind::Sign(sign) => sign.to_string(),
        };
        tokens(text).iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn spelling_is_handled_once() {
        for (text, cut) in [
            ("`a b` → exit 0", "`a b` → exit #0"),
            ("`a` -> **PASS**", "`a` → pass"),
            ("≥ 80%, >=3; &gt;= 4", ">= #80% , >= #3 ; >= #4"),
            ("１２ 件以上", "#12 件以上"),
            ("至少10个", "至少 #10 个"),
            ("10개 이상", "#10 개 이상"),
            ("“it’s” ‘x’ «y» 「z」 „w“", "\"it’s\" \"x\" \"y\" \"z\" \"w\""),
            ("doesn't fail", "doesn't fail"),
            ("1,600 rows, 3, 4", "#1600 rows , #3 , #4"),
            ("v1.2.3 and 1.2.3", "v1.2.3 and 1.2.3"),
            ("within 30s", "within 30s"),
            ("-3 — x - y -- z", "#-3 — x — y — z"),
            ("matches /a\\/b c/, x", "matches /a/b c/ , x"),
            ("matches `/^v\\d+$/`", "matches /^v\\d+$/"),
            ("json /a/0/b == \"x\"", "json @/a/0/b == \"x\""),
            ("12/12 58+", "#12 / #12 #58 +"),
            ("snake_case _emph_ \\*x\\*", "snake_case emph x"),
            ("~~x~~", "~ ~ x ~ ~"),
            ("3-5 3–5 3 - 5", "#3 - #5 #3 - #5 #3 — #5"),
        ] {
            assert_eq!(shown(text), cut, "{text}");
        }
    }
}
