// SPDX-License-Identifier: Apache-2.0
//! From an entry to a loaded function, and from argument words to a launch: everything that talks to
//! cutile's compiler, to tileiras and to the CUDA driver.

use crate::abi::Status;
use crate::arguments::Word;
use crate::entry::Entry;
use crate::error::LaunchError;
use cutile::cuda_core::{self, Context, Function, IntoResult, sys};
use cutile::cutile_compiler::compile_api::KernelCompiler;
use cutile::cutile_compiler::cuda_tile_runtime_utils as toolkit;
use cutile::cutile_compiler::hints::{CompileOptions, DebugInfoLevel};
use cutile::cutile_compiler::jit_cache::{self, FileSystemJitStore};
use cutile_ir::bytecode::BytecodeVersion;
use cutile_ir::capabilities::TargetCapabilities;
use std::any::Any;
use std::collections::HashMap;
use std::ffi::c_void;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

/// The version that proofs are made at, so that the code that runs is the code that was compared.
const BYTECODE_VERSION: BytecodeVersion = BytecodeVersion::V13_3;

/// cutile's compiler recurses deeply; the calling thread's stack may be small.
const STACK_BYTES: usize = 256 << 20;

/// Room that the cubins kept on disk may take.
const STORE_BYTES: u64 = 1 << 30;

/// An entry compiled for a device and loaded there.
pub struct Prepared {
    function: Function,
    context: Arc<Context>,
}

impl Prepared {
    /// Submits one launch and restores the thread's current context.
    ///
    /// # Safety
    /// `words` are the entry's parameters; the memory they point to stays valid until the launch has run;
    /// `raw_stream` is a stream of this device.
    pub unsafe fn launch(
        &self,
        words: &mut [Word],
        grid: [u32; 3],
        raw_stream: u64,
    ) -> Result<(), LaunchError> {
        let _current = CurrentContext::set(&self.context)?;
        let mut parameters: Vec<*mut c_void> =
            words.iter_mut().map(|word| std::ptr::from_mut(word).cast()).collect();
        // SAFETY: `function` is loaded in the context that is current now. A tile kernel states its own
        // number of threads; the block is always (1, 1, 1).
        unsafe {
            let stream = raw_stream as sys::CUstream;
            let function = self.function.cu_function();
            cuda_core::launch_kernel(function, grid.into(), (1, 1, 1), 0, stream, &mut parameters)
                .map_err(|e| failed(format!("the driver refuses the launch: {e}")))?;
            if synchronizes() {
                sys::cuStreamSynchronize(stream)
                    .result()
                    .map_err(|e| failed(format!("the launch failed: {e}")))?;
            }
        }
        Ok(())
    }
}

/// Compiles `entry` for a device and loads it there.
pub fn prepare(entry: &'static Entry, device_id: i32, raw_stream: u64) -> Result<Prepared, LaunchError> {
    let context = context_of(device_id)?;
    let _current = CurrentContext::set(&context)?;
    refuse_capture(entry, raw_stream)?;
    let target = guarded(|| Ok(toolkit::get_gpu_name(device_id as usize)))?;
    let bytecode = on_large_stack(move || bytecode_of(entry, &target).map(|bytecode| (bytecode, target)));
    let (bytecode, target) = bytecode?;
    let cubin = assemble(&bytecode, &target)?;
    // SAFETY: the image comes whole from tileiras or from the store, which verifies its checksum.
    let module = unsafe { context.load_module_from_bytes(&cubin) };
    let module = module.map_err(|e| failed(format!("{} cannot be loaded: {e}", entry.name)))?;
    let symbol = format!("{}_entry", entry.function);
    let function =
        module.load_function(&symbol).map_err(|e| failed(format!("{symbol} is not in the cubin: {e}")))?;
    Ok(Prepared { function, context })
}

/// Compiles without argument facts, exactly as the proof did: what the source states is all there is.
fn bytecode_of(entry: &Entry, target: &str) -> Result<Vec<u8>, LaunchError> {
    guarded(|| {
        let options = CompileOptions::new().debug_info(DebugInfoLevel::None).opt_level(3);
        let options = entry.hints.iter().try_fold(options, with_hint)?;
        KernelCompiler::new(entry.module_ast, entry.module, entry.function)
            .generics(entry.generics.iter().map(ToString::to_string).collect())
            .target(target)
            .bytecode_version(BYTECODE_VERSION)
            .options(options)
            .compile()
            .and_then(|artifacts| artifacts.bytecode())
            .map_err(|e| failed(format!("{} does not compile: {e}", entry.name)))
    })
}

fn with_hint(options: CompileOptions, hint: &(&str, i32)) -> Result<CompileOptions, LaunchError> {
    let (name, value) = *hint;
    match name {
        "min_ctas_per_sm" => Ok(options.min_ctas_per_sm(value)),
        "num_cta_in_cga" => Ok(options.num_cta_in_cga(value)),
        "num_worker_warps_per_cta" => Ok(options.num_worker_warps_per_cta(value)),
        "occupancy" => Ok(options.occupancy(value)),
        _ => Err(failed(format!("cutile has no hint `{name}`"))),
    }
}

