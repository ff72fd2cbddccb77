// SPDX-License-Identifier: Apache-2.0
//! measure-cutile-ir ROUNDS FILE...: for every file the nanoseconds (the best of ROUNDS) that cutile-ir's
//! decoder takes. The other side of benchmarks/tile_ir.py.

use std::hint::black_box;
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let rounds: u32 =
        arguments.next().and_then(|text| text.parse().ok()).expect("usage: measure-cutile-ir ROUNDS FILE...");
    for path in arguments {
        let data = std::fs::read(&path).expect("a readable file");
        let best = (0..rounds)
            .map(|_| {
                let start = Instant::now();
                let text = cutile_ir::decode_bytecode(black_box(&data));
                let took = start.elapsed().as_nanos();
                black_box(text).map(|_| took)
            })
            .collect::<Result<Vec<_>, _>>()
            .map(|times| times.into_iter().min().unwrap_or(0));
        match best {
            Ok(nanoseconds) => println!("{nanoseconds}"),
            Err(_) => println!("refused"),
        }
    }
}
