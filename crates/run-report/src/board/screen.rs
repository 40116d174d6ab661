//! A terminal, taken over for a while and always restored.

use crate::board::{Look, Row};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetwinsize, tcsetattr,
};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{IsTerminal, Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Mutex;
use toolkit::Fail;
use wire::report::Stand;

/// Alternate screen, no cursor, no line wrapping.
const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l";
/// Undoes [`ENTER`].
const LEAVE: &str = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";

/// The settings of the terminal before, to restore them at the end of the board or on a panic.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// The terminal on standard output.
pub(crate) struct Screen {
    out: File,
    keys: File,
    size: (usize, usize),
    shown: Vec<String>,
    colour: bool,
    /// Typed and unprocessed bytes: several keys may arrive together.
    typed: Vec<u8>,
}

/// A key, or another reason to stop waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    Open,
    Back,
    Quit,
    /// Ctrl-Z: the terminal does not send the signal, since the screen must be given back first.
    Suspend,
    /// No key in time, or a key without a meaning.
    None,
}

impl Screen {
    /// Whether standard output is a terminal at all.
    pub(crate) fn is_there() -> bool {
        std::io::stdout().is_terminal()
    }

    /// Takes the terminal over.
    pub(crate) fn take() -> Result<Self, Fail> {
        let tty = Path::new("/dev/tty");
        let open = |e: std::io::Error| Fail::io(tty, &e);
        let keys = File::open(tty).map_err(open)?;
        let out = std::io::stdout().as_fd().try_clone_to_owned().map(File::from).map_err(open)?;
        let before = tcgetattr(&keys).map_err(|e| open(e.into()))?;
        let mut raw = before.clone();
        raw.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
        // A suspended board would leave its screen behind.
        raw.special_codes[SpecialCodeIndex::VSUSP] = 0;
        raw.special_codes[SpecialCodeIndex::VMIN] = 0;
        raw.special_codes[SpecialCodeIndex::VTIME] = 0;
        if let Ok(mut kept) = BEFORE.lock() {
            *kept = Some(before);
        }
        let earlier = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            earlier(panic);
        }));
        tcsetattr(&keys, OptionalActions::Now, &raw).map_err(|e| open(e.into()))?;
        let colour = toolkit::cli::env::get("NO_COLOR").is_none();
        let mut screen = Self { out, keys, size: (0, 0), shown: Vec::new(), colour, typed: Vec::new() };
        screen.write(ENTER)?;
        Ok(screen)
    }

    /// Columns and lines, as they are now.
    pub(crate) fn size(&self) -> (usize, usize) {
        let size = tcgetwinsize(&self.out).map_or((80, 24), |size| (size.ws_col.into(), size.ws_row.into()));
        if size.0 == 0 || size.1 == 0 { (80, 24) } else { size }
    }

    /// Shows these lines: writes only those that differ, in one write.
    pub(crate) fn show(&mut self, rows: &[Row]) -> Result<(), Fail> {
        let size = self.size();
        let mut text = String::from("\x1b[?2026h");
        if size != self.size {
            text.push_str("\x1b[2J");
            (self.size, self.shown) = (size, Vec::new());
        }
        let lines: Vec<String> = rows.iter().take(size.1).map(|row| self.painted(row)).collect();
        for (n, line) in lines.iter().enumerate() {
            if self.shown.get(n) != Some(line) {
                // Writing to a string cannot fail.
                let _ = write!(text, "\x1b[{};1H\x1b[0m\x1b[K{line}", n + 1);
            }
        }
        if lines.len() < self.shown.len() {
            let _ = write!(text, "\x1b[{};1H\x1b[J", lines.len() + 1);
        }
        text.push_str("\x1b[?2026l");
        self.shown = lines;
        self.write(&text)
    }

    /// Waits a while for a key.
    pub(crate) fn key(&mut self, millis: i64) -> Key {
        if !self.typed.is_empty() {
            return next(&mut self.typed);
        }
        let mut wait = [PollFd::new(&self.keys, PollFlags::IN)];
        let limit = Timespec { tv_sec: millis / 1000, tv_nsec: millis % 1000 * 1_000_000 };
        // A signal ends the wait early: the caller checks signals anyway.
        if !poll(&mut wait, Some(&limit)).is_ok_and(|n| n > 0) {
            return Key::None;
        }
        let mut bytes = [0; 16];
        match self.keys.read(&mut bytes) {
            Ok(0) | Err(_) => Key::Quit,
            Ok(n) => {
                self.typed.extend_from_slice(&bytes[..n]);
                next(&mut self.typed)
            }
        }
    }

    fn painted(&self, row: &Row) -> String {
        if !self.colour {
            return match row.look {
                Look::Chosen(_) => format!("\x1b[7m{}", row.text),
                _ => row.text.clone(),
            };
        }
        let code = match row.look {
            Look::Plain => "0".to_owned(),
            Look::Strong => "1".to_owned(),
            Look::Soft => "2".to_owned(),
            Look::Of(stand) => colour(stand).to_owned(),
            Look::Chosen(stand) => format!("7;{}", colour(stand)),
        };
        format!("\x1b[{code}m{}", row.text)
    }

    fn write(&mut self, text: &str) -> Result<(), Fail> {
        self.out.write_all(text.as_bytes()).map_err(|e| Fail::io(Path::new("<stdout>"), &e))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Restores the terminal; a second call does nothing.
fn give_back() {
    let Some(before) = BEFORE.lock().ok().and_then(|mut kept| kept.take()) else { return };
    let mut out = std::io::stdout();
    // A terminal that is gone need not be restored.
    let _ = out.write_all(LEAVE.as_bytes()).and_then(|()| out.flush());
    if let Ok(tty) = File::open("/dev/tty") {
        let _ = tcsetattr(&tty, OptionalActions::Now, &before);
    }
}

fn colour(stand: Stand) -> &'static str {
    match stand {
        Stand::Done => "32",
        Stand::Unverified | Stand::Overridden => "33",
        Stand::Running => "36;1",
        Stand::Failed | Stand::Blocked => "31",
        Stand::Human | Stand::Waiting => "35",
        Stand::Skipped => "2",
        Stand::Pending => "0",
    }
}

