//! Mutes the signs of emphasis, code and links before the structure of a text is parsed.
//!
//! Within a line of text no block begins or ends with one of them, but the parser would pair them all, and we
//! ignore the result. Each becomes a letter, so that no byte moves.
//!
//! Not changed: lines that may open a fence or an HTML block, and whole texts with the end of a link definition or
//! of a CDATA section, where brackets mean more.

use memchr::{memchr2, memmem};
use std::borrow::Cow;

/// A text with the same blocks.
pub(crate) fn muted(text: &str) -> Cow<'_, str> {
    let has = |end: &str| memmem::find(text.as_bytes(), end.as_bytes()).is_some();
    if has("]:") || has("]]>") {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    let mut rest = bytes.as_mut_slice();
    while !rest.is_empty() {
        let end = memchr2(b'\n', b'\r', rest).map_or(rest.len(), |end| end + 1);
        let (line, after) = rest.split_at_mut(end);
        mute(line);
        rest = after;
    }
    // Letters replace ASCII signs only, so the result is still UTF-8.
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn mute(line: &mut [u8]) {
    let begins = |byte: &u8| {
        matches!(byte, b'[' | b'<' | b'`' | b'~') || byte.is_ascii_alphabetic() || !byte.is_ascii()
    };
    let Some(start) = line.iter().position(begins) else { return };
    let (_, words) = line.split_at_mut(start);
    if matches!(words.first(), Some(b'<' | b'`' | b'~')) {
        return;
    }
    for byte in words {
        *byte = MUTED[usize::from(*byte)];
    }
}

/// The letter that replaces a sign; it occurs in no tag that ends an HTML block.
const LETTER: u8 = b'o';

/// Each byte, or the letter that replaces it.
static MUTED: [u8; 256] = {
    let mut muted = [0; 256];
    let mut byte: u8 = 0;
    loop {
        muted[byte as usize] =
            if matches!(byte, b'*' | b'_' | b'`' | b'[' | b']' | b'!') { LETTER } else { byte };
        if byte == u8::MAX {
            break muted;
        }
        byte += 1;
    }
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_signs_within_text_are_muted() {
        for (text, read) in [
            ("- [ ] **a** `b`\n* [x] c!\n", "- o o ooaoo obo\n* oxo co\n"),
            ("***\n* * *\n_ _ _\n**a**\n", "***\n* * *\n_ _ _\n**aoo\n"),
            ("```c `x`\n- ~~~ *a*\n<a *b*>\n", "```c `x`\n- ~~~ *a*\n<a *b*>\n"),
            ("1. é *b*\r> *a | `b|\\|` |\r\n", "1. é obo\r> *a | ob|\\|o |\r\n"),
            ("[a]: b\n\n*c*\n", "[a]: b\n\n*c*\n"),
            ("", ""),
        ] {
            assert_eq!(muted(text), read);
        }
    }
}
