//! SPH Coefficients
//! Values that are the same for all particles, computed once per frame: the mass that divides a volume equally, and the kernels'
//! factors of the article's stages, times that mass (SPH Kernel has those of SPH Density and SPH Acceleration). Kernels use the ratio r/h, which keeps the factors within a moderate range at every
//! scale; `poly6` is the one for the standard form. In 2D the kernels have the same shapes, normalised over a disc.
//! Source: Mueller, Charypar and Gross, SCA 2003, sec. 3.5 (kernels); the article's step 1.
//!
//! @over once
//! @in    particles: Particles{}                            The fluid
//! @out   mass: f32                                         Mass of a particle: rest_density volume / count [kg]
//! @out   radius: f32                                       Smoothing radius h [m]
//! @out   dt: f32                                           Time step of a substep [s]
//! @out   poly6: f32                                        mass poly6(r) divided by (h^2 - r^2)^3 [kg/m^9]
//! @out   poly6_ratio: f32                                  mass poly6(r) divided by (1 - r^2/h^2)^3 [kg/m^3]
//! @out   spiky: f32                                        mass |grad spiky(r)| divided by (1 - r/h)^2 [kg/m^4]
//! @out   laplacian: f32                                    mass lap viscosity(r) divided by (1 - r/h) [kg/m^5]
//! @param volume: f32 = 0.064, 0.., soft 0..1               Volume of the fluid, in 2D its area [m^3]
//! @param rest_density: f32 = 1000, 0.001.., soft 1..2000   Density at rest [kg/m^3]
//! @param fixed_mass: f32 = 0, 0..                          Mass of a particle; 0 divides the volume equally [kg]
//! @param smoothing_radius: f32 = 0.04, 0.00001.., soft 0.01..0.2    Smoothing radius h, about twice the particles' distance [m]
//! @param substeps: i32 = 10, 1..1000                       Substeps per frame; fewer iterations than this give slow motion

const PI = 3.14159265358979;

fn stage() -> Result {
    let h = params.smoothing_radius;
    let share = params.rest_density * params.volume / f32(max(particles_count(), 1u));
    let mass = select(share, params.fixed_mass, params.fixed_mass > 0.0);
    // 3D: 315/(64 pi h^9) (h^2 - r^2)^3,  45/(pi h^6) (h - r)^2,  45/(pi h^6) (h - r)
    // 2D:      4/(pi h^8) (h^2 - r^2)^3,  30/(pi h^5) (h - r)^2,  40/(pi h^5) (h - r)
    let flat = DIM == 2;
    let density = mass / (PI * pow(h, f32(DIM)));
    let poly6 = density * select(4.921875, 4.0, flat);
    let spiky = density / h * select(45.0, 30.0, flat);
    let laplacian = density / (h * h) * select(45.0, 40.0, flat);
    return Result(mass, h, frame.dt / f32(params.substeps), poly6 / pow(h, 6.0), poly6, spiky, laplacian);
}
