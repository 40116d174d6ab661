//! Waiting for something that another process does.

use std::time::{Duration, Instant};

/// Looks until it is so; a minute without it is a failure.
#[track_caller]
pub fn until(mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < deadline, "it did not come");
        std::thread::sleep(Duration::from_millis(5));
    }
}
