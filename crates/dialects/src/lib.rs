//! Readers and in-place writers of plans, one file a dialect.
