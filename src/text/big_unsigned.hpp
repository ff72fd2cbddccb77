// SPDX-License-Identifier: Apache-2.0
// Just enough arbitrary-precision arithmetic to print and read floats exactly.
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tileport::text {

class BigUnsigned {
 public:
  explicit BigUnsigned(std::uint64_t value) {
    while (value != 0) {
      words_.push_back(static_cast<std::uint32_t>(value));
      value >>= 32;
    }
  }

  std::size_t bit_length() const {
    return words_.empty() ? 0
                          : words_.size() * 32 - static_cast<std::size_t>(std::countl_zero(words_.back()));
  }

  void multiply(std::uint32_t factor) {
    std::uint64_t carry = 0;
    for (std::uint32_t& word : words_) {
      carry += std::uint64_t{word} * factor;
      word = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) words_.push_back(static_cast<std::uint32_t>(carry));
  }

  void add(std::uint32_t summand) {
    std::uint64_t carry = summand;
    for (std::size_t i = 0; carry != 0; ++i) {
      if (i == words_.size()) words_.push_back(0);
      carry += words_[i];
      words_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }

  /// The number without its lowest bits, if it fits then; `lost` is set if one of those bits was.
  std::uint64_t shifted_right(std::size_t bits, bool& lost) const {
    std::uint64_t result = 0;
    for (std::size_t i = words_.size(); i-- > 0;) {
      for (std::size_t bit = 32; bit-- > 0;) {
        const bool set = (words_[i] >> bit & 1U) != 0;
        if (32 * i + bit >= bits) {
          result = result << 1 | (set ? 1 : 0);
        } else if (set) {
          lost = true;
          return result;
        }
      }
    }
    return result;
  }

  /// Divides in place, rounding down; returns the remainder.
  std::uint32_t divide(std::uint32_t divisor) {
    std::uint64_t rest = 0;
    for (std::size_t i = words_.size(); i-- > 0;) {
      rest = rest << 32 | words_[i];
      words_[i] = static_cast<std::uint32_t>(rest / divisor);
      rest %= divisor;
    }
    while (!words_.empty() && words_.back() == 0) words_.pop_back();
    return static_cast<std::uint32_t>(rest);
  }

  void multiply_power(std::uint32_t base, unsigned exponent) {
    in_words(base, exponent, [&](std::uint32_t power) { multiply(power); });
  }
  /// Rounding down at every step is rounding down once.
  void divide_power(std::uint32_t base, unsigned exponent) {
    in_words(base, exponent, [&](std::uint32_t power) { divide(power); });
  }

  void shift_left(unsigned bits) {
    if (words_.empty()) return;
    multiply(std::uint32_t{1} << (bits % 32));
    words_.insert(words_.begin(), bits / 32, 0);
  }

  /// Decimal digits, "" for zero.
  std::string digits() const {
    std::string text;
    for (BigUnsigned rest = *this; !rest.words_.empty();) {
      std::uint32_t chunk = rest.divide(1'000'000'000);
      for (int i = 0; i < 9 && (chunk != 0 || !rest.words_.empty()); ++i, chunk /= 10) {
        text.push_back(static_cast<char>('0' + chunk % 10));
      }
    }
    std::ranges::reverse(text);
    return text;
  }

  friend std::strong_ordering operator<=>(const BigUnsigned& a, const BigUnsigned& b) {
    if (a.words_.size() != b.words_.size()) return a.words_.size() <=> b.words_.size();
    return std::lexicographical_compare_three_way(a.words_.rbegin(), a.words_.rend(), b.words_.rbegin(),
                                                  b.words_.rend());
  }
  friend bool operator==(const BigUnsigned& a, const BigUnsigned& b) = default;

 private:
  /// base^exponent as a product of the largest powers that fit in a word.
  template <class Step>
  static void in_words(std::uint32_t base, unsigned exponent, Step&& step) {
    std::uint64_t power = 1;
    for (unsigned i = 0; i < exponent; ++i) {
      if (power * base > 0xFFFFFFFF) {
        step(static_cast<std::uint32_t>(power));
        power = 1;
      }
      power *= base;
    }
    step(static_cast<std::uint32_t>(power));
  }

  std::vector<std::uint32_t> words_;  ///< Lowest first, no zero at the top.
};

}  // namespace tileport::text
