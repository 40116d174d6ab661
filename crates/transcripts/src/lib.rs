//! Readers of agents' own records, one file a client.
