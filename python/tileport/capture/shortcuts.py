# SPDX-License-Identifier: Apache-2.0
"""What keeps references of tests, and models around operators, from taking a CPU hours and all memory.

Nothing reads their numbers. So a call that would compute a large tensor gives memory of the right shape,
strides and dtype at once instead; large fresh memory is zero and takes no room until it is touched.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.overrides import TorchFunctionMode

# Multiplications above which a contraction is not computed, and elements above which nothing is. Tensors that
# decide about launches (indices, lengths, routing) are far smaller.
_LARGE_CONTRACTION = 1e8
_LARGE_RESULT = 1 << 24

_CONTRACTIONS = frozenset(
    {
        torch.matmul,
        torch.mm,
        torch.bmm,
        torch.einsum,
        torch.addmm,
        torch.baddbmm,
        torch.conv1d,
        torch.conv2d,
        torch.Tensor.matmul,
        torch.Tensor.mm,
        torch.Tensor.bmm,
        torch.Tensor.__matmul__,
        torch.nn.functional.linear,
        torch.nn.functional.conv1d,
        torch.nn.functional.conv2d,
        torch.nn.functional.scaled_dot_product_attention,
    }
)

# In place, these change numbers only.
_NUMBERS_IN_PLACE = frozenset(
    getattr(torch.Tensor, name)
    for name in (
        "add_", "bernoulli_", "clamp_", "copy_", "div_", "exp_", "fill_", "masked_fill_", "mul_", "pow_",
        "random_", "sqrt_", "sub_", "tril_", "triu_", "zero_",
    )
)  # fmt: skip


class SkipLargeResults(TorchFunctionMode):
    """Large results are memory of the right shape, through which gradients still pass."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        tensors = _tensors([args, list(kwargs.values())])
        if not tensors:
            return func(*args, **kwargs)
        if func in _NUMBERS_IN_PLACE and args[0].numel() > _LARGE_RESULT:
            return args[0]
        contraction = func in _CONTRACTIONS and _multiplications(tensors) > _LARGE_CONTRACTION
        if contraction or max(tensor.numel() for tensor in tensors) > _LARGE_RESULT or _may_grow(tensors):
            result = _unwritten_result(func, args, kwargs, tensors, 0 if contraction else _LARGE_RESULT)
            if result is not None:
                return result
        return func(*args, **kwargs)


def _may_grow(tensors: list[torch.Tensor]) -> bool:
    """Whether a product of two of these, or a broadcast, can be large where each is not."""
    largest = sorted((tensor.numel() for tensor in tensors), reverse=True)[:2]
    return len(largest) == 2 and largest[0] * largest[1] > _LARGE_RESULT and largest[0] > _LARGE_RESULT >> 6


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in _tensors(item)]
    return []


def _multiplications(tensors: list[torch.Tensor]) -> float:
    """About how many a contraction of these does: elements of the largest times the longest inner extent."""
    if len(tensors) < 2:
        return 0
    inner = max((extent for tensor in tensors[:2] for extent in tensor.shape[-2:]), default=1)
    return float(max(tensor.numel() for tensor in tensors)) * inner


def _unwritten_result(
    func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], tensors: list[torch.Tensor], least: int
) -> torch.Tensor | None:
    """Memory for the result of a call, if that is one new tensor of more than ``least`` elements."""
    with torch._C.DisableTorchFunction():
        if any(tensor.is_meta for tensor in tensors):
            return None
        try:
            shapes = _shapes_only(args)
            result = func(*shapes, **{name: _shapes_only(value) for name, value in kwargs.items()})
        except (RuntimeError, TypeError, NotImplementedError, AssertionError):
            return None  # let the real call say what is wrong
        if type(result) is not torch.Tensor or not result.is_meta or result.numel() <= least:
            return None
        if _storage(result) in {_storage(tensor) for tensor in _tensors(shapes)}:
            return None  # no new tensor, but a view or the argument itself
        elements = result.untyped_storage().nbytes() // result.element_size()
        needing = [tensor for tensor in tensors if tensor.requires_grad] if torch.is_grad_enabled() else []
        if needing and result.dtype.is_floating_point:
            made: torch.Tensor = _Unwritten.apply(elements, result, *needing)
            return made
        return _unwritten(elements, result)


def _storage(tensor: torch.Tensor) -> int:
    identity: int = tensor.untyped_storage()._cdata
    return identity


def _unwritten(elements: int, like: torch.Tensor) -> torch.Tensor:
    memory = torch.empty(elements, dtype=like.dtype)
    if elements <= _LARGE_RESULT:
        memory.zero_()  # small blocks are not fresh
    return memory.as_strided(like.shape, like.stride())


class _Unwritten(torch.autograd.Function):
    """A result that is not computed, with gradients that are not either."""

    @staticmethod
    def forward(ctx: Any, elements: int, like: torch.Tensor, *inputs: torch.Tensor) -> torch.Tensor:
        ctx.inputs = [(tensor.shape, tensor.dtype) for tensor in inputs]
        return _unwritten(elements, like)

    @staticmethod
    def backward(ctx: Any, *_: Any) -> Any:
        with torch._C.DisableTorchFunction():
            gradients = []
            for shape, dtype in ctx.inputs:
                gradient = torch.empty(shape, dtype=dtype)
                gradients.append(gradient if gradient.numel() > _LARGE_RESULT else gradient.zero_())
            return (None, None, *gradients)


def _shapes_only(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().to("meta")
    if isinstance(value, (list, tuple)):
        return type(value)(_shapes_only(item) for item in value)
    return value
