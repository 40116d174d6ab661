//! The programs that a shell line starts, as far as that can be told without running it.

use std::collections::BTreeSet;

/// The programs of a line that are names without a folder. Where the line has what only a shell can expand, such as a
/// variable, the program is left out.
pub(super) fn of(line: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut begins = true;
    for token in tokens(line) {
        match token {
            Token::Command => begins = true,
            Token::Redirect => {}
            Token::Word(word) if begins && (word == "!" || is_assignment(&word)) => {}
            Token::Word(word) => {
                if begins && is_name(&word) {
                    found.insert(word);
                }
                begins = false;
            }
        }
    }
    found
}

enum Token {
    Word(String),
    /// What stands between two commands.
    Command,
    Redirect,
}

/// The words and operators of a line, up to what this reader does not know.
fn tokens(line: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut word: Option<String> = None;
    // The word behind a redirection is a file.
    let mut to_file = false;
    let mut letters = line.chars().peekable();
    let end = |word: &mut Option<String>, to_file: &mut bool, found: &mut Vec<Token>| {
        if let Some(word) = word.take()
            && !std::mem::take(to_file)
        {
            found.push(Token::Word(word));
        }
    };
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' => end(&mut word, &mut to_file, &mut found),
            '\'' => word.get_or_insert_default().extend(letters.by_ref().take_while(|c| *c != '\'')),
            '"' => {
                let text: String = letters.by_ref().take_while(|c| *c != '"').collect();
                if text.contains(['\\', '`', '$']) {
                    // What it stands for is not known; as a program it has no plain name.
                    word.get_or_insert_default().push('$');
                }
                word.get_or_insert_default().push_str(&text);
            }
            '&' | '|' | ';' | '\n' => {
                end(&mut word, &mut to_file, &mut found);
                found.push(Token::Command);
            }
            '>' | '<' => {
                // The number of a descriptor is no word of the command.
                if word.as_deref().is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit())) {
                    word = None;
                }
                end(&mut word, &mut to_file, &mut found);
                while letters.next_if(|c| matches!(c, '>' | '<' | '&')).is_some() {}
                to_file = true;
                found.push(Token::Redirect);
            }
            '(' | ')' | '{' | '}' | '`' | '#' | '\\' => break,
            other => word.get_or_insert_default().push(other),
        }
    }
    end(&mut word, &mut to_file, &mut found);
    found
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

fn is_name(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.+".contains(c);
    word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') && word.chars().all(plain)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_programs_of_a_line_are_at_the_start_of_its_commands() {
        for (line, wanted) in [
            ("pytest -q", "pytest"),
            ("A=1 B='x y' cargo test && npm run lint", "cargo npm"),
            ("cat out.txt | jq -r '.a | .b' > 'x y' 2>&1", "cat jq"),
            ("./run.sh; bin/other", ""),
            ("\"$TOOL\" --version", ""),
            ("$TOOL --version || curl -f http://localhost", "curl"),
            ("! grep -q 'a && b' file", "grep"),
            ("2> err prog", "prog"),
            ("( cd x && make )", ""),
            ("", ""),
        ] {
            let found: Vec<String> = super::of(line).into_iter().collect();
            assert_eq!(found.join(" "), wanted, "{line}");
        }
    }
}
