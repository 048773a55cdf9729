//! Keeps Mesa's software driver from compiling a kernel again for every dispatch.
//!
//! Where a branch or a loop depends on nothing but numbers of a uniform block, lavapipe (22.3, `lvp_inline_uniforms`) clones the whole shader,
//! writes the numbers in and compiles it, whenever the block is bound, and frees no clone before the pipeline: 170 kB a frame in a graph of one
//! kernel. It leaves conditions alone that depend on the invocation, too. So each such condition is combined with one that no invocation
//! meets: that its index is the largest number of 32 bits.

use naga::{
    AddressSpace, BinaryOperator, Block, Expression, Function, GlobalVariable, Handle, Literal, MemoryDecorations,
    Module, Scalar, Span, Statement, Type, TypeInner,
};

/// Generated statements have no place in the text.
const NOWHERE: Span = Span::UNDEFINED;

/// Makes branches depend on the invocation where they depend on uniforms. Where the entry point has barriers its own branches stay, since a
/// barrier must be reached by all invocations of a workgroup.
pub(super) fn hide(module: &mut Module) {
    let [entry] = module.entry_points.as_slice() else { return };
    if entry.function.arguments.is_empty() {
        return;
    }
    let barriers = has_barrier(&entry.function.body);
    let ty = module.types.insert(Type { name: None, inner: TypeInner::Scalar(Scalar::BOOL) }, NOWHERE);
    let never = GlobalVariable {
        name: Some("_never".into()),
        space: AddressSpace::Private,
        binding: None,
        ty,
        init: None,
        memory_decorations: MemoryDecorations::empty(),
    };
    let never = module.global_variables.append(never, NOWHERE);
    let shared = |space| matches!(space, AddressSpace::Uniform | AddressSpace::Private);
    let uniforms = module.global_variables.iter().filter(|(_, variable)| shared(variable.space));
    let mut branches = Branches { uniforms: uniforms.map(|(handle, _)| handle).collect(), never, found: false };
    for (_, function) in module.functions.iter_mut() {
        branches.of_function(function, true);
    }
    let Some(entry) = module.entry_points.first_mut() else { return };
    if !barriers {
        branches.of_function(&mut entry.function, false);
    }
    if branches.found {
        let types = &module.types;
        set(&mut entry.function, never, |ty| matches!(types[ty].inner, TypeInner::Vector { .. }));
    }
}

fn has_barrier(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::ControlBarrier(_) | Statement::WorkGroupUniformLoad { .. } => true,
        Statement::Block(inner) => has_barrier(inner),
        Statement::If { accept, reject, .. } => has_barrier(accept) || has_barrier(reject),
        Statement::Loop { body, continuing, .. } => has_barrier(body) || has_barrier(continuing),
        Statement::Switch { cases, .. } => cases.iter().any(|case| has_barrier(&case.body)),
        _ => false,
    })
}

/// Stores at the start of the entry point whether its first argument, or the first component of it, is the largest number.
fn set(entry: &mut Function, never: Handle<GlobalVariable>, is_vector: impl Fn(Handle<Type>) -> bool) {
    let vector = entry.arguments.first().is_some_and(|argument| is_vector(argument.ty));
    let expressions = &mut entry.expressions;
    let argument = expressions.append(Expression::FunctionArgument(0), NOWHERE);
    let right = expressions.append(Expression::Literal(Literal::U32(u32::MAX)), NOWHERE);
    let pointer = expressions.append(Expression::GlobalVariable(never), NOWHERE);
    let before = expressions.len();
    let left = match vector {
        true => expressions.append(Expression::AccessIndex { base: argument, index: 0 }, NOWHERE),
        false => argument,
    };
    let value = expressions.append(Expression::Binary { op: BinaryOperator::Equal, left, right }, NOWHERE);
    let mut start = Block::new();
    start.push(Statement::Emit(expressions.range_from(before)), NOWHERE);
    start.push(Statement::Store { pointer, value }, NOWHERE);
    entry.body.splice(0..0, start);
}

struct Branches {
    /// Variables that hold the same for all invocations, as far as is known.
    uniforms: Vec<Handle<GlobalVariable>>,
    never: Handle<GlobalVariable>,
    found: bool,
}

impl Branches {
    /// `called`: whether its arguments come from a caller, who may give uniforms.
    fn of_function(&mut self, function: &mut Function, called: bool) {
        let mut body = std::mem::take(&mut function.body);
        self.of_block(function, called, &mut body);
        function.body = body;
    }

