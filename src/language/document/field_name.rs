//! The name of a field of a RON struct.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};

/// The name of a field as it is written, without quotes.
pub(super) struct FieldName(pub(super) String);

impl<'de> Deserialize<'de> for FieldName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FieldName, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = FieldName;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a field name")
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<FieldName, E> {
                Ok(FieldName(v.to_string()))
            }
        }
        deserializer.deserialize_identifier(Name)
    }
}
