//! A stream of `suggestion/1`, or of orders whose workers were asked for checks, closed by `end/1`.

use crate::Fail;
use crate::stream::input::{Input, check_schema};
use wire::plan::suggestion::{SCHEMA, Suggestion};
use wire::{End, Order};

/// Reads a stream of suggestions.
pub struct Suggestions {
    input: Input,
    line: Vec<u8>,
    number: u64,
}

/// One line of the stream.
pub enum Item {
    /// A suggestion.
    Suggestion(Box<Suggestion>),
    /// An order, whose worker may have proposed checks.
    Order(Box<Order>),
    /// The end.
    End(End),
}

impl Suggestions {
    /// Reads from an opened FILE.
    pub fn new(input: Input) -> Self {
        Self { input, line: Vec::new(), number: 0 }
    }

    /// The next line; `None` at the end of a named file. A pipe that ends without `end/1` was cut off, which is an
    /// error.
    pub fn read(&mut self) -> Result<Option<Item>, Fail> {
        loop {
            if !self.input.line(&mut self.line)? {
                if self.input.is_file {
                    return Ok(None);
                }
                let message = "stream ends without 'end/1': the command before this one did not finish";
                return Err(self.place(Fail::data("truncated-stream", message)));
            }
            self.number += 1;
            if !self.line.iter().all(u8::is_ascii_whitespace) {
                return self.item().map(Some).map_err(|fail| self.place(fail));
            }
        }
    }

    fn item(&self) -> Result<Item, Fail> {
        let name = check_schema(&self.line, &[SCHEMA, wire::order::SCHEMA, wire::end::SCHEMA])?;
        let bad = |e: serde_json::Error| Fail::data("bad-json", format!("no valid '{name}' line: {e}"));
        if name == wire::end::SCHEMA {
            return serde_json::from_slice(&self.line).map(Item::End).map_err(bad);
        }
        if name == wire::order::SCHEMA {
            return serde_json::from_slice(&self.line).map(|order| Item::Order(Box::new(order))).map_err(bad);
        }
        serde_json::from_slice(&self.line).map(|one| Item::Suggestion(Box::new(one))).map_err(bad)
    }

    fn place(&self, fail: Fail) -> Fail {
        match self.number {
            _ if fail.path.is_some() => fail,
            0 => fail.in_file(&self.input.name),
            number => fail.at(self.input.name.display().to_string(), number),
        }
    }
}
