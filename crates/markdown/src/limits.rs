//! Limits on the structure of a text: beyond them it is an attack on our memory and not a plan.
//!
//! A large file is fine; a file of nothing but brackets or boxes would cost a hundred times its size. Markup bytes
//! are counted in one pass before anything is built from them.

use crate::Text;
use toolkit::Fail;

/// Rejects a text that would take more memory than any plan needs.
pub fn check(text: &Text) -> Result<(), Fail> {
    if text.bytes.len() < LARGE { Ok(()) } else { within(text, MOST_SIGNS, MOST_BOXES) }
}

fn within(text: &Text, most_signs: usize, most_boxes: usize) -> Result<(), Fail> {
    let signs = text.bytes.iter().filter(|byte| SIGNS[usize::from(**byte)]).count();
    if signs > most_signs {
        let message = format!("{signs} signs of Markdown, more than the {most_signs} that a plan may have");
        return Err(Fail::data("too-large", message).at(text.path, 1));
    }
    let boxes = text.bytes.windows(3).filter(|three| three[0] == b'[' && three[2] == b']').count();
    if boxes > most_boxes {
        let message = format!("{boxes} boxes, more than the {most_boxes} that a plan may have");
        return Err(Fail::data("too-large", message).at(text.path, 1));
    }
    Ok(())
}

/// Below this size no text is dangerous.
const LARGE: usize = 16 << 20;

/// Each may become a node of about a hundred bytes.
const MOST_SIGNS: usize = 64_000_000;

/// Each may become a task of about a thousand bytes.
const MOST_BOXES: usize = 3_000_000;

/// The bytes that have a meaning in Markdown.
static SIGNS: [bool; 256] = {
    let mut signs = [false; 256];
    let marks = b"[]*_`>|#<&\\-+~!\n";
    let mut at = 0;
    while at < marks.len() {
        signs[marks[at] as usize] = true;
        at += 1;
    }
    signs
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_signs_is_refused() {
        let code = |bytes: &[u8]| within(&Text { path: "x", bytes }, 40, 4).err().map(|fail| fail.code);
        assert_eq!(code(&[b'['; 41]), Some("too-large"));
        assert_eq!(code("- [ ] x\n".repeat(5).as_bytes()), Some("too-large"));
        assert_eq!(code("- [ ] x\n".repeat(4).as_bytes()), None);
        assert_eq!(code(&[b'x'; 400]), None);
    }
}
