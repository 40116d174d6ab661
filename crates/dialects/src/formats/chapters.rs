//! Plans whose tasks are headings or elements with steps below.

pub(crate) mod gsd;
pub(crate) mod headings;
pub(crate) mod humanlayer;
pub(crate) mod ralphex;
pub(crate) mod superpowers;
