// Twin block management (TBM), allocation (Tavakkol et al., IEEE CAL 15(2), 2016,
// Algorithm 1): the blocks of equal number in all planes of a die are opened together, and pages go to
// the planes in strict rotation. So all twins are written to the same level, at most one page apart
// inside a stripe, and the pages of a stripe satisfy PAC and BAC by construction.
//
// Per die and stream: the write frontier unit (the letter's WFU) and how many of its pages are handed out; CPI is that
// number over the planes, the current plane is its remainder.
//
// Space rule: that of media/write_stream.h. A command group may take all that is left of a stripe before anything is
// accounted for, so a host write needs room for the rest of its stripe; where the dies ask for no equal pages (PAC), a
// group may begin in one stripe and end in the next.
#include "firmware/ftl/features/twin_blocks/twin_blocks.h"

namespace twinplane::fw {

namespace {

class TwinAllocation final : public BlockAllocation {
 public:
  TwinAllocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config)
      : blocks_(blocks), planes_(blocks.twins()), pac_(config.pac) {
    streams_.boot(memory, blocks, config);
  }

  bool peek(const Placement& where, std::uint32_t reclaiming, PageSlot& slot) override {
    const std::uint32_t die = where.plane / planes_;
    WriteStream& stream = streams_.of(where.stream);
    if (where.stream == Stream::host && streams_.grant(die, reclaiming) < group(die)) return false;
    if (!stream.is_open(die) && !stream.open_next(die)) return false;
    const OpenUnit& open = stream.at(die);
    const std::uint32_t cpi = open.next / planes_;
    const bool written = where.plane % planes_ < open.next % planes_; // in this stripe
    slot = PageSlot{open.block, cpi + (written ? 1 : 0)};
    return slot.page < blocks_.pages_per_block();
  }

  void taken(const Placement& where, const PageSlot& /*slot*/) override {
    streams_.of(where.stream).take(where.plane / planes_);
  }

  std::uint32_t next_plane(std::uint32_t die, Stream stream, PageHint /*hint*/) const override {
    return streams_.of(stream).at(die).next % planes_;
  }

  /// Only a unit whose stripes are full, but for planes at the end of the last one, has a next page.
  bool resume(std::uint32_t die, std::uint32_t block, const std::uint32_t* written) override {
    std::uint32_t pages = 0;
    for (std::uint32_t p = 0; p < planes_; ++p) pages += pages_written(written + p * kMaxPageTypes);
    for (std::uint32_t p = 0; p < planes_; ++p) {
      const std::uint32_t level = pages / planes_ + (p < pages % planes_ ? 1 : 0);
      if (pages_written(written + p * kMaxPageTypes) != level) return false;
    }
    return streams_.resume(die, block, pages);
  }

  void close_open(std::uint32_t die) override { streams_.close(die); }

  bool goes_on(const Placement& where, PageSlot& slot) const override {
    const std::uint32_t die = where.plane / planes_;
    const OpenUnit& open = streams_.of(where.stream).at(die);
    slot = PageSlot{open.block, open.next / planes_};
    return streams_.of(where.stream).is_open(die) && where.plane % planes_ == open.next % planes_;
  }

  void end_collection() override { streams_.keep_nothing(); }

  void serialise(StateVisitor& state) override { streams_.serialise(state); }

 private:
  /// Pages that one command group may take of the host's unit.
  std::uint32_t group(std::uint32_t die) const {
    return pac_ ? planes_ - streams_.host.at(die).next % planes_ : planes_;
  }

  BlockTable& blocks_;
  std::uint32_t planes_;
  bool pac_;
  StreamPair streams_; // sites are dies
};

} // namespace

/// Per die two units and the rest of a stripe can be out of the host's reach.
std::uint32_t twin_reserve_pages(const Geometry& g) {
  return 2 * g.pages_per_block + 1;
}

BlockAllocation* make_twin_allocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config) {
  return memory.make<TwinAllocation>(memory, blocks, config);
}

} // namespace twinplane::fw
