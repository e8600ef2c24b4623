//! What the source of the device's driver says of events, beside what they did here.

use anyhow::Result;
use common::Figures;
use common::record::DeviceFacts;
use common::record::event_drivers::{Drains, Driver, Form, driver_of, release};

use super::drains::{InPlace, Measured};
use super::event_form::EventForm;

const FORMS: [(Form, &str); 4] = [
    (Form::Sync2NoAccess, "sync2, no access, coherent stores"),
    (Form::Sync2, "sync2, write→read"),
    (Form::Sync1, "sync1"),
    (Form::Asymmetric, "asymmetric"),
];

/// What was read of the driver of a device.
pub struct AsRead {
    device: DeviceFacts,
    driver: Option<Driver>,
}

/// Forms of which the source says the same, and the run too.
struct Group<'d> {
    forms: Vec<&'static str>,
    /// The release that was read.
    read_in: Option<&'d str>,
    set: Half,
    wait: Half,
}

/// What is known of a set or of a wait.
struct Half {
    read: Drains,
    measured: Option<Measured>,
}

impl AsRead {
    pub fn of(device: &DeviceFacts) -> Result<Self> {
        Ok(Self { device: device.clone(), driver: driver_of(device)? })
    }

    /// What was read, for a device whose times say nothing.
    pub fn alone(&self) -> Vec<String> {
        self.lines(":", |_, _| None)
    }

    /// What was read beside what was measured.
    pub fn beside(&self, figures: &Figures<'_>, passes: u32, bands: u32) -> Vec<String> {
        let Some(in_place) = InPlace::of(figures, passes, bands) else { return Vec::new() };
        let us = in_place.barrier_us();
        let measured = |form, what: &str| {
            let forms = EventForm::all().filter(|of| of.of_drivers() == form);
            let each = forms.filter_map(|of| {
                let coherent = if of.coherent { "_coherent" } else { "" };
                let no_sync = format!("bands_no_sync{coherent}_{bands}");
                in_place.measured(figures, &of.variant(what, bands), &no_sync)
            });
            each.reduce(Measured::and)
        };
        self.lines(&format!(", beside this run, where a barrier in place costs {us:.2} µs:"), measured)
    }

    /// The lines, of which the first ends with `end`.
    fn lines(&self, end: &str, measured: impl Fn(Form, &str) -> Option<Measured>) -> Vec<String> {
        let Some(driver) = &self.driver else {
            let id = self.device.driver_id;
            return vec![format!("Nobody has read what the driver with VkDriverId {id} does with events.")];
        };
        if let Some(reason) = &driver.unread {
            return vec![format!("What its source says of events is not known: {reason}.")];
        }
        let groups = self.groups(driver, measured);
        let Some(main) = groups.iter().find_map(|group| group.read_in) else { return Vec::new() };
        let here = self.device.driver_info.split(" (").next().unwrap_or_default();
        let is_same = release(main).is_some() && release(main) == release(here);
        let here = if is_same { String::new() } else { format!(", this is {here}") };
        let head = format!("What {}'s source says of events (read in {main}{here}){end}", driver.name);
        let lines = groups.iter().map(|group| group.line(main));
        [head].into_iter().chain(lines).collect()
    }

    /// Groups of the forms that were measured; if none was, of those that were read.
    fn groups<'d>(
        &self,
        driver: &'d Driver,
        measured: impl Fn(Form, &str) -> Option<Measured>,
    ) -> Vec<Group<'d>> {
        let mut groups: Vec<Group<'d>> = Vec::new();
        for (form, name) in FORMS {
            let reading = driver.reading(form, &self.device.driver_info);
            let [set, wait] = reading.map_or([Drains::Unknown; 2], |(_, read)| [read.set, read.wait]);
            let found = Group {
                forms: vec![name],
                read_in: reading.map(|(reading, _)| &*reading.read_in),
                set: Half { read: set, measured: measured(form, "sets") },
                wait: Half { read: wait, measured: measured(form, "waits") },
            };
            match groups.iter_mut().find(|group| group.known() == found.known()) {
                Some(group) => group.take(found),
                None => groups.push(found),
            }
        }
        let is_measured = |group: &Group<'_>| group.set.measured.or(group.wait.measured).is_some();
        let any = groups.iter().any(is_measured);
        groups.retain(|group| if any { is_measured(group) } else { group.read_in.is_some() });
        groups
    }
}

impl Group<'_> {
    /// All but names and costs.
    fn known(&self) -> (Option<&str>, [(Drains, Option<Drains>); 2]) {
        (self.read_in, [self.set.known(), self.wait.known()])
    }

    fn take(&mut self, other: Self) {
        self.forms.extend(other.forms);
        for (half, theirs) in [(&mut self.set, other.set), (&mut self.wait, other.wait)] {
            half.measured = half.measured.zip(theirs.measured).map(|(ours, theirs)| ours.and(theirs));
        }
    }

    /// `sync1: a set does not drain as read, but drains here (2.43 µs); a wait drains as read and here (1.47 µs).`
    fn line(&self, main: &str) -> String {
        let is_all = FORMS.iter().all(|(_, form)| self.forms.contains(form));
        let forms = if is_all { "every form".to_owned() } else { self.forms.join("; ") };
        let read_in = match self.read_in {
            Some(read_in) if read_in == main => String::new(),
            Some(read_in) => format!(" (read in {read_in})"),
            None => " (not read)".to_owned(),
        };
        let disagree = self.set.disagrees() || self.wait.disagrees();
        let end = if disagree { " Source and run disagree." } else { "" };
        format!("{forms}{read_in}: {}; {}.{end}", self.set.text("a set"), self.wait.text("a wait"))
    }
}

impl Half {
    fn known(&self) -> (Drains, Option<Drains>) {
        (self.read, self.measured.map(|measured| measured.drains))
    }

    fn disagrees(&self) -> bool {
        matches!(self.known(), (Drains::Yes, Some(Drains::No)) | (Drains::No, Some(Drains::Yes)))
    }

    fn text(&self, what: &str) -> String {
        let does = |drains| match drains {
            Drains::Yes => "drains",
            Drains::No => "does not drain",
            Drains::Unknown => "may drain",
        };
        let read = does(self.read);
        let Some(measured) = self.measured else { return format!("{what} {read}") };
        let (here, us) = (does(measured.drains), measured.us());
        match self.known() {
            (_, Some(Drains::Unknown)) => format!("{what} {read} as read, undecided here ({us})"),
            (Drains::Unknown, _) => format!("{what} {here} here ({us})"),
            _ if self.disagrees() => format!("{what} {read} as read, but {here} here ({us})"),
            _ => format!("{what} {read} as read and here ({us})"),
        }
    }
}
