// Utilisation-based choice of a page type (UBS of PA-SSD): each type as likely as its share of the
// drive's free pages.
#pragma once

#include <cstdint>

#include "firmware/ftl/random.h"
#include "firmware/ftl/transaction.h"
#include "hw/spec/geometry.h"

namespace twinplane::fw {

/// `free_pages`: one count per page type. The fastest type when no page is free.
inline PageHint draw_by_free_pages(Random& random, const std::uint64_t* free_pages, std::uint32_t types) {
  std::uint64_t all = 0;
  for (std::uint32_t t = 0; t < types; ++t) all += free_pages[t];
  std::uint64_t draw = random.below(static_cast<std::uint32_t>(all));
  for (std::uint32_t t = 0; t < types; ++t) {
    if (draw < free_pages[t]) return static_cast<PageHint>(1 + t);
    draw -= free_pages[t];
  }
  return 1;
}

} // namespace twinplane::fw
