# SPDX-License-Identifier: Apache-2.0
"""Kernels that invite a translator to go wrong (tests/data/traps): each is ported with the reference's
machine code, or it isn't called proven and the reason is said."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

from tileport.cli import run
from tileport.toolchain import find_toolchain

KERNELS = Path(__file__).resolve().parents[1] / "data" / "traps" / "kernels.py"
NAMES = re.findall(r"^def (k\d\w+)", KERNELS.read_text(), re.MULTILINE)

#: Why a kernel isn't proven. The first is ported as a tree, which computes the same in another order.
UNPROVEN = {
    "k19_argmax_ties": "reduce in the reference",
    "k29_printf_escapes": "printable ASCII",
}
#: One that is ported and one that is refused.
SAMPLE = {"k27_rust_keywords", "k29_printf_escapes"}

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None or find_toolchain().tileiras.path is None,
    reason="needs torch and tileiras",
)


@pytest.mark.parametrize(
    "name", [name if name in SAMPLE else pytest.param(name, marks=pytest.mark.full) for name in NAMES]
)
@pytest.mark.timeout(600)
def test_trap(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    command = ["convert", f"{KERNELS}:{name}", "--out", str(tmp_path), "--targets", "sm_90", "--stop-after"]
    status = run([*command, "prove"])
    printed = " ".join(capfd.readouterr().out.split())
    [path] = tmp_path.glob("*/proof.json")
    [row] = json.loads(path.read_text())["specializations"]
    assert row["name"].startswith(name)
    if name in UNPROVEN:
        assert status == 1
        assert row["ir"]["class"] == "differs" and UNPROVEN[name] in printed
    else:
        assert status == 0, printed
        assert row["ir"]["class"] in ("equal", "equal_up_to")
        assert row["code"]["sm_90"]["class"] == "identical"
