//! Stages made by rule: a header, and a body of typed expressions, loops, branches, arrays, structs and calls. Most of them compile.

use std::fmt::Write;

use crate::random::Random;

#[derive(Clone, Copy, PartialEq)]
enum Ty {
    F32,
    I32,
    U32,
    Bool,
    V2,
    V3,
    V4,
}

use Ty::{Bool, F32, I32, U32, V2, V3, V4};

impl Ty {
    fn name(self) -> &'static str {
        match self {
            F32 => "f32",
            I32 => "i32",
            U32 => "u32",
            Bool => "bool",
            V2 => "vec2f",
            V3 => "vec3f",
            V4 => "vec4f",
        }
    }
}

const STORED: [Ty; 6] = [F32, F32, V2, V3, V4, I32];

struct Writer<'r> {
    random: &'r mut Random,
    /// Names in sight, with their types and whether they may be written.
    names: Vec<(String, Ty, bool)>,
    /// Input ports by name, of grids.
    ports: Vec<(String, Ty)>,
    params: Vec<(String, Ty)>,
    functions: Vec<(String, Vec<Ty>, Ty)>,
    /// Whether `cell` is in sight.
    in_stage: bool,
    count: usize,
    /// Statements that may still be written.
    fuel: usize,
}

/// A stage over cells.
pub fn source(random: &mut Random) -> String {
    let mut text = String::from("//! Made by rule\n//! Nothing in particular.\n//!\n");
    let result = *random.one(&STORED);
    let (mut ports, mut params) = (Vec::new(), Vec::new());
    for at in 0..1 + random.below(3) {
        let ty = *random.one(&STORED);
        let edge = random.one(&["", ", edge wrap", ", edge zero", ", radius 1", ", radius 3"]);
        let _ = writeln!(text, "//! @in    p{at}: Grid<{}> = 0{edge}   What is read", ty.name());
        ports.push((format!("p{at}"), ty));
    }
    for at in 0..random.below(3) {
        let ty = *random.one(&[F32, F32, I32, V3]);
        let range = random.one(&["", ", 0..8", ", soft -1..1"]);
        let _ = writeln!(text, "//! @param q{at}: {} = 1{range}   A number", ty.name());
        params.push((format!("q{at}"), ty));
    }
    let more = random.chance(20);
    let _ = writeln!(text, "//! @out   result: Grid<{}>   What is made", result.name());
    if more {
        text.push_str("//! @out   other: Grid<f32>   And that\n");
    }
    text.push('\n');
    let fuel = 4 + random.below(30);
    let mut writer =
        Writer { random, names: Vec::new(), ports, params, functions: Vec::new(), in_stage: false, count: 0, fuel };
    for _ in 0..writer.random.below(3) {
        writer.global(&mut text);
    }
    for _ in 0..writer.random.below(3) {
        writer.function(&mut text);
    }
    writer.stage(&mut text, result, more);
    text
}

