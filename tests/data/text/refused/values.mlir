entry @k(%n: tile<i32>) {
  %0:2 = addi %n, %n : tile<i32>
  %x, %y = get_tile_block_id : tile<i32>
  %1:3 = get_tile_block_id : tile<i32>
  %2 = addi %1#3, %n : tile<i32>
  %3 = addi %late, %n : tile<i32>
  %late = addi %n, %n : tile<i32>
  %4, = addi %n, %n : tile<i32>
  if %n {
    %inner = addi %n, %n : tile<i32>
  }
  %5 = addi %inner, %n : tile<i32>
  for %n in (%n to %n, step %n) : tile<i32> {
  }
  return
}
// expect 2:10 TP-X0009
// expect 3:12 TP-X0009
// expect 5:15 TP-X0007
// expect 6:13 TP-X0007
// expect 8:7 TP-X0004
// expect 12:13 TP-X0007
// expect 13:7 TP-X0008
