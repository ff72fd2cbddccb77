// SPDX-License-Identifier: Apache-2.0
//! A kernel as a library exports it: its entries by name, and what each launch of one goes through.

use crate::abi::{Scalar, Status, TensorDescriptor};
use crate::arguments;
use crate::driver::{self, Prepared};
use crate::entry::Entry;
use crate::error::{self, LaunchError};
use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock};

/// The entries of one kernel. Generated launchers hold one per exported function.
pub struct Kernel {
    entries: &'static [Entry],
    by_name: OnceLock<HashMap<&'static [u8], Slot>>,
    /// Entries with other generics than those of [`Kernel::entries`], by the name that asks for them. They
    /// live as long as the library, as what is compiled for them does.
    others: RwLock<BTreeMap<Vec<u8>, &'static Slot>>,
}

/// An entry with what was prepared for it and how often it was launched.
struct Slot {
    entry: &'static Entry,
    launches: AtomicU64,
    /// Launches of an entry with other generics count for the entry, too.
    counted_as: Option<&'static Slot>,
    prepared: RwLock<Vec<(i32, Arc<Prepared>)>>,
    preparing: Mutex<()>,
}

/// The arguments of an exported function, as C passes them.
pub struct RawLaunch {
    pub entry: *const c_char,
    pub tensors: *const TensorDescriptor,
    pub tensor_count: u32,
    pub scalars: *const Scalar,
    pub scalar_count: u32,
    pub grid: *const u32,
    pub device_id: i32,
    pub raw_stream: u64,
}

/// All kernels of this process that were looked into, for [`launch_count`].
static KERNELS: Mutex<Vec<&'static Kernel>> = Mutex::new(Vec::new());

impl Kernel {
    pub const fn new(entries: &'static [Entry]) -> Self {
        Self { entries, by_name: OnceLock::new(), others: RwLock::new(BTreeMap::new()) }
    }

