//! Estimates the work of a driver's compiler for a kernel from its module, with all calls inlined and short loops
//! unrolled, as drivers do. No driver guarantees that a compilation ends, so kernels far beyond any sensible stage are
//! rejected before a driver sees them.

use std::collections::HashMap;

use naga::proc::Layouter;
use naga::{AddressSpace, Arena, Block, Expression, Function, Handle, MathFunction, Module, Statement, TypeInner};

/// Limit of instructions of a kernel.
pub(crate) const MAX_INSTRUCTIONS: u64 = 1_000_000;
/// Limit of the bytes of a kernel's private variables and of the variables of its functions, where a function that is
/// called several times counts as often. WGSL guarantees 8,192 for each of the two.
pub(crate) const MAX_PRIVATE_BYTES: u64 = 32_768;

/// Assumed number of unrolled iterations of a loop.
const UNROLLED: u64 = 4;

/// The cost of a kernel or a function, including everything that it calls.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Cost {
    pub instructions: u64,
    /// Size of variables \[bytes\].
    pub bytes: u64,
}

/// What exceeds a limit, and its position in the text.
#[derive(Debug, PartialEq)]
pub(crate) struct Excess {
    pub message: String,
    pub remedy: &'static str,
    pub span: Option<naga::Span>,
}

/// Cost of the entry points of a module.
///
/// # Errors
/// Types whose size overflows.
#[cfg(test)]
pub(crate) fn measure(module: &Module) -> Result<Cost, Excess> {
    Measure::new(module)?.whole()
}

/// Rejects a module that exceeds a limit.
pub(crate) fn check(module: &Module) -> Result<(), Excess> {
    let mut measure = Measure::new(module)?;
    let cost = measure.whole()?;
    if cost.bytes > MAX_PRIVATE_BYTES {
        return Err(Excess {
            message: format!(
                "the variables take {} bytes per invocation; the limit is {MAX_PRIVATE_BYTES}",
                cost.bytes
            ),
            remedy: "keep tables in a grid, or make the arrays smaller",
            span: measure.largest_variable(),
        });
    }
    if cost.instructions > MAX_INSTRUCTIONS {
        return Err(Excess {
            message: format!(
                "the shader has about {} instructions; the limit is {MAX_INSTRUCTIONS}",
                cost.instructions
            ),
            remedy: "split the stage in two, or call helpers in a loop",
            span: measure.costliest_function(),
        });
    }
    Ok(())
}

struct Measure<'m> {
    module: &'m Module,
    layouter: Layouter,
    functions: HashMap<Handle<Function>, Cost>,
    /// Instructions of each function alone.
    instructions_alone: HashMap<Handle<Function>, u64>,
}