impl Writer<'_> {
    fn fresh(&mut self, stem: &str) -> String {
        self.count += 1;
        format!("{stem}{}", self.count)
    }

    fn ty(&mut self) -> Ty {
        *self.random.one(&[F32, F32, F32, I32, U32, Bool, V2, V3, V4])
    }

    fn global(&mut self, text: &mut String) {
        let name = self.fresh("g");
        let ty = self.ty();
        let _ = match self.random.below(3) {
            0 => writeln!(text, "const {name}: {} = {};", ty.name(), literal(self.random, ty)),
            1 => writeln!(text, "var<private> {name}: {};", ty.name()),
            _ => writeln!(
                text,
                "struct S{name} {{ a: {}, b: array<f32, 3> }}\nconst {name} = {};",
                ty.name(),
                literal(self.random, ty)
            ),
        };
        self.names.push((name, ty, false));
    }

    fn function(&mut self, text: &mut String) {
        let name = self.fresh("f");
        let (takes, gives): (Vec<Ty>, Ty) = ((0..1 + self.random.below(3)).map(|_| self.ty()).collect(), self.ty());
        let seen = self.names.len();
        let mut list = Vec::new();
        for ty in &takes {
            let name = self.fresh("a");
            list.push(format!("{name}: {}", ty.name()));
            self.names.push((name, *ty, false));
        }
        let _ = writeln!(text, "fn {name}({}) -> {} {{", list.join(", "), gives.name());
        self.block(text, 1);
        let value = self.value(gives, 3);
        let _ = writeln!(text, "    return {value};\n}}\n");
        self.names.truncate(seen);
        self.functions.push((name, takes, gives));
    }

    fn stage(&mut self, text: &mut String, result: Ty, more: bool) {
        self.in_stage = true;
        let gives = if more { "Result" } else { result.name() };
        let _ = writeln!(text, "fn stage(cell: Cell) -> {gives} {{");
        // Ports that are never read are refused.
        for (port, ty) in self.ports.clone() {
            let name = self.fresh("r");
            let _ = writeln!(text, "    var {name} = {port}(cell);");
            self.names.push((name, ty, true));
        }
        self.block(text, 1);
        let value = self.value(result, 3);
        let _ = match more {
            true => writeln!(text, "    return Result({value}, {});\n}}", self.value(F32, 3)),
            false => writeln!(text, "    return {value};\n}}"),
        };
    }

    fn block(&mut self, text: &mut String, depth: usize) {
        let seen = self.names.len();
        for _ in 0..1 + self.random.below(5) {
            if self.fuel == 0 {
                break;
            }
            self.fuel -= 1;
            self.statement(text, depth);
        }
        // Names of the body itself stay in sight for what it returns.
        if depth > 1 {
            self.names.truncate(seen);
        }
    }

    fn statement(&mut self, text: &mut String, depth: usize) {
        let pad = "    ".repeat(depth);
        let nest = depth < 4;
        let _ = match self.random.below(12) {
            0..=2 => {
                let (name, ty) = (self.fresh("v"), self.ty());
                let value = self.value(ty, 4);
                let keyword = *self.random.one(&["let", "var"]);
                let done = writeln!(text, "{pad}{keyword} {name}: {} = {value};", ty.name());
                self.names.push((name, ty, keyword == "var"));
                done
            }
            3 | 4 => {
                let free: Vec<(String, Ty, bool)> = self.names.iter().filter(|name| name.2).cloned().collect();
                if free.is_empty() {
                    return;
                }
                let (name, ty, _) = self.random.one(&free).clone();
                let value = self.value(ty, 4);
                let equals = if ty == Bool { "=" } else { *self.random.one(&["=", "=", "+=", "*="]) };
                writeln!(text, "{pad}{name} {equals} {value};")
            }
            5 | 6 if nest => {
                let condition = self.value(Bool, 3);
                let _ = writeln!(text, "{pad}if {condition} {{");
                self.block(text, depth + 1);
                if self.random.chance(50) {
                    let _ = writeln!(text, "{pad}}} else {{");
                    self.block(text, depth + 1);
                }
                writeln!(text, "{pad}}}")
            }
            7 if nest => {
                let name = self.fresh("i");
                let bounds = ["3", "FACES", "DIM", "100", "4000"];
                let bound = self.random.one(&bounds).to_string();
                let _ = writeln!(text, "{pad}for (var {name} = 0; {name} < {bound}; {name}++) {{");
                self.names.push((name, I32, false));
                self.block(text, depth + 1);
                if self.random.chance(30) {
                    let condition = self.value(Bool, 2);
                    let _ =
                        writeln!(text, "{pad}    if {condition} {{ {}; }}", self.random.one(&["break", "continue"]));
                }
                self.names.pop();
                writeln!(text, "{pad}}}")
            }
            8 if nest => {
                let name = self.fresh("w");
                let _ = writeln!(text, "{pad}var {name} = 0;\n{pad}{} {{", self.random.one(&["loop", "while true"]));
                self.block(text, depth + 1);
                writeln!(text, "{pad}    {name}++;\n{pad}    if {name} > 7 {{ break; }}\n{pad}}}")
            }
            9 if nest => {
                let subject = self.value(I32, 2);
                let _ = writeln!(text, "{pad}switch {subject} {{\n{pad}case 0, 1: {{");
                self.block(text, depth + 1);
                let _ = writeln!(text, "{pad}}}\n{pad}default: {{");
                self.block(text, depth + 1);
                writeln!(text, "{pad}}}\n{pad}}}")
            }
            10 => {
                let (name, ty) = (self.fresh("t"), *self.random.one(&[F32, V3, I32]));
                let size = 2 + self.random.below(6);
                let at = self.place(size);
                let value = self.value(ty, 3);
                let _ = writeln!(text, "{pad}var {name}: array<{}, {size}>;\n{pad}{name}[{at}] = {value};", ty.name());
                let read = self.fresh("v");
                let at = self.place(size);
                let done = writeln!(text, "{pad}let {read} = {name}[{at}];");
                self.names.push((read, ty, false));
                done
            }
            _ => {
                let name = self.fresh("v");
                let value = self.value(F32, 5);
                let done = writeln!(text, "{pad}var {name} = {value};");
                self.names.push((name, F32, true));
                done
            }
        };
    }

    /// An index: one that is in bounds, or one of which only the running program knows whether it is.
    fn place(&mut self, size: usize) -> String {
        match self.random.below(3) {
            0 => self.random.below(size).to_string(),
            1 => format!("clamp({}, 0, {})", changing(self.random, I32), size - 1),
            _ => format!("({} + {})", changing(self.random, I32), self.value(I32, 2)),
        }
    }

    fn value(&mut self, ty: Ty, depth: usize) -> String {
        if depth == 0 || self.random.chance(20) {
            return self.leaf(ty);
        }
        let deeper = depth - 1;
        match self.random.below(8) {
            0 => {
                let fitting: Vec<(String, Vec<Ty>, Ty)> =
                    self.functions.iter().filter(|f| f.2 == ty).cloned().collect();
                if fitting.is_empty() {
                    return self.leaf(ty);
                }
                let (name, takes, _) = self.random.one(&fitting).clone();
                let arguments: Vec<String> = takes.into_iter().map(|ty| self.value(ty, deeper)).collect();
                format!("{name}({})", arguments.join(", "))
            }
            1 => {
                let (a, b, c) = (self.value(ty, deeper), self.value(ty, deeper), self.value(Bool, deeper));
                format!("select({a}, {b}, {c})")
            }
            _ => self.operation(ty, deeper),
        }
    }

    fn operation(&mut self, ty: Ty, depth: usize) -> String {
        match ty {
            Bool => {
                let of = *self.random.one(&[F32, I32, U32]);
                let (a, b) = (self.value(of, depth), self.value(of, depth));
                let compare = *self.random.one(&["<", ">", "<=", ">=", "==", "!="]);
                match self.random.below(4) {
                    0 => format!("!({a} {compare} {b})"),
                    1 => format!("(({a} {compare} {b}) && {})", self.value(Bool, depth)),
                    _ => format!("({a} {compare} {b})"),
                }
            }
            I32 | U32 => {
                let (a, b) = (self.value(ty, depth), self.value(ty, depth));
                match self.random.below(6) {
                    0 => format!("{}({})", ty.name(), self.value(F32, depth)),
                    1 => format!("{}({a}, {b})", self.random.one(&["min", "max"])),
                    2 => format!("({a} {} (u32({b}) & 7u))", self.random.one(&["<<", ">>"])),
                    _ => format!("({a} {} {b})", self.random.one(&["+", "-", "*", "/", "%", "&", "|", "^"])),
                }
            }
            F32 => {
                let (a, b) = (self.value(F32, depth), self.value(F32, depth));
                match self.random.below(8) {
                    0 => format!("f32({})", self.value(I32, depth)),
                    1 => {
                        let of = *self.random.one(&[V2, V3, V4]);
                        format!("{}.{}", self.value(of, depth), self.random.one(&["x", "y"]))
                    }
                    2 => format!("dot({}, {})", self.value(V3, depth), self.value(V3, depth)),
                    3 => format!(
                        "{}({a})",
                        self.random.one(&["sin", "exp", "sqrt", "abs", "floor", "fract", "sign", "-"])
                    ),
                    4 => format!("{}({a}, {b})", self.random.one(&["min", "max", "pow", "step", "atan2"])),
                    _ => format!("({a} {} {b})", self.random.one(&["+", "-", "*", "/"])),
                }
            }
            V2 | V3 | V4 => {
                let (a, b) = (self.value(ty, depth), self.value(ty, depth));
                match self.random.below(5) {
                    0 => format!("{}({})", ty.name(), self.value(F32, depth)),
                    1 => format!("mix({a}, {b}, {})", self.value(F32, depth)),
                    2 => format!("({a} * {})", self.value(F32, depth)),
                    3 if ty == V4 => format!("vec4f({}.xyz, 1.0)", a),
                    _ => format!("({a} {} {b})", self.random.one(&["+", "-", "*"])),
                }
            }
        }
    }

    fn leaf(&mut self, ty: Ty) -> String {
        let variables: Vec<String> = self.names.iter().filter(|n| n.1 == ty).map(|n| n.0.clone()).collect();
        let ports: Vec<String> = self.ports.iter().filter(|p| p.1 == ty).map(|p| p.0.clone()).collect();
        let params: Vec<String> = self.params.iter().filter(|p| p.1 == ty).map(|p| p.0.clone()).collect();
        match self.random.below(9) {
            0..=3 if !variables.is_empty() => self.random.one(&variables).clone(),
            4 | 5 if self.in_stage && !ports.is_empty() => {
                let port = self.random.one(&ports).clone();
                let at = [
                    "(cell)",
                    "(neighbor(cell, 1))",
                    "(cell + unit(0))",
                    "(cell - unit(1) * 2)",
                    "_at(position(cell))",
                ];
                format!("{port}{}", self.random.one(&at))
            }
            6 if !params.is_empty() => format!("params.{}", self.random.one(&params)),
            8 => literal(self.random, ty),
            _ if !variables.is_empty() && self.random.chance(60) => self.random.one(&variables).clone(),
            _ => changing(self.random, ty),
        }
    }
}

