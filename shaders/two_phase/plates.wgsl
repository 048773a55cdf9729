//! Plates
//! Walls of a vessel that heat and cool its contents: those below a height have one temperature, those above another height a second one, and
//! those between insulate. Heights are counted along gravity, so that the heater stays below when the vessel is turned.
//! Source: none.
//!
//! @in    down: Vec = (0, -1, 0)                Direction of gravity in the frame of the vessel, of any length
//! @out   plate: Grid<f32>                      Temperature of walls [K]
//! @out   contact: Grid<f32>                    1 where a wall conducts, 0 where it insulates
//! @param center: Vec = (0.05, 0.08, 0.05), soft -2..2, handle position   The point that heights are counted from [m]
//! @param heated: f32 = -0.06, soft -0.2..0.2   Height below which walls are hot [m]
//! @param cooled: f32 = 0.06, soft -0.2..0.2    Height above which walls are cold [m]
//! @param hot: f32 = 353, 0.., soft 273..373    Temperature of the hot walls [K]
//! @param cold: f32 = 293, 0.., soft 273..373   Temperature of the cold walls [K]

fn stage(cell: Cell) -> Result {
    let height = -dot(position(cell) - params.center, down()) / max(length(down()), 1e-20);
    if height < params.heated { return Result(params.hot, 1.0); }
    return Result(params.cold, select(0.0, 1.0, height > params.cooled));
}
