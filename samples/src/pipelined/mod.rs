//! What `pipelined_events` is made of beside its recordings.

pub mod event_form;
pub mod load;
pub mod verdict;
