//! An X server of a test's own, without a screen, and what a person does to windows on it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConfigureWindowAux, ConnectionExt as _, EventMask, InputFocus,
    KEY_PRESS_EVENT, KEY_RELEASE_EVENT, MapState, Window,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// A debug build on a busy machine opens its window by then.
const OPENS: Duration = Duration::from_secs(300);
const POLL: Duration = Duration::from_millis(5);

/// An X server. It ends when it is dropped, when its time is over, and with the test's process.
pub struct Display {
    name: String,
    connection: RustConnection,
    root: Window,
    // Behind the connection, which must not outlive the server by a wait.
    _server: Server,
}

impl Display {
    /// Starts a server, which lives no longer than `life`: whoever waits for its answers then gets an error.
    pub fn start(life: Duration) -> Result<Self> {
        let (server, number) = Server::start(life)?;
        let name = format!(":{number}");
        let (connection, screen) =
            x11rb::connect(Some(&name)).with_context(|| format!("connecting to the display {name}"))?;
        let root = connection.setup().roots.get(screen).context("the display has no screen")?.root;
        Ok(Self { name, connection, root, _server: server })
    }

    /// For `DISPLAY`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The window of a process, once it is on the screen.
    pub fn window_of(&self, process: u32) -> Result<Window> {
        let began = Instant::now();
        let pid = self.atom(b"_NET_WM_PID")?;
        while began.elapsed() < OPENS {
            for window in self.connection.query_tree(self.root)?.reply()?.children {
                if self.is_shown(window) && self.number(window, pid)? == Some(process) {
                    return Ok(window);
                }
            }
            thread::sleep(POLL);
        }
        bail!("process {process} opened no window within {} s", OPENS.as_secs())
    }

    fn atom(&self, name: &[u8]) -> Result<u32> {
        Ok(self.connection.intern_atom(false, name)?.reply()?.atom)
    }

    /// A window may vanish between two requests.
    fn is_shown(&self, window: Window) -> bool {
        let asked = self.connection.get_window_attributes(window);
        asked.is_ok_and(|asked| asked.reply().is_ok_and(|is| is.map_state == MapState::VIEWABLE))
    }

    fn number(&self, window: Window, property: u32) -> Result<Option<u32>> {
        let value =
            self.connection.get_property(false, window, property, AtomEnum::CARDINAL, 0, 1)?.reply()?;
        Ok(value.value32().and_then(|mut numbers| numbers.next()))
    }

    /// Sends what is typed to a window: nobody else does where there is no window manager.
    pub fn focus(&self, window: Window) -> Result<()> {
        self.connection.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME)?.check()?;
        Ok(())
    }

    /// Presses and releases the key with this sign.
    pub fn press(&self, key: Key) -> Result<()> {
        let setup = self.connection.setup();
        let (first, count) = (setup.min_keycode, setup.max_keycode - setup.min_keycode + 1);
        let map = self.connection.get_keyboard_mapping(first, count)?.reply()?;
        let mut keys = map.keysyms.chunks(usize::from(map.keysyms_per_keycode.max(1)));
        let at = keys.position(|signs| signs.first() == Some(&key.0));
        let code = first + u8::try_from(at.with_context(|| format!("no key has the sign {key:?}"))?)?;
        for event in [KEY_PRESS_EVENT, KEY_RELEASE_EVENT] {
            self.connection.xtest_fake_input(event, code, 0, self.root, 0, 0, 0)?;
        }
        // Until the server has done what it was asked.
        self.connection.get_input_focus()?.reply()?;
        Ok(())
    }

    /// Gives it another size.
    pub fn resize(&self, window: Window, [width, height]: [u32; 2]) -> Result<()> {
        let size = ConfigureWindowAux::new().width(width).height(height);
        self.connection.configure_window(window, &size)?.check()?;
        Ok(())
    }

    /// Takes it off the screen, as a window manager does that minimises it.
    pub fn hide(&self, window: Window) -> Result<()> {
        self.connection.unmap_window(window)?.check()?;
        Ok(())
    }

    /// Shows it again.
    pub fn show(&self, window: Window) -> Result<()> {
        self.connection.map_window(window)?.check()?;
        let began = Instant::now();
        while !self.is_shown(window) {
            ensure!(began.elapsed() < OPENS, "the window does not come back");
            thread::sleep(POLL);
        }
        self.focus(window)
    }

    /// Asks it to close, as the cross at its corner does.
    pub fn close(&self, window: Window) -> Result<()> {
        let (protocols, delete) = (self.atom(b"WM_PROTOCOLS")?, self.atom(b"WM_DELETE_WINDOW")?);
        let event = ClientMessageEvent::new(32, window, protocols, [delete, x11rb::CURRENT_TIME, 0, 0, 0]);
        self.connection.send_event(false, window, EventMask::NO_EVENT, event)?.check()?;
        Ok(())
    }
}

/// A key by the sign that it has without others, as `keysymdef.h` numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(u32);

impl Key {
    /// Arrow to the right.
    pub const RIGHT: Self = Self(0xff53);
    /// Arrow to the left.
    pub const LEFT: Self = Self(0xff51);
    /// Page Up.
    pub const PAGE_UP: Self = Self(0xff55);
    /// Page Down.
    pub const PAGE_DOWN: Self = Self(0xff56);

    /// A letter or another sign.
    pub const fn of(sign: char) -> Self {
        // Latin-1 numbers its signs as Unicode does.
        Self(sign as u32)
    }
}

/// The process, below one that ends it when its time is over.
struct Server(Child);

impl Server {
    /// The server and the number of its display.
    fn start(life: Duration) -> Result<(Self, u32)> {
        let mut command = Command::new("timeout");
        command.args(["--kill-after=5", &life.as_secs().to_string(), "Xvfb"]);
        // It chooses a number that is free. With `-terminate` it ends with its last client, as this test is.
        command.args(["-displayfd", "1", "-screen", "0", "1920x1080x24", "-nolisten", "tcp", "-terminate"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = Self(command.spawn().context("starting Xvfb")?);
        let stdout = server.0.stdout.take().context("no pipe from Xvfb")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).context("reading Xvfb's number")?;
        let number = line.trim().parse().with_context(|| format!("Xvfb's number is '{}'", line.trim()))?;
        Ok((server, number))
    }
}

impl Drop for Server {
    /// Asks it first, because only then does it take its files away.
    fn drop(&mut self) {
        use rustix::process::{Pid, Signal, kill_process};
        let pid = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw);
        let _ = pid.map(|pid| kill_process(pid, Signal::TERM));
        let began = Instant::now();
        while matches!(self.0.try_wait(), Ok(None)) && began.elapsed() < Duration::from_secs(10) {
            thread::sleep(POLL);
        }
        // Both fail where it has ended, which is what they are for.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Why there can be none here.
pub fn is_missing() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    !std::env::split_paths(&path).any(|folder| folder.join("Xvfb").is_file())
}
