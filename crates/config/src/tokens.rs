//! `{{TOKEN}}` in a configuration or a plan: from `--set`, then from the file's own values, then from the environment.
//!
//! A token without a value is a mistake, never an empty word. What is filled in is looked at again only by
//! [`Tokens::resolve`], which knows that the whole text is the configuration's own.

use regex::{Captures, Regex};
use std::collections::BTreeMap;
use toolkit::Fail;
use toolkit::cli::env;

/// How often a value may itself lead to another token.
const DEPTH: u32 = 4;

/// Where values come from.
pub struct Tokens<'a> {
    /// Values given on the command line; the last of a name wins.
    pub set: &'a [(String, String)],
    /// The file's own values.
    pub file: &'a BTreeMap<String, String>,
}

impl Tokens<'_> {
    /// The text with every token filled in.
    pub fn resolve(&self, gate: &str, text: &str) -> Result<String, Fail> {
        let pattern = Regex::new(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
            .map_err(|e| Fail::config("bad-token", e.to_string()))?;
        let mut text = text.to_owned();
        for _ in 0..DEPTH {
            if !pattern.is_match(&text) {
                break;
            }
            let fill = |found: &Captures<'_>| self.value(&found[1]).unwrap_or_else(|| found[0].to_owned());
            text = pattern.replace_all(&text, fill).into_owned();
        }
        match pattern.find(&text) {
            None => Ok(text),
            Some(left) => {
                let message = format!("gate '{gate}' has an unresolved '{}'", left.as_str());
                Err(Fail::config("unresolved-token", message))
            }
        }
    }

    /// The value of one token: the given one, else the environment's.
    pub fn value(&self, name: &str) -> Option<String> {
        self.given(name).or_else(|| env::get(name))
    }

    /// The value that was given; a value equal to its own token counts as unset.
    pub fn given(&self, name: &str) -> Option<String> {
        let set = self.set.iter().rev().find(|(set, _)| set == name).map(|(_, value)| value.clone());
        let own = || names(name).iter().find_map(|key| self.file.get(key)).cloned();
        set.or_else(|| own().filter(|value| !value.contains(name)))
    }
}

/// `NAME=VALUE` on a command line; the name is one that a variable may have.
pub fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("there is no '='")?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(plain) || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(format!("'{name}' is no name for a value"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// The keys that a token may have in a file: `KFK_PYTHON_RUNNER` is also `python_runner`.
fn names(token: &str) -> Vec<String> {
    let lower = token.to_lowercase();
    let short = lower.split_once('_').map(|(_, rest)| rest.to_owned());
    [Some(token.to_owned()), Some(lower), short].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::Tokens;
    use std::collections::BTreeMap;

    #[test]
    fn set_comes_before_the_file_and_the_short_name_will_do() {
        let file = BTreeMap::from([
            ("python_runner".to_owned(), "py".to_owned()),
            ("mypy_target".to_owned(), "{{KFK_MYPY_TARGET}}".to_owned()),
        ]);
        let set = [("KFK_ARGS".to_owned(), "-q".to_owned())];
        let tokens = Tokens { set: &set, file: &file };
        assert_eq!(tokens.resolve("g", "{{KFK_PYTHON_RUNNER}} {{ KFK_ARGS }}").unwrap(), "py -q");
        assert_eq!(tokens.resolve("g", "{{KFK_MYPY_TARGET}}").unwrap_err().code, "unresolved-token");
    }
}
