// SPDX-License-Identifier: Apache-2.0
// Prints a Tile IR bytecode file as text, or says what is wrong with it and where.
#include <iostream>
#include <tileport/bytecode/read.hpp>
#include <tileport/text/print.hpp>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: print_tile_ir FILE.tileirbc\n";
    return 2;
  }
  const auto module = tileport::bytecode::read_file(argv[1]);
  if (!module) {
    for (const auto& diagnostic : module.error()) std::cerr << tileport::to_string(diagnostic) << '\n';
    return 2;
  }
  std::cout << tileport::text::print(*module);
  return 0;
}