impl<'m> Measure<'m> {
    fn new(module: &'m Module) -> Result<Measure<'m>, Excess> {
        let mut layouter = Layouter::default();
        layouter.update(module.to_ctx()).map_err(|error| Excess {
            message: "a type is larger than any memory".into(),
            remedy: "make its arrays smaller, or keep them in a grid",
            span: module.types.iter().find(|(handle, _)| *handle == error.ty).map(|_| module.types.get_span(error.ty)),
        })?;
        Ok(Measure { module, layouter, functions: HashMap::new(), instructions_alone: HashMap::new() })
    }

    fn size(&self, ty: Handle<naga::Type>) -> u64 {
        u64::from(self.layouter[ty].size)
    }

    fn whole(&mut self) -> Result<Cost, Excess> {
        let private = self.module.global_variables.iter().filter(|(_, v)| v.space == AddressSpace::Private);
        let bytes: u64 = private.map(|(_, variable)| self.size(variable.ty)).sum();
        let mut cost = Cost { instructions: 0, bytes };
        // In naga's modules, a function is declared before those that call it.
        for (handle, function) in self.module.functions.iter() {
            let of = self.function(function);
            self.instructions_alone.insert(handle, self.alone(function).instructions);
            self.functions.insert(handle, of);
        }
        for entry in &self.module.entry_points {
            let of = self.function(&entry.function);
            cost.instructions = cost.instructions.saturating_add(of.instructions);
            cost.bytes = cost.bytes.saturating_add(of.bytes);
        }
        Ok(cost)
    }

    /// Cost of a function without the functions that it calls.
    fn alone(&self, function: &Function) -> Cost {
        let bytes = function.local_variables.iter().map(|(_, variable)| self.size(variable.ty)).sum();
        let instructions = self.block(&function.body, &function.expressions, 1, &mut |_, _| {});
        Cost { instructions, bytes }
    }

    fn function(&self, function: &Function) -> Cost {
        let mut cost = self.alone(function);
        let mut called = Vec::new();
        self.block(&function.body, &function.expressions, 1, &mut |callee, rounds| called.push((callee, rounds)));
        let of = |callee| self.functions.get(&callee).copied().unwrap_or_default();
        for (callee, rounds) in called.iter().copied() {
            cost.instructions = cost.instructions.saturating_add(of(callee).instructions.saturating_mul(rounds));
        }
        // Drivers allocate the variables of every call separately.
        let bytes = called.iter().fold(0u64, |sum, (callee, _)| sum.saturating_add(of(*callee).bytes));
        cost.bytes = cost.bytes.saturating_add(bytes);
        cost
    }

    /// Instructions of a block in this many iterations; calls are recorded with their iterations.
    fn block(
        &self,
        block: &Block,
        expressions: &Arena<Expression>,
        rounds: u64,
        called: &mut dyn FnMut(Handle<Function>, u64),
    ) -> u64 {
        let mut sum = 0u64;
        for statement in block.iter() {
            let mut add = |count: u64| sum = sum.saturating_add(count);
            let mut inner = |block: &Block, rounds| self.block(block, expressions, rounds, called);
            match statement {
                Statement::Emit(range) => range.clone().for_each(|handle| {
                    add(weight(self.module, &expressions[handle]).saturating_mul(rounds));
                }),
                Statement::Block(body) => add(inner(body, rounds)),
                Statement::If { accept, reject, .. } => add(rounds + inner(accept, rounds) + inner(reject, rounds)),
                Statement::Switch { cases, .. } => {
                    cases.iter().for_each(|case| add(rounds + inner(&case.body, rounds)));
                }
                Statement::Loop { body, continuing, .. } => {
                    let rounds = rounds.saturating_mul(UNROLLED).min(UNROLLED.pow(3));
                    add(inner(body, rounds));
                    add(inner(continuing, rounds));
                }
                Statement::Call { function, .. } => {
                    called(*function, rounds);
                    add(rounds);
                }
                _ => add(rounds),
            }
        }
        sum
    }

    /// The position of the private variable, or the function with the variables, that takes the most memory.
    fn largest_variable(&self) -> Option<naga::Span> {
        let globals = self.module.global_variables.iter().filter(|(_, v)| v.space == AddressSpace::Private);
        let globals = globals.map(|(handle, v)| (self.size(v.ty), self.module.global_variables.get_span(handle)));
        let locals = self.module.functions.iter().flat_map(|(_, function)| {
            let variables = function.local_variables.iter();
            variables.map(|(handle, v)| (self.size(v.ty), function.local_variables.get_span(handle)))
        });
        globals.chain(locals).max_by_key(|(bytes, _)| *bytes).map(|(_, span)| span)
    }

    fn costliest_function(&self) -> Option<naga::Span> {
        let costliest =
            self.instructions_alone.iter().max_by_key(|(handle, instructions)| (**instructions, handle.index()))?;
        Some(self.module.functions.get_span(*costliest.0))
    }
}

/// Approximate number of instructions of an expression: one for each component of a vector, about twenty for a power.
fn weight(module: &Module, expression: &Expression) -> u64 {
    use MathFunction as Math;
    match expression {
        Expression::Math { fun, .. } => match fun {
            Math::Pow | Math::Atan2 | Math::Tan | Math::Asin | Math::Acos | Math::Atan => 24,
            Math::Sin | Math::Cos | Math::Exp | Math::Exp2 | Math::Log | Math::Log2 => 12,
            Math::Sinh | Math::Cosh | Math::Tanh | Math::Asinh | Math::Acosh | Math::Atanh => 32,
            Math::Inverse | Math::Determinant => 64,
            _ => 4,
        },
        // Some drivers compile an index known only at run time into accesses to all elements of the variable.
        Expression::Access { .. } => 4,
        Expression::Load { .. } | Expression::Binary { .. } => 2,
        Expression::ZeroValue(ty) => match module.types[*ty].inner {
            TypeInner::Array { .. } | TypeInner::Struct { .. } => 8,
            _ => 1,
        },
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(wgsl: &str) -> Cost {
        measure(&naga::front::wgsl::parse_str(wgsl).unwrap()).unwrap()
    }

    fn said(wgsl: &str) -> String {
        check(&naga::front::wgsl::parse_str(wgsl).unwrap()).map_or_else(|excess| excess.message, |()| String::new())
    }

    const MAIN: &str = "@compute @workgroup_size(1) fn main() { f(1.0); }";

    #[test]
    fn calls_are_inlined_and_loops_written_out() {
        let plain = cost(&format!("fn f(x: f32) -> f32 {{ return x * x; }} {MAIN}"));
        let twice = cost(&format!(
            "fn g(x: f32) -> f32 {{ return x * x; }} fn f(x: f32) -> f32 {{ return g(x) + g(x); }} {MAIN}"
        ));
        assert!(twice.instructions > 2 * (plain.instructions - 2), "{plain:?} {twice:?}");
        let body = "s += sqrt(s) * x;";
        let unrolled =
            |head: &str| cost(&format!("fn f(x: f32) -> f32 {{ var s = 0.0; {head} {{ {body} }} return s; }} {MAIN}"));
        let (once, many) = (unrolled(""), unrolled("for (var i = 0; i < 9; i++)"));
        assert!(many.instructions > 3 * once.instructions, "{once:?} {many:?}");
    }

    #[test]
    fn memory_of_an_invocation_is_counted() {
        let array = |length: &str| {
            format!(
                "var<private> a: array<f32, {length}>; fn f(x: f32) -> f32 {{ var b: array<f32, 16>; a[1] = x; return b[2]; }} {MAIN}"
            )
        };
        assert_eq!(cost(&array("100")).bytes, 464);
        assert_eq!(said(&array("4000")), "");
        for length in ["1 << 28", "1000 * 1000 * 100", "10000"] {
            assert!(said(&array(length)).contains("the limit is 32768"), "{length}");
        }
        assert!(said(&format!("const N = 1000000; {}", array("N"))).contains("the limit is 32768"));
    }
}
