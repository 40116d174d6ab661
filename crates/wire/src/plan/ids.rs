//! Types for names that must not be confused with one another.
//!
//! An id is a name, not a number: `1` never matches `10`, and `2a`, `Final` and `P0-2b` are as valid as `7`.

use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::fmt;

macro_rules! name {
    ($(#[$doc:meta])* $type:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $type(pub String);

        impl $type {
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        // Equal names are equal texts, with equal hashes.
        impl Borrow<str> for $type {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $type {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<String> for $type {
            fn from(text: String) -> Self {
                Self(text)
            }
        }
    };
}

name! {
    /// A task's id, exactly as it stands in the plan.
    TaskId
}
name! {
    /// `fp1:` and the SHA-256 of what a task asks for; unchanged by ticking its box.
    Fingerprint
}
name! {
    /// `t1:` and the SHA-256 of the working tree as git sees it, without our own files.
    TreeHash
}
name! {
    /// The name of one run of the pipe or of `orchestrate`.
    RunId
}

/// A task id made safe as a file name: never empty, never a path, never hidden, and different for
/// different ids.
pub fn key_of(id: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let twice = |pair: &[u8]| pair == b".." || pair == b"--";
    let safe = !id.is_empty()
        && id.len() <= 64
        && id.as_bytes().iter().all(plain)
        && !id.starts_with(['.', '-'])
        && !id.as_bytes().windows(2).any(twice);
    if safe {
        return id.to_owned();
    }
    let kept: String = id.chars().filter(char::is_ascii_alphanumeric).take(32).collect();
    // A key taken unchanged cannot contain a double hyphen, so the two forms never collide.
    format!("{}--{:016x}", if kept.is_empty() { "task" } else { &kept }, fnv(id))
}

/// 64-bit FNV-1a: small, stable and good enough to tell the ids of one plan apart.
fn fnv(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::key_of;

    #[test]
    fn ordinary_ids_are_their_own_keys() {
        for id in ["1", "2a", "Final", "P0-2b", "IMPL-1.2", "1.a"] {
            assert_eq!(key_of(id), id);
        }
    }

    #[test]
    fn hostile_ids_become_plain_names() {
        for id in ["../../x", "; rm -rf", "", ".", "..", "a/b", "-rf", "a\nb", ".git", "x--y", "ünï"] {
            let key = key_of(id);
            assert!(!key.contains(['/', ';', ' ', '\n']) && !key.starts_with(['.', '-']), "{id:?} -> {key}");
            assert_ne!(key, id);
        }
        assert_ne!(key_of("a/b"), key_of("a;b"));
    }
}
