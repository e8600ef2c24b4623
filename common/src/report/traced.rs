//! stub
use super::charset::Charset;
use crate::record::Record;
/// stub
pub(crate) fn traced(_: Charset, _: u16, _: &Record) -> Option<String> {
    None
}
