// Units of the blocks of equal number in all planes of a die, which are opened together. Wordlines that are programmed
// in one pass, else pages, go to the planes in strict rotation. So all blocks of a unit are written to the same level, at
// most a wordline apart inside a stripe, and the pages of a stripe satisfy PAC and BAC by construction.
//
// With pages this is the allocation of twin block management (TBM; Tavakkol et al., IEEE CAL 15(2), 2016, Algorithm 1):
// per die and stream the write frontier unit (the letter's WFU) and how many of its pages are handed out; CPI is that
// number over the planes, the current plane is its remainder.
//
// Space rule: that of media/write_stream.h. A command group may take all that is left of a stripe before anything is
// accounted for, so a host write needs room for the rest of its stripe; where the dies ask for no equal pages (PAC), a
// group may begin in one stripe and end in the next.
#include "firmware/ftl/block_allocation/block_allocation.h"
#include "firmware/ftl/block_allocation/superblock_table.h"

namespace twinplane::fw {

namespace {

class StripedAllocation final : public BlockAllocation {
 public:
  StripedAllocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config,
                    SuperblockTable* superblocks)
      : blocks_(blocks), superblocks_(superblocks), planes_(blocks.twins()), pac_(config.pac) {
    streams_.boot(memory, blocks, config);
    pass_ = static_cast<std::uint8_t>(blocks.pass_pages(0));
    stripe_ = planes_ * pass_;
  }

  bool peek(const Placement& where, std::uint32_t reclaiming, PageSlot& slot) override {
    const std::uint32_t die = where.plane / planes_;
    WriteStream& stream = stream_for(die, where.stream, where.hint);
    if (where.stream == Stream::host && streams_.grant(die, reclaiming, where.hint) < group(stream, die))
      return false;
    if (!stream.is_open(die) && !open(stream, die)) return false;
    slot = slot_in(stream.at(die), where.plane % planes_);
    return slot.page < blocks_.pages_per_block();
  }

  void taken(const Placement& where, const PageSlot& slot) override {
    const std::uint32_t die = where.plane / planes_;
    streams_.holding(where.stream, die, slot.block).take(die);
  }

  std::uint32_t next_plane(std::uint32_t die, Stream stream, PageHint hint) const override {
    return plane_of(stream_for(die, stream, hint).at(die));
  }

  /// Only a unit whose stripes are full, but for planes at the end of the last one, has a next page.
  bool resume(std::uint32_t die, std::uint32_t block, const std::uint32_t* written) override {
    std::uint32_t pages = 0;
    for (std::uint32_t p = 0; p < planes_; ++p) pages += pages_written(written + p * kMaxPageTypes);
    if (pages % pass_ != 0) return false;
    for (std::uint32_t p = 0; p < planes_; ++p) {
      const std::uint32_t passes = pages / stripe_ + (p < pages % stripe_ / pass_ ? 1 : 0);
      if (pages_written(written + p * kMaxPageTypes) != passes * pass_) return false;
    }
    return streams_.resume(die, block, pages);
  }

  void close_open(std::uint32_t die) override { streams_.close(die); }

  bool goes_on(const Placement& where, PageSlot& slot) const override {
    const std::uint32_t die = where.plane / planes_;
    const WriteStream& stream = streams_.of(where.stream, where.hint);
    const OpenUnit& open = stream.at(die);
    slot = slot_in(open, plane_of(open));
    return stream.is_open(die) && where.plane % planes_ == plane_of(open);
  }

  [[nodiscard]] std::uint32_t left_of_pass(std::uint32_t plane) const override {
    return streams_.host.left_of_pass(plane / planes_);
  }

  void end_collection() override { streams_.keep_nothing(); }

  void collects(std::uint32_t die, std::uint32_t block) override { streams_.collects(die, block); }

  [[nodiscard]] bool moves_hot(std::uint32_t plane) const override {
    return streams_.moves_hot(plane / planes_);
  }

  bool end_hot_stream() override { return streams_.end_hot_stream(); }

  void serialise(StateVisitor& state) override { streams_.serialise(state); }

 private:
  const WriteStream& stream_for(std::uint32_t die, Stream stream, PageHint hint) const {
    return stream == Stream::host ? streams_.of(stream, hint) : streams_.of_moves(die);
  }
  WriteStream& stream_for(std::uint32_t die, Stream stream, PageHint hint) {
    return stream == Stream::host ? streams_.of(stream, hint) : streams_.of_moves(die);
  }
  [[nodiscard]] bool open(WriteStream& stream, std::uint32_t die) {
    if (!streams_.open(stream, die)) return false;
    if (superblocks_ == nullptr) return true;
    superblocks_->opened(die, stream.at(die).block,
                         streams_.is_hot(stream)     ? SuperblockTable::kHot
                         : &stream == &streams_.host ? SuperblockTable::kHost
                                                     : SuperblockTable::kMoves);
    return true;
  }
  /// Of the die: where the unit goes on.
  std::uint32_t plane_of(const OpenUnit& open) const { return open.next % stripe_ / pass_; }
  /// The next page that the plane gets of the unit.
  PageSlot slot_in(const OpenUnit& open, std::uint32_t plane) const {
    const std::uint32_t current = plane_of(open);
    const std::uint32_t begun = plane == current ? open.next % pass_ : 0;
    const std::uint32_t wordline = open.next / stripe_ + (plane < current ? 1 : 0);
    return PageSlot{open.block, wordline * pass_ + begun, false, pass_};
  }
  /// Pages that one command group may take of the host's unit.
  std::uint32_t group(const WriteStream& stream, std::uint32_t die) const {
    return pac_ ? stripe_ - stream.at(die).next % stripe_ : stripe_;
  }

  BlockTable& blocks_;
  SuperblockTable* superblocks_;
  std::uint32_t planes_;
  std::uint32_t stripe_ = 1; // pages of a wordline, or one, of each plane
  bool pac_;
  StreamPair streams_; // sites are dies
};

} // namespace

BlockAllocation* make_striped_allocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config,
                                         SuperblockTable* superblocks) {
  return memory.make<StripedAllocation>(memory, blocks, config, superblocks);
}

} // namespace twinplane::fw
