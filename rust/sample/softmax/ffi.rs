// SPDX-License-Identifier: Apache-2.0
use crate::kernel::softmax_rows;
use tileport_rt::fact::{any, equal_to, multiple_of};
use tileport_rt::{Array, Entry, Parameter, dtype};

static SOFTMAX_ROWS: &[Entry] = &[Entry {
    name: "softmax_rows__1024",
    function: "softmax_rows__1024",
    generics: &[],
    hints: &[],
    module: "softmax_rows",
    module_ast: softmax_rows::__module_ast_self,
    parameters: &[
        Parameter::Array(Array {
            name: "output",
            dtype: dtype::F32,
            address: multiple_of(16),
            extents: &[any(), any()],
            strides: &[any(), equal_to(1)],
            may_alias: false,
        }),
        Parameter::Array(Array {
            name: "input",
            dtype: dtype::F32,
            address: multiple_of(16),
            extents: &[any(), any()],
            strides: &[any(), equal_to(1)],
            may_alias: false,
        }),
    ],
}];
tileport_rt::export_kernel!(cutile_sample_softmax, SOFTMAX_ROWS);
