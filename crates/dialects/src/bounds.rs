//! How much structure a text may have before it is no plan but an attack on our memory.
//!
//! A large file is fine; one that is nothing but brackets or boxes would cost a hundred times its size. Signs are counted
//! in one pass before anything is built from them.

use crate::Text;
use toolkit::Fail;

/// Refuses a text that would take more memory than any plan needs.
pub(crate) fn check(text: &Text) -> Result<(), Fail> {
    if text.bytes.len() < LARGE {
        return Ok(());
    }
    let signs = text.bytes.iter().filter(|byte| SIGNS[usize::from(**byte)]).count();
    if signs > MOST_SIGNS {
        let message = format!("{signs} signs of Markdown, more than the {MOST_SIGNS} that a plan may have");
        return Err(Fail::data("too-large", message).at(text.path, 1));
    }
    let boxes = text.bytes.windows(3).filter(|three| three[0] == b'[' && three[2] == b']').count();
    if boxes > MOST_BOXES {
        let message = format!("{boxes} boxes, more than the {MOST_BOXES} that a plan may have");
        return Err(Fail::data("too-large", message).at(text.path, 1));
    }
    Ok(())
}

/// Below this no text is dangerous.
const LARGE: usize = 16 << 20;

/// Each may become a node of about a hundred bytes.
const MOST_SIGNS: usize = 64_000_000;

/// Each may become a task of about a thousand bytes.
const MOST_BOXES: usize = 3_000_000;

/// The bytes that Markdown gives a meaning.
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
    fn nothing_but_brackets_is_refused() {
        let bytes = vec![b'['; MOST_SIGNS + 1];
        assert_eq!(check(&Text { path: "x", bytes: &bytes }).unwrap_err().code, "too-large");
        let bytes = "- [ ] x\n".repeat(MOST_BOXES + 1).into_bytes();
        assert_eq!(check(&Text { path: "x", bytes: &bytes }).unwrap_err().code, "too-large");
        let bytes = vec![b'x'; MOST_SIGNS + 1];
        assert!(check(&Text { path: "x", bytes: &bytes }).is_ok());
    }
}
