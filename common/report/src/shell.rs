//! Quotes words for a POSIX shell.

/// `word`, quoted if necessary, so that a POSIX shell reads it as one word.
#[must_use]
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    // Between single quotes only the single quote is special.
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_stay() {
        for word in ["--size", "64..4096", "a/b.json", "--x=1,2"] {
            assert_eq!(quote(word), word);
        }
        assert_eq!(quote("64..4096*2"), "'64..4096*2'");
        assert_eq!(quote(""), "''");
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_each_word_back() {
        let words = ["my run", "it's \"so\"", "$HOME `id` \\ !", "two\nlines", "", "*", "~", "#x", "é"];
        let script = words.iter().fold("printf '%s\\0'".to_owned(), |line, word| line + " " + &quote(word));
        let output = std::process::Command::new("sh").arg("-c").arg(script).output().unwrap();
        let read = String::from_utf8(output.stdout).unwrap();
        assert_eq!(read.split_terminator('\0').collect::<Vec<_>>(), words);
    }
}
