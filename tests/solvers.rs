//! The solvers and what they stand on, held against f64 references, analytic solutions and conservation laws. One
//! binary, one device a process. Every measurement prints its error, its bar and where the bar comes from: `cargo
//! nextest run --test solvers --no-capture`.

#[path = "solvers/advection.rs"]
mod advection;
#[path = "solvers/arithmetic.rs"]
mod arithmetic;
#[path = "solvers/articles.rs"]
mod articles;
#[path = "solvers/compositing.rs"]
mod compositing;
#[path = "solvers/conjugate_gradient.rs"]
mod conjugate_gradient;
#[path = "solvers/conservative.rs"]
mod conservative;
#[path = "solvers/curves.rs"]
mod curves;
#[path = "solvers/diffusion.rs"]
mod diffusion;
#[path = "solvers/edges.rs"]
mod edges;
#[path = "solvers/face_advection.rs"]
mod face_advection;
#[path = "solvers/feeds.rs"]
mod feeds;
#[path = "solvers/files.rs"]
mod files;
#[path = "solvers/filter_reference.rs"]
mod filter_reference;
#[path = "solvers/filters.rs"]
mod filters;
#[path = "solvers/fluid_step.rs"]
mod fluid_step;
#[path = "solvers/groups.rs"]
mod groups;
#[path = "solvers/halos.rs"]
mod halos;
#[path = "solvers/harness.rs"]
mod harness;
#[path = "solvers/images.rs"]
mod images;
#[path = "solvers/invariant.rs"]
mod invariant;
#[path = "solvers/labels.rs"]
mod labels;
#[path = "solvers/language.rs"]
mod language;
#[path = "solvers/levels.rs"]
mod levels;
#[path = "solvers/measures.rs"]
mod measures;
#[path = "solvers/memory.rs"]
mod memory;
#[path = "solvers/multigrid.rs"]
mod multigrid;
#[path = "solvers/numbers.rs"]
mod numbers;
#[path = "solvers/observed.rs"]
mod observed;
#[path = "solvers/observed_by.rs"]
mod observed_by;
#[path = "solvers/obstacles.rs"]
mod obstacles;
#[path = "solvers/obstacles_cells.rs"]
mod obstacles_cells;
#[path = "solvers/operations.rs"]
mod operations;
#[path = "solvers/own_cells.rs"]
mod own_cells;
#[path = "solvers/parts.rs"]
mod parts;
#[path = "solvers/poisson.rs"]
mod poisson;
#[path = "solvers/precision.rs"]
mod precision;
#[path = "solvers/projection.rs"]
mod projection;
#[path = "solvers/reductions.rs"]
mod reductions;
#[path = "solvers/reference.rs"]
mod reference;
#[path = "solvers/scatter.rs"]
mod scatter;
#[path = "solvers/shapes.rs"]
mod shapes;
#[path = "solvers/shipped.rs"]
mod shipped;
#[path = "solvers/sides.rs"]
mod sides;
#[path = "solvers/slices.rs"]
mod slices;
#[path = "solvers/spheres.rs"]
mod spheres;
#[path = "solvers/staggering.rs"]
mod staggering;
#[path = "solvers/states.rs"]
mod states;
#[path = "solvers/streaks.rs"]
mod streaks;
#[path = "solvers/sweeps.rs"]
mod sweeps;
#[path = "solvers/taylor_green.rs"]
mod taylor_green;
#[path = "solvers/thin_walls.rs"]
mod thin_walls;
#[path = "solvers/tuning.rs"]
mod tuning;
#[path = "solvers/until.rs"]
mod until;
#[path = "solvers/values.rs"]
mod values;
#[path = "solvers/view_reference.rs"]
mod view_reference;
#[path = "solvers/walls.rs"]
mod walls;
#[path = "solvers/water.rs"]
mod water;
