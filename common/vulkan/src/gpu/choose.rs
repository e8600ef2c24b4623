//! Lists the devices for `--list-devices`, and chooses one.

use anyhow::{Result, bail};
use ash::{khr, vk};
use clap::ValueEnum;
use record::error::Halt;
use record::hooks::hooks;
use record::{DeviceFacts, Kind, Usable};

use super::instance::{Instance, no_driver};
use super::physical::Physical;
use crate::fault::attempt;
use crate::names::text;

/// Which kind of queue the work runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum QueueKind {
    /// One that does graphics too (the default where there is one).
    Graphics,
    /// One that does compute and no graphics.
    Compute,
}

/// Where a queue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuePlace {
    /// Its family.
    pub family: u32,
    /// Its number in the family.
    pub index: u32,
    /// Whether its family does graphics beside compute.
    pub has_graphics: bool,
}

/// A device of this machine.
pub(super) struct Candidate<'i> {
    pub physical: Physical<'i>,
    pub facts: DeviceFacts,
    /// The queue that work runs on, a second one, if there is one, and then all others that compute. There is one at least, unless the
    /// device is unusable.
    pub queues: Vec<QueuePlace>,
    /// Whether vertex and fragment shaders may store.
    pub draws_may_store: bool,
    /// Why the suite cannot use the device, if it cannot.
    pub unusable: Option<String>,
    pub limits: Limits,
}

/// Limits of a device for kernels, dispatches and images.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Size in bytes of the largest buffer that a kernel can bind.
    pub storage_buffer: u64,
    /// Size in bytes of the largest allocation that the device is sure to allow.
    pub allocation: u64,
    /// Maximum number of workgroups in x, y and z.
    pub groups: [u32; 3],
    /// Maximum number of texels of a texel buffer.
    pub texels: u32,
    /// Maximum number of storage buffers that a kernel can bind.
    pub storage_buffers: u32,
    /// Maximum number of bindings of a kernel.
    pub bindings: u32,
    /// Whether a kernel can set the size of its subgroups.
    pub sets_subgroup_size: bool,
}

/// The text of `--list-devices`.
///
/// # Errors
/// No Vulkan loader or no driver.
pub fn list_devices() -> Result<String> {
    Ok(list(&candidates(&Instance::new(false)?, None)?))
}

/// The usable devices, best first.
///
/// # Errors
/// No Vulkan loader, no driver, or no usable device.
pub fn usable_devices() -> Result<Vec<Usable>> {
    usable(&candidates(&Instance::new(false)?, None)?)
}

/// The device that `--device` selects for `wish`, or the best one for `None`.
///
/// # Errors
/// The errors of [`usable_devices`]; a wish that matches no device or several.
pub fn find_device(wish: Option<&str>) -> Result<Usable> {
    let instance = Instance::new(false)?;
    let found = candidates(&instance, None)?;
    Ok(as_usable(&found, position(&found, wish)?))
}

