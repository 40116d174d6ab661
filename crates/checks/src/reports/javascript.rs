//! Runners of JavaScript and TypeScript.

pub(super) mod bun;
pub(super) mod deno;
pub(super) mod jest;
pub(super) mod mocha;
pub(super) mod node_test;
pub(super) mod vitest;
