//! What `pipelined_events` is made of beside its recordings.

pub mod event_form;
pub mod ladder;
pub mod load;
pub mod verdict;
