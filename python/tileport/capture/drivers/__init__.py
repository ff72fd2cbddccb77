# SPDX-License-Identifier: Apache-2.0
"""Our own calls of TileGym's public operators: what `tileport capture OP` runs when it has no tests to run.

``drivers/OP.py`` (an operator's dots are folders) has two functions:

``cases()``
    gives ``Case`` objects: a name and the plain arguments of ``run``. Needs no torch, so that cases can be
    listed and counted without loading it.
``run(**arguments)``
    makes tensors and calls the operator once. Runs with TileGym's back end set to "cutile".

Cases are chosen so that every kernel of the operator is launched, in every dtype that it takes, with the
facts that make cuTile compile it anew (extents of 1, extents and strides that are or are not multiples of
16), and otherwise as few as possible: each specialization costs assembling time on every target.
"""
