//! Ctrl-C: the first one stops new work, the second stops the tool now.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Counts requests to stop.
#[derive(Debug, Clone, Default)]
pub struct Signals {
    count: Arc<AtomicUsize>,
}

impl Signals {
    /// Takes over SIGINT, SIGTERM and SIGHUP for the rest of the process.
    pub fn take() -> Self {
        Self::of(&[SIGINT, SIGTERM, SIGHUP])
    }

    /// Takes over SIGTERM and SIGHUP only: a stage outlives the first SIGINT on its own.
    pub fn take_ends() -> Self {
        Self::of(&[SIGTERM, SIGHUP])
    }

    fn of(wanted: &[i32]) -> Self {
        let signals = Self::default();
        TAKEN.store(true, Ordering::SeqCst);
        for &signal in wanted {
            let count = Arc::clone(&signals.count);
            // SAFETY: the action only adds to an atomic, which is async-signal-safe.
            #[expect(
                unsafe_code,
                reason = "signal actions are unsafe by their nature; this one is an atomic add"
            )]
            let registered = unsafe {
                signal_hook::low_level::register(signal, move || {
                    count.fetch_add(1, Ordering::SeqCst);
                })
            };
            // A signal that cannot be registered keeps its default action, which ends the process: no worse.
            drop(registered);
        }
        signals
    }

    /// How many signals have arrived.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }

    /// Whether no new work should begin.
    pub fn no_new_work(&self) -> bool {
        self.count.load(Ordering::SeqCst) > 0
    }

    /// Whether to stop now.
    pub fn stop_now(&self) -> bool {
        self.count.load(Ordering::SeqCst) > 1
    }
}

/// Whether this process counts SIGTERM and SIGHUP, and acts on the second itself.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Ignores the first SIGINT, so that a stage ends with its stream and not before the rest of its input; the second
/// has its default effect. The same holds for SIGTERM and SIGHUP, which reach every stage if sent to the process
/// group.
pub fn outlive_the_first() {
    let ends: &[i32] = if TAKEN.load(Ordering::SeqCst) { &[] } else { &[SIGTERM, SIGHUP] };
    for &signal in [SIGINT].iter().chain(ends) {
        let seen = Arc::new(AtomicBool::new(false));
        // If registration fails, the first signal ends us like any program: no worse.
        let _ = flag::register_conditional_default(signal, Arc::clone(&seen));
        let _ = flag::register(signal, seen);
    }
}
