//! How a tool starts, fails and ends: arguments, exit codes, errors, signals, the clock and the environment.

pub mod caret;
pub mod clock;
pub mod env;
pub mod exit;
pub mod fail;
pub mod format;
pub mod old_spellings;
pub mod shell_word;
pub mod signals;
pub mod tool;
