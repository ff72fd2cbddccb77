entry @k(%p: tile<ptr<f32>>) optimization_hints=<"sm 90" = {latency = 1}> {
}
// expect 1:50 TP-X0014
