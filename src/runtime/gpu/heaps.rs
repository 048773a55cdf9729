//! The memory of an adapter, as its driver reports it, and how much of it a plan may take.

use std::sync::atomic::Ordering;

use super::device::Gpu;
use crate::plan::{BudgetSource, MemoryBudget};

/// A device-local memory heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Heap {
    /// \[bytes\]
    size: u64,
    /// What this program can get, including what it already has \[bytes\]; `None` where the driver does not report it.
    available: Option<u64>,
}

impl Gpu {
    /// How much memory a plan may take: the user's setting ([`Gpu::limit_memory`]); otherwise 7/8 of what the driver
    /// reports to be available now; otherwise [`MemoryBudget::DEFAULT`]. A software adapter computes in the machine's
    /// memory: a plan may take half of it, up to the default.
    pub fn memory_budget(&self) -> MemoryBudget {
        let software = self.is_software();
        let budget = if software { software_budget(machine_memory()) } else { budget(&vulkan::heaps(&self.device)) };
        budget.or_user(self.memory_limit())
    }

    /// Sets the user's budget for all plans on this device \[bytes\]; `None` derives it from the adapter.
    pub fn limit_memory(&self, bytes: Option<u64>) {
        self.memory_limit.store(bytes.unwrap_or(0), Ordering::Relaxed);
    }

    /// The user's budget \[bytes\].
    pub fn memory_limit(&self) -> Option<u64> {
        Some(self.memory_limit.load(Ordering::Relaxed)).filter(|bytes| *bytes > 0)
    }
}

/// The budget on an adapter with these heaps. The rest is for what is not in the plan: images, staging, the window,
/// other programs.
fn budget(heaps: &[Heap]) -> MemoryBudget {
    // Some drivers report an available size of zero, or one larger than the heap.
    let available = |heap: &Heap| heap.available.filter(|bytes| *bytes > 0).unwrap_or(heap.size).min(heap.size);
    let sum = |bytes: &dyn Fn(&Heap) -> u64| heaps.iter().map(bytes).fold(0, u64::saturating_add);
    let (size, available) = (sum(&|heap| heap.size), sum(&available));
    if available == 0 {
        return MemoryBudget::default();
    }
    let bytes = available - available / 8;
    MemoryBudget { bytes, source: BudgetSource::Adapter { available }, adapter: Some(size) }
}

/// The budget on a software adapter, on a machine with this much memory \[bytes\]. The heaps of Mesa's software driver
/// are not used: they are 2 GiB on every machine.
fn software_budget(machine: Option<u64>) -> MemoryBudget {
    let Some(available) = machine.filter(|bytes| *bytes > 0) else { return MemoryBudget::default() };
    let bytes = (available / 2).min(MemoryBudget::DEFAULT);
    MemoryBudget { bytes, source: BudgetSource::Adapter { available }, adapter: machine }
}

/// The memory of this machine \[bytes\], where the system reports it.
fn machine_memory() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let info = rustix::system::sysinfo();
        Some((info.totalram as u64).saturating_mul(info.mem_unit.into()))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

#[cfg(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd"))]
mod vulkan {
    use ash::{ext, vk};
    use wgpu::hal::api::Vulkan;

    use super::Heap;

