# SPDX-License-Identifier: Apache-2.0
"""Makes PyTorch on a machine without a GPU look as if it had one, so that unchanged host code runs.

Tensors are real and live in CPU memory; they only *say* that they are on ``cuda:0``. Real data matters:
wrappers read results back (``.item()``), sort, and sum to decide what to launch, which fake or meta tensors
cannot do. Used only in the capture's own process; it replaces functions of ``torch`` for the whole process.
"""

from __future__ import annotations

import contextlib
import ctypes
import types
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from tileport.capture.device_models import DeviceModel

_CUDA = torch.device("cuda", 0)
_CPU = torch.device("cpu")
_Tensor = torch.Tensor

_KDLCPU, _KDLCUDA = 1, 2  # DLDeviceType of dlpack.h

# Random fills above this many elements become zeros: nothing reads the numbers, and a fill of half a gigabyte
# takes longer than all launches of an operator's tests. Zeroed memory is also not touched, so not resident.
_LARGE = 1 << 20

# Elements from which on fresh memory comes from the system, zeroed and without taking room until it is
# touched: blocks of more than 32 MiB (glibc's largest threshold for mmap).
_FRESH = 1 << 24


def is_cuda_device(value: Any) -> bool:
    if isinstance(value, str):
        return value == "cuda" or value.startswith("cuda:")
    return isinstance(value, torch.device) and value.type == "cuda"


def _to_cpu(value: Any) -> Any:
    """``value`` with every mention of a CUDA device, also in tuples and lists, replaced by the CPU."""
    if is_cuda_device(value):
        return _CPU
    if type(value) is tuple:
        return tuple(_to_cpu(item) for item in value)
    if type(value) is list and len(value) < 64:
        return [_to_cpu(item) for item in value]
    return value


# What a tensor answers about where it is. Each entry replaces the call altogether.
_ANSWERS: dict[Any, Callable[..., Any]] = {
    _Tensor.device.__get__: lambda tensor: _CUDA,  # type: ignore[attr-defined]
    _Tensor.is_cuda.__get__: lambda tensor: True,  # type: ignore[attr-defined]
    _Tensor.is_cpu.__get__: lambda tensor: False,  # type: ignore[attr-defined]
    _Tensor.get_device: lambda tensor: 0,
    # Moving is a no-op, as between two tensors of one device: host code may compare addresses afterwards.
    _Tensor.cuda: lambda tensor, *_, **__: tensor,
    _Tensor.cpu: lambda tensor, *_, **__: tensor,
    _Tensor.pin_memory: lambda tensor, *_, **__: tensor,
    _Tensor.is_pinned: lambda tensor, *_, **__: False,
    _Tensor.record_stream: lambda tensor, *_: None,
    # .numpy() is refused for tensors that require gradients or say they are on a GPU.
    _Tensor.numpy: lambda tensor, *_, **__: tensor.detach().numpy(),
}

_RANDOM = {torch.randn, torch.rand}
_RANDOM_LIKE = {torch.randn_like, torch.rand_like}
_RANDOM_IN_PLACE = {_Tensor.normal_, _Tensor.uniform_, torch.nn.init.normal_, torch.nn.init.uniform_}
# Fills that fresh memory stands for, beyond _FRESH elements: with zeros, and with ones that nobody counts.
_FILLED = {
    torch.ones: torch.empty,
    torch.zeros: torch.empty,
    torch.zeros_like: torch.empty_like,
    _Tensor.new_zeros: _Tensor.new_empty,
}
_UNINITIALIZED = {torch.empty, torch.empty_like, torch.empty_strided, _Tensor.new_empty}


