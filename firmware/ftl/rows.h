// A constant table as its users see it.
#pragma once

#include <cstdint>

namespace twinplane::fw {

template <class Row>
struct Rows {
  constexpr Rows() = default;
  template <std::uint32_t N>
  constexpr Rows(const Row (&rows)[N]) : first(rows), count(N) {} // implicit: a table is what its users see

  [[nodiscard]] constexpr const Row* begin() const { return first; }
  [[nodiscard]] constexpr const Row* end() const { return first + count; }

  const Row* first = nullptr;
  std::uint32_t count = 0;
};

} // namespace twinplane::fw
