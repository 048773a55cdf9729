//! Particles, as a file has them: typed columns.

use half::f16;

use super::malformed::FormatName;

/// How a number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Whole number, signed, 1 byte.
    I8,
    /// Whole number, unsigned, 1 byte.
    U8,
    /// Whole number, signed, 2 bytes.
    I16,
    /// Whole number, unsigned, 2 bytes.
    U16,
    /// Whole number, signed, 4 bytes.
    I32,
    /// Whole number, unsigned, 4 bytes.
    U32,
    /// Whole number, signed, 8 bytes.
    I64,
    /// Whole number, unsigned, 8 bytes.
    U64,
    /// IEEE 754, half precision.
    F16,
    /// IEEE 754, single precision.
    F32,
    /// IEEE 754, double precision.
    F64,
}

impl Type {
    /// Size of a number \[bytes\].
    pub fn bytes(self) -> usize {
        match self {
            Type::I8 | Type::U8 => 1,
            Type::I16 | Type::U16 | Type::F16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::I64 | Type::U64 | Type::F64 => 8,
        }
    }

    /// The number that these bytes are.
    pub fn read(self, bytes: &[u8], little: bool) -> f64 {
        let mut word = [0u8; 8];
        word.iter_mut().zip(bytes).take(self.bytes()).for_each(|(to, from)| *to = *from);
        if !little {
            word.get_mut(..self.bytes()).into_iter().for_each(<[u8]>::reverse);
        }
        let [a, b, c, d, ..] = word;
        match self {
            Type::I8 => f64::from(a as i8),
            Type::U8 => f64::from(a),
            Type::I16 => f64::from(i16::from_le_bytes([a, b])),
            Type::U16 => f64::from(u16::from_le_bytes([a, b])),
            Type::I32 => f64::from(i32::from_le_bytes([a, b, c, d])),
            Type::U32 => f64::from(u32::from_le_bytes([a, b, c, d])),
            Type::I64 => i64::from_le_bytes(word) as f64,
            Type::U64 => u64::from_le_bytes(word) as f64,
            Type::F16 => f16::from_le_bytes([a, b]).to_f64(),
            Type::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
            Type::F64 => f64::from_le_bytes(word),
        }
    }
}

impl Type {
    /// The number in 32 bits, rounded once.
    pub(crate) fn single(self, bytes: &[u8], little: bool) -> f32 {
        match self {
            Type::I64 | Type::U64 => {
                let mut word: [u8; 8] = bytes.first_chunk().copied().unwrap_or_default();
                if !little {
                    word.reverse();
                }
                if self == Type::I64 { i64::from_le_bytes(word) as f32 } else { u64::from_le_bytes(word) as f32 }
            }
            // No other type has more digits than 64 bits hold.
            ty => ty.read(bytes, little) as f32,
        }
    }
}

/// Numbers of the points, one of each.
pub struct Property {
    /// Name in the file.
    pub name: String,
    /// How its numbers are stored.
    pub ty: Type,
    /// What a number is multiplied by.
    pub scale: f64,
    /// The block that holds them.
    pub block: usize,
    /// Offset of the first number in the block \[bytes\].
    pub offset: usize,
    /// Distance from one point to the next \[bytes\].
    pub stride: usize,
    /// Whether the lowest byte of a number comes first.
    pub little: bool,
}

/// Points as a file has them.
pub struct Points {
    /// The format, for messages.
    pub kind: FormatName,
    /// How many points there are.
    pub count: usize,
    /// The columns.
    pub properties: Vec<Property>,
    /// The bytes that the columns lie in.
    pub blocks: Vec<Vec<u8>>,
    /// What is left out of them.
    pub warnings: Vec<String>,
}

impl Points {
    /// The memory that they take \[bytes\].
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(Vec::len).sum()
    }
}

/// The names of the components of a vector; a number has none.
pub(crate) fn component_name(name: &str, components: usize, component: usize) -> Option<String> {
    let letters = ["x", "y", "z", "w"];
    if components > letters.len() {
        return Some(format!("{name}_{component}"));
    }
    let letter = letters.get(component)?;
    Some(match (name, components) {
        (_, 1) => name.into(),
        ("position", _) => (*letter).into(),
        _ => format!("{name}_{letter}"),
    })
}
