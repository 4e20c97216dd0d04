// The relaxed program order of a block (PA-SSD section 4.3.1) as firmware tracks it: how many pages of
// each type are written. One byte per type and block is the whole state, three bytes for TLC.
//
// Rules: pages of one type ascend; a page of type t needs type t-1 written in its own wordline and in
// both neighbours (a missing neighbour counts as written). Because pages of one type ascend, that is a
// condition on two counts.
#pragma once

#include <cstdint>

#include "hw/spec/page_order.h"

namespace twinplane::fw {

/// Wordlines of a block whose counts fit into bytes.
constexpr std::uint32_t kMaxRelaxedWordlines = 255;

/// True when the next page of `type` may be written. `written` has one count per page type.
inline bool is_candidate(const std::uint8_t* written, PageType type, std::uint32_t wordlines) {
  const std::uint32_t next = written[type]; // wordline of the next page of this type
  if (next >= wordlines) return false;
  if (type == 0) return true;
  const std::uint32_t neighbours = next + 2; // wordlines 0 .. next + 1
  return written[type - 1] >= (neighbours < wordlines ? neighbours : wordlines);
}

} // namespace twinplane::fw
