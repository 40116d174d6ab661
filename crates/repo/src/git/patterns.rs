//! Git's patterns of names, without git: those of ignore files, and those of conditions in its settings.
//!
//! A pattern is matched in time that is bounded by its length times the length of the name, whatever it is.

/// A pattern in which `*`, `?` and sets match no `/`, and `**` stands for whole folders.
#[derive(Debug, Clone)]
pub(crate) struct Wild {
    /// `None` for a pattern that matches nothing, as one with a set that is not closed.
    steps: Option<Vec<Step>>,
}

#[derive(Debug, Clone)]
enum Step {
    Byte(u8),
    One,
    Set(Box<[bool; 256]>),
    /// `*`: any bytes but `/`.
    Star,
    /// `**`: any bytes.
    All,
    /// `**/`: nothing, or any bytes up to a `/`. Two steps: its beginning, and the bytes.
    Folders,
    InFolders,
}

impl Wild {
    pub(crate) fn new(pattern: &[u8]) -> Self {
        Self { steps: steps(pattern) }
    }

    /// Whether the whole text matches.
    pub(crate) fn matches(&self, text: &[u8]) -> bool {
        let Some(steps) = &self.steps else { return false };
        let mut now = vec![false; steps.len() + 1];
        reach(steps, &mut now, 0);
        for byte in text {
            let mut next = vec![false; steps.len() + 1];
            for (at, step) in steps.iter().enumerate().filter(|(at, _)| now[*at]) {
                match step {
                    Step::Byte(own) if own == byte => reach(steps, &mut next, at + 1),
                    Step::One if *byte != b'/' => reach(steps, &mut next, at + 1),
                    Step::Set(set) if *byte != b'/' && set[usize::from(*byte)] => {
                        reach(steps, &mut next, at + 1);
                    }
                    Step::Star if *byte != b'/' => reach(steps, &mut next, at),
                    Step::All => reach(steps, &mut next, at),
                    Step::InFolders => {
                        next[at] = true;
                        if *byte == b'/' {
                            reach(steps, &mut next, at + 1);
                        }
                    }
                    _ => {}
                }
            }
            now = next;
        }
        now[steps.len()]
    }
}

/// Marks a step, and those that can follow without a byte.
fn reach(steps: &[Step], marked: &mut [bool], at: usize) {
    if marked[at] {
        return;
    }
    marked[at] = true;
    match steps.get(at) {
        Some(Step::Star | Step::All) => reach(steps, marked, at + 1),
        Some(Step::Folders) => {
            reach(steps, marked, at + 1);
            reach(steps, marked, at + 2);
        }
        _ => {}
    }
}

fn steps(pattern: &[u8]) -> Option<Vec<Step>> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(byte) = pattern.get(at) {
        match byte {
            b'\\' => {
                out.push(Step::Byte(*pattern.get(at + 1)?));
                at += 2;
            }
            b'?' => {
                out.push(Step::One);
                at += 1;
            }
            b'[' => {
                let (set, end) = set(pattern, at + 1)?;
                out.push(Step::Set(Box::new(set)));
                at = end;
            }
            b'*' => {
                let begun = at;
                while pattern.get(at) == Some(&b'*') {
                    at += 1;
                }
                let rest = &pattern[at..];
                let whole = (begun == 0 || pattern[begun - 1] == b'/')
                    && (rest.is_empty() || rest.starts_with(b"/") || rest.starts_with(b"\\/"));
                if at - begun == 1 || !whole {
                    out.push(Step::Star);
                } else if rest.starts_with(b"/") {
                    out.extend([Step::Folders, Step::InFolders]);
                    at += 1;
                } else {
                    out.push(Step::All);
                }
            }
            byte => {
                out.push(Step::Byte(*byte));
                at += 1;
            }
        }
    }
    Some(out)
}

/// The bytes of a set that begins after its `[`, and where the pattern goes on.
fn set(pattern: &[u8], mut at: usize) -> Option<([bool; 256], usize)> {
    let mut found = [false; 256];
    let negated = matches!(pattern.get(at)?, b'!' | b'^');
    at += usize::from(negated);
    let mut previous: Option<u8> = None;
    let first = at;
    loop {
        let byte = *pattern.get(at)?;
        if byte == b']' && at > first {
            break;
        }
        let next = pattern.get(at + 1).copied();
        match byte {
            b'\\' => {
                let escaped = next?;
                found[usize::from(escaped)] = true;
                (previous, at) = (Some(escaped), at + 2);
            }
            b'-' if previous.is_some() && next.is_some_and(|next| next != b']') => {
                at += 1;
                if pattern[at] == b'\\' {
                    at += 1;
                }
                let last = *pattern.get(at)?;
                for one in previous.unwrap_or(last)..=last {
                    found[usize::from(one)] = true;
                }
                (previous, at) = (None, at + 1);
            }
            b'[' if next == Some(b':') => {
                let name = &pattern[at + 2..];
                let end = name.iter().position(|byte| *byte == b']')?;
                if let Some(class) = name[..end].strip_suffix(b":") {
                    let is_in = class_of(class)?;
                    (0..=u8::MAX)
                        .filter(|byte| is_in(*byte))
                        .for_each(|byte| found[usize::from(byte)] = true);
                    (previous, at) = (None, at + 2 + end + 1);
                } else {
                    found[usize::from(b'[')] = true;
                    (previous, at) = (Some(b'['), at + 1);
                }
            }
            byte => {
                found[usize::from(byte)] = true;
                (previous, at) = (Some(byte), at + 1);
            }
        }
    }
    if negated {
        found = found.map(|is_in| !is_in);
    }
    Some((found, at + 1))
}

