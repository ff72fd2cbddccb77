// SPDX-License-Identifier: Apache-2.0
//! Checking the arguments of a launch, and laying them out as the entry takes them.
//!
//! An array becomes its address, its extents and its strides, each in a word of its own; a number becomes
//! one word. That is the order in which cuTile Python's entries take them too.

use crate::abi::{ABI_VERSION, FLAG_MAY_ALIAS, FLAG_OUTPUT, MAXIMUM_RANK, Scalar, Status, TensorDescriptor};
use crate::entry::{Array, Dtype, Entry, Parameter};
use crate::error::LaunchError;
use std::mem::size_of;

/// Largest number of blocks along an axis that cuTile's launcher accepts.
const MAXIMUM_GRID: u32 = (1 << 24) - 1;
/// The driver's own limit for the second and third axis.
const MAXIMUM_GRID_YZ: u32 = 65_535;

/// One kernel parameter; the driver reads as many of its bytes as the parameter has.
pub type Word = u64;

/// The words of a launch of `entry`, or why these arguments do not fit it.
pub fn words(
    entry: &Entry,
    tensors: &[TensorDescriptor],
    scalars: &[Scalar],
    device: i32,
) -> Result<Vec<Word>, LaunchError> {
    let arrays = entry.parameters.iter().filter(|p| matches!(p, Parameter::Array(_))).count();
    let numbers = entry.parameters.len() - arrays;
    if (tensors.len(), scalars.len()) != (arrays, numbers) {
        return Err(invalid(format!(
            "{} takes {arrays} tensors and {numbers} scalars, not {} and {}",
            entry.name,
            tensors.len(),
            scalars.len()
        )));
    }
    let (mut tensors, mut scalars) = (tensors.iter(), scalars.iter());
    let mut words = Vec::with_capacity(entry.parameters.len() * 5);
    for parameter in entry.parameters {
        match parameter {
            Parameter::Array(array) => {
                let tensor = tensors.next().expect("the number of tensors was compared");
                push_array(&mut words, array, tensor, device)
                    .map_err(|e| LaunchError { message: format!("argument `{}`: {e}", array.name), ..e })?;
            }
            Parameter::Int32(name) => push_scalar(&mut words, name, Scalar::INT32, scalars.next())?,
            Parameter::Float32(name) => push_scalar(&mut words, name, Scalar::FLOAT32, scalars.next())?,
        }
    }
    Ok(words)
}

/// Refuses a grid that the driver or cuTile's launcher would refuse. A grid with a zero is a legal
/// launch of nothing.
pub fn check_grid(grid: [u32; 3]) -> Result<(), LaunchError> {
    let limits = [MAXIMUM_GRID, MAXIMUM_GRID_YZ, MAXIMUM_GRID_YZ];
    match (0..3).find(|&axis| grid[axis] > limits[axis]) {
        None => Ok(()),
        Some(axis) => {
            let (blocks, limit) = (grid[axis], limits[axis]);
            Err(invalid(format!("the grid has {blocks} blocks along axis {axis}; {limit} is the most")))
        }
    }
}

fn invalid(message: String) -> LaunchError {
    LaunchError::new(Status::InvalidArgument, message)
}

fn push_scalar(
    words: &mut Vec<Word>,
    name: &str,
    kind: u32,
    scalar: Option<&Scalar>,
) -> Result<(), LaunchError> {
    let scalar = scalar.expect("the number of scalars was compared");
    if scalar.kind != kind {
        let expected = if kind == Scalar::INT32 { "int32" } else { "float32" };
        return Err(invalid(format!(
            "argument `{name}`: expected {expected} (kind {kind}), got kind {}",
            scalar.kind
        )));
    }
    words.push(Word::from(scalar.bits));
    Ok(())
}

