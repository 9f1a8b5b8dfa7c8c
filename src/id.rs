//! Names that the host gives to its things, and the numbers that the core gives to its requests.

use serde::Serialize;

/// The id of a session, as opencode wrote it (`ses_…`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct SessionId(pub String);

/// The id of a message, as opencode wrote it (`msg_…`). opencode's ids ascend: a later message has a greater id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct MessageId(pub String);

/// The number of a request of the core to the host, counted from 1 and never used twice by one core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct RequestId(pub u32);

/// Numbers the requests of one core.
#[derive(Debug, Default)]
pub(crate) struct RequestIds {
    last: u32,
}

impl RequestIds {
    /// The number of the latest request.
    pub(crate) const fn latest(&self) -> RequestId {
        RequestId(self.last)
    }

    /// The next free number. After four thousand million requests it begins anew; by then the first ones are answered.
    pub(crate) fn next(&mut self) -> RequestId {
        self.last = self.last.wrapping_add(1);
        RequestId(self.last)
    }
}
