//! What the tests share: running samples as a user runs them, and reading what they leave.
//!
//! Trials return what is wrong instead of panicking: a failing one then says which call it made.

#![allow(dead_code, unused_imports, reason = "each test target uses its part")]

mod call;
mod checkout;
mod layer;
mod running;
mod trial;

pub use call::{Call, lists, quick, samples, source, takes};
pub use checkout::{Checkout, replaced};
pub use layer::FaultLayer;
pub use running::{Ended, OVERLOADED, Running, cpu_time, told_on_one_line};
pub use trial::{
    SampleTest, arguments_of_waiting, files_of, for_each_sample, holds_only, is_lawful, ran, read_record,
    run, trial,
};
