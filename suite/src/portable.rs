//! Texts without what only this machine and its user have: absolute paths.

use std::path::Path;

/// A word without an absolute path, of which the last name is left: `--out=/home/me/run` becomes `--out=run`.
pub fn word(word: &str) -> String {
    let (option, value) = match word.split_once('=') {
        Some((option, value)) if option.starts_with("--") => (format!("{option}="), value),
        _ => (String::new(), word),
    };
    let path = Path::new(value);
    let name = path.file_name().filter(|_| path.is_absolute());
    name.map_or_else(|| word.to_owned(), |name| option + &name.to_string_lossy())
}

/// A text whose words are [`word`]s. Home and working folder go first, since their names may contain blanks.
pub fn text(text: &str) -> String {
    let mut text = text.to_owned();
    let places = [(std::env::current_dir().ok(), "."), (std::env::home_dir(), "~")];
    for (place, short) in places {
        let place = place.filter(|place| place.is_absolute() && place.components().count() > 1);
        if let Some(place) = place {
            text = text.replace(&*place.to_string_lossy(), short);
        }
    }
    let ends = |c: char| c.is_whitespace() || "'\"`()[]<>,;=".contains(c);
    text.split_inclusive(ends)
        .map(|piece| piece.trim_end_matches(ends))
        .zip(text.split_inclusive(ends))
        .fold(String::new(), |so_far, (bare, piece)| so_far + &word(bare) + &piece[bare.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_holds_no_path_of_the_machine() {
        for (given, kept) in [
            ("/home/me/hot-lap/target/release/suite", "suite"),
            ("./suite", "./suite"),
            ("/home/me/run", "run"),
            ("--out=/home/me/run", "--out=run"),
            ("--out=runs/mine", "--out=runs/mine"),
            ("--budget", "--budget"),
            ("/", "/"),
        ] {
            assert_eq!(word(given), kept);
        }
    }

    #[test]
    fn a_sentence_holds_no_path_of_the_machine() {
        for (given, kept) in [
            ("cannot read '/home/me/a file': no such file", "cannot read 'a file': no such file"),
            ("loading (/usr/lib/libvulkan_lvp.so), in=/tmp/x;", "loading (libvulkan_lvp.so), in=x;"),
            ("T(1) / 7 of chain/step.comp\n1/4 area", "T(1) / 7 of chain/step.comp\n1/4 area"),
            ("", ""),
        ] {
            assert_eq!(text(given), kept);
        }
        let here = std::env::current_dir().unwrap();
        assert_eq!(text(&format!("wrote {}/run/x", here.display())), "wrote ./run/x");
        let home = std::env::home_dir().unwrap();
        assert_eq!(text(&format!("{}/a b/c", home.display())), "~/a b/c");
    }
}
