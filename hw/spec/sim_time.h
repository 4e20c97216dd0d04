// Simulated time as plain integers: picoseconds everywhere, so that models, data sheets and firmware
// tests can share it without SystemC. The kernel may count finer: hw/core/kernel_time.h.
#pragma once

#include <cstdint>

namespace twinplane {

using TimePs = std::uint64_t;
constexpr TimePs kNever = ~TimePs{0};

constexpr TimePs ps(std::uint64_t v) {
  return v;
}
constexpr TimePs ns(std::uint64_t v) {
  return v * 1000u;
}
constexpr TimePs us(std::uint64_t v) {
  return v * 1000u * 1000u;
}
constexpr TimePs ms(std::uint64_t v) {
  return v * 1000u * 1000u * 1000u;
}

} // namespace twinplane
