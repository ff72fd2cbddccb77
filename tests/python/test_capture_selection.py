# SPDX-License-Identifier: Apache-2.0
"""Which test files can launch an operator's kernels."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tileport import InputError
from tileport.capture.registry import find_operator, tilegym_folder
from tileport.capture.selection import folder_of_tests, select_tests

PACKAGE = {
    "__init__.py": "",
    "ops/__init__.py": "from .ops import *\nfrom .blocks import Block\nfrom . import cutile\n",
    "ops/ops.py": (
        "from tilegym.backend import dispatch\n"
        "@dispatch('alpha')\ndef alpha(x): raise NotImplementedError\n"
        "@dispatch(name='beta')\ndef beta(x): raise NotImplementedError\n"
    ),
    "ops/blocks.py": (
        "import tilegym\nclass Block:\n    def forward(self, x):\n        return tilegym.ops.alpha(x)\n"
    ),
    "ops/cutile/__init__.py": "",
    "ops/cutile/alpha.py": (
        "import cuda.tile as ct\nfrom .shared import launch_shared\n"
        "@ct.kernel\ndef _alpha_kernel(x): pass\n"
        "def _launch(x): ct.launch(0, (1,), _alpha_kernel, (x,))\n"
        "@register_impl('alpha', backend='cutile')\n"
        "def alpha(x):\n    _launch(x)\n    launch_shared(x)\n"
    ),
    "ops/cutile/beta.py": (
        "import cuda.tile as ct\n@ct.kernel\ndef _beta_kernel(x): pass\n"
        "def run(x): ct.launch(0, (1,), _beta_kernel, (x,))\nregister_impl('beta', backend='cutile')(run)\n"
    ),
    "ops/cutile/shared.py": (
        "import cuda.tile as ct\n@ct.kernel\ndef _shared_kernel(x): pass\n"
        "def launch_shared(x): ct.launch(0, (1,), _shared_kernel, (x,))\n"
    ),
}
TESTS = {
    "common.py": "def check(function): function()\n",
    "ops/test_alpha.py": (
        "import tilegym\nclass Test:\n    def test_op(self):\n        tilegym.ops.alpha(0)\n"
    ),
    "ops/test_blocks.py": "from tilegym.ops import Block\ndef test_op():\n    Block().forward(0)\n",
    "ops/nested/test_direct.py": (
        "from ... import common\ndef test_op():\n"
        "    from tilegym.ops.cutile.beta import run as launch\n    common.check(lambda: launch(0))\n"
    ),
    "ops/test_other.py": "import torch\nimport tilegym\ndef test_op():\n    torch.alpha(tilegym.ops)\n",
    "benchmark/test_alpha.py": "import tilegym\ndef test_op():\n    tilegym.ops.alpha(0)\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder, files in (("tilegym", PACKAGE), ("source/tests", TESTS)):
        for name, text in files.items():
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("alpha", ["test_alpha.py", "test_blocks.py"]),  # through the dispatcher, and a class that calls it
        ("beta", ["nested/test_direct.py"]),  # imported inside a function, under another name
        ("shared", ["test_alpha.py", "test_blocks.py"]),  # launched by another operator's host code
    ],
)
def test_tests_are_found_by_what_they_reach(root: Path, op: str, expected: list[str]) -> None:
    package, source = root / "tilegym", root / "source"
    found = select_tests(source, find_operator(op, package), package)
    assert [path.relative_to(source / "tests" / "ops").as_posix() for path in found] == expected


def test_the_folder_of_tests(root: Path) -> None:
    assert folder_of_tests(root / "source") == folder_of_tests(root / "source" / "tests") == root / "source"
    for wrong in (root, root / "source" / "tests" / "ops", root / "absent"):
        with pytest.raises(InputError) as caught:
            folder_of_tests(wrong)
        assert (caught.value.code, caught.value.where) == ("no-tilegym-tests", str(wrong))


@pytest.mark.skipif(importlib.util.find_spec("tilegym") is None, reason="needs tilegym")
@pytest.mark.parametrize(
    ("op", "expected"),
    [
        # As observed by running all of tests/ops.
        ("softmax", {"test_softmax.py"}),
        ("rms_norm", {"experimental/test_rmsnorm_backward.py", "test_rms_norm.py"}),
        (
            "silu_and_mul",
            {"experimental/test_fused_swiglu_backward.py", "test_moe.py", "test_silu_and_mul.py"},
        ),
        ("swiglu", {"test_swiglu.py"}),
    ],
)
def test_tilegyms_tests(tilegym_tests: Path, op: str, expected: set[str]) -> None:
    root = folder_of_tests(tilegym_tests)
    found = select_tests(root, find_operator(op), tilegym_folder())
    assert {path.relative_to(root / "tests" / "ops").as_posix() for path in found} == expected
