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

/// A text without absolute paths. Those of home and working folder go first, since their names may contain blanks.
pub fn text(text: &str) -> String {
    let mut places = vec![(std::env::current_dir().ok(), "."), (std::env::home_dir(), "~")];
    places.retain(|(place, _)| place.as_ref().is_some_and(|place| place.components().count() > 1));
    // One may lie in the other.
    places.sort_by_key(|(place, _)| std::cmp::Reverse(place.as_ref().map(|place| place.as_os_str().len())));
    let mut text = text.to_owned();
    for (place, short) in places {
        text = place.map_or(text.clone(), |place| without(&text, &place.to_string_lossy(), short));
    }
    let mut plain = String::new();
    while let Some(at) = path(&text) {
        let rest = &text[at..];
        let end = rest.find(|c: char| c.is_whitespace() || ENDS.contains(c)).unwrap_or(rest.len());
        let name = rest[..end].rsplit(['/', '\\']).find(|name| !name.is_empty());
        plain += &text[..at];
        plain += name.unwrap_or("/");
        text = rest[end..].to_owned();
    }
    plain + &text
}

/// Characters that end a path in a sentence.
const ENDS: &str = "'\"`’”()[]{}<>,;=";

/// `text` with `short` for each `place`; what only begins with the same letters stays.
fn without(text: &str, place: &str, short: &str) -> String {
    let is_whole = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || "-_.".contains(c));
    let mut parts = text.split(place);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain += if is_whole(part) { short } else { place };
        plain += part;
    }
    plain
}

/// Where the first absolute path of at least one name begins: at a slash behind nothing that belongs to a name, at two
/// dots that lead upwards, or at a Windows drive.
fn path(text: &str) -> Option<usize> {
    let belongs = |c: char| c.is_alphanumeric() || ".-_~/\\)".contains(c);
    let names = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || "._-".contains(c));
    text.char_indices().map(|(at, _)| at).find(|&at| {
        let is_free = !text[..at].ends_with(belongs);
        let rest = &text[at..];
        let drive = rest.starts_with(|c: char| c.is_ascii_alphabetic()) && rest[1..].starts_with(":\\");
        let scheme = text[..at].ends_with("file://");
        (is_free && (drive || rest.starts_with("../..") || rest.strip_prefix('/').is_some_and(names)))
            || (scheme && rest.starts_with('/'))
    })
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
            ("(T(8) − T(1))/7, GB/s, ~/x, ./a/b", "(T(8) − T(1))/7, GB/s, ~/x, ./a/b"),
            ("at:/home/me/x ‘/home/me/y’ {/home/me/z}", "at:x ‘y’ {z}"),
            ("file:///home/me/x and ../../home/me/y", "file://x and y"),
            ("C:\\Users\\me\\x is gone", "x is gone"),
            ("", ""),
        ] {
            assert_eq!(text(given), kept);
        }
        let here = std::env::current_dir().unwrap();
        assert_eq!(text(&format!("wrote {}/run/x", here.display())), "wrote ./run/x");
        let home = std::env::home_dir().unwrap();
        assert_eq!(text(&format!("{}/a b/c", home.display())), "~/a b/c");
        assert_eq!(without("/home/me2/x /home/me/x", "/home/me", "~"), "/home/me2/x ~/x");
    }
}
