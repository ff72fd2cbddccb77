// MLIR's generic form of kernels, globals, ops with and without bodies, operands in groups.
"builtin.module"() ({
  "cuda_tile.module"() <{sym_name = "kernels", producer = "p"}> ({
    "cuda_tile.global"() <{alignment = 8 : i64, constant, sym_name = "g", symbol_visibility = #cuda_tile.symbol_visibility<private>, value = dense<[1.0, 2.0]> : !cuda_tile.tile<2xf32>}> : () -> ()
    "cuda_tile.entry"() <{arg_attrs = [{}, {}, {}], function_type = (!cuda_tile.tile<i32>, !cuda_tile.tile<i1>, !cuda_tile.tile<ptr<f32>>) -> (), optimization_hints = #cuda_tile.optimization_hints<sm_90 = {occupancy = 2}>, sym_name = "k"}> ({
    ^bb0(%n: !cuda_tile.tile<i32>, %c: !cuda_tile.tile<i1>, %p: !cuda_tile.tile<ptr<f32>>):
      %x = "cuda_tile.constant"() <{value = dense<[[1, 2], [3, 4]]> : !cuda_tile.tile<2x2xi32>}> : () -> !cuda_tile.tile<2x2xi32>
      %y = "cuda_tile.permute"(%x) <{permutation = array<i32: 1, 0>}> : (!cuda_tile.tile<2x2xi32>) -> !cuda_tile.tile<2x2xi32>
      %f = "cuda_tile.itof"(%n) {signedness = #cuda_tile.signedness<signed>, rounding_mode = #cuda_tile.rounding<nearest_even>} : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>
      %g = "cuda_tile.addf"(%f, %f) <{flush_to_zero, rounding_mode = #cuda_tile.rounding<zero>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
      %b = "cuda_tile.cmpi"(%n, %n) <{comparison_predicate = #cuda_tile.comparison_predicate<less_than>, signedness = #cuda_tile.signedness<unsigned>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i1>
      %a = "cuda_tile.assume"(%n) <{predicate = #cuda_tile.div_by<8>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
      %t = "cuda_tile.make_token"() : () -> !cuda_tile.token
      %l, %u = "cuda_tile.load_ptr_tko"(%p, %b, %t) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i1>, !cuda_tile.token) -> (!cuda_tile.tile<f32>, !cuda_tile.token)
      %v = "cuda_tile.make_tensor_view"(%p, %n, %n) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tensor_view<?x2xf32, strides=[?,1]>
      %shape:2 = "cuda_tile.get_tensor_shape"(%v) : (!cuda_tile.tensor_view<?x2xf32, strides=[?,1]>) -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
      %sum = "cuda_tile.for"(%n, %n, %n, %f) ({
      ^bb0(%i: !cuda_tile.tile<i32>, %s: !cuda_tile.tile<f32>):
        "cuda_tile.continue"(%s) : (!cuda_tile.tile<f32>) -> ()
      }) {unsignedCmp} : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
      "cuda_tile.if"(%c) ({
        "cuda_tile.yield"() : () -> ()
      }, {
      }) : (!cuda_tile.tile<i1>) -> ()
      %q = "cuda_tile.reduce"(%x) <{dim = 0 : i32, identities = [0 : i32]}> ({
      ^bb0(%lhs: !cuda_tile.tile<i32>, %rhs: !cuda_tile.tile<i32>):
        %r = "cuda_tile.addi"(%lhs, %rhs) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
        "cuda_tile.yield"(%r) : (!cuda_tile.tile<i32>) -> ()
      }) : (!cuda_tile.tile<2x2xi32>) -> !cuda_tile.tile<2xi32>
      %w = "cuda_tile.get_global"() <{name = @g}> : () -> !cuda_tile.tile<ptr<f32>>
      "cuda_tile.assert"(%c) <{message = "no"}> : (!cuda_tile.tile<i1>) -> ()
      "cuda_tile.return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
}) : () -> ()
