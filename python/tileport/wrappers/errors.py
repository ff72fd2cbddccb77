# SPDX-License-Identifier: Apache-2.0
"""What a ported wrapper raises when a launch cannot be served."""

from __future__ import annotations

from tileport.errors import Error, ToolchainError


class PortMissingError(ToolchainError):
    """There is no port of an op, or no built kernel library, in the ports folder."""


class MissingSpecializationError(Error):
    """The port of a kernel has no entry for the constants, element types, facts and hints of a launch."""


class LaunchError(Error):
    """The kernel library refused or failed a launch; the message holds its own text."""