    /// The device-local heaps of a Vulkan device, with what `VK_EXT_memory_budget` reports; empty on another backend.
    #[allow(unsafe_code)]
    pub(super) fn heaps(device: &wgpu::Device) -> Vec<Heap> {
        // SAFETY: the instance and the physical device belong to `device`, whose guard is held until the end, and only
        // their properties are read. The second query exists since Vulkan 1.1, which both are checked for, and the
        // structure chained to it is one that the physical device supports.
        unsafe {
            let Some(device) = device.as_hal::<Vulkan>() else { return Vec::new() };
            let (shared, physical) = (device.shared_instance(), device.raw_physical_device());
            let instance = shared.raw_instance();
            let version = instance.get_physical_device_properties(physical).api_version;
            let extensions = instance.enumerate_device_extension_properties(physical).unwrap_or_default();
            let mut names = extensions.iter().filter_map(|extension| extension.extension_name_as_c_str().ok());
            let reports_budget = version.min(shared.instance_api_version()) >= vk::API_VERSION_1_1
                && names.any(|name| name == ext::memory_budget::NAME);
            let mut budgets = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
            let memory = if reports_budget {
                let mut memory = vk::PhysicalDeviceMemoryProperties2::default().push_next(&mut budgets);
                instance.get_physical_device_memory_properties2(physical, &mut memory);
                memory.memory_properties
            } else {
                instance.get_physical_device_memory_properties(physical)
            };
            let local = |heap: &vk::MemoryHeap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL);
            let heaps = memory.memory_heaps_as_slice().iter().zip(budgets.heap_budget);
            let heaps = heaps.filter(|(heap, _)| local(heap));
            let available = |bytes| reports_budget.then_some(bytes);
            heaps.map(|(heap, bytes)| Heap { size: heap.size, available: available(bytes) }).collect()
        }
    }
}

#[cfg(not(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd")))]
mod vulkan {
    /// Returns no heaps, since this system has no Vulkan.
    pub fn heaps(_: &wgpu::Device) -> Vec<super::Heap> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::GpuOptions;

    const GIB: u64 = 1 << 30;

    fn heap(size: u64, available: Option<u64>) -> Heap {
        Heap { size: size * GIB, available: available.map(|bytes| bytes * GIB) }
    }

    #[test]
    fn the_budget_follows_from_the_heaps_and_what_is_available_of_them() {
        let of = |budget: MemoryBudget| {
            let BudgetSource::Adapter { available } = budget.source else { panic!("{budget}") };
            (budget.bytes as f64 / GIB as f64, available / GIB, budget.adapter.unwrap() / GIB)
        };
        // Without the extension, all of it; with it, what other programs have left; never more than the heap.
        assert_eq!(of(budget(&[heap(144, None)])), (126.0, 144, 144));
        assert_eq!(of(budget(&[heap(144, Some(80))])), (70.0, 80, 144));
        assert_eq!(of(budget(&[heap(16, Some(99))])), (14.0, 16, 16));
        assert_eq!(of(budget(&[heap(16, Some(0))])), (14.0, 16, 16));
        // Several heaps of one adapter are added.
        assert_eq!(of(budget(&[heap(8, Some(7)), heap(8, None)])), (13.125, 15, 16));
        // A software adapter shares the machine's memory with all other programs.
        assert_eq!(of(software_budget(Some(4 * GIB))), (2.0, 4, 4));
        assert_eq!(of(software_budget(Some(64 * GIB))), (8.0, 64, 64));
        assert_eq!((software_budget(None), software_budget(Some(0))), Default::default());
        for nothing in [&[][..], &[heap(0, None)], &[heap(0, Some(3))]] {
            assert_eq!(budget(nothing), MemoryBudget::default());
        }
        let endless = Heap { size: u64::MAX, available: None };
        assert!(budget(&[endless, endless]).bytes > u64::MAX / 8 * 7);
    }

    #[test]
    fn the_users_budget_holds_until_it_is_taken_back() {
        let gpu = Gpu::new(&GpuOptions::default()).unwrap();
        let unlimited = gpu.memory_budget();
        println!("{}: {unlimited}", gpu.name());
        assert!(
            matches!(unlimited.source, BudgetSource::Adapter { .. }) && unlimited.bytes < unlimited.adapter.unwrap(),
            "{unlimited}"
        );
        gpu.limit_memory(Some(GIB));
        let limited = gpu.clone().memory_budget();
        assert_eq!((limited.bytes, limited.source, limited.adapter), (GIB, BudgetSource::User, unlimited.adapter));
        gpu.limit_memory(None);
        assert_eq!((gpu.memory_limit(), gpu.memory_budget().adapter), (None, unlimited.adapter));
    }
}
