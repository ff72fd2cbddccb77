// Kernels end with return, loops with continue, branches with yield, said or not.
entry @k(%n: tile<i32>, %c: tile<i1>) {
  for %i in (%n to %n, step %n) : tile<i32> {
  }
  loop { if %c { break } }
  if %c { return } else { }
  if %c {
    yield
  }
  for unsigned %i in (%n to %n, step %n) : tile<i32> {
    continue
  } {mark = 1 : i32, another}
} {mark}
