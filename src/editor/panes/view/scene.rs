//! What the image of a view is of: a plane of a domain, or space seen through a camera.

use eframe::egui::{Rect, vec2};

use super::flow::Cut;
use super::projection::{Point, Projection, axes};
use super::subject::ViewSubject;
use crate::graph::outputs::image_scale;
use crate::graph::{Domain, DomainId};
use crate::model::session::Session;
use crate::sim::camera::Orbit;
use crate::sim::wire_view::{Axis, Volume};

/// The part of an image on the screen that shows the whole of its domain. Around it are the black bars of an Output's image of another
/// shape. `image`: the whole image on the screen, which has so many pixels.
pub(super) fn without_bars(subject: &ViewSubject, session: &Session, image: Rect, pixels: [u32; 2]) -> Rect {
    let cells = match subject {
        ViewSubject::Output(name) => {
            let output = session.running_simulation().and_then(|s| s.find_output(name.as_deref()).ok());
            output.and_then(|output| session.domain_of(&output.node))
        }
        // The image of a wire has the shape of its domain.
        ViewSubject::Wire(_) => None,
    };
    let Some([x, y, _]) = cells.map(|domain| domain.resolution) else { return image };
    let [across, up] = image_scale([x, y], pixels).map(|scale| scale as f32);
    Rect::from_center_size(image.center(), vec2(image.width() / across, image.height() / up))
}

/// A view's image, and where the world is in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene {
    /// The part of the image on the screen that shows the domain.
    rect: Rect,
    /// Dimensions and size \[m\] of that domain; of a camera's image the domain of its pixels.
    domain: Extent,
    /// Which domain that is.
    id: Option<DomainId>,
    sight: Sight,
}

#[derive(Clone, Copy, Debug)]
enum Sight {
    /// Along an axis; where it is cut, from 0 to 1, unless the image is of all layers.
    Flat(Axis, Option<f64>),
    /// A camera and its rotation about the viewing axis \[degrees\].
    Camera(Orbit, f64),
}

/// A domain's measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    pub dim: u32,
    /// \[m\]
    pub size: Point,
    /// Edge of a cell \[m\].
    pub cell: f64,
}

/// Where a parameter lies: how it is seen, and the domain that fractions and cells refer to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Space {
    pub projection: Projection,
    pub extent: Extent,
}

impl Extent {
    fn of(domain: &Domain) -> Extent {
        Extent { dim: domain.dim, size: domain.size(), cell: domain.cell_size }
    }

    /// Width for a height of 1.
    fn aspect(&self) -> f64 {
        self.size[0] / self.size[1]
    }
}

impl Scene {
    /// Scene of an image whose domain lies in `rect` on the screen, by [`without_bars`]. `None` where an image has no place in the world, such as the
    /// rows of a buffer.
    pub(super) fn for_subject(subject: &ViewSubject, session: &Session, rect: Rect) -> Option<Scene> {
        let simulation = session.running_simulation()?;
        let id = |domain: &Domain| simulation.plan().domains.position(|other| std::ptr::eq(other, domain));
        let camera = |output: &str| {
            let node = session.camera(output)?;
            let roll = simulation.value(&format!("{node}.roll")).and_then(|roll| roll.first().copied());
            Some(Sight::Camera(simulation.orbit(node)?, roll.unwrap_or(0.0)))
        };
        match subject {
            ViewSubject::Output(name) => {
                let output = &simulation.find_output(name.as_deref()).ok()?.node;
                let output_domain = session.domain_of(output)?;
                let (domain, id) = (Extent::of(output_domain), id(output_domain));
                Some(Scene { rect, domain, id, sight: camera(output).unwrap_or(Sight::Flat(Axis::Z, Some(0.5))) })
            }
            ViewSubject::Wire(wire) => {
                let (plan, view) = (simulation.plan(), wire.view());
                let plan_wire =
                    plan.wires.get(&view.wire).or_else(|| plan.wires.get(&format!("{}.position", view.wire)))?;
                let wire_domain = plan.domains.get(plan_wire.domain.or(plan_wire.space)?)?;
                let domain = Extent::of(wire_domain);
                let sight = match (view.camera, view.volume) {
                    (Some(orbit), _) if wire_domain.dim == 3 => Sight::Camera(orbit, 0.0),
                    (_, Volume::Slice { axis, position }) if wire_domain.dim == 3 => Sight::Flat(axis, Some(position)),
                    (_, Volume::Maximum(axis)) if wire_domain.dim == 3 => Sight::Flat(axis, None),
                    _ if wire_domain.dim == 3 => return None,
                    // A layer of the image that a camera makes is seen through that camera.
                    _ => {
                        let output = simulation.find_output(None).ok().map(|output| output.node.as_str());
                        let same = |output: &&str| {
                            session.domain_of(output).is_some_and(|other| std::ptr::eq(other, wire_domain))
                        };
                        output.filter(same).and_then(camera).unwrap_or(Sight::Flat(Axis::Z, Some(0.5)))
                    }
                };
                Some(Scene { rect, domain, id: id(wire_domain), sight })
            }
        }
    }

