// Mapping: where is a logical page? LPNs are 0 .. exported pages - 1.
#pragma once

#include <cstdint>

#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/config.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

/// Of what a write replaces: a version that nothing holds any more. It is lost, or its block has been erased
/// since. No LPN points there.
constexpr Ppn kErasedPpn = static_cast<Ppn>(0xFFFFFFFEu);

/// Not unmapped.
constexpr bool is_page(Ppn ppn) {
  return static_cast<std::uint32_t>(ppn) < static_cast<std::uint32_t>(kErasedPpn);
}

class Mapping {
 public:
  /// The core goes through so many entries, one behind the other, in a step of CostTable::map_lookup.
  static constexpr std::uint32_t kEntriesPerStep = 32;

  /// The page that holds the newest version, kNoPpn when the LPN is unmapped. O(1).
  [[nodiscard]] virtual Ppn lookup(std::uint32_t lpn) const = 0;

  /// The same of so many LPNs from `first` on.
  virtual void lookup_run(std::uint32_t first, std::uint32_t count, Ppn* pages) const = 0;

  /// Points the LPN to `ppn` (kNoPpn unmaps) and returns what it pointed to before. O(1).
  virtual Ppn exchange(std::uint32_t lpn, Ppn ppn) = 0;

  /// All that lasts, for saving and restoring; a policy without state has nothing to do.
  virtual void serialise(StateVisitor& state) = 0;

 protected:
  ~Mapping() = default;
};

/// Of each logical page.
constexpr std::uint32_t kMapEntryBytes = sizeof(std::uint32_t);
/// `touches`: the Hal is told of every access.
Mapping* make_page_mapping(BootMemory& memory, std::uint32_t exported_pages, bool touches);

} // namespace twinplane::fw
