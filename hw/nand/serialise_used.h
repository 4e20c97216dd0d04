// A table of the saved state that takes no memory until it is used.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/spec/state_visitor.h"

namespace twinplane::hw {

/// A vector that is empty until it is used, and then has `full` elements.
template <class T>
void serialise_used(StateVisitor& state, std::vector<T>& v, std::size_t full) {
  std::uint64_t size = v.size();
  state.value(size);
  if (size != 0 && size != full) return state.refuse("it is damaged (a table of a size that no die has)");
  if (state.loading()) v.resize(size);
  state.table(v.data(), v.size());
}

} // namespace twinplane::hw
