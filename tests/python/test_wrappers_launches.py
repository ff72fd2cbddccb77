# SPDX-License-Identifier: Apache-2.0
"""Ported wrappers launch what TileGym's own do, and each launch finds exactly its own entry."""

from __future__ import annotations

import pytest
from serving import OPS, ported_launches


@pytest.mark.parametrize("op", OPS)
def test_launches_are_identical(tmp_path_factory: pytest.TempPathFactory, op: str) -> None:
    _, launches = ported_launches(tmp_path_factory)
    result = launches[op]
    assert result["failures"] == []
    assert len(result["original"]) >= 10 and result["entries"] >= 10
    # Kernel, grid, every fact and constant, hints, and the name of the entry that the dispatch table found.
    assert result["ported"] == result["original"]
    assert len({launch[4] for launch in result["ported"]}) > 5
