// One run tells all of them; what follows from an error is not told again.
cuda_tile.module @kernels {
  global @g <f32: [1.0, 2.0]> : tile<4xf32>
  entry @a(%n: tile<i32>, %f: tile<f32>, %c: tile<i1>) {
    %0 = addq %n, %n : tile<i32>
    %1 = addi %0, %n : tile<i32>
    %2 = addi %n %n : tile<i32>
    %3 = cmpi less %n, %n, signed : tile<i32> -> tile<i1>
    for %i in (%n to %n, step %missing) : tile<i32> {
      %4 = addi %2, %3 : tile<i32>
    }
    if %c {
      %5 = negf %f : tile<f32>
      %6 = negf %nothing : tile<f32>
    }
    return
  }
  entry @b(%n: tile<i32>) {
    %0 = exti %n signed : tile<i64> -> tile<i64>
    return
  }
  entry @c(%n tile<i32>) {
    return
  }
}
// expect 3:13 TP-X0012
// expect 5:10 TP-X0005
// expect 7:18 TP-X0004
// expect 8:15 TP-X0013
// expect 9:31 TP-X0007
// expect 14:17 TP-X0007
// expect 19:27 TP-X0010
// expect 22:15 TP-X0004
