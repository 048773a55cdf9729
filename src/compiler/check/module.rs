//! Parses a kernel's text into a naga module, and corrects what naga would translate wrongly.
//!
//! A constant vector may be composed of shorter ones, as after `let up = UP;` in `vec4f(up, 1.0)`. Where its parts are
//! named constants or zero values, naga 29 and 30 write them into SPIR-V unchanged, although a constant composite needs
//! one scalar for each component. Drivers that check this fail, and the device is lost. So such vectors are rewritten
//! with scalars here.

use std::collections::BTreeMap;

use crate::check::zeros::Spelled;
use naga::{Arena, Block, Constant, Expression, Function, Handle, Literal, Module, Range, Span, Statement, TypeInner};

/// Parses a kernel's text.
///
/// # Errors
/// The error and its position.
pub fn read(wgsl: &str) -> Result<Module, naga::front::wgsl::ParseError> {
    let mut module = naga::front::wgsl::parse_str(&Spelled::new(wgsl).text)?;
    spell_globals(&mut module);
    let mut functions = std::mem::take(&mut module.functions);
    functions.iter_mut().for_each(|(_, function)| spell(&mut module, function));
    module.functions = functions;
    let mut entries = std::mem::take(&mut module.entry_points);
    entries.iter_mut().for_each(|entry| spell(&mut module, &mut entry.function));
    module.entry_points = entries;
    Ok(module)
}

/// The components of vectors that have to be rewritten.
type Wrong = BTreeMap<Handle<Expression>, Vec<Literal>>;

fn wrong(module: &Module, expressions: &Arena<Expression>) -> Wrong {
    let vector = |ty| matches!(module.types[ty].inner, TypeInner::Vector { .. });
    let whole = |part: Handle<Expression>| match expressions[part] {
        Expression::ZeroValue(ty) => vector(ty),
        Expression::Constant(constant) => vector(module.constants[constant].ty),
        _ => false,
    };
    let wrong = expressions.iter().filter_map(|(handle, expression)| match expression {
        Expression::Compose { ty, components } if vector(*ty) => {
            let mut parts = naga::proc::flatten_compose(*ty, components, expressions, &module.types);
            Some((handle, parts.any(whole).then(|| literals(module, expressions, handle))??))
        }
        _ => None,
    });
    wrong.collect()
}

/// The scalars of a constant; `None` where it is not a scalar or a vector.
fn literals(module: &Module, expressions: &Arena<Expression>, handle: Handle<Expression>) -> Option<Vec<Literal>> {
    match &expressions[handle] {
        Expression::Literal(literal) => Some(vec![*literal]),
        Expression::ZeroValue(ty) => match module.types[*ty].inner {
            TypeInner::Scalar(scalar) => Some(vec![Literal::zero(scalar)?]),
            TypeInner::Vector { size, scalar } => Some(vec![Literal::zero(scalar)?; size as usize]),
            _ => None,
        },
        Expression::Constant(constant) => {
            literals(module, &module.global_expressions, module.constants[*constant].init)
        }
        Expression::Splat { size, value } => Some(literals(module, expressions, *value)?.repeat(*size as usize)),
        Expression::Compose { components, .. } => {
            let parts = components.iter().map(|part| literals(module, expressions, *part));
            Some(parts.collect::<Option<Vec<_>>>()?.concat())
        }
        _ => None,
    }
}

/// Appends a vector of literals.
fn compose(
    expressions: &mut Arena<Expression>,
    ty: Handle<naga::Type>,
    literals: &[Literal],
    span: Span,
) -> Handle<Expression> {
    let components = literals.iter().map(|literal| expressions.append(Expression::Literal(*literal), span)).collect();
    expressions.append(Expression::Compose { ty, components }, span)
}

/// Rewrites the constants of the module. An expression may only use earlier ones, so all are rewritten in order.
fn spell_globals(module: &mut Module) {
    let spelled = wrong(module, &module.global_expressions);
    let can_rewrite = |expression: &Expression| {
        use Expression::{Compose, Constant, Literal, Override, Splat, ZeroValue};
        matches!(expression, Literal(_) | Constant(_) | Override(_) | ZeroValue(_) | Compose { .. } | Splat { .. })
    };
    if spelled.is_empty() || !module.global_expressions.iter().all(|(_, expression)| can_rewrite(expression)) {
        return;
    }
    let mut places = BTreeMap::new();
    let mut written = Arena::new();
    for (handle, expression, span) in std::mem::take(&mut module.global_expressions).drain() {
        let place = match (expression, spelled.get(&handle)) {
            (Expression::Compose { ty, .. }, Some(literals)) => compose(&mut written, ty, literals, span),
            (Expression::Compose { ty, components }, None) => {
                let components = components.iter().map(|part| places[part]).collect();
                written.append(Expression::Compose { ty, components }, span)
            }
            (Expression::Splat { size, value }, _) => {
                written.append(Expression::Splat { size, value: places[&value] }, span)
            }
            (other, _) => written.append(other, span),
        };
        places.insert(handle, place);
    }
    module.global_expressions = written;
    let inits = module.constants.iter_mut().map(|(_, constant)| &mut constant.init);
    let inits = inits.chain(module.global_variables.iter_mut().filter_map(|(_, variable)| variable.init.as_mut()));
    let inits =
        inits.chain(module.overrides.iter_mut().filter_map(|(_, pipeline_constant)| pipeline_constant.init.as_mut()));
    let sizes = module.entry_points.iter_mut().filter_map(|entry| entry.workgroup_size_overrides.as_mut());
    inits.chain(sizes.flatten().flatten()).for_each(|init| *init = places[init]);
}

/// Rewrites a function's constants: each affected one becomes a constant of the module.
fn spell(module: &mut Module, function: &mut Function) {
    for (handle, literals) in wrong(module, &function.expressions) {
        let Expression::Compose { ty, .. } = function.expressions[handle] else { continue };
        let span = function.expressions.get_span(handle);
        let init = compose(&mut module.global_expressions, ty, &literals, span);
        let constant = module.constants.append(Constant { name: None, ty, init }, span);
        function.expressions[handle] = Expression::Constant(constant);
        unemit(&mut function.body, handle);
    }
}

/// Constants need no `Emit` statement.
fn unemit(block: &mut Block, handle: Handle<Expression>) {
    let mut at = 0;
    while at < block.len() {
        if let Statement::Emit(range) = &block[at]
            && range.clone().any(|emitted| emitted == handle)
        {
            let emitted: Vec<_> = range.clone().collect();
            let sides = emitted.split(|one| *one == handle);
            let sides = sides.filter_map(|side| Some(Range::new_from_bounds(*side.first()?, *side.last()?)));
            let mut parts = Block::new();
            sides.for_each(|side| parts.push(Statement::Emit(side), Span::UNDEFINED));
            block.splice(at..=at, parts);
            return;
        }
        match &mut block[at] {
            Statement::Block(inner) => unemit(inner, handle),
            Statement::If { accept, reject, .. } => [accept, reject].into_iter().for_each(|arm| unemit(arm, handle)),
            Statement::Switch { cases, .. } => cases.iter_mut().for_each(|case| unemit(&mut case.body, handle)),
            Statement::Loop { body, continuing, .. } => {
                [body, continuing].into_iter().for_each(|part| unemit(part, handle));
            }
            _ => {}
        }
        at += 1;
    }
}
