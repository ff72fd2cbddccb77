# SPDX-License-Identifier: Apache-2.0
"""Tile IR modules, as ``tileport.bytecode.read`` gives them.

A module is read-only here. Handles (functions, operations, values, locations) keep their module alive.
"""

from __future__ import annotations

from tileport._core import ir as _ir

Block = _ir.Block
Function = _ir.Function
Location = _ir.Location
Module = _ir.Module
Operation = _ir.Operation
Value = _ir.Value
op_table = _ir.op_table

__all__ = ["Block", "Function", "Location", "Module", "Operation", "Value", "op_table"]