fn push_array(
    words: &mut Vec<Word>,
    array: &Array,
    tensor: &TensorDescriptor,
    device: i32,
) -> Result<(), LaunchError> {
    check_descriptor(tensor, device)?;
    let found = Dtype { code: tensor.dtype_code, bits: tensor.dtype_bits };
    if found != array.dtype || tensor.dtype_lanes != 1 {
        let lanes = tensor.dtype_lanes;
        let message = format!("expected elements of {}, got {found} in {lanes} lanes", array.dtype);
        return Err(LaunchError::new(Status::UnsupportedDtype, message));
    }
    let rank = array.extents.len();
    if tensor.ndim as usize != rank {
        return Err(invalid(format!("expected {rank} dimensions, got {}", tensor.ndim)));
    }
    let (shape, strides) = (&tensor.shape[..rank], &tensor.strides[..rank]);
    if tensor.data == 0 && !shape.contains(&0) {
        return Err(LaunchError::new(Status::NullPointer, "the tensor has elements but no address"));
    }
    if !array.address.holds(tensor.data) {
        return Err(invalid(format!("the address {:#x} is not {}", tensor.data, array.address)));
    }
    if !array.may_alias && (tensor.flags & FLAG_MAY_ALIAS != 0 || !elements_are_disjoint(shape, strides)) {
        return Err(invalid(format!(
            "shape {shape:?} with strides {strides:?} reaches elements twice, which the entry excludes"
        )));
    }
    words.push(tensor.data);
    for (what, values, facts) in [("extent", shape, array.extents), ("stride", strides, array.strides)] {
        for (axis, (&value, fact)) in values.iter().zip(facts).enumerate() {
            let small = u32::try_from(value).ok().filter(|&value| value <= i32::MAX as u32);
            let small = small.ok_or_else(|| {
                invalid(format!("{what} {value} of axis {axis} is not a non-negative 32-bit integer"))
            })?;
            if !fact.holds(u64::from(small)) {
                return Err(invalid(format!("{what} {value} of axis {axis} is not {fact}")));
            }
            words.push(Word::from(small));
        }
    }
    Ok(())
}

/// What every descriptor must satisfy, whatever the entry.
fn check_descriptor(tensor: &TensorDescriptor, device: i32) -> Result<(), LaunchError> {
    let size = size_of::<TensorDescriptor>() as u32;
    if (tensor.abi_version, tensor.struct_size) != (ABI_VERSION, size) {
        return Err(LaunchError::new(
            Status::AbiMismatch,
            format!(
                "a descriptor of version {} and {} bytes; this library takes version {ABI_VERSION}, {size} bytes",
                tensor.abi_version, tensor.struct_size
            ),
        ));
    }
    if !(0..=MAXIMUM_RANK as i32).contains(&tensor.ndim) {
        return Err(invalid(format!("{} dimensions; 0 to {MAXIMUM_RANK} are possible", tensor.ndim)));
    }
    if tensor.flags & !(FLAG_OUTPUT | FLAG_MAY_ALIAS) != 0 {
        return Err(invalid(format!("unknown flags {:#x}", tensor.flags)));
    }
    if tensor.device_id != device {
        let message = format!("the tensor is on device {}, the launch on device {device}", tensor.device_id);
        return Err(LaunchError::new(Status::DeviceMismatch, message));
    }
    Ok(())
}

/// cuTile's rule: in the order of the strides, all are positive, and each spans at least what the smaller
/// ones reach. An extent of 1 counts like any other.
fn elements_are_disjoint(shape: &[i64], strides: &[i64]) -> bool {
    let mut axes = [(0_i64, 0_i64); MAXIMUM_RANK];
    let axes = &mut axes[..shape.len()];
    for (axis, pair) in axes.iter_mut().enumerate() {
        *pair = (strides[axis], shape[axis]);
    }
    axes.sort_unstable();
    let positive = axes.first().is_none_or(|&(stride, _)| stride > 0);
    positive && axes.windows(2).all(|pair| pair[1].0 >= pair[0].0.saturating_mul(pair[0].1))
}

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;
