//! A stream of orders: lines in, the same lines out, closed by `end/1`. After that line the next round may follow.

use crate::Fail;
use crate::stream::input::{Input, check_schema};
use wire::{End, OrderLine};

/// Reads a stream of orders.
pub struct Orders {
    input: Input,
    line: Vec<u8>,
    number: u64,
    /// Whether the last line closed a round.
    closed: bool,
}

/// One line of the stream.
pub enum Item {
    /// An order.
    Order(Box<OrderLine>),
    /// The end, with its line unchanged.
    End(End, String),
}

impl Orders {
    /// Reads from an opened FILE.
    pub fn new(input: Input) -> Self {
        Self { input, line: Vec::new(), number: 0, closed: false }
    }

    /// The next line; `None` at the end of a named file, and of a pipe whose last line is `end/1`. A pipe that ends
    /// otherwise was cut off, which is an error.
    pub fn read(&mut self) -> Result<Option<Item>, Fail> {
        loop {
            match self.input.line(&mut self.line) {
                Ok(true) => {}
                Ok(false) => return self.stopped(),
                // A reader that ends after a round wants no other.
                Err(fail) if self.closed && fail.is_reader_gone() => return Ok(None),
                Err(fail) => return Err(fail),
            }
            self.number += 1;
            if !self.line.iter().all(u8::is_ascii_whitespace) {
                let item = self.item().map_err(|f| self.place(f))?;
                self.closed = matches!(item, Item::End(..));
                return Ok(Some(item));
            }
        }
    }

    /// Whether a whole line is already in the buffer.
    pub fn is_at_hand(&self) -> bool {
        self.input.has_line()
    }

    fn stopped(&self) -> Result<Option<Item>, Fail> {
        if self.input.is_file || self.closed {
            return Ok(None);
        }
        let message = if self.number == 0 {
            "input is empty, expected a stream that closes with 'end/1'"
        } else {
            "stream ends without 'end/1': a stage before this one did not finish"
        };
        Err(self.place(Fail::data("truncated-stream", message)))
    }

    fn item(&self) -> Result<Item, Fail> {
        let text = std::str::from_utf8(&self.line)
            .map_err(|e| Fail::data("not-utf8", format!("line is no valid UTF-8: {e}")))?;
        let name = check_schema(&self.line, &[wire::order::SCHEMA, wire::end::SCHEMA])?;
        if name == wire::end::SCHEMA {
            let end = serde_json::from_str(text)
                .map_err(|e| Fail::data("bad-end", format!("no valid 'end/1' line: {e}")))?;
            return Ok(Item::End(end, text.to_owned()));
        }
        let line =
            OrderLine::parse(text).map_err(|e| Fail::data("bad-order", format!("no valid order: {e}")))?;
        Ok(Item::Order(Box::new(line)))
    }

    fn place(&self, fail: Fail) -> Fail {
        match self.number {
            _ if fail.path.is_some() => fail,
            0 => fail.in_file(&self.input.name),
            number => fail.at(self.input.name.display().to_string(), number),
        }
    }
}
