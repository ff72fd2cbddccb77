// SPDX-License-Identifier: Apache-2.0
// measure ROUNDS FILE...: for every file a line "SIZE READ WHOLE MEMORY": bytes, nanoseconds of one read (the
// best of ROUNDS), of read + verify + print, and the most bytes that a read's module and temporaries held.
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <tileport/bytecode/read.hpp>
#include <tileport/text/print.hpp>
#include <tileport/verify/verify.hpp>
#include <vector>

namespace {

bool counting = false;
std::size_t held = 0;
std::size_t most = 0;

double nanoseconds(auto&& work, int rounds) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < rounds; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

}  // namespace

void* operator new(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  if (counting) {
    held += malloc_usable_size(memory);
    most = std::max(most, held);
  }
  return memory;
}
void operator delete(void* memory) noexcept {
  if (counting) held -= malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 0;
  for (int i = 2; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    const std::string data{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const auto bytes = std::as_bytes(std::span(data));
    (void)tileport::bytecode::read(bytes);  // Makes the op table, which is no file's.
    held = most = 0;
    counting = true;
    if (!tileport::bytecode::read(bytes)) {
      std::fprintf(stderr, "%s: not readable\n", argv[i]);
      return 1;
    }
    counting = false;
    const double read = nanoseconds([&] { return tileport::bytecode::read(bytes).has_value(); }, rounds);
    const double whole = nanoseconds(
        [&] {
          const auto module = tileport::bytecode::read(bytes);
          return tileport::verify::verify(*module).size() + tileport::text::print(*module).size();
        },
        rounds);
    std::printf("%zu %.0f %.0f %zu\n", data.size(), read, whole, most);
  }
  return 0;
}
