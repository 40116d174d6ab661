//! One bounded child under one supervisor process.
