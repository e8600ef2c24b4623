//! Compares with a reference that tests each pixel against each triangle, in integers and `f64`.

use egui::{Color32, ColorImage, TextureOptions, pos2};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::*;

const SIZE: [u32; 2] = [61, 47];
const NEAREST: TextureId = TextureId::User(1);
const LINEAR: TextureId = TextureId::User(2);

fn colour(random: &mut Pcg64) -> Color32 {
    let alpha = if random.random_bool(0.3) { 255 } else { random.random() };
    Color32::from_rgba_unmultiplied(random.random(), random.random(), random.random(), alpha)
}

/// White, for untextured shapes, and two pictures.
fn textures(random: &mut Pcg64) -> TexturesDelta {
    let mut textures = TexturesDelta::default();
    let mut add = |id, size: [usize; 2], options| {
        let texels = (0..size[0] * size[1]).map(|_| colour(random)).collect();
        textures.push(id, ImageDelta::full(ColorImage::new(size, texels), options));
    };
    add(NEAREST, [7, 5], TextureOptions::NEAREST);
    add(LINEAR, [6, 9], TextureOptions::LINEAR);
    let white = ColorImage::filled([1, 1], Color32::WHITE);
    textures.push(TextureId::default(), ImageDelta::full(white, TextureOptions::LINEAR));
    textures
}

fn vertex([x, y]: [f32; 2], [u, v]: [f32; 2], color: Color32) -> Vertex {
    Vertex { pos: pos2(x, y), uv: pos2(u, v), color }
}

fn whole() -> Rect {
    Rect::from_min_max(pos2(f32::NEG_INFINITY, 0.0), pos2(f32::INFINITY, 1e9))
}

fn primitive(vertices: Vec<Vertex>, indices: Vec<u32>, texture_id: TextureId) -> ClippedPrimitive {
    let mesh = Mesh { vertices, indices, texture_id };
    ClippedPrimitive { clip_rect: whole(), primitive: Primitive::Mesh(mesh) }
}

/// A rectangle of two triangles, as egui makes it.
fn rectangle(place: [f32; 4], uv: [f32; 4], color: Color32, texture: TextureId) -> ClippedPrimitive {
    let corner = |at: usize| {
        let of = |sides: [f32; 4]| [sides[2 * (at % 2)], sides[1 + 2 * (at / 2)]];
        vertex(of(place), of(uv), color)
    };
    primitive((0..4).map(corner).collect(), vec![0, 1, 2, 2, 1, 3], texture)
}

fn drawn(raster: &mut Raster, primitives: &[ClippedPrimitive], mut textures: TexturesDelta) -> Canvas {
    let mut canvas = Canvas::default();
    canvas.clear(SIZE);
    raster.draw(primitives, 1.0, &mut textures, &mut canvas);
    assert!(textures.is_empty());
    canvas
}

/// Draws like [`Raster::paint`], one pixel at a time.
fn naive(raster: &Raster, primitives: &[ClippedPrimitive]) -> Vec<[f64; 4]> {
    let mut pixels = vec![[0.0; 4]; (SIZE[0] * SIZE[1]) as usize];
    for ClippedPrimitive { primitive, .. } in primitives {
        let Primitive::Mesh(mesh) = primitive else { unreachable!() };
        let texture = &raster.textures[&mesh.texture_id];
        for triangle in mesh.indices.chunks(3) {
            let corners = [0, 1, 2].map(|at| mesh.vertices[triangle[at] as usize]);
            for (at, pixel) in (0..).zip(&mut pixels) {
                let middle = [at % SIZE[0], at / SIZE[0]].map(|at| i64::from(at) * STEPS + STEPS / 2);
                if let Some(shares) = shares(corners, middle) {
                    over(pixel, fragment(texture, corners, shares));
                }
            }
        }
    }
    pixels
}

