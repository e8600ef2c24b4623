use clap::{Args, ValueEnum, value_parser};
use vulkan::values::{Extent, Workgroup};

use super::*;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Paper {
    Light,
    Dark,
}

fn lanes(text: &str) -> Result<u32, String> {
    let lanes: u32 = text.parse().map_err(|_| "no number")?;
    if (4..=128).contains(&lanes) && lanes.is_power_of_two() { Ok(lanes) } else { Err("4 to 128".into()) }
}

fn stiffness(text: &str) -> Result<f32, String> {
    let value = text.parse().ok().filter(|value| (0.001..=1.0).contains(value));
    value.ok_or_else(|| "a stiffness is a number from 0.001 to 1".into())
}

fn machine(text: &str) -> Result<String, String> {
    if text.split('x').count() == 3 { Ok(text.into()) } else { Err("AxBxC".into()) }
}

#[derive(Args, Clone, Debug)]
struct Own {
    /// Width and height
    ///
    /// And more of it.
    #[arg(long, allow_hyphen_values = true, conflicts_with = "ping_pong")]
    size: Option<Extent>,
    /// Sizes
    #[arg(long, value_delimiter = ',')]
    sizes: Vec<Extent>,
    #[arg(long, default_value_t = 3, value_parser = value_parser!(u32).range(2..=200))]
    passes: u32,
    #[arg(long, value_parser = value_parser!(u32).range(1..=1_000_000))]
    generators: Option<u32>,
    #[arg(long, value_parser = value_parser!(u32).range(37..=41), default_value_t = 40)]
    narrow: u32,
    #[arg(long, value_delimiter = ',', value_parser = value_parser!(u32).range(2..=16))]
    bands: Vec<u32>,
    #[arg(long, default_value = "8x8")]
    workgroup: Workgroup,
    #[arg(long)]
    ping_pong: bool,
    #[arg(long, value_enum, default_value_t = Paper::Light)]
    paper: Paper,
    #[arg(long, default_value = "1", value_parser = stiffness)]
    stiffness: f32,
    #[arg(long, value_parser = lanes)]
    tile_lanes: Option<u32>,
    #[arg(long, value_parser = machine)]
    machine: Option<String>,
    #[arg(long)]
    note: Option<String>,
}

/// One knob of each kind.
pub(crate) fn all() -> Vec<Knob> {
    given("")
}

/// The same knobs with this command line.
pub(crate) fn given(line: &str) -> Vec<Knob> {
    let line: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
    let command = Own::augment_args(Command::new("own").arg(Arg::new("seed").long("seed")));
    let own = Own::augment_args(Command::new("own"));
    let own: Vec<_> = own.get_arguments().filter_map(|a| a.get_long().map(str::to_owned)).collect();
    knobs(&command, &own, &line)
}

fn number(min: f64, max: f64, whole: bool) -> Kind {
    Kind::Number { min, max, whole }
}

#[test]
fn kinds_are_found_by_trial() {
    let found = all();
    let kinds: Vec<_> = found.iter().map(|knob| (knob.name.as_str(), knob.kind.clone())).collect();
    let choice = |texts: &[&str]| Kind::Choice(texts.iter().map(ToString::to_string).collect());
    let expected = [
        ("size", Kind::Size),
        ("sizes", Kind::Size),
        ("passes", number(2.0, 200.0, true)),
        ("generators", number(1.0, 1e6, true)),
        ("narrow", number(37.0, 41.0, true)),
        ("bands", number(2.0, 16.0, true)),
        ("workgroup", Kind::Workgroup),
        ("ping-pong", Kind::Flag),
        ("paper", choice(&["light", "dark"])),
        ("stiffness", number(0.001, 1.0, false)),
        ("tile-lanes", choice(&["4", "8", "16", "32", "64", "128"])),
        ("machine", Kind::Text),
        ("note", Kind::Text),
    ];
    assert_eq!(kinds, expected);
    let lists: Vec<_> = found.iter().filter(|knob| knob.is_list).map(|knob| knob.name.as_str()).collect();
    assert_eq!(lists, ["sizes", "bands"]);
    assert_eq!(found[0].help, "Width and height");
    let logarithmic: Vec<_> =
        found.iter().filter(|knob| knob.kind.is_logarithmic()).map(|k| &*k.name).collect();
    assert_eq!(logarithmic, ["passes", "generators", "stiffness"]);
}

#[test]
fn usual_values_are_taken() {
    for size in Kind::Size.usual() {
        assert_eq!(size.parse::<Extent>().unwrap().to_string(), size);
    }
    for workgroup in Kind::Workgroup.usual() {
        assert_eq!(workgroup.parse::<Workgroup>().unwrap().to_string(), workgroup);
    }
}

#[test]
fn only_what_differs_from_the_default_is_an_argument() {
    let knobs = all();
    let mut turned = Values::new();
    assert!(arguments(&knobs, &turned).is_empty());
    for (name, value) in [
        ("size", "640x480"),
        ("passes", "3"),
        ("ping-pong", "true"),
        ("paper", "dark"),
        ("bands", "2,4"),
        ("note", " "),
        ("stiffness", "0.5"),
    ] {
        turned.insert(name.into(), value.into());
    }
    let words = arguments(&knobs, &turned);
    let expected = "--size 640x480 --bands 2,4 --ping-pong --paper dark --stiffness 0.5";
    assert_eq!(words.join(" "), expected);
    turned.insert("ping-pong".into(), "false".into());
    assert!(!arguments(&knobs, &turned).contains(&"--ping-pong".to_owned()));
}

#[test]
fn what_is_given_becomes_the_same_arguments() {
    for (line, expected) in [
        (
            "--size 640x480 --bands 2,4 --ping-pong --paper dark",
            "--size 640x480 --bands 2,4 --ping-pong --paper dark",
        ),
        ("--seed 3 --bands 2 --bands=8 --size=64x64 --passes 3", "--size 64x64 --bands 2,8"),
    ] {
        let knobs = given(line);
        assert_eq!(arguments(&knobs, &values(&knobs)).join(" "), expected);
    }
}

#[test]
fn settings_are_found_by_either_spelling() {
    let settings = BTreeMap::from([("tile_lanes".to_owned(), "32".to_owned())]);
    let found = all();
    let knob = found.iter().find(|knob| knob.name == "tile-lanes").unwrap();
    assert_eq!(in_use(knob, &settings).unwrap(), "32");
}
