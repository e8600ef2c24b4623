//! Writes frames on a thread of its own: each as PNG into a new folder, or all into a GIF.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use vulkan::memory::bytes_in_words;

use super::gif;
use super::raster::Canvas;
use super::shot::png;
use crate::ui::Video;

/// Frames that wait to be written. Drawing waits while there are more: none is lost, and memory has an end.
const WAITING: usize = 4;

/// A folder or a file that frames are being written into.
pub(super) struct FrameWriter {
    path: PathBuf,
    frames: SyncSender<(Instant, Canvas)>,
    /// Returns the number of frames, and their size in bytes.
    thread: JoinHandle<Result<(usize, u64)>>,
}

impl FrameWriter {
    /// Creates the folder `SAMPLE-frames-N`, or the file `SAMPLE-N.gif`, with the first N that is free.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn begin(within: &Path, sample: &str, video: Video) -> Result<Self> {
        let path = new_path(within, sample, video)?;
        let (frames, drawn) = sync_channel(WAITING);
        let to = path.clone();
        let thread = thread::Builder::new().name("frames".into()).spawn(move || match video {
            Video::Pngs => write(&to, &drawn),
            Video::Gif => gif::write(&to, &drawn).with_context(|| format!("writing {}", to.display())),
        });
        Ok(Self { path, frames, thread: thread.context("starting the thread that writes frames")? })
    }

    /// Adds a frame. Returns `false` if no more is written; [`Self::end`] says why.
    pub fn add(&self, canvas: &Canvas) -> bool {
        // A window may have no area for a while.
        canvas.size.contains(&0) || self.frames.send((Instant::now(), canvas.clone())).is_ok()
    }

    /// Waits for the last frame. Returns what is written, and what to do with PNG files.
    ///
    /// # Errors
    /// A frame could not be written.
    pub fn end(self) -> Result<(String, Option<String>)> {
        drop(self.frames);
        let written = self.thread.join().map_err(|_| anyhow!("the thread that writes frames has failed"))?;
        let (count, bytes) = written?;
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let frames = if count == 1 { "frame" } else { "frames" };
        let news = format!("{count} {frames} written into {name}, {}", bytes_in_words(bytes));
        Ok((news, self.path.is_dir().then(|| command(&name))))
    }
}

fn new_path(within: &Path, sample: &str, video: Video) -> Result<PathBuf> {
    for number in 1..10_000 {
        let path = within.join(match video {
            Video::Pngs => format!("{sample}-frames-{number}"),
            Video::Gif => format!("{sample}-{number}.gif"),
        });
        let created = match video {
            Video::Pngs => fs::create_dir(&path),
            Video::Gif => File::create_new(&path).map(drop),
        };
        match created {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(|| format!("creating {}", path.display())),
        }
    }
    bail!("9999 recordings of {sample} are there: remove some")
}

/// Writes each frame that comes as PNG.
fn write(folder: &Path, frames: &Receiver<(Instant, Canvas)>) -> Result<(usize, u64)> {
    let (mut count, mut bytes) = (0, 0);
    for (_, frame) in frames {
        count += 1;
        let picture = png(&frame, &[], 1.0)?;
        fs::write(folder.join(format!("{count:05}.png")), &picture)
            .with_context(|| format!("writing frame {count} into {}", folder.display()))?;
        bytes += u64::try_from(picture.len())?;
    }
    Ok((count, bytes))
}

/// The command that makes an MP4 of the frames in a folder. H.264 wants even sides.
fn command(name: &str) -> String {
    let pad = "-vf \"pad=ceil(iw/2)*2:ceil(ih/2)*2\"";
    format!("As MP4: ffmpeg -framerate 30 -i {name}/%05d.png -pix_fmt yuv420p {pad} {name}.mp4")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_numbers_and_each_recording_a_folder() {
        let within = tempfile::tempdir().unwrap();
        for recording in 1..3 {
            let writer = FrameWriter::begin(within.path(), "bloom", Video::Pngs).unwrap();
            for shade in 0..9 {
                assert!(writer.add(&Canvas { size: [3, 2], pixels: vec![shade; 6] }));
                assert!(writer.add(&Canvas { size: [0, 2], pixels: Vec::new() }), "it has no area");
            }
            let (news, further) = writer.end().unwrap();
            let name = format!("bloom-frames-{recording}");
            let folder = within.path().join(&name);
            let sizes: Vec<u64> =
                fs::read_dir(&folder).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).collect();
            assert_eq!(sizes.len(), 9);
            let size = bytes_in_words(sizes.iter().sum());
            assert_eq!(news, format!("9 frames written into {name}, {size}"));
            assert!(further.unwrap().ends_with(&format!("{name}.mp4")));
            let last = File::open(folder.join("00009.png")).unwrap();
            let mut reader = png::Decoder::new(std::io::BufReader::new(last)).read_info().unwrap();
            let mut pixels = [0; 18];
            reader.next_frame(&mut pixels).unwrap();
            assert_eq!(pixels[..6], [0, 0, 8, 0, 0, 8]);
        }
    }

    #[test]
    fn each_gif_is_a_file() {
        let within = tempfile::tempdir().unwrap();
        for recording in 1..3 {
            let writer = FrameWriter::begin(within.path(), "bloom", Video::Gif).unwrap();
            assert!(writer.add(&Canvas { size: [0, 2], pixels: Vec::new() }), "it has no area");
            assert!(writer.add(&Canvas { size: [3, 2], pixels: vec![5; 6] }));
            let (news, further) = writer.end().unwrap();
            let name = format!("bloom-{recording}.gif");
            let size = bytes_in_words(fs::metadata(within.path().join(&name)).unwrap().len());
            assert_eq!((news, further), (format!("1 frame written into {name}, {size}"), None));
        }
    }

    #[test]
    fn what_cannot_be_written_ends_it() {
        let within = tempfile::tempdir().unwrap();
        let writer = FrameWriter::begin(within.path(), "bloom", Video::Pngs).unwrap();
        fs::remove_dir(within.path().join("bloom-frames-1")).unwrap();
        let frame = Canvas { size: [1, 1], pixels: vec![0] };
        // Not before the thread has come to the first of them.
        while writer.add(&frame) {}
        let error = format!("{:#}", writer.end().unwrap_err());
        assert!(error.starts_with("writing frame 1 into ") && error.contains("bloom-frames-1"), "{error}");
        // No GIF is so high.
        let writer = FrameWriter::begin(within.path(), "bloom", Video::Gif).unwrap();
        while writer.add(&Canvas { size: [1, 70_000], pixels: vec![0; 70_000] }) {}
        let error = format!("{:#}", writer.end().unwrap_err());
        assert!(error.starts_with("writing ") && error.contains("bloom-1.gif: "), "{error}");
        for video in [Video::Pngs, Video::Gif] {
            assert!(FrameWriter::begin(&within.path().join("none"), "bloom", video).is_err());
        }
    }
}
