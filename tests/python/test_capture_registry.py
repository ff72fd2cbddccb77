# SPDX-License-Identifier: Apache-2.0
"""Names of operators and kernels, read from sources without importing them."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tileport import InputError, UsageError
from tileport.capture.registry import (
    find_operator,
    kernel_functions,
    operator_of_source,
    operators,
    parse,
    user_operator,
)

# Looked for, not imported: that would load PyTorch.
needs_tilegym = pytest.mark.skipif(importlib.util.find_spec("tilegym") is None, reason="needs tilegym")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package laid out as TileGym is: two operators, a suite, helpers."""
    folder = tmp_path_factory.mktemp("site") / "tilegym"
    files = {
        "ops/cutile/alpha.py": (
            "import cuda.tile as ct\n"
            "@register_impl('first', backend='cutile')\ndef alpha(x): pass\n"
            "@register_impl('first', backend='triton')\ndef other(x): pass\n"
            "@experimental_kernel\n@ct.kernel(occupancy=2)\ndef _alpha_kernel(x): pass\n"
        ),
        "ops/cutile/group/beta.py": (
            "from cuda.tile import kernel as tile_kernel\n@tile_kernel\ndef _beta_kernel(x): pass\n"
            "register_impl('both', backend='cutile')(launch)\n"
        ),
        "ops/cutile/utils.py": "def helper(kernel): return kernel\n",
        "suites/extra/cutile/gamma.py": (
            "from cuda import tile\n@tile.kernel\ndef _gamma_kernel(x): pass\n"
            "@register_impl('both', backend='cutile')\ndef gamma(x): pass\n"
        ),
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_operators_are_named_after_their_files(package: Path) -> None:
    found = operators(package)
    assert {name: operator.kernels for name, operator in found.items()} == {
        "alpha": ("_alpha_kernel",),
        "group.beta": ("_beta_kernel",),
        "extra.gamma": ("_gamma_kernel",),
    }
    assert found["extra.gamma"].module == "tilegym.suites.extra.cutile.gamma"


def test_a_registered_name_is_an_alias(package: Path) -> None:
    assert find_operator("first", package).name == "alpha"
    assert find_operator("group.beta", package).name == "group.beta"


def test_an_ambiguous_alias_lists_the_candidates(package: Path) -> None:
    with pytest.raises(UsageError, match="several operators register 'both'") as caught:
        find_operator("both", package)
    assert caught.value.code == "ambiguous-op"
    assert caught.value.help == "name one of extra.gamma, group.beta"


@pytest.mark.parametrize(
    ("wrong", "near"), [("alpa", "alpha"), ("beta", "group.beta"), ("gamma", "extra.gamma")]
)
def test_an_unknown_name_suggests_near_ones(package: Path, wrong: str, near: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_operator(wrong, package)
    assert caught.value.code == "unknown-op"
    assert near in caught.value.help


@needs_tilegym
def test_installed_operators() -> None:
    assert find_operator("softmax").kernels == (
        "_softmax_kernel",
        "_softmax_kernel_multi_wave_full_row_reg_cached_ldg",
        "_softmax_kernel_tma",
        "_softmax_kernel_chunked",
    )
    assert find_operator("fmha").name == "attention"
    assert find_operator("get_swiglu").name == "swiglu"
    assert find_operator("liger.rope").module == "tilegym.suites.liger.cutile.rope"
    assert find_operator("flashinfer.gemm.masked_bmm").kernels == ("_masked_bmm_kernel",)
    model = find_operator("transformers.olmo3.dual_rms_norm")
    assert model.module == "tilegym.transformers.olmo3.kernels.dual_rms_norm"
    # All 188 kernels of TileGym 1.5.1 belong to an operator that can be named.
    known = operators()
    assert sum(len(operator.kernels) for operator in known.values()) == 188
    assert {name.partition(".")[0] for name in known} >= {"liger", "unsloth", "flashinfer", "transformers"}
    for name, operator in known.items():
        assert operator_of_source(operator.source) == operator == find_operator(name)


@needs_tilegym
@pytest.mark.parametrize(
    ("wrong", "near"),
    [
        ("liger.rop", "liger.rope"),
        ("cross_entropy", "liger.cross_entropy"),
        ("attention_sink_decod", "attention_sink_decode"),
        ("olmo3", "transformers.olmo3.dual_rms_norm"),
        ("swiglu_forward", "swiglu"),
    ],
)
def test_near_names_of_installed_operators(wrong: str, near: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_operator(wrong)
    assert near in caught.value.help


def test_names_and_cases_are_listed_without_heavy_imports() -> None:
    code = """
import importlib, sys
import tileport.capture as capture
try:
    capture.find_operator("softmax")
except capture.registry.ToolchainError:
    pass
capture.capture, capture.source_names
for op in capture.registry.driver_modules():
    names = [case.name for case in importlib.import_module(f"tileport.capture.drivers.{op}").cases()]
    assert len(set(names)) == len(names) > 2, names
print(sorted({"torch", "tilegym", "cuda.tile"} & set(sys.modules)))
"""
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed == "[]\n"


def test_user_kernels(tmp_path: Path) -> None:
    path = tmp_path / "my-kernels.py"
    path.write_text(
        "import cuda.tile as ct\n@ct.kernel\ndef scale(x): pass\n@ct.kernel\ndef shift(x): pass\n"
    )
    assert user_operator(path).kernels == ("scale", "shift")
    assert user_operator(path, "shift").kernels == ("shift",)
    assert user_operator(path).name == "my_kernels"
    with pytest.raises(UsageError, match="there is no kernel 'scal'") as caught:
        user_operator(path, "scal")
    assert (caught.value.code, caught.value.help) == ("unknown-kernel", "did you mean scale?")


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("x = 1\n", "no-kernels", ""),
        ("import other as ct\n@ct.kernel\ndef scale(x): pass\n", "no-kernels", ""),
        ("x = 1\ndef f(:\n", "malformed-source", ":2"),
        ("x = '\0'\n", "malformed-source", ""),
        (None, "unreadable-source", ""),
    ],
)
def test_files_that_define_no_kernel(tmp_path: Path, text: str | None, code: str, place: str) -> None:
    path = tmp_path / "file.py"
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError) as caught:
        user_operator(path)
    assert (caught.value.code, caught.value.where) == (code, f"{path}{place}")


def test_kernels_are_found_where_they_are_nested(tmp_path: Path) -> None:
    path = tmp_path / "file.py"
    path.write_text("def factory():\n    import cuda.tile\n    @cuda.tile.kernel\n    def made(x): pass\n")
    assert kernel_functions(parse(path)) == {"made": 4}