/// Removes the first key from the typed bytes: an escape sequence, or one byte.
fn next(typed: &mut Vec<u8>) -> Key {
    let length = match typed.as_slice() {
        [0x1b, b'[' | b'O', rest @ ..] => {
            rest.iter().position(|b| (0x40..=0x7e).contains(b)).map_or(typed.len(), |at| at + 3)
        }
        all => all.len().min(1),
    };
    meaning(&typed.drain(..length).collect::<Vec<u8>>())
}

fn meaning(bytes: &[u8]) -> Key {
    match bytes {
        b"k" | b"\x1b[A" | b"\x1bOA" => Key::Up,
        b"j" | b"\x1b[B" | b"\x1bOB" => Key::Down,
        b"\x1b[5~" | b"b" => Key::PageUp,
        b"\x1b[6~" | b" " => Key::PageDown,
        b"g" | b"\x1b[H" | b"\x1b[1~" => Key::Home,
        b"G" | b"\x1b[F" | b"\x1b[4~" => Key::End,
        b"\r" | b"\n" | b"l" | b"\x1b[C" => Key::Open,
        b"\x1b" | b"h" | b"\x1b[D" => Key::Back,
        b"q" | b"\x03" | b"\x04" => Key::Quit,
        b"\x1a" => Key::Suspend,
        _ => Key::None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Key, meaning, next};

    #[test]
    fn keys_that_come_together_are_taken_one_by_one() {
        let mut typed = b"g\r\x1b[5~\x1b[Aq".to_vec();
        let keys: Vec<Key> = (0..5).map(|_| next(&mut typed)).collect();
        assert_eq!(keys, [Key::Home, Key::Open, Key::PageUp, Key::Up, Key::Quit]);
        assert!(typed.is_empty());
    }

    #[test]
    fn arrows_and_letters_mean_the_same() {
        assert_eq!(meaning(b"\x1b[A"), meaning(b"k"));
        assert_eq!(meaning(b"\x1b"), Key::Back);
        assert_eq!(meaning(b"\x1b[99~"), Key::None);
    }
}
