# SPDX-License-Identifier: Apache-2.0
"""Compares kernels of Tile IR as value graphs.

Two kernels are equal if they compute the same, op for op, whatever the names, the order of independent ops,
dead and duplicated pure ops, and debug locations. A difference that can change no result is accepted by a
named rule and counted in the notes; ``rules()`` lists them. Everything else is a finding, with its place in
both modules and in both sources where the modules have debug locations.

``compare`` is for two kernels, ``compare_all`` for files or folders of any number of entries. ``edit_script``
says what makes the port of the reference, as data that can be applied. ``render_text`` and ``render_html``
show a difference; ``assert_same`` is for tests.
"""

from __future__ import annotations

from tileport.diff.assertion import assert_same
from tileport.diff.comparison import Comparison, DiffError, Finding, Note, Site, compare, rules
from tileport.diff.entries import Difference, Entry, EntryDifference, compare_all, entries_of, read_entries
from tileport.diff.page import render_html
from tileport.diff.pairs import Pair, read_pairs, write_pairs
from tileport.diff.plain import render_text
from tileport.diff.script import Edit, EditScript, edit_script

__all__ = [
    "Comparison",
    "DiffError",
    "Difference",
    "Edit",
    "EditScript",
    "Entry",
    "EntryDifference",
    "Finding",
    "Note",
    "Pair",
    "Site",
    "assert_same",
    "compare",
    "compare_all",
    "edit_script",
    "entries_of",
    "read_entries",
    "read_pairs",
    "render_html",
    "render_text",
    "rules",
    "write_pairs",
]
