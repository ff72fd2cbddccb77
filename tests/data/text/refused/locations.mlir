#file = #cuda_tile.di_file<"a.py" in "/">
#file = #cuda_tile.di_file<"b.py" in "/">
#unit = #cuda_tile.di_compile_unit<folder = #file>
#function = #cuda_tile.di_subprogram<file = #file, line = 1>
#place = #cuda_tile.di_loc<loc("a.py":1:2) in #file>
entry @k(%n: tile<i32>) {
  %0 = addi %n, %n : tile<i32> loc(#nowhere)
  %1 = addi %n, %n : tile<i32> loc(somewhere)
  %2 = addi %n, %n : tile<i32> loc("a.py":1)
  return loc(#file)
}
// expect 2:1 TP-X0018
// expect 3:36 TP-X0019
// expect 4:13 TP-X0019
// expect 5:28 TP-X0019
// expect 7:36 TP-X0018
// expect 8:36 TP-X0004
// expect 9:44 TP-X0004
