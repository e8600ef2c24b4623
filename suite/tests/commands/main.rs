//! The commands that read records, as a user calls them.

#![allow(clippy::unwrap_used, reason = "a test ends where its tools fail")]

mod card;
mod cite;
mod compare;
mod export;
mod readme;
mod refusals;
mod replay;
mod share;
#[path = "../support/mod.rs"]
mod support;
mod verify;