    /// Launches as an exported function does: gives a [`Status`] and keeps the text of a failure.
    ///
    /// # Safety
    /// Pointers are null or point to as many valid elements as the counts say; the device memory of the
    /// tensors stays valid until the stream has run the launch, and the stream belongs to the device.
    pub unsafe fn launch_raw(&'static self, raw: &RawLaunch) -> i32 {
        // SAFETY: passed on from the caller.
        let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { self.launch_unguarded(raw) }));
        match outcome {
            Ok(Ok(())) => Status::Ok as i32,
            Ok(Err(error)) => error::record(error),
            Err(payload) => {
                let text = driver::panic_message(payload.as_ref());
                error::record(LaunchError::new(Status::Panic, format!("the kernel library panicked: {text}")))
            }
        }
    }

    unsafe fn launch_unguarded(&'static self, raw: &RawLaunch) -> Result<(), LaunchError> {
        if raw.entry.is_null() || raw.grid.is_null() {
            return Err(LaunchError::new(Status::NullPointer, "the entry's name or the grid is null"));
        }
        // SAFETY: both are not null, and valid as the caller promises.
        let (name, grid) =
            unsafe { (CStr::from_ptr(raw.entry), raw.grid.cast::<[u32; 3]>().read_unaligned()) };
        // SAFETY: as above.
        let (tensors, scalars) = unsafe {
            (
                copied(raw.tensors, raw.tensor_count, "tensors")?,
                copied(raw.scalars, raw.scalar_count, "scalars")?,
            )
        };
        // SAFETY: passed on from the caller.
        unsafe { self.launch(name.to_bytes(), &tensors, &scalars, grid, raw.device_id, raw.raw_stream) }
    }

    /// Launches the entry called `name` on `raw_stream` (a `CUstream` of device `device_id`) and returns
    /// without waiting for it. The first launch of an entry on a device compiles it.
    ///
    /// # Safety
    /// As for [`Kernel::launch_raw`].
    pub unsafe fn launch(
        &'static self,
        name: &[u8],
        tensors: &[TensorDescriptor],
        scalars: &[Scalar],
        grid: [u32; 3],
        device_id: i32,
        raw_stream: u64,
    ) -> Result<(), LaunchError> {
        let slot = self.slot(name)?;
        let mut words = arguments::words(slot.entry, tensors, scalars, device_id)?;
        arguments::check_grid(grid)?;
        if grid.contains(&0) {
            return Ok(());
        }
        let prepared = slot.prepared(device_id, raw_stream)?;
        // SAFETY: the words fit the entry's parameters; the rest is the caller's promise.
        unsafe { prepared.launch(&mut words, grid, raw_stream) }?;
        slot.launches.fetch_add(1, Ordering::Relaxed);
        if let Some(base) = slot.counted_as {
            base.launches.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn slot(&'static self, name: &[u8]) -> Result<&'static Slot, LaunchError> {
        let by_name = self.by_name.get_or_init(|| {
            lock(&KERNELS).push(self);
            self.entries.iter().map(|entry| (entry.name.as_bytes(), Slot::new(entry))).collect()
        });
        match by_name.get(name) {
            Some(slot) => Ok(slot),
            None => self.other(by_name, name),
        }
    }

    /// The slot of `NAME<64,f16>`: the entry NAME with these generics.
    fn other(
        &'static self,
        by_name: &'static HashMap<&'static [u8], Slot>,
        name: &[u8],
    ) -> Result<&'static Slot, LaunchError> {
        if let Some(slot) = self.others.read().unwrap_or_else(|poisoned| poisoned.into_inner()).get(name) {
            return Ok(slot);
        }
        let unknown = || {
            let message = format!("the library has no entry `{}`", String::from_utf8_lossy(name));
            LaunchError::new(Status::InvalidArgument, message)
        };
        let text = std::str::from_utf8(name).map_err(|_| unknown())?;
        let (base, values) = text.strip_suffix('>').and_then(|t| t.split_once('<')).ok_or_else(unknown)?;
        let base = by_name.get(base.as_bytes()).ok_or_else(unknown)?;
        let values: Vec<&str> = values.split(',').collect();
        if values.len() != base.entry.generics.len() {
            let message = format!("`{text}`: the entry has {} generics", base.entry.generics.len());
            return Err(LaunchError::new(Status::InvalidArgument, message));
        }
        let mut others = self.others.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(slot) = others.get(name) {
            return Ok(slot);
        }
        let entry = base.entry.with_generics(text, &values);
        let slot: &'static Slot = Box::leak(Box::new(Slot { counted_as: Some(base), ..Slot::new(entry) }));
        others.insert(name.to_vec(), slot);
        Ok(slot)
    }
}

impl Slot {
    fn new(entry: &'static Entry) -> Self {
        Self {
            entry,
            launches: AtomicU64::new(0),
            counted_as: None,
            prepared: RwLock::new(Vec::new()),
            preparing: Mutex::new(()),
        }
    }

    fn known(&self, device_id: i32) -> Option<Arc<Prepared>> {
        let prepared = self.prepared.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        prepared.iter().find(|(device, _)| *device == device_id).map(|(_, prepared)| Arc::clone(prepared))
    }

    /// What was prepared for the device, or is now. Threads that need the same entry wait for the one that
    /// prepares it; a failure is not kept, so that the next launch tries again.
    fn prepared(&self, device_id: i32, raw_stream: u64) -> Result<Arc<Prepared>, LaunchError> {
        if let Some(known) = self.known(device_id) {
            return Ok(known);
        }
        let _one_at_a_time = lock(&self.preparing);
        if let Some(known) = self.known(device_id) {
            return Ok(known);
        }
        let prepared = Arc::new(driver::prepare(self.entry, device_id, raw_stream)?);
        let mut all = self.prepared.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        all.push((device_id, Arc::clone(&prepared)));
        Ok(prepared)
    }
}

/// Launches of the entry called `name` that the driver accepted in this process.
pub fn launch_count(name: &[u8]) -> u64 {
    let kernels = lock(&KERNELS);
    let slots = kernels.iter().filter_map(|kernel| {
        let others = kernel.others.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        kernel.by_name.get()?.get(name).or_else(|| others.get(name).copied())
    });
    slots.map(|slot| slot.launches.load(Ordering::Relaxed)).sum()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The elements at `pointer`, which need not be aligned (Python packs them as bytes).
unsafe fn copied<T: Copy>(pointer: *const T, count: u32, what: &str) -> Result<Vec<T>, LaunchError> {
    if pointer.is_null() && count > 0 {
        return Err(LaunchError::new(Status::NullPointer, format!("{count} {what} are said to be at null")));
    }
    // SAFETY: the caller vouches for `count` elements at a pointer that is not null.
    Ok((0..count as usize).map(|index| unsafe { pointer.add(index).read_unaligned() }).collect())
}