/// tileiras is `$TILEPORT_TILEIRAS`, else the one that cutile finds.
fn assemble(bytecode: &[u8], target: &str) -> Result<Vec<u8>, LaunchError> {
    keep_cubins();
    let tileiras = std::env::var_os("TILEPORT_TILEIRAS").filter(|path| !path.is_empty());
    let capabilities = toolkit::ToolkitCapabilities {
        tileiras: tileiras.map_or_else(toolkit::tileiras_binary, PathBuf::from),
        tileiras_version: "",
        target: TargetCapabilities::new(BYTECODE_VERSION, target),
        driver_version: 0,
    };
    let options = toolkit::TileirasOptions::default();
    toolkit::compile_bytecode_cached_with_toolkit(bytecode, &options, &capabilities)
        .map(|(cubin, _)| cubin)
        .map_err(|e| failed(e.to_string()))
}

/// Lets cutile keep cubins in the user's cache folder, bounded. What lies there is executed, so the folder
/// is for the user alone. Without a usable folder every process assembles anew.
fn keep_cubins() {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| {
        let cache = std::env::var_os("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")));
        let store = cache.and_then(|cache| {
            let folder = cache.join("tileport").join("jit");
            DirBuilder::new().recursive(true).mode(0o700).create(&folder).ok()?;
            FileSystemJitStore::builder(folder).capacity_bytes(STORE_BYTES).open().ok()
        });
        if let Some(store) = store {
            jit_cache::enable(Arc::new(store));
        }
    });
}

/// The device's primary context, which PyTorch uses too. It is retained for the life of the process.
fn context_of(device_id: i32) -> Result<Arc<Context>, LaunchError> {
    static CONTEXTS: Mutex<Option<HashMap<usize, Arc<Context>>>> = Mutex::new(None);
    let no_device = |what: String| LaunchError::new(Status::NoDevice, what);
    let ordinal =
        usize::try_from(device_id).map_err(|_| no_device(format!("there is no device {device_id}")))?;
    let mut contexts = CONTEXTS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let contexts = contexts.get_or_insert_default();
    if let Some(known) = contexts.get(&ordinal) {
        return Ok(Arc::clone(known));
    }
    let context = catch_unwind(AssertUnwindSafe(|| {
        let before = current_context();
        let context = Context::new(ordinal);
        restore(before);
        context
    }))
    .map_err(|payload| no_device(format!("no CUDA driver: {}", panic_message(payload.as_ref()))))?
    .map_err(|e| no_device(format!("device {device_id} cannot be used: {e}")))?;
    contexts.insert(ordinal, Arc::clone(&context));
    Ok(context)
}

/// A stream that captures cannot wait for a compiler, and loading code is not allowed meanwhile.
fn refuse_capture(entry: &Entry, raw_stream: u64) -> Result<(), LaunchError> {
    let mut state = sys::CUstreamCaptureStatus_enum_CU_STREAM_CAPTURE_STATUS_NONE;
    // SAFETY: the caller of the launch vouches for the stream; `state` is a local that is written once.
    let asked = unsafe { sys::cuStreamIsCapturing(raw_stream as sys::CUstream, &mut state) }.result();
    asked.map_err(|e| failed(format!("the stream cannot be used: {e}")))?;
    if state == sys::CUstreamCaptureStatus_enum_CU_STREAM_CAPTURE_STATUS_NONE {
        return Ok(());
    }
    let message = format!(
        "{} is launched for the first time while its stream captures; launch it once before",
        entry.name
    );
    Err(LaunchError::new(Status::StreamCapture, message))
}

/// Makes a context current for the calling thread until dropped. PyTorch takes the current device from the
/// current context, so it must be left as it was found.
struct CurrentContext {
    before: Option<sys::CUcontext>,
}

impl CurrentContext {
    fn set(context: &Context) -> Result<Self, LaunchError> {
        let before = current_context();
        if before == context.cu_ctx() {
            return Ok(Self { before: None });
        }
        // SAFETY: the primary context is retained for the life of the process.
        unsafe { sys::cuCtxSetCurrent(context.cu_ctx()) }
            .result()
            .map_err(|e| failed(format!("the device's context cannot be made current: {e}")))?;
        Ok(Self { before: Some(before) })
    }
}

impl Drop for CurrentContext {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            restore(before);
        }
    }
}

fn current_context() -> sys::CUcontext {
    let mut current = std::ptr::null_mut();
    // SAFETY: writes a local. Before the driver is initialised it fails and leaves the null.
    let _ = unsafe { sys::cuCtxGetCurrent(&mut current) };
    current
}

fn restore(context: sys::CUcontext) {
    // SAFETY: the context was current on this thread before, or is null, which means none.
    let _ = unsafe { sys::cuCtxSetCurrent(context) };
}

/// `TILEPORT_SYNCHRONIZE=1` makes every launch wait for its end, so that a fault is reported by the call
/// that caused it. For debugging only.
fn synchronizes() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| std::env::var_os("TILEPORT_SYNCHRONIZE").is_some_and(|value| value == "1"))
}

fn failed(message: String) -> LaunchError {
    LaunchError::new(Status::LaunchFailed, message)
}

/// Some refusals of cutile's compiler are panics; they become failures of this launch.
fn guarded<T>(f: impl FnOnce() -> Result<T, LaunchError>) -> Result<T, LaunchError> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|payload| {
        Err(failed(format!("cutile's compiler panicked: {}", panic_message(payload.as_ref()))))
    })
}

fn on_large_stack<T: Send>(f: impl FnOnce() -> Result<T, LaunchError> + Send) -> Result<T, LaunchError> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, f);
        let thread = thread.map_err(|e| failed(format!("the system refuses a thread: {e}")))?;
        thread.join().unwrap_or_else(|payload| Err(failed(panic_message(payload.as_ref()).to_string())))
    })
}

pub(crate) fn panic_message(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}
