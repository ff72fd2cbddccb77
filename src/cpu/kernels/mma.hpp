// SPDX-License-Identifier: Apache-2.0
// Products of matrices: result = acc + lhs * rhs, row-major and contiguous. Every element is one chain of
// fused multiply-adds (of integers: wrapping ones), acc first, then k = 0, 1, 2 …, whatever the blocking.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tileport::cpu {

/// lhs is m x k, rhs k x n, acc and result m x n; result may be acc.
void multiply(const float* lhs, const float* rhs, const float* acc, float* result, std::size_t m,
              std::size_t n, std::size_t k);
void multiply(const double* lhs, const double* rhs, const double* acc, double* result, std::size_t m,
              std::size_t n, std::size_t k);
void multiply(const std::int32_t* lhs, const std::int32_t* rhs, const std::int32_t* acc, std::int32_t* result,
              std::size_t m, std::size_t n, std::size_t k);

}  // namespace tileport::cpu
