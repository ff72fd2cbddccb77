// SPDX-License-Identifier: Apache-2.0
//! The library of all ported operators. Naming an op crate keeps its exported functions.

extern crate sample_softmax as _;

tileport_rt::export_library!();
