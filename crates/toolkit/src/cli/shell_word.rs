//! Words of a command line that a message shows for a person to type.

/// A word quoted for a shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A path quoted for a shell; one that looks like an option gets its folder.
pub fn path(path: &str) -> String {
    if path.starts_with('-') { quoted(&format!("./{path}")) } else { quoted(path) }
}

#[cfg(test)]
mod tests {
    use super::{path, quoted};

    #[test]
    fn a_word_is_one_word_for_a_shell() {
        for (word, wanted) in [("a/b.md", "a/b.md"), ("it's", r"'it'\''s'"), ("", "''"), ("a;b", "'a;b'")] {
            assert_eq!(quoted(word), wanted);
        }
        assert_eq!((path("-x").as_str(), path("a b").as_str()), ("./-x", "'a b'"));
    }
}
