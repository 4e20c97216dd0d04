// Conventional relocation: inside the plane, by the same block allocation as host writes. Whether in
// the host's frontier or in one of its own is ftl.frontier.
#include "firmware/ftl/relocation/relocation.h"

namespace twinplane::fw {

namespace {

class SamePlane final : public Relocation {
 public:
  explicit SamePlane(const BlockTable& blocks) : blocks_(blocks) {}

  Placement destination(Ppn source, std::uint64_t /*oob*/) override {
    return Placement{blocks_.plane_of(source), Stream::relocation, kAnyPage};
  }

  void serialise(StateVisitor& /*state*/) override {}

 private:
  const BlockTable& blocks_;
};

} // namespace

Relocation* make_same_plane_relocation(BootMemory& memory, const BlockTable& blocks) {
  return memory.make<SamePlane>(blocks);
}

} // namespace twinplane::fw
