//! Manners, once for all tools.
//!
//! - How a tool starts and ends: [`tool`], [`exit`], [`fail`], [`caret`], [`env`], [`signals`].
//! - What goes in and out: [`input`], [`output`], [`ends`], [`orders`], [`stage`].
//! - What is kept: [`root`], [`fs`], [`held`], [`lock`], [`ledger`], [`chain`], [`punches`], [`anchors`], [`kept`],
//!   [`sha`], [`redact`].
//! - What the record says: [`standing`], [`hold`], [`proof`], [`sameness`], [`pins`].
//! - The world around: [`config`], [`tokens`], [`workers`], [`cards`], [`patterns`], [`git`], [`git_locks`], [`beads`], [`tree`],
//!   [`snapshot`], [`worktree`], [`landing`], [`notice`], [`clock`].
//!
//! Invariants: only this crate writes files and reads the clock or the environment; nothing here knows a
//! single tool; nothing prints except through [`output`] and [`tool`].

pub mod anchors;
pub mod beads;
mod blob;
pub mod cards;
pub mod caret;
pub mod chain;
pub mod clock;
pub mod commands;
pub mod config;
pub mod diff;
pub mod ends;
pub mod env;
pub mod exit;
pub mod fail;
pub mod fitter;
pub mod fs;
pub mod git;
pub mod git_locks;
mod git_setup;
pub mod held;
pub mod hold;
pub mod input;
pub mod kept;
pub mod landing;
pub mod ledger;
pub mod lock;
pub mod notice;
pub mod orders;
pub mod output;
pub mod patterns;
pub mod pins;
pub mod proof;
pub mod punches;
pub mod redact;
pub mod root;
pub mod sameness;
pub mod sha;
pub mod signals;
pub mod snapshot;
pub mod stage;
pub mod standing;
pub mod theirs;
pub mod tokens;
pub mod tool;
pub mod tree;
mod within;
pub mod workers;
pub mod worktree;

pub use exit::Exit;
pub use fail::Fail;
