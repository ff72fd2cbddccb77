entry @sum_up_entry(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %for = for %loopIdx in (%cst_0_i32 to %arg1, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %cst_0_i32) -> (tile<i32>) {
    %1 = cmpi less_than %loopIdx, %cst_1_i32, signed : tile<i32> -> tile<i1>
    %2:2 = if %1 -> (tile<i32>, tile<i32>) {
      %3 = addi %iterArg0, %loopIdx overflow<no_signed_wrap> : tile<i32>
      yield %iterArg0, %3 : tile<i32>, tile<i32>
    } else {
      yield %iterArg0, %iterArg0 : tile<i32>, tile<i32>
    }
    continue %2#1 : tile<i32>
  }
  %0 = store_ptr_tko weak %arg0, %for : tile<ptr<i32>>, tile<i32> -> token
  return
}
