//! What each format means, and the laws that hold for all of them.

mod accounts;
mod asked;
mod cards;
mod chapters;
mod checklist;
mod data;
mod exec_plan;
mod field;
mod groups;
mod gsd;
mod guide;
mod handoff;
mod kiro;
mod laws;
mod laws_of_lists;
mod manual;
mod matrix;
mod openspec;
mod plan_md;
mod read_again;
mod results;
mod roadmap;
mod runbook;
mod spec_kit;
mod tracker;
mod workflow;
