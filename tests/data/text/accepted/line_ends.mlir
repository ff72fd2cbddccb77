// Lines of Windows.
entry @k(%n: tile<i32>) {
  // a comment
  %0 = addi %n, %n : tile<i32> // another
  return
}
