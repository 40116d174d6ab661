//! `Record`: the content of a transcript besides its calls.

use std::path::PathBuf;
use wire::order::Tokens;

/// How the main agent's work ended, according to its own record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ended {
    /// It wrote its final answer or reported that it was finished.
    Done,
    /// The client's last entry is an error.
    Error,
    /// It was interrupted.
    Interrupted,
}

/// The content of a transcript besides its calls.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    /// The row of [`crate::table`] that read it.
    pub client: &'static str,
    /// Every file that was read; calls point into this list.
    pub sources: Vec<PathBuf>,
    /// How many calls were found.
    pub calls: u64,
    /// The number of messages of people, tools and agents, including those of sub-agents.
    pub messages: u64,
    /// The number of lines or elements that are not JSON or not known.
    pub unknown: u64,
    /// The number of results that belong to no call in the record.
    pub orphans: u64,
    /// How many times a client was started on this record; more than 1 only for clients that append.
    pub sessions: u64,
    /// The model that the main agent used last.
    pub model: Option<String>,
    /// The mode or kind of the main agent.
    pub mode: Option<String>,
    /// The cost in dollars, if the record states it.
    pub cost: Option<f64>,
    /// The tokens that it says were used, those of sub-agents included.
    pub tokens: Option<Tokens>,
    /// The main session's id.
    pub session_id: Option<String>,
    /// The main agent's last words.
    pub final_text: Option<String>,
    /// How it ended.
    pub ended: Option<Ended>,
    /// How sub-agents ended, one entry for each that states it in a record of its own and not in the call that
    /// started it.
    pub below: Vec<Ended>,
}

impl Record {
    /// Adds a file and returns its index.
    pub(crate) fn add_source(&mut self, path: impl Into<PathBuf>) -> usize {
        self.sources.push(path.into());
        self.sources.len() - 1
    }

    /// Stores the main agent's latest words.
    pub(crate) fn said(&mut self, text: &str) {
        if !text.trim().is_empty() {
            let kept = self.final_text.get_or_insert_with(String::new);
            kept.clear();
            kept.push_str(text);
        }
    }

    /// Adds to the tokens. A turn that used none says nothing: clients write zeros where a request failed.
    pub(crate) fn used(&mut self, tokens: Option<Tokens>) {
        let new = tokens.filter(|tokens| tokens.total() > 0);
        self.tokens = Tokens::sum(self.tokens.into_iter().chain(new));
    }

    /// Adds to the cost.
    pub(crate) fn spent(&mut self, dollars: Option<f64>) {
        if let Some(dollars) = dollars {
            self.cost = Some(self.cost.unwrap_or(0.0) + dollars);
        }
    }
}

/// Replaces `kept` by a text, if there is one.
pub(crate) fn keep(kept: &mut Option<String>, text: Option<&str>) {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return };
    if kept.as_deref() != Some(text) {
        *kept = Some(text.to_owned());
    }
}
