// Decimal, exact and rounded; hexadecimal bits; what is too large for the format; lists in lists; raw bytes.
entry @k() {
  %0 = constant <f32: 0.1> : tile<f32>
  %1 = constant <f32: 1.0e-01> : tile<f32>
  %2 = constant <f32: 0x7FC00000> : tile<f32>
  %3 = constant <f32: -0.0> : tile<f32>
  %4 = constant <f16: 70000.0> : tile<f16>
  %5 = constant <f16: -70000.0> : tile<f16>
  %6 = constant <f64: 2.718281828459045> : tile<f64>
  %7 = constant <f64: 1.0e-5000> : tile<f64>
  %8 = constant <bf16: 3.14159> : tile<bf16>
  %9 = constant <tf32: 3.14> : tile<tf32>
  %10 = constant <f8E4M3FN: [448.0, -0.0, 0.001953125, 1.0]> : tile<4xf8E4M3FN>
  %11 = constant <f8E5M2: 5.0> : tile<f8E5M2>
  %12 = constant <f8E8M0FNU: 0.25> : tile<f8E8M0FNU>
  %13 = constant <f4E2M1FN: [0x2, 0x4]> : tile<2xf4E2M1FN>
  %14 = constant <i8: [255, -128, 0x7F, -1]> : tile<4xi8>
  %15 = constant <i1: [true, false, 1, -1]> : tile<4xi1>
  %16 = constant <i32: [[1, 2], [3, 4]]> : tile<2x2xi32>
  %17 = constant <f32: [[[1.0], [0x3F800000]]]> : tile<1x2x1xf32>
  %18 = constant <i16: "0x01000200FFFF0300"> : tile<4xi16>
  %19 = constant <i1: "0x05"> : tile<4xi1>
  %20 = constant <i64: 0xFFFFFFFFFFFFFFFF> : tile<i64>
  %21 = constant <i32: 4294967295> : tile<2xi32>
  %22 = constant <i64: [5]> : tile<1xi64>
  return
}
