//! The wire that is dragged: the end that is connected, and the ports that it fits.

use super::view::End;
use crate::document::Link;
use crate::edit::{self, InputEnd, NodeSignature, PortSignature, Refusal};

/// The end of the wire that is connected.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WireDrag {
    pub node: String,
    pub end: End,
    pub port: PortSignature,
}

impl WireDrag {
    /// Whether the dragged wire could end at a port of another node, else why not.
    pub(super) fn fits(&self, port: &PortSignature) -> Result<(), Refusal> {
        match self.end {
            End::Output => edit::fits(&self.port, port),
            End::Input => edit::fits(port, &self.port),
        }
    }

    pub(super) fn link(&self) -> Link {
        Link { node: self.node.clone(), port: self.port.name.clone() }
    }

    /// What the wire joins when it ends at this port of another node.
    pub(super) fn joined(&self, node: &str, port: &str) -> (Link, InputEnd) {
        let (node, port) = (node.to_string(), port.to_string());
        match self.end {
            End::Output => (self.link(), InputEnd { node, port }),
            End::Input => (Link { node, port }, InputEnd { node: self.node.clone(), port: self.port.name.clone() }),
        }
    }

    /// The first port of a signature that the wire may end at.
    pub(super) fn first_fit<'a>(&self, signature: &'a NodeSignature) -> Option<&'a PortSignature> {
        let ports = if self.end == End::Output { &signature.inputs } else { &signature.outputs };
        ports.iter().find(|port| self.fits(port).is_ok())
    }
}