/// A value that only the running program knows: what compilers fold, they refuse where it overflows.
fn changing(random: &mut Random, ty: Ty) -> String {
    match ty {
        Bool => (*random.one(&["(frame.time > 1.0)", "(iteration == 0)"])).to_string(),
        F32 => (*random.one(&["frame.time", "frame.dt", "frame.mouse.x"])).to_string(),
        I32 => (*random.one(&["iteration", "substep"])).to_string(),
        U32 => (*random.one(&["frame.seed", "frame.index", "frame.buttons"])).to_string(),
        V2 => (*random.one(&["frame.mouse", "vec2f(frame.time)"])).to_string(),
        V3 => (*random.one(&["vec3f(frame.mouse, frame.time)", "vec3f(frame.dt)"])).to_string(),
        V4 => (*random.one(&["vec4f(frame.mouse, frame.mouse)", "vec4f(frame.time)"])).to_string(),
    }
}

fn literal(random: &mut Random, ty: Ty) -> String {
    match ty {
        Bool => (*random.one(&["true", "false"])).to_string(),
        F32 if random.chance(10) => (*random.one(&["1e30", "-3.4028235e38", "1e-45", "0.0"])).to_string(),
        I32 if random.chance(10) => (*random.one(&["2147483647", "-2147483648", "0"])).to_string(),
        F32 => (*random.one(&["1.0", "0.5", "-2.0", "1e-6", "3e5"])).to_string(),
        I32 => (*random.one(&["1", "2", "7"])).to_string(),
        U32 => (*random.one(&["1u", "31u", "4294967295u"])).to_string(),
        V2 => (*random.one(&["vec2f()", "vec2f(1.0)", "vec2f(0.5, -1.0)"])).to_string(),
        V3 => (*random.one(&["vec3f()", "vec3f(2.0)", "vec3f(vec2f(1.0), 0.0)"])).to_string(),
        V4 => (*random.one(&["vec4f()", "vec4f(1.0)", "vec4f(vec3f(), 1.0)"])).to_string(),
    }
}
