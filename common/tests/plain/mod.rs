//! The words, for the tests of pages and of outputs.

/// One in a line.
const WORDS: &str = include_str!("words.txt");

/// The words in a line, but not in an id such as `pipelined_events`.
pub fn found(line: &str) -> Vec<&'static str> {
    let line = line.to_lowercase();
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let has = |word: &&str| {
        line.match_indices(*word).any(|(at, _)| {
            !is_part(line[..at].chars().next_back()) && !is_part(line[at + word.len()..].chars().next())
        })
    };
    // Where the names of the two times are explained.
    let explains = |word: &&str| ["isolated", "pipelined"].contains(word) && line.contains("talk");
    WORDS.lines().filter(has).filter(|word| !explains(word)).collect()
}
