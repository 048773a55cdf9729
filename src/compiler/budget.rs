//! How much GPU memory a plan may take.

use std::fmt;

use super::mebibytes;

/// A limit on the memory of a plan, its origin, and the memory of the adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryBudget {
    /// \[bytes\]
    pub bytes: u64,
    /// Where the limit comes from.
    pub source: BudgetSource,
    /// Memory of the adapter \[bytes\]; `None` without an adapter, or where its driver reports none.
    pub adapter: Option<u64>,
}

/// The origin of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetSource {
    /// [`MemoryBudget::DEFAULT`], since the memory of the adapter is unknown.
    Default,
    /// A share of the adapter's memory that this program can get.
    Adapter {
        /// \[bytes\]
        available: u64,
    },
    /// Set by the user.
    User,
}

impl MemoryBudget {
    /// The budget where nothing is known about an adapter \[bytes\].
    pub const DEFAULT: u64 = 8 << 30;

    /// A budget set by the user \[bytes\].
    pub fn of_user(bytes: u64) -> MemoryBudget {
        MemoryBudget { bytes, source: BudgetSource::User, adapter: None }
    }

    /// The user's budget instead of this one, if there is one \[bytes\].
    #[must_use]
    pub fn or_user(self, bytes: Option<u64>) -> MemoryBudget {
        bytes.map_or(self, |bytes| MemoryBudget { adapter: self.adapter, ..MemoryBudget::of_user(bytes) })
    }
}

impl Default for MemoryBudget {
    fn default() -> MemoryBudget {
        MemoryBudget { bytes: MemoryBudget::DEFAULT, source: BudgetSource::Default, adapter: None }
    }
}

/// Writes, for example, `the budget is 8192.0 MiB (the default) and the adapter's memory is not known`.
impl fmt::Display for MemoryBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the budget is {} (", mebibytes(self.bytes))?;
        match self.source {
            BudgetSource::Default => f.write_str("the default")?,
            BudgetSource::Adapter { available } => write!(f, "a share of the {} available", mebibytes(available))?,
            BudgetSource::User => f.write_str("set by the user")?,
        }
        match self.adapter {
            Some(bytes) => write!(f, ") and the adapter has {}", mebibytes(bytes)),
            None => f.write_str(") and the adapter's memory is not known"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_says_where_it_comes_from_and_what_the_adapter_has() {
        let unknown = MemoryBudget::default();
        assert_eq!(unknown.to_string(), "the budget is 8192.0 MiB (the default) and the adapter's memory is not known");
        let (source, adapter) = (BudgetSource::Adapter { available: 12 << 30 }, Some(16 << 30));
        let budget = MemoryBudget { bytes: 10 << 30, source, adapter };
        assert_eq!(
            budget.to_string(),
            "the budget is 10240.0 MiB (a share of the 12288.0 MiB available) and the adapter has 16384.0 MiB"
        );
        assert_eq!(
            budget.or_user(Some(1 << 30)).to_string(),
            "the budget is 1024.0 MiB (set by the user) and the adapter has 16384.0 MiB"
        );
        assert_eq!(budget.or_user(None), budget);
    }
}
