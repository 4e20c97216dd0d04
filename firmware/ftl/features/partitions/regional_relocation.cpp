// Relocation in a drive of several regions: inside the plane, to the region that the decision about regions
// names.
#include "firmware/ftl/features/partitions/two_regions.h"
#include "firmware/ftl/relocation/relocation.h"

namespace twinplane::fw {

namespace {

class Regional final : public Relocation {
 public:
  Regional(const BlockTable& blocks, Regions& regions) : blocks_(blocks), regions_(regions) {}

  Placement destination(Ppn source, std::uint64_t oob) override {
    const std::uint32_t plane = blocks_.plane_of(source);
    const Region from = blocks_.block(plane, blocks_.block_of(source)).region;
    return Placement{plane, Stream::relocation,
                     regions_.for_moved(plane, from, static_cast<std::uint32_t>(oob))};
  }

  void serialise(StateVisitor& /*state*/) override {}

 private:
  const BlockTable& blocks_;
  Regions& regions_;
};

} // namespace

Relocation* make_regional_relocation(BootMemory& memory, const BlockTable& blocks, Regions& regions) {
  return memory.make<Regional>(blocks, regions);
}

} // namespace twinplane::fw
