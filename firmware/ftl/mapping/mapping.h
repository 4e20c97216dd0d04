// Mapping: where is a logical page? LPNs are 0 .. exported pages - 1.
#pragma once

#include <cstdint>

#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/config.h"

namespace twinplane::fw {

/// In the place of a page: the flash has lost the data, so reads must fail until the LPN is written again.
constexpr Ppn kLostPpn = static_cast<Ppn>(0xFFFFFFFEu);
/// Neither unmapped nor lost.
constexpr bool is_page(Ppn ppn) {
  return ppn < kLostPpn;
}

class Mapping {
 public:
  /// The page that holds the newest version, kNoPpn when the LPN is unmapped, kLostPpn. O(1).
  [[nodiscard]] virtual Ppn lookup(std::uint32_t lpn) const = 0;

  /// Points the LPN to `ppn` (kNoPpn unmaps, or kLostPpn) and returns what it pointed to before. O(1).
  virtual Ppn exchange(std::uint32_t lpn, Ppn ppn) = 0;

 protected:
  ~Mapping() = default;
};

Mapping* make_page_mapping(BootMemory& memory, std::uint32_t exported_pages);

} // namespace twinplane::fw
