# SPDX-License-Identifier: Apache-2.0
"""The host port, on the installed TileGym and on copies of it with things that no rule covers."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tileport.errors import InputError, RefusedError
from tileport.wrappers.port import PortedWrapper, port_wrapper, tilegym_root

pytest.importorskip("tilegym", reason="TileGym is not installed")

OPS = ("softmax", "rms_norm", "silu_and_mul", "swiglu", "matmul")

REGISTERED = {
    "softmax": {"softmax"},
    "rms_norm": {"rms_norm", "get_rms_norm_module"},
    "silu_and_mul": {"silu_and_mul"},
    "swiglu": {"get_swiglu", "get_swiglu_module"},
    "matmul": {"matmul"},
}


def source(op: str) -> str:
    return f"tilegym/ops/cutile/{op}.py"


def public_functions(text: str) -> set[str]:
    """Public functions and classes of a module, those with device operations excepted."""
    return {
        node.name
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
    }


@pytest.fixture(scope="module")
def copied_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the installed TileGym package, to be edited."""
    copy = tmp_path_factory.mktemp("package") / "tilegym"
    shutil.copytree(tilegym_root(), copy, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    return copy


@pytest.mark.parametrize("op", OPS)
def test_port_keeps_public_names_and_drops_cuda_tile(op: str) -> None:
    ported = port_wrapper(op, source(op))
    original = (tilegym_root() / "ops" / "cutile" / f"{op}.py").read_text()
    assert public_functions(ported.files[f"{op}.py"]) == public_functions(original)
    assert set(ported.registry_names) == REGISTERED[op]
    for text in ported.files.values():
        imported = [
            node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        names = {alias.name for node in imported for alias in node.names}
        names |= {node.module or "" for node in imported if isinstance(node, ast.ImportFrom)}
        assert not {name for name in names if name.split(".")[0] == "cuda" or name == "tilegym.experimental"}
        assert '"cutile"' not in text


@pytest.mark.parametrize("op", OPS)
def test_port_is_deterministic(op: str) -> None:
    assert port_wrapper(op, source(op)) == port_wrapper(op, source(op))


def test_descriptors_match_the_kernels_of_cuda_tile() -> None:
    """The oracle is cuda.tile's own reading of the annotations."""
    script = """
import importlib, json, sys, os
os.environ["CUTILE_RS_AUTOBUILD"] = "0"
import cuda.tile as ct
result = {}
for op in sys.argv[1:]:
    module = importlib.import_module(f"tilegym.ops.cutile.{op}")
    for name, value in vars(module).items():
        if isinstance(value, ct.kernel) and value._pyfunc.__module__ == module.__name__:
            code = value._pyfunc.__code__
            names = code.co_varnames[: code.co_argcount]
            constants = [n for n in names if "Constant" in repr(value._pyfunc.__annotations__.get(n, ""))]
            options = value._compiler_options
            names_of_hints = ("num_ctas", "occupancy", "opt_level", "num_worker_warps")
            hints = {n: getattr(options, n) for n in names_of_hints}
            result[f"{op}.{name}"] = [list(names), sorted(constants), hints]
print("RESULT" + json.dumps(result))
"""
    from tileport.wrappers import runtime

    expected = run_script(script, *OPS)
    found: dict[str, object] = {}
    for op in OPS:
        namespace: dict[str, object] = {"rt": runtime, "experimental_kernel": runtime.experimental_kernel}
        body = ast.parse(port_wrapper(op, source(op)).files[f"{op}.py"]).body
        # Module constants that hints may name, then the descriptors.
        kept = [node for node in body if isinstance(node, ast.Assign)]
        for node in kept:
            text = ast.unparse(node)
            if "rt.kernel(" in text or isinstance(node.value, ast.Constant):
                exec(text, namespace)
        for name, value in namespace.items():
            if isinstance(value, runtime.Kernel):
                found[f"{op}.{name}"] = [list(value.params), sorted(value.constants), value.hints]
    assert found == expected and len(found) == 14


def run_script(script: str, *arguments: str) -> dict[str, object]:
    finished = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False, timeout=240
    )
    assert finished.returncode == 0, finished.stderr[-3000:]
    loaded: dict[str, object] = json.loads(finished.stdout[finished.stdout.index("RESULT") + 6 :])
    return loaded


def test_ported_wrapper_loads_where_cuda_tile_is_not_installed(tmp_path: Path) -> None:
    for relative, text in port_wrapper("softmax", source("softmax")).files.items():
        path = tmp_path / "softmax" / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    script = """
import importlib.abc, json, os, sys, warnings
from pathlib import Path
warnings.simplefilter("ignore")
class Refuse(importlib.abc.MetaPathFinder):
    tried = []
    def find_spec(self, name, path=None, target=None):
        if name == "cuda" or name.startswith("cuda."):
            self.tried.append(sys._getframe(1))
            raise ImportError(f"{name} is blocked")
sys.meta_path.insert(0, Refuse())
os.environ.update(CUTILE_TUTORIALS_BACKEND="triton", CUTILE_RS_AUTOBUILD="0", TILEGYM_DISABLE_TRITON="1")
import tilegym
before = set(sys.modules)
from tileport.wrappers.ports import load_wrapper
module = load_wrapper(Path(sys.argv[1]), "softmax")
from tilegym.backend import has_backend_impl
print("RESULT" + json.dumps({
    "registered": has_backend_impl("softmax", "cutile-rs"),
    "public": callable(module.softmax),
    "cuda": [name for name in sys.modules if name == "cuda.tile" or name.startswith("cuda.tile.")],
}))
"""
    assert run_script(script, str(tmp_path)) == {"registered": True, "public": True, "cuda": []}


KERNEL = "@ct.kernel(occupancy=4)\ndef _softmax_kernel("
LIMIT = "MAX_TILE_SIZE = 8192"
REGISTRATION = '@register_impl("softmax", backend="cutile")\n'
DEVICE_CALL = (
    "def _row(x):\n    return ct.bid(0)\n\n\n@ct.kernel\ndef _other(x):\n    _row(x)\n\n\n_row(1)\n\n\n"
)
OTHER = '@register_impl("other", backend="cutile")\ndef other(x):\n    return ct.bid(0)\n\n\n'

#: What is put into softmax.py to be refused: (text to replace, its replacement, part of the message, part of
#: the line that is named as the place).
VIOLATIONS = {
    "host data type": (
        "NUM_SM = torch",
        "kind = ct.float32; NUM_SM = torch",
        "cuda.tile.float32",
        "ct.float32",
    ),
    "imported name": (LIMIT, "MAX_TILE_SIZE = RMd.APPROX", "cuda.tile.RoundingMode.APPROX", "RMd.APPROX"),
    "module as value": (LIMIT, 'MAX_TILE_SIZE = getattr(ct, "launch")', "module itself", "getattr(ct"),
    "kernel attribute": (
        LIMIT,
        "MAX_TILE_SIZE = _softmax_kernel._pyfunc",
        "_kernel._pyfunc",
        "_kernel._pyfunc",
    ),
    "variadic kernel": ("    DIM_COLS: ConstInt,\n", "    *DIM_COLS,\n", "variadic", "def _softmax_kernel("),
    "hint of cuda.tile": (KERNEL, KERNEL.replace("4", "ct.ByTarget(default=4)"), "ByTarget", "ct.ByTarget"),
    "unpacked hints": (KERNEL, KERNEL.replace("occupancy=4", "**{}"), "named hints", "@ct.kernel(**{})"),
    "registered device function": (
        REGISTRATION,
        OTHER + REGISTRATION,
        "device operations",
        "return ct.bid(0)",
    ),
    "device function called by the host": (
        *("def _cfg_hints(cfg):", DEVICE_CALL + "def _cfg_hints(cfg):"),
        *("host code calls the device function _row", "return ct.bid(0)"),
    ),
    "computed registry name": (
        *('@register_impl("softmax", ', '@register_impl("soft" + "max", '),
        *("not a literal", '@register_impl("soft" + "max"'),
    ),
    "module that imports cuda.tile": (
        *("import math\n", "import math\nimport tilegym.experimental\n"),
        *("imports cuda.tile", "import tilegym.experimental"),
    ),
    "constant of cuda.tile": (
        *(
            "ConstInt = ct.Constant[int]",
            "ConstInt = ct.Constant[int]\n_PAD = ct.PaddingMode.ZERO\nprint(_PAD)",
        ),
        *("cuda.tile.PaddingMode.ZERO", "_PAD = ct.PaddingMode.ZERO"),
    ),
    "name of the run time": ("import math\n", "import random as rt\n\nrt.seed(0)\n", "the name rt", "#"),
}


@pytest.mark.parametrize("violation", VIOLATIONS)
def test_what_no_rule_covers_is_refused_with_its_place(copied_package: Path, violation: str) -> None:
    old, new, message, line_part = VIOLATIONS[violation]
    path = copied_package / "ops" / "cutile" / "softmax.py"
    original = (tilegym_root() / "ops" / "cutile" / "softmax.py").read_text()
    assert old in original
    text = original.replace(old, new, 1)
    path.write_text(text)
    with pytest.raises(RefusedError) as caught:
        port_wrapper("softmax", source("softmax"), copied_package)
    assert caught.value.code == "host-port" and message in caught.value.message
    file, _, line = caught.value.where.rpartition(":")
    assert file == str(path)
    assert line_part in text.splitlines()[int(line) - 1]


def test_wrapper_that_uses_another_operator_is_refused() -> None:
    with pytest.raises(RefusedError) as caught:
        port_wrapper("flash_decode", source("flash_decode"))
    assert "splitk_reduce" in caught.value.message and caught.value.where.rpartition(":")[2].isdigit()


def test_missing_or_broken_source_is_an_input_error(copied_package: Path) -> None:
    with pytest.raises(InputError) as caught:
        port_wrapper("softmax", "tilegym/ops/cutile/no_such_op.py")
    assert caught.value.code == "unreadable-source"
    with pytest.raises(InputError) as caught:
        port_wrapper("softmax", "../etc/passwd")
    assert caught.value.code == "wrapper-source"
    broken = copied_package / "ops" / "cutile" / "broken.py"
    broken.write_text("def f(:\n")
    with pytest.raises(InputError) as caught:
        port_wrapper("broken", source("broken"), copied_package)
    assert caught.value.code == "not-python" and caught.value.where.endswith("broken.py:1")


def test_comments_and_untouched_lines_survive() -> None:
    ported: PortedWrapper = port_wrapper("softmax", source("softmax"))
    text = ported.files["softmax.py"]
    assert "# TMA version with static persistent scheduling\n_softmax_kernel_tma = rt.kernel(" in text
    assert "# None keeps the compiler default; worker warps above 8 can hang the gather kernels." in text
    assert "ConstInt" not in text and "import math" not in text