    fn of_block(&mut self, function: &mut Function, called: bool, block: &mut Block) {
        let mut at = 0;
        while at < block.len() {
            let before = self.of_statement(function, called, &mut block[at]);
            if let Some(before) = before {
                let mut emitted = Block::new();
                emitted.push(Statement::Emit(function.expressions.range_from(before)), NOWHERE);
                block.splice(at..at, emitted);
                at += 1;
            }
            at += 1;
        }
    }

    /// Changes the condition of a branch. Returns the number of expressions before those that it then needs.
    fn of_statement(&mut self, function: &mut Function, called: bool, statement: &mut Statement) -> Option<usize> {
        match statement {
            Statement::Block(inner) => self.of_block(function, called, inner),
            Statement::Loop { body, continuing, .. } => {
                [body, continuing].into_iter().for_each(|part| self.of_block(function, called, part));
            }
            Statement::If { condition, accept, reject } => {
                let ends = |arm: &Block| matches!(arm.first(), Some(Statement::Break));
                // The end of a loop with constant bounds has to be seen by the driver, which unrolls it.
                let locals = !ends(accept) && !ends(reject);
                [&mut *accept, &mut *reject].into_iter().for_each(|arm| self.of_block(function, called, arm));
                if self.depends(function, *condition, (called, locals)) {
                    let (before, right) = self.never(function);
                    let op = BinaryOperator::LogicalOr;
                    let either = Expression::Binary { op, left: *condition, right };
                    *condition = function.expressions.append(either, NOWHERE);
                    return Some(before);
                }
            }
            Statement::Switch { selector, cases } => {
                cases.iter_mut().for_each(|case| self.of_block(function, called, &mut case.body));
                if self.depends(function, *selector, (called, true)) {
                    // The same selector in both: its type does not matter, and the driver sees that it may be either.
                    let (before, condition) = self.never(function);
                    let other = Expression::Unary { op: naga::UnaryOperator::BitwiseNot, expr: *selector };
                    let accept = function.expressions.append(other, NOWHERE);
                    let chosen = Expression::Select { condition, accept, reject: *selector };
                    *selector = function.expressions.append(chosen, NOWHERE);
                    return Some(before);
                }
            }
            _ => {}
        }
        None
    }

    /// An expression of what is never so, and the number of expressions before those that have to be emitted.
    fn never(&mut self, function: &mut Function) -> (usize, Handle<Expression>) {
        self.found = true;
        let pointer = function.expressions.append(Expression::GlobalVariable(self.never), NOWHERE);
        let before = function.expressions.len();
        (before, function.expressions.append(Expression::Load { pointer }, NOWHERE))
    }

    /// Whether a value may follow from uniforms. `called`: so may arguments; `locals`: so may local variables.
    fn depends(&self, function: &Function, value: Handle<Expression>, (called, locals): (bool, bool)) -> bool {
        let mut waiting = vec![value];
        // As long as an expression of a text is; longer ones count as if they did.
        for _ in 0..1000 {
            let Some(next) = waiting.pop() else { return false };
            match &function.expressions[next] {
                Expression::GlobalVariable(variable) if self.uniforms.contains(variable) => return true,
                Expression::FunctionArgument(_) if called => return true,
                Expression::LocalVariable(_) if locals => return true,
                Expression::CallResult(_) => return true,
                Expression::Access { base, index } => waiting.extend([*base, *index]),
                Expression::AccessIndex { base, .. } => waiting.push(*base),
                Expression::Splat { value, .. } => waiting.push(*value),
                Expression::Swizzle { vector, .. } => waiting.push(*vector),
                Expression::Compose { components, .. } => waiting.extend(components),
                Expression::Load { pointer } => waiting.push(*pointer),
                Expression::Unary { expr, .. } | Expression::As { expr, .. } => waiting.push(*expr),
                Expression::Binary { left, right, .. } => waiting.extend([*left, *right]),
                Expression::Select { condition, accept, reject } => waiting.extend([*condition, *accept, *reject]),
                Expression::Relational { argument, .. } => waiting.push(*argument),
                Expression::Math { arg, arg1, arg2, arg3, .. } => {
                    waiting.extend([Some(*arg), *arg1, *arg2, *arg3].into_iter().flatten());
                }
                _ => {}
            }
        }
        true
    }
}
