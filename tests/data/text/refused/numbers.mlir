entry @k() {
  %0 = constant <f32: 1> : tile<f32>
  %1 = constant <i8: 256> : tile<i8>
  %2 = constant <i8: -129> : tile<i8>
  %3 = constant <i32: 1.5> : tile<i32>
  %4 = constant <f16: 0x1FFFF> : tile<f16>
  %5 = constant <f8E4M3FN: 500.0> : tile<f8E4M3FN>
  %6 = constant <f8E8M0FNU: 0.0> : tile<f8E8M0FNU>
  %7 = constant <fnv8E5M3FNU: -1.0> : tile<fnv8E5M3FNU>
  %8 = constant <i32: true> : tile<i32>
  %9 = constant <i32: [1, 2]> : tile<4xi32>
  %10 = constant <i32: [[1, 2], [3]]> : tile<2x2xi32>
  %11 = constant <i32: [[1, 2], 3]> : tile<2x2xi32>
  %12 = constant <i32: "0x0102"> : tile<4xi32>
  %13 = constant <i32: "01020304"> : tile<i32>
  %14 = constant <i32: 1> : tile<i64>
  %15 = constant <i32: 1> : token
  %16 = constant <i64: 0x10000000000000000> : tile<i64>
  %17 = constant <i1: 2> : tile<i1>
  return
}
// expect 2:23 TP-X0011
// expect 3:22 TP-X0011
// expect 4:23 TP-X0011
// expect 5:23 TP-X0011
// expect 6:23 TP-X0011
// expect 7:28 TP-X0011
// expect 8:29 TP-X0011
// expect 9:32 TP-X0011
// expect 10:23 TP-X0004
// expect 11:17 TP-X0012
// expect 12:33 TP-X0012
// expect 13:33 TP-X0012
// expect 14:18 TP-X0012
// expect 15:24 TP-X0012
// expect 16:18 TP-X0012
// expect 17:18 TP-X0012
// expect 18:24 TP-X0011
// expect 19:23 TP-X0011
