// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/mma.hpp"

#include <cmath>
#include <cstring>

namespace tileport::cpu {
namespace {

// Blocks of kRows x (kVectors * 32 bytes) of the result stay in registers while k runs; k is cut so that the
// panel of rhs that a block reads stays in the first-level cache.
constexpr std::size_t kRows = 6;
constexpr std::size_t kPanel = 256;

template <class T>
struct Vector {
  using Type __attribute__((vector_size(32))) = T;
  static constexpr std::size_t kLanes = 32 / sizeof(T);
};

template <class T, class V>
inline V fused(V a, V b, V c) {
  if constexpr (sizeof(T) == 4 && T(0.5) == T(0)) {
    // Integers wrap.
    using U __attribute__((vector_size(32))) = std::uint32_t;
    return (V)((U)a * (U)b + (U)c);
  } else {
    V result;
    for (std::size_t i = 0; i < 32 / sizeof(T); ++i) result[i] = std::fma(a[i], b[i], c[i]);
    return result;
  }
}

template <class T>
inline T fused_scalar(T a, T b, T c) {
  if constexpr (T(0.5) == T(0)) {
    using U = std::uint32_t;
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b) + static_cast<U>(c));
  } else {
    return std::fma(a, b, c);
  }
}

/// One block: rows x 2 vectors.
template <class T, std::size_t rows>
inline void block(const T* lhs, const T* rhs, const T* from, T* to, std::size_t n, std::size_t k,
                  std::size_t depth) {
  using V = typename Vector<T>::Type;
  constexpr std::size_t kLanes = Vector<T>::kLanes;
  V sums[rows][2];
  for (std::size_t i = 0; i < rows; ++i) {
    std::memcpy(&sums[i][0], from + i * n, sizeof(V));
    std::memcpy(&sums[i][1], from + i * n + kLanes, sizeof(V));
  }
  for (std::size_t p = 0; p < depth; ++p) {
    V right[2];
    std::memcpy(&right[0], rhs + p * n, sizeof(V));
    std::memcpy(&right[1], rhs + p * n + kLanes, sizeof(V));
    for (std::size_t i = 0; i < rows; ++i) {
      const V left = lhs[i * k + p] - V{};
      sums[i][0] = fused<T>(left, right[0], sums[i][0]);
      sums[i][1] = fused<T>(left, right[1], sums[i][1]);
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    std::memcpy(to + i * n, &sums[i][0], sizeof(V));
    std::memcpy(to + i * n + kLanes, &sums[i][1], sizeof(V));
  }
}

template <class T>
void matrix_product(const T* lhs, const T* rhs, const T* acc, T* result, std::size_t m, std::size_t n,
                    std::size_t k) {
  constexpr std::size_t kColumns = 2 * Vector<T>::kLanes;
  const std::size_t wide = n - n % kColumns;
  if (k == 0 && result != acc) std::memcpy(result, acc, m * n * sizeof(T));
  for (std::size_t start = 0; start < k; start += kPanel) {
    const std::size_t depth = k - start < kPanel ? k - start : kPanel;
    const T* from = start == 0 ? acc : result;
    for (std::size_t j = 0; j < wide; j += kColumns) {
      std::size_t i = 0;
      for (; i + kRows <= m; i += kRows) {
        block<T, kRows>(lhs + i * k + start, rhs + start * n + j, from + i * n + j, result + i * n + j, n, k,
                        depth);
      }
      for (; i < m; ++i) {
        block<T, 1>(lhs + i * k + start, rhs + start * n + j, from + i * n + j, result + i * n + j, n, k,
                    depth);
      }
    }
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = wide; j < n; ++j) {
        T sum = from[i * n + j];
        for (std::size_t p = start; p < start + depth; ++p) {
          sum = fused_scalar(lhs[i * k + p], rhs[p * n + j], sum);
        }
        result[i * n + j] = sum;
      }
    }
  }
}

}  // namespace

void multiply(const float* lhs, const float* rhs, const float* acc, float* result, std::size_t m,
              std::size_t n, std::size_t k) {
  matrix_product(lhs, rhs, acc, result, m, n, k);
}
void multiply(const double* lhs, const double* rhs, const double* acc, double* result, std::size_t m,
              std::size_t n, std::size_t k) {
  matrix_product(lhs, rhs, acc, result, m, n, k);
}
void multiply(const std::int32_t* lhs, const std::int32_t* rhs, const std::int32_t* acc, std::int32_t* result,
              std::size_t m, std::size_t n, std::size_t k) {
  matrix_product(lhs, rhs, acc, result, m, n, k);
}

}  // namespace tileport::cpu
