//! SHA-256 in hex.

use sha2::{Digest, Sha256};

/// The digest of some bytes.
pub fn hex(bytes: &[u8]) -> String {
    Hasher::new().with(bytes).finish()
}

/// A digest computed piece by piece.
#[derive(Debug, Clone, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// An empty hasher.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Adds bytes, for chains.
    #[must_use]
    pub fn with(mut self, bytes: &[u8]) -> Self {
        self.update(bytes);
        self
    }

    /// The digest.
    pub fn finish(self) -> String {
        self.finish_as("")
    }

    /// The digest, prefixed with a word that says what was hashed.
    pub fn finish_as(self, word: &str) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut hex = [0; 64];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.0.finalize()) {
            pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
        let mut out = String::with_capacity(word.len() + hex.len());
        out.push_str(word);
        // Hex digits are always valid UTF-8.
        out.push_str(str::from_utf8(&hex).unwrap_or_default());
        out
    }
}
