entry @k() {
  return
}
entry @k() {
  return
}
// expect 4:7 TP-X0008
