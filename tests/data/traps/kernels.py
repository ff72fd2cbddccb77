# SPDX-License-Identifier: Apache-2.0
"""Small kernels, each aimed at one trap that a translator or a comparison of Tile IR can fall into."""

import cuda.tile as ct
import torch

C = ct.Constant[int]


# --- translation semantics -------------------------------------------------
@ct.kernel
def k01_floor_div_mod(x, q, r, T: C):
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,))
    ct.store(q, index=(i,), tile=t // 3)  # Python floor, not truncation
    ct.store(r, index=(i,), tile=t % 3)  # sign of divisor


@ct.kernel
def k03_pad_undetermined(x, y, T: C):  # no padding_mode: the tail lanes are not zero by contract
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,))
    ct.store(y, index=(i,), tile=ct.sum(t, axis=0, keepdims=True))


@ct.kernel
def k05_pad_neg_inf(x, y, T: C):
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ct.PaddingMode.NEG_INF)
    ct.store(y, index=(i,), tile=ct.max(t, axis=0, keepdims=True))


@ct.kernel
def k07_float_literals(y, T: C):  # -0.0, inf, nan, subnormal, not-exact decimal
    i = ct.bid(0)
    s = ct.full((T,), -0.0, dtype=ct.float32)
    s = s + 0.1
    s = ct.maximum(s, 1e-45)
    s = ct.minimum(s, float("inf"))
    s = ct.where(s == 3.4028234663852886e38, float("nan"), s)
    ct.store(y, index=(i,), tile=s)


@ct.kernel
def k09_while_break(x, y, N: C, T: C):
    i = ct.bid(0)
    acc = ct.zeros((T,), dtype=ct.float32)
    k = 0
    while k < N:
        acc = acc + ct.load(x, index=(k,), shape=(T,))
        k += 1
        if k == i:
            break
    ct.store(y, index=(i,), tile=acc)


@ct.kernel
def k11_two_loop_carried(x, y, n: int, T: C):  # order of the carried values matters in the diff
    a = ct.zeros((T,), dtype=ct.float32)
    b = ct.ones((T,), dtype=ct.float32)
    for k in range(n):
        a, b = b, a + ct.load(x, index=(k,), shape=(T,))
    ct.store(y, index=(0,), tile=a)
    ct.store(y, index=(1,), tile=b)


@ct.kernel
def k13_mul_add(a, b, c, y, T: C):  # contraction into FMA changes the last bit
    i = ct.bid(0)
    ct.store(
        y,
        index=(i,),
        tile=ct.load(a, index=(i,), shape=(T,)) * ct.load(b, index=(i,), shape=(T,))
        + ct.load(c, index=(i,), shape=(T,)),
    )


@ct.kernel
def k15_cast_chain(x, y, T: C):  # f32 -> bf16 -> f32, f32 -> i32
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,))
    u = ct.astype(ct.astype(t, ct.bfloat16), ct.float32)
    ct.store(y, index=(i,), tile=ct.astype(u, ct.int32))


@ct.kernel
def k17_mma_mixed(a, b, y, M: C, N: C, K: C):  # f16 x f16 -> f32 accumulate
    acc = ct.zeros((M, N), dtype=ct.float32)
    acc = ct.mma(ct.load(a, index=(0, 0), shape=(M, K)), ct.load(b, index=(0, 0), shape=(K, N)), acc)
    ct.store(y, index=(0, 0), tile=acc)


@ct.kernel
def k19_argmax_ties(x, y, T: C):  # two-operand reduce region; tie rule
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(1, T))
    ct.store(y, index=(i,), tile=ct.argmax(t, axis=1))


@ct.kernel
def k21_scalar_tile(x, y):  # 0-d tile arithmetic around a rank-1 array
    a = ct.load(x, index=(0,), shape=(1,))
    s = ct.reshape(a, ())
    ct.store(y, index=(0,), tile=ct.reshape(s * s, (1,)))


@ct.kernel
def k23_gather_oob(x, idx, y, T: C):  # negative and too-large indices are masked, not wrapped
    i = ct.bid(0)
    p = ct.load(idx, index=(i,), shape=(T,))
    ct.store(y, index=(i,), tile=ct.gather(x, p, padding_value=-1.0))


@ct.kernel
def k25_atomic(x, y, T: C):
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,))
    ct.atomic_add(y, ct.arange(T, dtype=ct.int32), t)


@ct.kernel
def k27_rust_keywords(fn, type, mod, T: C):  # parameter names that are Rust keywords
    self = ct.bid(0)
    impl = ct.load(fn, index=(self,), shape=(T,))
    match = ct.load(type, index=(self,), shape=(T,))
    loop = impl + match
    ct.store(mod, index=(self,), tile=loop)


@ct.kernel
def k29_printf_escapes(x, T: C):
    t = ct.load(x, index=(0,), shape=(T,))
    ct.printf('100%% "q" {brace} \\n é tab\t%f\n', t)


@ct.kernel(occupancy=ct.ByTarget(sm_90=2, default=4), num_ctas=1)
def k31_by_target_hint(x, y, T: C):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(T,)))


def zeros(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.zeros(shape, device="cuda", dtype=dtype)


def launch_all() -> None:
    f16, i32 = torch.float16, torch.int32
    calls = {
        k01_floor_div_mod: (zeros(256, dtype=i32), zeros(256, dtype=i32), zeros(256, dtype=i32), 128),
        k03_pad_undetermined: (zeros(200), zeros(2), 128),
        k05_pad_neg_inf: (zeros(200), zeros(2), 128),
        k07_float_literals: (zeros(128), 128),
        k09_while_break: (zeros(1024), zeros(1024), 8, 128),
        k11_two_loop_carried: (zeros(1024), zeros(256), 5, 128),
        k13_mul_add: (zeros(256), zeros(256), zeros(256), zeros(256), 128),
        k15_cast_chain: (zeros(256), zeros(256, dtype=i32), 128),
        k17_mma_mixed: (zeros(64, 32, dtype=f16), zeros(32, 64, dtype=f16), zeros(64, 64), 64, 64, 32),
        k19_argmax_ties: (zeros(4, 128), zeros(4, dtype=i32), 128),
        k21_scalar_tile: (zeros(1), zeros(1)),
        k23_gather_oob: (zeros(100), zeros(128, dtype=i32), zeros(128), 128),
        k25_atomic: (zeros(128), zeros(128), 128),
        k27_rust_keywords: (zeros(128), zeros(128), zeros(128), 128),
        k29_printf_escapes: (zeros(128), 128),
        k31_by_target_hint: (zeros(128), zeros(128), 128),
    }
    for kernel, arguments in calls.items():
        ct.launch(torch.cuda.current_stream(), (1, 1, 1), kernel, arguments)


if __name__ == "__main__":
    launch_all()