def _element_count(args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
    """Elements of the tensor that a factory function called with these arguments makes."""
    sizes = kwargs.get("size", args)
    count = 1
    for size in sizes:
        for extent in size if isinstance(size, (tuple, list, torch.Size)) else (size,):
            if not isinstance(extent, int):
                return 0
            count *= extent
    return count


class FakeCuda(TorchFunctionMode):
    """Sees every call of PyTorch's Python API while it is entered."""

    #: Whether launches compute: then fills are done, and memory that nobody wrote holds NaN (integers -1).
    real_numbers = False

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        answer = _ANSWERS.get(func)
        if answer is not None:
            return answer(*args, **kwargs)
        if func is torch.device:
            return func(*args, **kwargs)  # naming a device needs none
        args = tuple(_to_cpu(value) for value in args)
        kwargs = {name: _to_cpu(value) for name, value in kwargs.items()}
        kwargs.pop("pin_memory", None)  # pinning asks the driver, and CPU memory is what we have anyway
        if self.real_numbers:
            result = func(*args, **kwargs)
            if func in _UNINITIALIZED and isinstance(result, _Tensor):
                _poison(result)
            return result
        large = self._large_random(func, args, kwargs)
        if large is not None:
            return large
        if func in _FILLED and self._elements(func, args, kwargs) > _FRESH:
            return _FILLED[func](*args, **kwargs)
        result = func(*args, **kwargs)
        fresh = func in _UNINITIALIZED and isinstance(result, _Tensor) and not result.is_meta
        # Launches write nothing, so outputs would hold garbage; zeros make runs repeatable. Large blocks come
        # from the system already zeroed.
        if fresh and result.numel() <= _LARGE and not result.requires_grad:
            result.zero_()
        return result

    @staticmethod
    def _elements(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
        if func in (torch.ones, torch.zeros):
            return _element_count(args, kwargs)
        if func is torch.zeros_like:
            return args[0].numel() if args else 0
        return _element_count(args[1:], kwargs)

    @staticmethod
    def _large_random(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if func in _RANDOM and (count := _element_count(args, kwargs)) > _LARGE:
            kwargs.pop("generator", None)
            return (torch.empty if count > _FRESH else torch.zeros)(*args, **kwargs)
        if func in _RANDOM_LIKE and args and args[0].numel() > _LARGE:
            kwargs.pop("generator", None)
            return (torch.empty_like if args[0].numel() > _FRESH else torch.zeros_like)(*args, **kwargs)
        if func in _RANDOM_IN_PLACE and args and args[0].numel() > _LARGE:
            return args[0]
        return None


def _poison(tensor: torch.Tensor) -> None:
    """Makes fresh memory show in results if a kernel was to write it and did not."""
    with torch._C.DisableTorchFunction():
        if tensor.is_meta or tensor.requires_grad or tensor.is_sparse or tensor.numel() == 0:
            return
        if tensor.dtype is not torch.bool and not tensor.is_quantized:
            storage = tensor.untyped_storage()
            ctypes.memset(storage.data_ptr(), 0xFF, storage.nbytes())


class Stream:
    """Stands for ``torch.cuda.Stream``; the launcher reads ``cuda_stream``."""

    cuda_stream = 0
    device = _CUDA
    device_index = 0
    device_type = 1

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def __cuda_stream__(self) -> tuple[int, int]:
        return (0, 0)

    def synchronize(self) -> None:
        pass

    def wait_stream(self, stream: Stream) -> None:
        pass

    def wait_event(self, event: Event) -> None:
        pass

    def record_event(self, event: Event | None = None) -> Event:
        return event or Event()

    def query(self) -> bool:
        return True


class Event:
    """Stands for ``torch.cuda.Event``; every event is already done."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def record(self, *_: Any) -> None:
        pass

    def synchronize(self) -> None:
        pass

    def wait(self, *_: Any) -> None:
        pass

    def query(self) -> bool:
        return True

    def elapsed_time(self, _: Event) -> float:
        return 1.0


def install(model: DeviceModel, *, real_numbers: bool = False) -> None:
    """Replaces PyTorch's view of the machine for the rest of this process."""
    FakeCuda.real_numbers = real_numbers
    _relabel_dlpack()
    _replace_torch_cuda(model)
    _replace_generator()
    _follow_backward()
    FakeCuda().__enter__()


def _relabel_dlpack() -> None:
    """Makes exported tensors claim to be CUDA memory, which the launcher insists on.

    The launcher fetches ``torch._C._to_dlpack`` at its first launch and keeps it, so this must come earlier.
    """
    export = torch._C._to_dlpack  # type: ignore[attr-defined]
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype = ctypes.c_void_p
    get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    device_type_offset = ctypes.sizeof(ctypes.c_void_p)  # DLTensor is {void* data; DLDevice {type, id}; ...}

    def to_dlpack(tensor: Any, *args: Any, **kwargs: Any) -> Any:
        with torch._C.DisableTorchFunction():
            # As __dlpack__ does on a GPU, except that it would refuse tensors that need gradients: the
            # launcher takes parameters of a model as they are.
            if tensor.requires_grad:
                tensor = tensor.detach()
            if tensor.is_conj() or tensor.is_neg():
                tensor = tensor.resolve_conj().resolve_neg()
            capsule = export(tensor, *args, **kwargs)
        device_type = ctypes.c_int32.from_address(get_pointer(capsule, b"dltensor") + device_type_offset)
        if device_type.value == _KDLCPU:
            device_type.value = _KDLCUDA
        return capsule

    torch._C._to_dlpack = to_dlpack  # type: ignore[attr-defined]


def _follow_backward() -> None:
    """Enters the mode again for backward passes.

    ``Tensor.backward`` is itself seen by the mode, and while a mode handles a call it is switched off, so the
    backward functions of operators, which launch kernels, would run on a machine without CUDA.
    """
    import torch.autograd as autograd
    import torch.autograd.graph as graph

    run = autograd._engine_run_backward

    def run_backward(*args: Any, **kwargs: Any) -> Any:
        with FakeCuda():
            return run(*args, **kwargs)

    autograd._engine_run_backward = run_backward
    graph._engine_run_backward = run_backward


def _replace_generator() -> None:
    """``torch.Generator("cuda")`` needs a device, so every generator is the CPU's."""
    real = torch.Generator

    class GeneratorType(type):
        def __call__(cls, device: Any = "cpu") -> Any:
            return real("cpu")

        def __instancecheck__(cls, value: Any) -> bool:
            return isinstance(value, real)

    class Generator(metaclass=GeneratorType):
        pass

    torch.Generator = Generator  # type: ignore[assignment,misc]


# Functions of torch.cuda that only act on a device: there is none, so there is nothing to do.
_ACTIONS = (
    "_lazy_init",
    "_sleep",
    "empty_cache",
    "init",
    "ipc_collect",
    "manual_seed",
    "manual_seed_all",
    "reset_max_memory_allocated",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
    "set_device",
    "set_rng_state",
    "set_stream",
    "synchronize",
)
_MEMORY_COUNTERS = ("max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved")


def _constant(value: Any) -> Callable[..., Any]:
    # A new function each time: torch._dynamo, which some libraries import, refuses to register one twice.
    return lambda *_, **__: value


def _replace_torch_cuda(model: DeviceModel) -> None:
    cuda: Any = torch.cuda
    properties = types.SimpleNamespace(
        name=model.product,
        major=model.compute_capability[0],
        minor=model.compute_capability[1],
        multi_processor_count=model.multiprocessors,
        total_memory=model.memory_bytes,
        L2_cache_size=model.l2_cache_bytes,
        warp_size=32,
        max_threads_per_multi_processor=2048,
        shared_memory_per_block=48 << 10,
        shared_memory_per_block_optin=227 << 10,
        shared_memory_per_multiprocessor=228 << 10,
        regs_per_multiprocessor=64 << 10,
        gcnArchName="",
    )
    for name in _ACTIONS:
        setattr(cuda, name, _constant(None))
    for name in _MEMORY_COUNTERS:
        setattr(cuda, name, _constant(0))
    answers = {
        "is_available": True,
        "is_initialized": True,
        "device_count": 1,
        "current_device": 0,
        "get_device_capability": model.compute_capability,
        "get_device_name": model.product,
        "get_device_properties": properties,
        "get_arch_list": [model.target],
        "mem_get_info": (model.memory_bytes, model.memory_bytes),
        "memory_stats": {},
        "is_bf16_supported": True,
        "is_current_stream_capturing": False,
    }
    for name, value in answers.items():
        setattr(cuda, name, _constant(value))
    cuda.Stream, cuda.Event = Stream, Event
    cuda.current_stream = lambda *_: Stream()
    cuda.default_stream = lambda *_: Stream()
    cuda.get_rng_state = lambda *_: torch.get_rng_state()
    for name in ("stream", "device", "device_of"):
        setattr(cuda, name, lambda *_: contextlib.nullcontext())
