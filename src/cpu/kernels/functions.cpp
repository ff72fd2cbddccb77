// SPDX-License-Identifier: Apache-2.0
// Transcendental functions. Of floats they are computed in double, which is right to within 4 of its own ulps
// (glibc's libmvec; scalar libm elsewhere), and rounded once: at most 0.5 + 2^-26 ulp of float.
#include <cmath>

#include "cpu/kernels/elementwise.hpp"

#if defined(__AVX2__) && defined(__GLIBC__)
#include <immintrin.h>
#define TILEPORT_VECTOR_LIBM 1
#endif

#ifdef TILEPORT_VECTOR_LIBM
// The names that the x86-64 vector function ABI gives to functions of four doubles.
extern "C" {
__m256d _ZGVdN4v_exp(__m256d);
__m256d _ZGVdN4v_exp2(__m256d);
__m256d _ZGVdN4v_log(__m256d);
__m256d _ZGVdN4v_log2(__m256d);
__m256d _ZGVdN4v_sin(__m256d);
__m256d _ZGVdN4v_cos(__m256d);
__m256d _ZGVdN4v_tan(__m256d);
__m256d _ZGVdN4v_sinh(__m256d);
__m256d _ZGVdN4v_cosh(__m256d);
__m256d _ZGVdN4v_tanh(__m256d);
__m256d _ZGVdN4vv_pow(__m256d, __m256d);
__m256d _ZGVdN4vv_atan2(__m256d, __m256d);
}
#endif

namespace tileport::cpu {
namespace {

template <class T, double (*F)(double)>
void scalar(const void* const* inputs, void* result, std::size_t count) {
  const T* a = static_cast<const T*>(inputs[0]);
  T* r = static_cast<T*>(result);
  for (std::size_t i = 0; i < count; ++i) r[i] = static_cast<T>(F(a[i]));
}

template <class T, double (*F)(double, double)>
void scalar(const void* const* inputs, void* result, std::size_t count) {
  const T* a = static_cast<const T*>(inputs[0]);
  const T* b = static_cast<const T*>(inputs[1]);
  T* r = static_cast<T*>(result);
  for (std::size_t i = 0; i < count; ++i) r[i] = static_cast<T>(F(a[i], b[i]));
}

double reciprocal_root(double a) { return 1 / std::sqrt(a); }

#ifdef TILEPORT_VECTOR_LIBM

__m256d reciprocal_root_4(__m256d a) { return _mm256_div_pd(_mm256_set1_pd(1), _mm256_sqrt_pd(a)); }

/// Up to four floats; those that are missing are ones, of which every function here has a value.
inline __m128 load_some(const float* from, std::size_t count) {
  if (count >= 4) return _mm_loadu_ps(from);
  alignas(16) float some[4] = {1, 1, 1, 1};
  for (std::size_t i = 0; i < count; ++i) some[i] = from[i];
  return _mm_load_ps(some);
}
inline void store_some(float* to, __m128 values, std::size_t count) {
  if (count >= 4) return _mm_storeu_ps(to, values);
  alignas(16) float some[4];
  _mm_store_ps(some, values);
  for (std::size_t i = 0; i < count; ++i) to[i] = some[i];
}

template <__m256d (*F)(__m256d)>
void vector(const void* const* inputs, void* result, std::size_t count) {
  const float* a = static_cast<const float*>(inputs[0]);
  float* r = static_cast<float*>(result);
  for (std::size_t i = 0; i < count; i += 4) {
    const __m256d value = F(_mm256_cvtps_pd(load_some(a + i, count - i)));
    store_some(r + i, _mm256_cvtpd_ps(value), count - i);
  }
}

template <__m256d (*F)(__m256d, __m256d)>
void vector(const void* const* inputs, void* result, std::size_t count) {
  const float* a = static_cast<const float*>(inputs[0]);
  const float* b = static_cast<const float*>(inputs[1]);
  float* r = static_cast<float*>(result);
  for (std::size_t i = 0; i < count; i += 4) {
    const __m256d value =
        F(_mm256_cvtps_pd(load_some(a + i, count - i)), _mm256_cvtps_pd(load_some(b + i, count - i)));
    store_some(r + i, _mm256_cvtpd_ps(value), count - i);
  }
}
#define TILEPORT_FUNCTION(vector_function, function)               \
  (is_double ? static_cast<Elementwise>(&scalar<double, function>) \
             : static_cast<Elementwise>(&vector<vector_function>))
#else
#define TILEPORT_FUNCTION(vector_function, function)               \
  (is_double ? static_cast<Elementwise>(&scalar<double, function>) \
             : static_cast<Elementwise>(&scalar<float, function>))
#endif

}  // namespace

Elementwise transcendental_kernel(FloatOp op, bool is_double) {
  switch (op) {
    case FloatOp::rsqrt:
      return TILEPORT_FUNCTION(reciprocal_root_4, reciprocal_root);
    case FloatOp::exp:
      return TILEPORT_FUNCTION(_ZGVdN4v_exp, std::exp);
    case FloatOp::exp2:
      return TILEPORT_FUNCTION(_ZGVdN4v_exp2, std::exp2);
    case FloatOp::log:
      return TILEPORT_FUNCTION(_ZGVdN4v_log, std::log);
    case FloatOp::log2:
      return TILEPORT_FUNCTION(_ZGVdN4v_log2, std::log2);
    case FloatOp::sin:
      return TILEPORT_FUNCTION(_ZGVdN4v_sin, std::sin);
    case FloatOp::cos:
      return TILEPORT_FUNCTION(_ZGVdN4v_cos, std::cos);
    case FloatOp::tan:
      return TILEPORT_FUNCTION(_ZGVdN4v_tan, std::tan);
    case FloatOp::sinh:
      return TILEPORT_FUNCTION(_ZGVdN4v_sinh, std::sinh);
    case FloatOp::cosh:
      return TILEPORT_FUNCTION(_ZGVdN4v_cosh, std::cosh);
    case FloatOp::tanh:
      return TILEPORT_FUNCTION(_ZGVdN4v_tanh, std::tanh);
    case FloatOp::pow:
      return TILEPORT_FUNCTION(_ZGVdN4vv_pow, std::pow);
    case FloatOp::atan2:
      return TILEPORT_FUNCTION(_ZGVdN4vv_atan2, std::atan2);
    default:
      return nullptr;
  }
}

}  // namespace tileport::cpu