fn usable(found: &[Candidate<'_>]) -> Result<Vec<Usable>> {
    let can = (0..found.len()).filter(|&at| found[at].unusable.is_none());
    let usable: Vec<Usable> = can.map(|at| as_usable(found, at)).collect();
    if usable.is_empty() { Err(none_usable(found).into()) } else { Ok(usable) }
}

/// The device, with a wish that selects only this device.
fn as_usable(found: &[Candidate<'_>], at: usize) -> Usable {
    let facts = &found[at].facts;
    let same = found.iter().filter(|candidate| candidate.facts.uuid == facts.uuid).count();
    let wish = if same == 1 { facts.uuid.clone() } else { at.to_string() };
    Usable { facts: facts.clone(), wish }
}

fn none_usable(found: &[Candidate<'_>]) -> Halt {
    Halt::Skip(format!("no usable device:\n{}", list(found)))
}

/// All devices, best first: discrete, integrated, virtual, CPU; within a kind, in the loader's order. `queue` is
/// the kind of queue that work runs on.
pub(super) fn candidates(instance: &Instance, queue: Option<QueueKind>) -> Result<Vec<Candidate<'_>>> {
    let devices =
        attempt("listing devices", || match unsafe { instance.raw.enumerate_physical_devices() } {
            Err(vk::Result::ERROR_INITIALIZATION_FAILED) => Ok(Vec::new()),
            other => other,
        })?;
    let found = devices.into_iter().map(|raw| describe(Physical::new(instance, raw)?, queue));
    let mut found = found.collect::<Result<Vec<_>>>()?;
    if found.is_empty() {
        return Err(no_driver().into());
    }
    found.sort_by_key(|c| c.facts.kind);
    Ok(found)
}

/// Chooses a device by `wish`: an index of the list, a UUID, or a part of the name, ignoring case. Without a wish,
/// the first usable device.
pub(super) fn position(found: &[Candidate<'_>], wish: Option<&str>) -> Result<usize> {
    let Some(wish) = wish else {
        let usable = found.iter().position(|c| c.unusable.is_none());
        return usable.ok_or_else(|| none_usable(found).into());
    };
    let at = find(found, wish)?;
    match &found[at].unusable {
        None => Ok(at),
        Some(reason) => Err(Halt::Skip(format!("{} cannot be used: {reason}", found[at].facts.name)).into()),
    }
}

fn find(found: &[Candidate<'_>], wish: &str) -> Result<usize> {
    let plain = |s: &str| s.replace('-', "").to_lowercase();
    // A number of at most two digits is an index, valid or not; a longer one may be a part of a name.
    match wish.parse::<usize>() {
        Ok(index) if index < found.len() => return Ok(index),
        Ok(index) if index < 100 => bail!("there is no device {index}:\n{}", list(found)),
        _ => {}
    }
    if let Some(at) = found.iter().position(|c| plain(&c.facts.uuid) == plain(wish)) {
        return Ok(at);
    }
    let named: Vec<usize> = (0..found.len())
        .filter(|&i| !wish.is_empty() && found[i].facts.name.to_lowercase().contains(&wish.to_lowercase()))
        .collect();
    match named[..] {
        [one] => Ok(one),
        [] => bail!(
            "no device is called '{wish}' (--device takes an index, a part of the name, or a UUID):\n{}",
            list(found)
        ),
        _ => bail!("'{wish}' names several devices; use the index or the UUID:\n{}", list(found)),
    }
}

fn list(found: &[Candidate<'_>]) -> String {
    let line = |(i, c): (usize, &Candidate<'_>)| {
        let f = &c.facts;
        let driver = format!("{} {}", f.driver_name, f.driver_info);
        let (kind, driver) = (f.kind.word(), driver.trim());
        let line = format!("{i}: {} ({kind}, {driver}, Vulkan {}, UUID {})", f.name, f.api_version, f.uuid);
        let reason = c.unusable.iter().map(|reason| format!("\n   cannot be used: {reason}"));
        line + &reason.collect::<String>()
    };
    found.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

fn describe(physical: Physical<'_>, queue: Option<QueueKind>) -> Result<Candidate<'_>> {
    let instance = &physical.instance.raw;
    let core = unsafe { instance.get_physical_device_properties(physical.raw) };
    let families = unsafe { instance.get_physical_device_queue_family_properties(physical.raw) };
    let first = pick_family(&families, queue);
    let second = first.and_then(|first| pick_second(&families, first));
    let mut facts = facts(&physical, &core, first.map(|i| (i, &families[i])));
    facts.second_queue_family =
        second.map(|(i, _)| format!("{i}: {}", capabilities(families[i].queue_flags)));
    let unusable = why_not(&physical, &core, &facts, first.is_some(), queue);
    let mut limits = limits(&core.limits);
    let allocations: vk::PhysicalDeviceMaintenance3Properties<'_> = physical.properties();
    limits.allocation = allocations.max_memory_allocation_size;
    let sizes: vk::PhysicalDeviceSubgroupSizeControlProperties<'_> = physical.properties();
    limits.sets_subgroup_size = sizes.required_subgroup_size_stages.contains(vk::ShaderStageFlags::COMPUTE);
    facts.shuffle &= limits.sets_subgroup_size || sizes.min_subgroup_size == sizes.max_subgroup_size;
    if unusable.is_none() {
        let push: vk::PhysicalDevicePushDescriptorPropertiesKHR<'_> = physical.properties();
        limits.bindings = push.max_push_descriptors;
    }
    let queues = first.map_or_else(Vec::new, |first| queues(&families, first, second));
    let features = physical.core_features();
    let draws_may_store = [features.vertex_pipeline_stores_and_atomics, features.fragment_stores_and_atomics];
    let draws_may_store = draws_may_store == [vk::TRUE; 2];
    Ok(Candidate { physical, facts, queues, draws_may_store, unusable, limits })
}

fn limits(core: &vk::PhysicalDeviceLimits) -> Limits {
    let fewest = if hooks().fewest_buffers { 4 } else { u32::MAX };
    Limits {
        storage_buffer: core.max_storage_buffer_range.into(),
        allocation: 0,
        groups: core.max_compute_work_group_count.map(|most| most.min(smallest(65_535))),
        texels: core.max_texel_buffer_elements.min(smallest(65_536)),
        storage_buffers: core.max_per_stage_descriptor_storage_buffers.min(fewest),
        bindings: 0,
        sets_subgroup_size: false,
    }
}

/// A graphics queue that can compute, because the talk finds that it pipelines small dispatches better; else any
/// compute queue.
fn pick_family(families: &[vk::QueueFamilyProperties], wish: Option<QueueKind>) -> Option<usize> {
    let with = |graphics: bool| {
        families.iter().position(|f| {
            f.queue_flags.contains(vk::QueueFlags::COMPUTE)
                && f.queue_flags.contains(vk::QueueFlags::GRAPHICS) == graphics
                && f.timestamp_valid_bits > 0
        })
    };
    match wish {
        None => with(true).or_else(|| with(false)),
        Some(kind) => with(kind == QueueKind::Graphics),
    }
}

/// The minimum of a limit that Vulkan 1.3 requires (Required Limits), if a test asks for the smallest device.
fn smallest(limit: u32) -> u32 {
    if hooks().smallest_device { limit } else { u32::MAX }
}

/// A second compute queue: of another family, as for asynchronous compute, else another queue of the same family.
fn pick_second(families: &[vk::QueueFamilyProperties], first: usize) -> Option<(usize, u32)> {
    let computes = |f: &vk::QueueFamilyProperties| f.queue_flags.contains(vk::QueueFlags::COMPUTE);
    let other = (0..families.len()).find(|&i| i != first && computes(&families[i]));
    other.map(|i| (i, 0)).or_else(|| (families[first].queue_count > 1).then_some((first, 1)))
}

/// The first and the second queue, and then all others that compute.
fn queues(
    families: &[vk::QueueFamilyProperties],
    first: usize,
    second: Option<(usize, u32)>,
) -> Vec<QueuePlace> {
    let has = |family: usize, flag| families[family].queue_flags.contains(flag);
    let place = |(family, index): (usize, u32)| QueuePlace {
        family: u32::try_from(family).unwrap_or(u32::MAX),
        index,
        has_graphics: has(family, vk::QueueFlags::GRAPHICS),
    };
    if second.is_none() && hooks().one_queue_as_several {
        // Submits to it only wait for earlier ones, so that one queue can serve as several.
        return (0..32).map(|at| QueuePlace { has_graphics: at % 2 == 0, ..place((first, 0)) }).collect();
    }
    let computing = (0..families.len()).filter(|&family| has(family, vk::QueueFlags::COMPUTE));
    let all =
        computing.flat_map(|family| (0..families[family].queue_count).map(move |index| (family, index)));
    let chosen: Vec<_> = [(first, 0)].into_iter().chain(second).collect();
    let others = all.filter(|at| !chosen.contains(at));
    chosen.iter().copied().chain(others).map(place).collect()
}

fn why_not(
    physical: &Physical<'_>,
    core: &vk::PhysicalDeviceProperties,
    facts: &DeviceFacts,
    has_queue: bool,
    queue: Option<QueueKind>,
) -> Option<String> {
    if core.api_version < vk::API_VERSION_1_3 {
        return Some(format!("it offers Vulkan {}, the suite needs 1.3", facts.api_version));
    }
    if facts.device_memory == 0 {
        return Some("it has no memory (a null device, for compiling only)".into());
    }
    if !has_queue {
        return Some(match queue {
            None => "it has no compute queue with timestamps".into(),
            Some(QueueKind::Graphics) => "it has no graphics queue that computes: leave --queue out".into(),
            Some(QueueKind::Compute) => {
                "it has no queue for compute alone, only one that does graphics too: leave --queue out".into()
            }
        });
    }
    (!physical.has(khr::push_descriptor::NAME)).then(|| "it lacks VK_KHR_push_descriptor".into())
}

fn facts(
    physical: &Physical<'_>,
    core: &vk::PhysicalDeviceProperties,
    family: Option<(usize, &vk::QueueFamilyProperties)>,
) -> DeviceFacts {
    // These structures are only valid if the device itself supports Vulkan 1.2.
    let (vulkan11, vulkan12, features): (
        vk::PhysicalDeviceVulkan11Properties<'_>,
        vk::PhysicalDeviceVulkan12Properties<'_>,
        vk::PhysicalDeviceVulkan12Features<'_>,
    ) = if core.api_version >= vk::API_VERSION_1_2 {
        (physical.properties(), physical.properties(), physical.features())
    } else {
        Default::default()
    };
    let memory = unsafe { physical.instance.raw.get_physical_device_memory_properties(physical.raw) };
    let heaps = memory.memory_heaps_as_slice().iter();
    let local = heaps.filter(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL));
    let v = core.api_version;
    let c = vulkan12.conformance_version;
    let in_subgroups = |operation| {
        vulkan11.subgroup_supported_stages.contains(vk::ShaderStageFlags::COMPUTE)
            && vulkan11.subgroup_supported_operations.contains(operation)
    };
    DeviceFacts {
        name: text(&core.device_name),
        kind: kind(core.device_type),
        vendor_id: core.vendor_id,
        device_id: core.device_id,
        uuid: uuid(&vulkan11.device_uuid),
        driver_id: vulkan12.driver_id.as_raw(),
        driver_name: text(&vulkan12.driver_name),
        driver_info: text(&vulkan12.driver_info),
        driver_version: core.driver_version,
        api_version: format!(
            "{}.{}.{}",
            vk::api_version_major(v),
            vk::api_version_minor(v),
            vk::api_version_patch(v)
        ),
        conformance_version: format!("{}.{}.{}.{}", c.major, c.minor, c.subminor, c.patch),
        queue_family: family
            .map_or_else(String::new, |(i, f)| format!("{i}: {}", capabilities(f.queue_flags))),
        second_queue_family: None,
        timestamp_period_ns: core.limits.timestamp_period,
        timestamp_bits: family.map_or(0, |(_, f)| f.timestamp_valid_bits),
        subgroup_size: vulkan11.subgroup_size,
        max_workgroup_invocations: core.limits.max_compute_work_group_invocations.min(smallest(128)),
        max_workgroup_size: core.limits.max_compute_work_group_size,
        max_shared_memory: core.limits.max_compute_shared_memory_size.min(smallest(16_384)),
        max_image_2d: core.limits.max_image_dimension2_d,
        max_image_3d: core.limits.max_image_dimension3_d,
        multiprocessors: physical.multiprocessors(),
        float16: features.shader_float16 == vk::TRUE,
        int16: physical.core_features().shader_int16 == vk::TRUE,
        atomics64: [physical.core_features().shader_int64, features.shader_buffer_int64_atomics]
            == [vk::TRUE; 2],
        ballot: in_subgroups(vk::SubgroupFeatureFlags::BALLOT),
        shuffle: in_subgroups(vk::SubgroupFeatureFlags::SHUFFLE | vk::SubgroupFeatureFlags::SHUFFLE_RELATIVE),
        device_scope: [features.vulkan_memory_model, features.vulkan_memory_model_device_scope]
            == [vk::TRUE; 2],
        // Vulkan 1.3 requires device scope of every device, but not availability and visibility chains.
        visibility_chains: features.vulkan_memory_model_availability_visibility_chains == vk::TRUE
            && !hooks().smallest_device,
        device_clock: false,
        device_memory: local.map(|heap| heap.size).max().unwrap_or(0),
    }
}

fn kind(device_type: vk::PhysicalDeviceType) -> Kind {
    match device_type {
        vk::PhysicalDeviceType::DISCRETE_GPU => Kind::Discrete,
        vk::PhysicalDeviceType::INTEGRATED_GPU => Kind::Integrated,
        vk::PhysicalDeviceType::VIRTUAL_GPU => Kind::Virtual,
        vk::PhysicalDeviceType::CPU => Kind::Cpu,
        _ => Kind::Other,
    }
}

fn capabilities(flags: vk::QueueFlags) -> String {
    let words = [
        (vk::QueueFlags::GRAPHICS, "graphics"),
        (vk::QueueFlags::COMPUTE, "compute"),
        (vk::QueueFlags::TRANSFER, "transfer"),
    ];
    let words: Vec<&str> = words.iter().filter(|(f, _)| flags.contains(*f)).map(|(_, w)| *w).collect();
    words.join(" ")
}

fn uuid(bytes: &[u8; 16]) -> String {
    let hex = crate::spirv::hex(bytes);
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    fn named(name: &str, kind: Kind, unusable: Option<&str>) -> Candidate<'static> {
        static INSTANCE: LazyLock<Instance> = LazyLock::new(|| Instance::new(false).unwrap());
        let physical =
            Physical { raw: vk::PhysicalDevice::null(), instance: &INSTANCE, extensions: Vec::new() };
        let (name, uuid) = (name.to_owned(), format!("0000-{name}"));
        Candidate {
            physical,
            facts: DeviceFacts { name, kind, uuid, ..record::fixture::record().device },
            queues: Vec::new(),
            draws_may_store: true,
            unusable: unusable.map(str::to_owned),
            limits: Limits::default(),
        }
    }

    #[test]
    fn the_first_queues_are_of_different_families() {
        let [all, compute, copy] = [
            vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE,
            vk::QueueFlags::COMPUTE,
            vk::QueueFlags::TRANSFER,
        ];
        let found = |families: &[(vk::QueueFlags, u32)], wish| {
            let family = |(flags, count): &_| {
                let family = vk::QueueFamilyProperties {
                    queue_flags: *flags,
                    queue_count: *count,
                    ..Default::default()
                };
                vk::QueueFamilyProperties { timestamp_valid_bits: 64, ..family }
            };
            let families: Vec<_> = families.iter().map(family).collect();
            let first = pick_family(&families, wish)?;
            let places = queues(&families, first, pick_second(&families, first));
            Some(places.iter().map(|at| (at.family, at.index, at.has_graphics)).collect::<Vec<_>>())
        };
        let of_three = [(all, 2), (copy, 1), (compute, 2)];
        let [graphics, other] = [[(0, 0, true), (0, 1, true)], [(2, 0, false), (2, 1, false)]];
        let one_of_each = vec![graphics[0], other[0], graphics[1], other[1]];
        assert_eq!(found(&of_three, None), Some(one_of_each));
        let turned = vec![other[0], graphics[0], graphics[1], other[1]];
        assert_eq!(found(&of_three, Some(QueueKind::Compute)), Some(turned));
        assert_eq!(found(&[(all, 2)], None), Some(graphics.to_vec()));
        assert_eq!(found(&[(copy, 1), (compute, 1)], None), Some(vec![(1, 0, false)]));
        assert_eq!(found(&[(all, 1)], Some(QueueKind::Compute)), None);
    }

    fn machine() -> Vec<Candidate<'static>> {
        vec![
            named("Radeon One", Kind::Discrete, Some("it offers Vulkan 1.1.0, the suite needs 1.3")),
            named("Radeon Two", Kind::Integrated, None),
            named("llvmpipe", Kind::Cpu, None),
        ]
    }

    fn chosen(wish: Option<&str>) -> Result<String> {
        let found = machine();
        position(&found, wish).map(|at| found[at].facts.name.clone())
    }

    #[test]
    fn the_default_is_the_best_that_can_be_used() {
        assert_eq!(chosen(None).unwrap(), "Radeon Two");
    }

    #[test]
    fn index_uuid_and_part_of_the_name_choose() {
        assert_eq!(chosen(Some("2")).unwrap(), "llvmpipe");
        assert_eq!(chosen(Some("TWO")).unwrap(), "Radeon Two");
        assert_eq!(chosen(Some("0000-LLVMPIPE")).unwrap(), "llvmpipe");
    }

    #[test]
    fn a_device_has_a_name_that_means_it_alone() {
        let wishes = |found: &[Candidate<'_>]| -> Vec<String> {
            usable(found).unwrap().into_iter().map(|usable| usable.wish).collect()
        };
        assert_eq!(wishes(&machine()), ["0000-Radeon Two", "0000-llvmpipe"]);
        let mut same = machine();
        same.push(named("llvmpipe", Kind::Cpu, None));
        assert_eq!(wishes(&same), ["0000-Radeon Two", "2", "3"]);
        assert_eq!(chosen(Some(&wishes(&machine())[1])).unwrap(), "llvmpipe");
        let error = usable(&machine()[..1]).unwrap_err().to_string();
        assert!(error.contains("no usable device") && error.contains("needs 1.3"), "{error}");
    }

    #[test]
    fn what_cannot_be_chosen_is_said_with_the_list() {
        for (wish, says) in [
            ("7", "no device 7"),
            ("9000", "no device is called '9000'"),
            ("", "no device"),
            ("radeon", "several devices"),
        ] {
            let error = chosen(Some(wish)).unwrap_err().to_string();
            assert!(error.contains(says) && error.contains("2: llvmpipe"), "{error}");
        }
        let error = chosen(Some("0")).unwrap_err();
        assert_eq!(record::error::exit_code(&error), record::error::EXIT_SKIPPED);
        assert!(error.to_string().contains("needs 1.3"));
    }
}
