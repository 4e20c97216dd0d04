// Conventional block allocation: pages in the order of their use, the next block first fit round robin, one frontier of
// each domain shared by host and collection, or one for each. Space rule: media/write_stream.h.
//
// In a drive of several regions each keeps that rule with its own pages per block, free blocks and frontiers. One victim
// at a time is collected in a plane, so every other region of it keeps a whole block in reach. A moved page that is to
// leave its region obeys the host's rule where it goes, and stays at home when that has no room, where the rule has kept
// a page for it. So the proof holds for each region on its own.
//
// A host page waits for its region while something can be reclaimed in it; else it goes where there is room.
//
// Where power cuts may tear pages the host leaves each region's collection torn_reserve_pages() more, and what finds no
// page at home goes to the other region as far as that can do without.
//
// In a drive of one region hot data may have frontiers of their own (ftl.host_streams). Nothing is granted in advance then.
#include "firmware/ftl/block_allocation/block_allocation.h"
#include "firmware/ftl/regions/regions.h"
#include "firmware/ftl/victim/least_space.h"

namespace twinplane::fw {

namespace {

class ConventionalAllocation final : public BlockAllocation {
 public:
  ConventionalAllocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config, Regions* regions)
      : blocks_(blocks), regions_(regions) {
    streams_.boot(memory, blocks, config);
    if (regions == nullptr && config.host_streams == 1) host_ = streams_.host.units();
    pass_ = static_cast<std::uint8_t>(blocks.pass_pages(0));
  }

  bool peek(const Placement& where, std::uint32_t reclaiming, PageSlot& slot) override {
    const bool host = where.stream == Stream::host;
    if (regions_ != nullptr)
      return host ? peek_for_host(where, reclaiming, slot) : peek_for_move(where, reclaiming, slot);
    const std::uint32_t most = host ? streams_.grant(where.plane, reclaiming, where.hint) : 1;
    WriteStream& stream = host ? streams_.of(Stream::host, where.hint) : streams_.of_moves(where.plane);
    if (most == 0 || !next_page(stream, where.plane, slot)) return false;
    OpenUnit& open = streams_.host.at(where.plane);
    if (host && host_ != nullptr)
      open.granted = most < streams_.host.left(where.plane) ? open.next + most : blocks_.pages_per_block();
    return true;
  }

  bool resume(std::uint32_t plane, std::uint32_t block, const std::uint32_t* written) override {
    const std::uint32_t domain = blocks_.domain_of(plane, blocks_.block(plane, block).region);
    if (!streams_.resume(domain, block, pages_written(written))) return false;
    for (const Stream stream : {Stream::host, Stream::relocation}) opened(stream, domain);
    return true;
  }

  [[nodiscard]] std::uint32_t left_of_pass(std::uint32_t plane) const override {
    return streams_.host.left_of_pass(plane);
  }

  void end_collection() override { streams_.keep_nothing(); }

  void collects(std::uint32_t plane, std::uint32_t block) override { streams_.collects(plane, block); }

  [[nodiscard]] bool moves_hot(std::uint32_t plane) const override { return streams_.moves_hot(plane); }

  bool end_hot_stream() override { return streams_.end_hot_stream(); }

  void close_open(std::uint32_t plane) override { streams_.close(plane); }

  bool goes_on(const Placement& where, PageSlot& slot) const override {
    const std::uint32_t domain = blocks_.domain_of(where.plane, blocks_.regions() - 1);
    const WriteStream& stream = streams_.of(where.stream, where.hint);
    slot = PageSlot{stream.at(domain).block, stream.at(domain).next};
    return stream.is_open(domain);
  }

  void serialise(StateVisitor& state) override { streams_.serialise(state); }

 private:
  void taken(const Placement& where, const PageSlot& slot) override {
    const Region region = blocks_.block(where.plane, slot.block).region;
    const std::uint32_t domain = blocks_.domain_of(where.plane, region);
    streams_.holding(where.stream, domain, slot.block).take(domain);
  }

  bool next_page(WriteStream& stream, std::uint32_t domain, PageSlot& slot) {
    if (!stream.is_open(domain) && !streams_.open(stream, domain)) return false;
    slot = stream.next_page(domain);
    return true;
  }

  /// Names the next page of the domain, and opens a block for it if need be.
  bool next_page(Stream stream, std::uint32_t domain, PageSlot& slot) {
    const bool opens = !streams_.of(stream).is_open(domain);
    if (!next_page(streams_.of(stream), domain, slot)) return false;
    if (opens) opened(stream, domain);
    return true;
  }

  void opened(Stream stream, std::uint32_t domain) {
    if (regions_ == nullptr || !streams_.of(stream).is_open(domain)) return;
    const bool by_collector = stream == Stream::relocation && !streams_.shared();
    regions_->opened(blocks_.site_of_domain(domain), streams_.of(stream).at(domain).block, by_collector);
  }

  bool peek_for_host(const Placement& where, std::uint32_t reclaiming, PageSlot& slot) {
    const Region first = regions_->for_host(where.plane, where.hint);
    for (std::uint32_t i = 0; i < blocks_.regions(); ++i) {
      const std::uint32_t sum = first + i;
      const std::uint32_t region = sum < blocks_.regions() ? sum : sum - blocks_.regions();
      const std::uint32_t domain = blocks_.domain_of(where.plane, region);
      if (streams_.host_may_take(domain, reclaiming) != 0 && next_page(Stream::host, domain, slot))
        return true;
      if (will_have_room(domain, reclaiming)) return false;
    }
    return false;
  }

  bool peek_for_move(const Placement& where, std::uint32_t reclaiming, PageSlot& slot) {
    const Region wanted = regions_->of_hint(where.hint);
    const std::uint32_t domain = blocks_.domain_of(where.plane, wanted);
    if (reclaiming == kNoBlock) return next_page(Stream::relocation, domain, slot);
    const Region home = blocks_.block(where.plane, reclaiming).region;
    if (wanted != home && leaves(domain, reclaiming, slot)) return true;
    if (next_page(Stream::relocation, blocks_.domain_of(where.plane, home), slot)) return true;
    for (std::uint32_t r = 0; streams_.torn(0) != 0 && r < blocks_.regions(); ++r) {
      if (r != home && leaves(blocks_.domain_of(where.plane, r), reclaiming, slot)) return true;
    }
    return false;
  }

  /// A moved page goes to the domain, which is not its own, when that can do without one.
  bool leaves(std::uint32_t domain, std::uint32_t reclaiming, PageSlot& slot) {
    return streams_.spare(domain, reclaiming) != 0 && next_page(Stream::relocation, domain, slot);
  }

  /// Something of the domain can be reclaimed, and nothing is in the way.
  bool will_have_room(std::uint32_t domain, std::uint32_t reclaiming) const {
    if (blocks_.plane(blocks_.site_of_domain(domain)).stalled) return false;
    const bool victim_here = reclaiming != kNoBlock && blocks_.is_member(domain, reclaiming);
    return victim_here || any_yields_space(blocks_, domain);
  }

  BlockTable& blocks_;
  Regions* regions_; // null where there is one
  StreamPair streams_;
};

} // namespace

std::uint32_t conventional_reserve_pages(const Geometry& g) {
  return conventional_reserve_pages(g.pages_per_block);
}

BlockAllocation* make_conventional_allocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config,
                                              Regions* regions) {
  return memory.make<ConventionalAllocation>(memory, blocks, config, regions);
}

} // namespace twinplane::fw
