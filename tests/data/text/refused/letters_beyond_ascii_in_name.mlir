entry @имя() {
  return
}
// expect 1:7 TP-X0002
