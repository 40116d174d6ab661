//! The part of `plantools.toml` about money: `[prices.NAME]`.

use serde::Deserialize;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// What a million tokens cost, in dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// What the model reads.
    pub input: f64,
    /// What it writes.
    pub output: f64,
    /// What it reads from a cache; the price of `input` where it is not given.
    pub cached: Option<f64>,
}

impl Price {
    /// The cost of an attempt in dollars; `cached` is a part of `input`.
    #[expect(clippy::cast_precision_loss, reason = "counts of tokens are far below 2^53")]
    pub fn cost(&self, input: u64, output: u64, cached: u64) -> f64 {
        let from_cache = cached.min(input);
        let read = (input - from_cache) as f64 * self.input;
        let again = from_cache as f64 * self.cached.unwrap_or(self.input);
        (read + again + output as f64 * self.output) / 1e6
    }
}

/// A budget: dollars, or tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    /// In dollars.
    Cost(f64),
    /// Input and output.
    Tokens(u64),
}

/// What an amount is written like.
const FORM: &str = "not an amount: write dollars as 2.50, tokens as 300000tokens";

impl FromStr for Amount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(count) = text.strip_suffix("tokens") {
            return count.trim().parse().map(Self::Tokens).map_err(|_| FORM.to_owned());
        }
        let cost = text.parse::<f64>().ok().filter(|cost| cost.is_finite() && *cost >= 0.0);
        cost.map(Self::Cost).ok_or_else(|| FORM.to_owned())
    }
}

impl Display for Amount {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cost(cost) => write!(f, "{cost}"),
            Self::Tokens(count) => write!(f, "{count}tokens"),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_price_is_for_a_million_tokens_and_what_a_cache_holds_may_cost_less() {
        let text = b"[prices.\"gpt-5.5\"]\ninput = 2.0\noutput = 10.0\ncached = 0.5\n[prices.goose]\ninput = 1.0\noutput = 1.0\n";
        let config = crate::parse(text).unwrap();
        let cost = |name: &str| config.prices[name].cost(1_000_000, 100_000, 400_000);
        assert!((cost("gpt-5.5") - 2.4).abs() < 1e-9, "{}", cost("gpt-5.5"));
        assert!((cost("goose") - 1.1).abs() < 1e-9, "{}", cost("goose"));
        for text in ["2.5", "300000tokens"] {
            assert_eq!(text.parse::<super::Amount>().unwrap().to_string(), text);
        }
        for text in ["-1", "tokens", "1.5tokens", "NaN", ""] {
            assert!(text.parse::<super::Amount>().is_err(), "{text}");
        }
        assert!(crate::parse(b"[prices.x]\ninput = 1.0\n").is_err(), "half a price is none");
    }
}
