// Names mean nothing: any letters, dashes, digits, members of groups, one name for several siblings.
entry @"odd name \C3\A9"(%a-b: tile<i32>, %0: tile<i1>, %$x.y: tile<i32>) {
  %cst_-9223372036854775808_i64 = constant <i64: -9223372036854775808> : tile<i64>
  %r:2 = if %0 -> (tile<i32>, tile<i32>) {
    %inner = addi %a-b, %$x.y : tile<i32>
    yield %inner, %a-b : tile<i32>, tile<i32>
  } else {
    %inner = subi %a-b, %$x.y : tile<i32>
    yield %inner, %$x.y : tile<i32>, tile<i32>
  }
  %s = addi %r#0, %r#1 : tile<i32>
  %t = addi %r, %s : tile<i32>
  %x, %y:2 = get_tile_block_id : tile<i32>
  %last = addi %y#1, %x : tile<i32>
  return
}