    /// The plane of a two-dimensional image of a domain, or a slice of one.
    pub(super) fn plane(&self) -> Option<Space> {
        let Sight::Flat(axis, _) = self.sight else { return None };
        Some(Space { projection: Projection::flat(self.rect, self.domain.size, axis), extent: self.domain })
    }

    /// The domain that the image shows.
    pub(super) fn id(&self) -> Option<DomainId> {
        self.id
    }

    pub(super) fn rect(&self) -> Rect {
        self.rect
    }

    /// Dimensions of the domain that the image shows.
    pub(super) fn dim(&self) -> u32 {
        self.domain.dim
    }

    /// The name of that domain.
    pub(super) fn domain_name<'s>(&self, session: &'s Session) -> Option<&'s str> {
        Some(session.running_simulation()?.plan().domains.get(self.id?)?.name.as_str())
    }

    /// The plane of cells that the image shows, if it shows one.
    pub(super) fn cut(&self) -> Option<Cut> {
        let Sight::Flat(axis, Some(share)) = self.sight else { return None };
        Some(Cut { axes: axes(axis), across: axis as usize, share })
    }

    /// Where parameters of a node lie, by its path. `in_space`: they have three components.
    pub(super) fn space(&self, session: &Session, node: &str, in_space: bool) -> Option<Space> {
        let node_extent = session.domain_of(node).map(Extent::of);
        let flat =
            |extent: Extent, axis| Some(Space { projection: Projection::flat(self.rect, extent.size, axis), extent });
        // Stages read other domains at positions in metres. An image of another shape is not one of the whole domain, so where it shows
        // it is not known.
        let planar = node_extent.filter(|extent| extent.dim == 2).unwrap_or(self.domain);
        let same_shape = (planar.aspect() / self.domain.aspect()).ln().abs() < 0.03;
        match self.sight {
            Sight::Flat(..) if self.domain.dim == 3 && !in_space => None,
            Sight::Flat(axis, _) if self.domain.dim == 3 => flat(self.domain, axis),
            Sight::Flat(..) if !same_shape => None,
            Sight::Flat(..) => flat(self.domain, Axis::Z).map(|space| Space { extent: planar, ..space }),
            // A stage that computes the image itself has its places in the image.
            Sight::Camera(..) if !in_space => node_extent
                .filter(|extent| *extent == self.domain && extent.dim == 2)
                .and_then(|extent| flat(extent, Axis::Z)),
            Sight::Camera(orbit, roll) => {
                let space =
                    node_extent.filter(|extent| extent.dim == 3).or_else(|| session.domain_in(3).map(Extent::of));
                let extent = space.unwrap_or(Extent { dim: 3, size: [1.0; 3], cell: 1.0 / 64.0 });
                Some(Space { projection: Projection::camera(self.rect, orbit, roll), extent })
            }
        }
    }
}
