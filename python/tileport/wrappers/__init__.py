# SPDX-License-Identifier: Apache-2.0
"""Ports TileGym's wrappers to the Rust kernels, generates the crates that serve them, and runs both."""