/// A class of bytes by its name, as git defines it.
fn class_of(name: &[u8]) -> Option<fn(u8) -> bool> {
    let is_in: fn(u8) -> bool = match name {
        b"alnum" => |b| b.is_ascii_alphanumeric(),
        b"alpha" => |b| b.is_ascii_alphabetic(),
        b"blank" => |b| matches!(b, b' ' | b'\t'),
        b"cntrl" => |b| b.is_ascii_control(),
        b"digit" => |b| b.is_ascii_digit(),
        b"graph" => |b| b.is_ascii_graphic(),
        b"lower" => |b| b.is_ascii_lowercase(),
        b"print" => |b| b.is_ascii_graphic() || b == b' ',
        b"punct" => |b| b.is_ascii_punctuation(),
        b"space" => |b| matches!(b, b' ' | b'\t' | b'\n' | b'\r'),
        b"upper" => |b| b.is_ascii_uppercase(),
        b"xdigit" => |b| b.is_ascii_hexdigit(),
        _ => return None,
    };
    Some(is_in)
}

/// The rules of one ignore file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rules {
    all: Vec<Rule>,
}

#[derive(Debug, Clone)]
struct Rule {
    negative: bool,
    only_folders: bool,
    /// Whether it has no `/` and so matches names at any depth.
    anywhere: bool,
    /// The bytes before the first wildcard.
    plain: Vec<u8>,
    /// What follows them.
    wild: Option<Wild>,
}

impl Rules {
    /// Reads an ignore file; `None` for one that git would read in another way than line by line.
    pub(crate) fn of(text: &[u8]) -> Option<Self> {
        if text.contains(&0) {
            return None;
        }
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let lines = text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"));
        Some(Self { all: lines.map(|line| Rule::of(without_end_spaces(line))).collect() })
    }

    /// What the last rule that matches says: whether the path, as seen from the folder of the file, is ignored.
    pub(crate) fn say(&self, path: &[u8], is_folder: bool) -> Option<bool> {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        let last = self.all.iter().rev().find(|rule| rule.matches(path, name, is_folder))?;
        Some(!last.negative)
    }
}

impl Rule {
    fn of(line: &[u8]) -> Self {
        let (negative, text) = line.strip_prefix(b"!").map_or((false, line), |text| (true, text));
        let (only_folders, text) = text.strip_suffix(b"/").map_or((false, text), |text| (true, text));
        let anywhere = !text.contains(&b'/');
        let text = text.strip_prefix(b"/").unwrap_or(text);
        let special = |byte: &u8| matches!(byte, b'*' | b'?' | b'[' | b'\\');
        let plain = text.iter().position(special).unwrap_or(text.len());
        // Names at any depth are matched whole, so that what precedes a wildcard is part of the pattern.
        let plain = if anywhere && plain < text.len() { 0 } else { plain };
        let wild = (plain < text.len()).then(|| Wild::new(&text[plain..]));
        Self { negative, only_folders, anywhere, plain: text[..plain].to_vec(), wild }
    }

    fn matches(&self, path: &[u8], name: &[u8], is_folder: bool) -> bool {
        if self.only_folders && !is_folder {
            return false;
        }
        let text = if self.anywhere { name } else { path };
        match (text.strip_prefix(self.plain.as_slice()), &self.wild) {
            (None, _) => false,
            (Some(rest), None) => rest.is_empty(),
            (Some(rest), Some(wild)) => wild.matches(rest),
        }
    }
}

/// A line without spaces at its end, unless they are escaped.
fn without_end_spaces(line: &[u8]) -> &[u8] {
    let mut end = None;
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        match byte {
            b' ' => end = end.or(Some(at)),
            b'\\' => {
                // A backslash at the end escapes nothing.
                if line.get(at + 1).is_none() {
                    return line;
                }
                (at, end) = (at + 1, None);
            }
            _ => end = None,
        }
        at += 1;
    }
    &line[..end.unwrap_or(line.len())]
}

#[cfg(test)]
mod tests {
    use super::{Rules, Wild};

    #[test]
    fn a_pattern_matches_as_in_git() {
        for (pattern, text, expected) in [
            ("foo", "foo", true),
            ("f*", "foo/bar", false),
            ("*/bar", "foo/bar", true),
            ("**/bar", "bar", true),
            ("**/bar", "a/b/bar", true),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true),
            ("a/**", "a/b/c", true),
            ("a**b", "axb", true),
            ("a**b", "ax/b", false),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[^a-c]x", "zx", true),
            ("[]]x", "]x", true),
            ("[[:digit:]]", "7", true),
            ("[[:nobody:]]", "7", false),
            ("[a", "[a", false),
            ("a\\*", "a*", true),
            ("a\\", "a\\", false),
            ("a[/]b", "a/b", false),
            ("?", "/", false),
            ("*a*a*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false),
        ] {
            assert_eq!(Wild::new(pattern.as_bytes()).matches(text.as_bytes()), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn the_last_rule_decides() {
        let rules = Rules::of(b"*.log\n!keep.log\n/top\nbuild/\n\\#x\nend \nspace\\ \n").unwrap();
        let said = |path: &str, is_folder| rules.say(path.as_bytes(), is_folder);
        assert_eq!(said("a/b.log", false), Some(true));
        assert_eq!(said("a/keep.log", false), Some(false));
        assert_eq!(said("top", false), Some(true));
        assert_eq!(said("a/top", false), None);
        assert_eq!((said("a/build", true), said("a/build", false)), (Some(true), None));
        assert_eq!(said("#x", false), Some(true));
        assert_eq!((said("end", false), said("space ", false)), (Some(true), Some(true)));
    }
}
