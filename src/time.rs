//! Time as the core knows it: a number that the shim hands in.

use serde::Serialize;

/// Milliseconds since the Unix epoch. The core has no clock: every call brings its own `now`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Millis(pub u64);

impl Millis {
    /// This moment plus `delay` milliseconds, or the last moment there is.
    #[must_use]
    pub const fn after(self, delay: u64) -> Self {
        Self(self.0.saturating_add(delay))
    }
}
