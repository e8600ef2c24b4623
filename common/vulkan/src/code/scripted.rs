//! Tests of the reader with a scripted driver, called through the real functions of the extension.

use std::ffi::{CStr, c_char, c_void};

use ash::{khr, vk};

use isa::{Executable, Kind, Value, count};

use crate::gpu::Reader;

fn words(text: &str) -> [c_char; vk::MAX_DESCRIPTION_SIZE] {
    let mut words = [0; vk::MAX_DESCRIPTION_SIZE];
    for (word, byte) in words.iter_mut().zip(text.bytes()) {
        *word = c_char::from_ne_bytes([byte]);
    }
    words
}

/// Returns a list as Vulkan does: only its length if `out` is null.
///
/// # Safety
/// The rules of Vulkan for lists.
unsafe fn list<T>(all: &[T], count: *mut u32, out: *mut T, mut put: impl FnMut(&T, &mut T)) -> vk::Result {
    if !out.is_null() {
        let room = unsafe { *count } as usize;
        for (at, item) in all.iter().take(room).enumerate() {
            put(item, unsafe { &mut *out.add(at) });
        }
    }
    unsafe { *count = u32::try_from(all.len()).unwrap() };
    vk::Result::SUCCESS
}

unsafe extern "system" fn properties(
    _: vk::Device,
    info: *const vk::PipelineInfoKHR<'_>,
    count: *mut u32,
    out: *mut vk::PipelineExecutablePropertiesKHR<'_>,
) -> vk::Result {
    if unsafe { (*info).pipeline } == vk::Pipeline::null() {
        return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
    }
    let form = |name, size| {
        let form = vk::PipelineExecutablePropertiesKHR::default().stages(vk::ShaderStageFlags::COMPUTE);
        vk::PipelineExecutablePropertiesKHR { name: words(name), ..form.subgroup_size(size) }
    };
    let put = |from: &vk::PipelineExecutablePropertiesKHR<'_>,
               to: &mut vk::PipelineExecutablePropertiesKHR<'_>| {
        (to.name, to.subgroup_size) = (from.name, from.subgroup_size);
    };
    unsafe { list(&[form("SIMD16", 16), form("SIMD32", 32)], count, out.cast(), put) }
}

unsafe extern "system" fn statistics(
    _: vk::Device,
    info: *const vk::PipelineExecutableInfoKHR<'_>,
    count: *mut u32,
    out: *mut vk::PipelineExecutableStatisticKHR<'_>,
) -> vk::Result {
    use vk::{PipelineExecutableStatisticFormatKHR as Format, PipelineExecutableStatisticValueKHR as Of};
    let form = unsafe { (*info).executable_index };
    let of = |name, format, value| vk::PipelineExecutableStatisticKHR {
        name: words(name),
        description: words("what it means"),
        format,
        value,
        ..Default::default()
    };
    let all = [
        of("Register Count", Format::UINT64, Of { u64: 40 + u64::from(form) }),
        of("Slack", Format::INT64, Of { i64: -3 }),
        of("Binary Size", Format::INT64, Of { i64: 3200 }),
        of("Pressure", Format::FLOAT64, Of { f64: 0.5 }),
        of("Uses Atomics", Format::BOOL32, Of { b32: vk::TRUE }),
        of("Of tomorrow", Format::from_raw(99), Of { u64: 1 }),
    ];
    let put = |from: &vk::PipelineExecutableStatisticKHR<'_>,
               to: &mut vk::PipelineExecutableStatisticKHR<'_>| {
        (to.name, to.description, to.format, to.value) =
            (from.name, from.description, from.format, from.value);
    };
    unsafe { list(&all, count, out.cast(), put) }
}

const CODE: &CStr = c"\timage_load v0, v2, s[0:7] glc ; f0\n\ts_endpgm ; bf\n";

