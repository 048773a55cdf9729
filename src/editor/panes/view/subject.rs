//! What a view shows.

use super::wire::WireView;

/// What a view shows.
pub(super) enum ViewSubject {
    /// The image of an Output; of the first one when absent.
    Output(Option<String>),
    Wire(Box<WireView>),
}