/// The barycentric weights of a pixel, if its centre is inside the triangle.
fn shares(corners: [Vertex; 3], [x, y]: [i64; 2]) -> Option<[f64; 3]> {
    let at = corners
        .map(|corner| [corner.pos.x, corner.pos.y].map(|side| (f64::from(side) * 256.0).round() as i64));
    let cross =
        |a: [i64; 2], b: [i64; 2], c: [i64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let area = cross(at[0], at[1], at[2]);
    let is_inside = |from: [i64; 2], to: [i64; 2]| {
        let side = cross(from, to, [x, y]) * area.signum();
        let (dx, dy) = ((to[0] - from[0]) * area.signum(), (to[1] - from[1]) * area.signum());
        side > 0 || (side == 0 && (dy < 0 || (dy == 0 && dx > 0)))
    };
    let is_in = area != 0 && (0..3).all(|edge| is_inside(at[edge], at[(edge + 1) % 3]));
    is_in.then(|| [1, 2, 0].map(|from| cross(at[from], at[(from + 1) % 3], [x, y]) as f64 / area as f64))
}

fn fragment(texture: &Texture, corners: [Vertex; 3], shares: [f64; 3]) -> [f64; 4] {
    let mean = |of: &dyn Fn(&Vertex) -> f64| {
        corners.iter().zip(shares).map(|(corner, share)| of(corner) * share).sum::<f64>()
    };
    let x = mean(&|corner| f64::from(corner.uv.x)) * texture.size[0] as f64;
    let y = mean(&|corner| f64::from(corner.uv.y)) * texture.size[1] as f64;
    let texel = |x: f64, y: f64| {
        let [x, y] = [(x, texture.size[0]), (y, texture.size[1])]
            .map(|(at, side)| at.floor().clamp(0.0, side as f64 - 1.0) as usize);
        texture.texels[y * texture.size[0] + x].to_be_bytes().map(f64::from)
    };
    let texel = if texture.is_linear {
        let (x, y) = (x - 0.5, y - 0.5);
        let (right, below) = (x - x.floor(), y - y.floor());
        let parts = [
            (0.0, 0.0, (1.0 - right) * (1.0 - below)),
            (1.0, 0.0, right * (1.0 - below)),
            (0.0, 1.0, (1.0 - right) * below),
            (1.0, 1.0, right * below),
        ];
        parts.iter().fold([0.0; 4], |sum, (dx, dy, share)| {
            let texel = texel(x + dx, y + dy);
            [0, 1, 2, 3].map(|at| sum[at] + share * texel[at])
        })
    } else {
        texel(x, y)
    };
    [3, 0, 1, 2]
        .map(|at| mean(&|corner| f64::from(corner.color.to_array()[at])))
        .into_iter()
        .zip(texel)
        .map(|(a, b)| a * b / 255.0)
        .collect::<Vec<_>>()
        .try_into()
        .unwrap()
}

fn over(pixel: &mut [f64; 4], colour: [f64; 4]) {
    for (pixel, part) in pixel.iter_mut().zip(colour) {
        *pixel = (part + *pixel * (1.0 - colour[0] / 255.0)).min(255.0);
    }
}

/// Checks that channels differ by no more, in 255ths, than rounding each of `steps` colours may cost.
fn ensure_like(canvas: &Canvas, right: &[[f64; 4]], steps: f64, what: &str) {
    for (at, (pixel, right)) in canvas.pixels.iter().zip(right).enumerate() {
        let bytes = pixel.to_be_bytes();
        let is_near = bytes.iter().zip(right).all(|(a, b)| (f64::from(*a) - b).abs() <= 1.6 * steps);
        assert!(is_near, "{what}: pixel {at} is {bytes:?} instead of {right:?}");
    }
}

#[test]
fn triangles_are_those_of_the_reference() {
    for seed in 0..200 {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut raster = Raster::new().unwrap();
        let delta = textures(&mut random);
        let triangle = |random: &mut Pcg64| {
            let (is_plain, is_one_texel) = (random.random_bool(0.5), random.random_bool(0.5));
            let (one, uv) =
                (colour(random), [random.random_range(-0.2..1.2), random.random_range(-0.2..1.2)]);
            let corner = |_| {
                // Some corners at pixel centres and on pixel edges, some far outside.
                let far = if random.random_bool(0.1) { 1000.0 } else { 1.0 };
                let side = |random: &mut Pcg64, side: u32| {
                    random.random_range(-10..2 * side as i32 + 10) as f32 / 2.0
                };
                let [x, y] = SIZE.map(|length| {
                    side(random, length) * far
                        + if random.random_bool(0.5) { random.random_range(-0.5..0.5) } else { 0.0 }
                });
                let uv = if is_one_texel {
                    uv
                } else {
                    [random.random_range(-0.2..1.2), random.random_range(-0.2..1.2)]
                };
                vertex([x, y], uv, if is_plain { one } else { colour(random) })
            };
            (0..3).map(corner).collect()
        };
        let all: Vec<_> = (0..4)
            .map(|_| {
                let texture = if random.random_bool(0.5) { LINEAR } else { TextureId::default() };
                primitive(triangle(&mut random), vec![0, 1, 2], texture)
            })
            .collect();
        let canvas = drawn(&mut raster, &all, delta);
        ensure_like(&canvas, &naive(&raster, &all), 4.0, &format!("seed {seed}"));
    }
}

/// Additive triangles that tile the whole canvas: every pixel must be lit exactly once.
#[test]
fn shared_edges_are_drawn_once() {
    for seed in 0..50 {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut raster = Raster::new().unwrap();
        let delta = textures(&mut random);
        let light = Color32::from_rgba_premultiplied(1, 1, 1, 0);
        let (columns, rows) = (9_u32, 8_u32);
        let mut vertices = Vec::new();
        for at in 0..columns * rows {
            let [x, y] = [(at % columns) as f32 * 8.0 - 1.0, (at / columns) as f32 * 7.0 - 1.0];
            // Half pixels are pixel centres.
            let shift = |random: &mut Pcg64| {
                if random.random_bool(0.5) {
                    random.random_range(-5..5) as f32 / 2.0
                } else {
                    random.random_range(-2.5..2.5)
                }
            };
            let is_inner = x > 0.0 && y > 0.0 && x < 62.0 && y < 47.0;
            let by = if is_inner { [shift(&mut random), shift(&mut random)] } else { [0.0; 2] };
            vertices.push(vertex([x + by[0], y + by[1]], [0.0; 2], light));
        }
        let mut indices = Vec::new();
        for at in (0..columns * (rows - 1)).filter(|at| at % columns < columns - 1) {
            let [a, b, c, d] = [at, at + 1, at + columns, at + columns + 1];
            indices.extend(if random.random_bool(0.5) { [a, b, c, c, b, d] } else { [a, d, b, c, d, a] });
        }
        let canvas = drawn(&mut raster, &[primitive(vertices, indices, TextureId::default())], delta);
        assert!(canvas.pixels.iter().all(|pixel| *pixel == 0x0001_0101), "seed {seed}");
    }
}

#[test]
fn pictures_arrive_as_they_are_and_change_in_parts() {
    let mut random = Pcg64::seed_from_u64(1);
    let mut raster = Raster::new().unwrap();
    let all = [rectangle([3.0, 4.0, 24.0, 19.0], [0.0, 0.0, 1.0, 1.0], Color32::WHITE, NEAREST)];
    // Three pixels per texel in each direction.
    let shown = |canvas: &Canvas, x: usize, y: usize| {
        let rows = canvas.pixels.chunks(SIZE[0] as usize).skip(4 + 3 * y).take(3);
        let pixels: Vec<_> = rows.flat_map(|row| &row[3 + 3 * x..][..3]).collect();
        assert!(pixels.iter().all(|pixel| *pixel == pixels[0]), "texel {x}, {y} is shown as {pixels:x?}");
        *pixels[0]
    };
    let image =
        ColorImage::new([7, 5], (0..35).map(|at| Color32::from_rgb(at, 7 * at, random.random())).collect());
    let mut delta = TexturesDelta::default();
    delta.push(NEAREST, ImageDelta::full(image.clone(), TextureOptions::NEAREST));
    let canvas = drawn(&mut raster, &all, delta);
    for (at, colour) in image.pixels.iter().enumerate() {
        assert_eq!(shown(&canvas, at % 7, at / 7), word(*colour));
    }
    let mut delta = TexturesDelta::default();
    delta.push(
        NEAREST,
        ImageDelta::partial([5, 3], ColorImage::filled([2, 2], Color32::GREEN), TextureOptions::NEAREST),
    );
    delta.push(
        NEAREST,
        ImageDelta::partial([6, 4], ColorImage::filled([9, 9], Color32::RED), TextureOptions::NEAREST),
    );
    delta.free.insert(NEAREST);
    let canvas = drawn(&mut raster, &all, delta);
    assert_eq!(shown(&canvas, 5, 3), word(Color32::GREEN));
    assert_eq!(shown(&canvas, 6, 4), word(Color32::RED));
    assert_eq!(shown(&canvas, 4, 3), word(image.pixels[3 * 7 + 4]));
    let canvas = drawn(&mut raster, &all, TexturesDelta::default());
    assert!(canvas.pixels.iter().all(|pixel| *pixel == 0), "what was freed is drawn");
}

#[test]
fn nothing_is_drawn_outside_of_a_clip() {
    let mut raster = Raster::new().unwrap();
    let mut all = rectangle([-9.0, -9.0, 99.0, 99.0], [0.0; 4], Color32::WHITE, TextureId::default());
    all.clip_rect = Rect::from_min_max(pos2(2.4, -5.0), pos2(7.6, 3.0));
    let canvas = drawn(&mut raster, &[all], textures(&mut Pcg64::seed_from_u64(1)));
    for (at, pixel) in (0..).zip(&canvas.pixels) {
        let is_inside = (2..8).contains(&(at % SIZE[0])) && at / SIZE[0] < 3;
        assert_eq!(*pixel == u32::MAX, is_inside, "pixel {at}");
    }
}

#[test]
fn no_input_is_a_panic() {
    for seed in 0..300 {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut raster = Raster::new().unwrap();
        let wild = |random: &mut Pcg64| match random.random_range(0..6) {
            0 => f32::from_bits(random.random()),
            1 => [f32::NAN, f32::INFINITY, -f32::MAX, f32::MIN_POSITIVE, -0.0][random.random_range(0..5)],
            _ => random.random_range(-100.0..200.0),
        };
        let mut delta = textures(&mut random);
        let part = ColorImage::filled([random.random_range(0..9), random.random_range(0..9)], Color32::RED);
        delta.push(
            LINEAR,
            ImageDelta::partial(
                [random.random_range(0..9), usize::MAX],
                part.clone(),
                TextureOptions::LINEAR,
            ),
        );
        delta.push(TextureId::User(3), ImageDelta::partial([0, 0], part.clone(), TextureOptions::LINEAR));
        delta.push(TextureId::User(4), ImageDelta::full(part, TextureOptions::NEAREST));
        let mut all = Vec::new();
        for texture in [
            TextureId::default(),
            NEAREST,
            LINEAR,
            TextureId::User(3),
            TextureId::User(4),
            TextureId::User(5),
        ] {
            let vertices = (0..12).map(|_| {
                let [x, y, u, v] = [0; 4].map(|_| wild(&mut random));
                vertex([x, y], [u, v], colour(&mut random))
            });
            let vertices = vertices.collect();
            let indices = (0..random.random_range(0..40)).map(|_| random.random_range(0..13)).collect();
            let mut one = primitive(vertices, indices, texture);
            let [left, top, right, below] = [0; 4].map(|_| wild(&mut random));
            one.clip_rect = Rect { min: pos2(left, top), max: pos2(right, below) };
            all.push(one);
        }
        let mut canvas = Canvas::default();
        canvas.clear([random.random_range(0..70), random.random_range(0..70)]);
        let pixels_per_point = if random.random_bool(0.5) { 1.5 } else { wild(&mut random) };
        raster.draw(&all, pixels_per_point, &mut delta, &mut canvas);
    }
}
