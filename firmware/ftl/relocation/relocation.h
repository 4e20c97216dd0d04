// Relocation: where does a valid page of a reclaimed block go?
#pragma once

#include "firmware/ftl/block_allocation/block_allocation.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

class Relocation {
 public:
  /// Destination of the valid page `source` with that out-of-band word. The plane must be able to take every
  /// page sent there during one reclamation without help from the host.
  [[nodiscard]] virtual Placement destination(Ppn source, std::uint64_t oob) = 0;

  /// All that lasts, for saving and restoring; a policy without state has nothing to do.
  virtual void serialise(StateVisitor& state) = 0;

 protected:
  ~Relocation() = default;
};

Relocation* make_same_plane_relocation(BootMemory& memory, const BlockTable& blocks);

} // namespace twinplane::fw
