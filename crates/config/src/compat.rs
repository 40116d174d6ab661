//! Files and programs of other systems, read as they are: `fitter.toml`, `commands.toml`, `bd`.

pub mod bd;
pub mod commands_toml;
pub mod fitter_toml;