unsafe extern "system" fn representations(
    _: vk::Device,
    _: *const vk::PipelineExecutableInfoKHR<'_>,
    count: *mut u32,
    out: *mut vk::PipelineExecutableInternalRepresentationKHR<'_>,
) -> vk::Result {
    let code = CODE.to_bytes_with_nul();
    let of = |name| vk::PipelineExecutableInternalRepresentationKHR {
        name: words(name),
        data_size: code.len(),
        ..Default::default()
    };
    let put = |from: &vk::PipelineExecutableInternalRepresentationKHR<'_>,
               to: &mut vk::PipelineExecutableInternalRepresentationKHR<'_>| {
        (to.name, to.data_size) = (from.name, from.data_size);
        if !to.p_data.is_null() {
            unsafe { to.p_data.cast::<u8>().copy_from_nonoverlapping(code.as_ptr(), code.len()) };
        }
    };
    unsafe { list(&[of("NIR"), of("Assembly")], count, out.cast(), put) }
}

unsafe extern "system" fn device_function(_: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction {
    let own = match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"vkGetPipelineExecutablePropertiesKHR" => {
            properties as vk::PFN_vkGetPipelineExecutablePropertiesKHR as *const c_void
        }
        b"vkGetPipelineExecutableStatisticsKHR" => {
            statistics as vk::PFN_vkGetPipelineExecutableStatisticsKHR as _
        }
        b"vkGetPipelineExecutableInternalRepresentationsKHR" => {
            representations as vk::PFN_vkGetPipelineExecutableInternalRepresentationsKHR as _
        }
        _ => return None,
    };
    // SAFETY: a function of the type that the name stands for, as the caller expects it.
    Some(unsafe { std::mem::transmute::<*const c_void, unsafe extern "system" fn()>(own) })
}

/// The functions of a scripted device.
fn device() -> (ash::Instance, ash::Device) {
    let lookup = |name: &CStr| {
        let is_lookup = name == c"vkGetDeviceProcAddr";
        if is_lookup {
            device_function as vk::PFN_vkGetDeviceProcAddr as *const c_void
        } else {
            std::ptr::null()
        }
    };
    unsafe {
        let instance = ash::Instance::load_with(lookup, vk::Instance::null());
        let device = ash::Device::load(instance.fp_v1_0(), vk::Device::null());
        (instance, device)
    }
}

fn executables(assembly: bool) -> Reader {
    let (instance, device) = device();
    let device = khr::pipeline_executable_properties::Device::new(&instance, &device);
    Reader::with(device, assembly)
}

fn pipeline() -> vk::Pipeline {
    vk::Handle::from_raw(1)
}

#[test]
fn every_form_and_figure_is_read() {
    let forms = executables(false).read(pipeline()).unwrap();
    let [first, second] = &forms[..] else { panic!("{forms:?}") };
    assert_eq!((first.name.as_str(), first.subgroup_size), ("SIMD16", 16));
    assert_eq!((second.name.as_str(), second.subgroup_size), ("SIMD32", 32));
    let of = |form: &Executable| -> Vec<_> {
        form.statistics.iter().map(|found| (found.name.clone(), found.value, found.kind)).collect()
    };
    let expected = |registers| {
        vec![
            ("Register Count".to_owned(), Value::Whole(registers), Some(Kind::Registers)),
            ("Slack".to_owned(), Value::Negative(-3), None),
            ("Binary Size".to_owned(), Value::Whole(3200), Some(Kind::CodeSize)),
            ("Pressure".to_owned(), Value::Real(0.5), None),
            ("Uses Atomics".to_owned(), Value::Flag(true), None),
        ]
    };
    assert_eq!((of(first), of(second)), (expected(40), expected(41)));
    assert!(first.assembly.is_none() && first.statistics[0].description == "what it means");
    assert_eq!(first.figure("Binary Size", "k").unwrap(), 3200);
    assert!(first.figure("Slack", "k").is_err());
}

#[test]
fn code_is_read_where_it_is_asked_for() {
    let forms = executables(true).read(pipeline()).unwrap();
    let counts = forms[0].assembly.as_deref().and_then(count).unwrap();
    assert_eq!((counts.vmem_loads, counts.vmem_loads_glc), (1, 1));
}

#[test]
fn what_fails_is_said() {
    let error = executables(true).read(vk::Pipeline::null()).unwrap_err();
    assert!(error.to_string().contains("out of memory while reading what a pipeline"), "{error}");
}
