//! Writes each frame into a new folder, as PNG, on a thread of its own.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result, anyhow, bail};

use super::raster::Canvas;
use super::shot::png;

/// Frames that wait to be written. Drawing waits while there are more: none is left out, and memory has an end.
const WAITING: usize = 4;

/// A folder that frames are being written into.
pub(super) struct FrameWriter {
    folder: PathBuf,
    frames: SyncSender<Canvas>,
    thread: JoinHandle<Result<usize>>,
}

impl FrameWriter {
    /// Creates the folder, `SAMPLE-frames-N` with the first N that is free.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn begin(within: &Path, sample: &str) -> Result<Self> {
        let folder = new_folder(within, sample)?;
        let (frames, drawn) = sync_channel(WAITING);
        let to = folder.clone();
        let thread = thread::Builder::new().name("frames".into()).spawn(move || write(&to, &drawn));
        Ok(Self { folder, frames, thread: thread.context("starting the thread that writes frames")? })
    }

    /// Adds a frame. Returns `false` if no more can be written; [`Self::end`] says why.
    pub fn add(&self, canvas: &Canvas) -> bool {
        self.frames.send(canvas.clone()).is_ok()
    }

    /// Waits for the last frame. Returns how many there are, and the name of their folder.
    ///
    /// # Errors
    /// One could not be written.
    pub fn end(self) -> Result<(usize, String)> {
        drop(self.frames);
        let written = self.thread.join().map_err(|_| anyhow!("the thread that writes frames has failed"))?;
        let name = self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        written.map(|count| (count, name))
    }
}

fn new_folder(within: &Path, sample: &str) -> Result<PathBuf> {
    for number in 1..10_000 {
        let folder = within.join(format!("{sample}-frames-{number}"));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(error).with_context(|| format!("creating the folder {}", folder.display()));
            }
        }
    }
    bail!("{sample}-frames-1 to -9999 are all taken: remove some")
}

/// Writes what comes, and returns how much it was.
fn write(folder: &Path, frames: &Receiver<Canvas>) -> Result<usize> {
    let mut count = 0;
    // A window may have no area for a while.
    for frame in frames.iter().filter(|frame| !frame.size.contains(&0)) {
        let path = folder.join(format!("{:05}.png", count + 1));
        fs::write(&path, png(&frame, &[], 1.0)?)
            .with_context(|| format!("writing frame {} into {}", count + 1, folder.display()))?;
        count += 1;
    }
    Ok(count)
}

/// The commands that make an MP4 and a GIF of the frames in a folder. H.264 wants even sides.
pub(super) fn commands(name: &str) -> [String; 2] {
    let ffmpeg = format!("ffmpeg -framerate 30 -i {name}/%05d.png");
    [
        format!("{ffmpeg} -pix_fmt yuv420p -vf \"pad=ceil(iw/2)*2:ceil(ih/2)*2\" {name}.mp4"),
        format!("{ffmpeg} {name}.gif"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_numbers_and_each_recording_a_folder() {
        let within = tempfile::tempdir().unwrap();
        for recording in 1..3 {
            let writer = FrameWriter::begin(within.path(), "bloom").unwrap();
            for shade in 0..9 {
                assert!(writer.add(&Canvas { size: [3, 2], pixels: vec![shade; 6] }));
                assert!(writer.add(&Canvas { size: [0, 2], pixels: Vec::new() }), "it has no area");
            }
            let (count, name) = writer.end().unwrap();
            assert_eq!((count, &name), (9, &format!("bloom-frames-{recording}")));
            let folder = within.path().join(name);
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 9);
            let last = fs::File::open(folder.join("00009.png")).unwrap();
            let mut reader = png::Decoder::new(std::io::BufReader::new(last)).read_info().unwrap();
            let mut pixels = [0; 18];
            reader.next_frame(&mut pixels).unwrap();
            assert_eq!(pixels[..6], [0, 0, 8, 0, 0, 8]);
        }
    }

    #[test]
    fn what_cannot_be_written_ends_it() {
        let within = tempfile::tempdir().unwrap();
        let writer = FrameWriter::begin(within.path(), "bloom").unwrap();
        fs::remove_dir(within.path().join("bloom-frames-1")).unwrap();
        let frame = Canvas { size: [1, 1], pixels: vec![0] };
        // Not before the thread has come to the first of them.
        while writer.add(&frame) {}
        let error = format!("{:#}", writer.end().unwrap_err());
        assert!(error.starts_with("writing frame 1 into ") && error.contains("bloom-frames-1"), "{error}");
        assert!(FrameWriter::begin(&within.path().join("none"), "bloom").is_err());
    }
}
