// pa-BLAlloc: page-type aware block allocation under the relaxed program order (PA-SSD section 4.3).
//
// Each plane keeps its partly written blocks in the order in which they were opened. The active block
// of a type is the oldest of them that has pages of that type left; up to three blocks are active, often
// they are one. Only when no open block has LSB pages left is an erased one opened: a fresh block for
// every type would waste fast pages. Blocks that are active for no type are closed, so that garbage
// collection may take them, and opened again when their turn comes.
//
// A page of the wanted type is given when the active block has a candidate; else the type nearest to
// it, the faster of two (figure 8: LSB, CSB, MSB; CSB, LSB, MSB; the paper leaves MSB's order open).
// Without a wanted type: the slowest candidate, which in a single block is the data sheet's order.
//
// Space rule, and why a plane cannot deadlock. Let S = PlaneInfo::space, the unwritten pages outside
// the victim; b = pages per block. Some candidate exists while S > 0: a block with LSB pages left always
// offers one; when none has, all LSB pages are written and the next CSB page is a candidate, and so on.
// A host write is refused when it would leave S < need, where need = pages of the running victim that are valid,
// or will be when a power cut has undone a trim, and the few that power cuts may tear (torn_reserve_pages); or b when
// none runs.
//  * A victim with w written and v valid pages leaves S - (b - w) >= w >= v: its moves find pages.
//  * Each move lowers S and need by one. The erase adds b pages: S >= b again, by at least one page more.
//  * Rounds go on while a closed block has an invalid page. When none has, what is not valid is S <= b and
//    pages of active blocks; page_type_reserve_pages() keeps the exported capacity below that.
//
// pa-twin: multi-plane programs need equal pages of the planes of a die. The level of a plane in a type is
// the number of such pages it has taken. Only planes with the lowest level of a type take host pages of it
// (another type rather than another plane), so levels differ by one inside a stripe and a write of several
// pages of one type finds equal pages in all planes. The collector's moves lift a plane's levels; the others
// catch up first. A block given up has all or none of a type's pages written, so page addresses stay a
// function of the level.
#include "firmware/ftl/bits.h"
#include "firmware/ftl/features/page_types/page_types.h"
#include "firmware/ftl/features/page_types/relaxed_order.h"

namespace twinplane::fw {

namespace {

constexpr std::uint16_t kNil = 0xFFFF;

/// Neighbours in the plane's list of partly written blocks.
struct Links {
  std::uint16_t previous;
  std::uint16_t next;
};

struct PlaneBlocks {
  std::uint16_t newest = kNil;
  std::uint16_t active[kMaxPageTypes] = {kNil, kNil, kNil, kNil}; // per type
};

class PageTypeAllocation final : public BlockAllocation {
 public:
  PageTypeAllocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config, bool level)
      : blocks_(blocks),
        types_(static_cast<std::uint32_t>(config.geometry.cell)),
        pages_(config.geometry.pages_per_block),
        torn_(torn_reserve_pages(config, 0)),
        wordlines_(pages_ / types_),
        per_plane_(config.geometry.blocks_per_plane),
        written_(memory.zeroed<std::uint8_t>(std::size_t{config.geometry.blocks()} * types_)),
        links_(memory.zeroed<Links>(config.geometry.blocks())),
        planes_(memory.array<PlaneBlocks>(config.geometry.planes())),
        planes_per_die_(config.geometry.planes_per_die),
        used_(level ? memory.zeroed<std::uint32_t>(std::size_t{config.geometry.planes()} * types_)
                    : nullptr) {
    for (std::uint32_t i = 0; i < types_; ++i) {
      choices_[kAnyPage][i] = static_cast<PageType>(types_ - 1 - i);
      for (std::uint32_t hint = 1; hint <= types_; ++hint) choices_[hint][i] = nth_choice(hint - 1, i);
    }
    blocks.count_space_in_pages();
  }

  bool peek(const Placement& where, std::uint32_t reclaiming, PageSlot& slot) override {
    if (where.stream == Stream::host && !host_may_take(where.plane, reclaiming)) return false;
    const PageType* choice = choices_[where.hint <= types_ ? where.hint : types_];
    for (std::uint32_t i = 0; used_ != nullptr && where.stream == Stream::host && i < types_; ++i) {
      if (lowest(where.plane, choice[i]) && candidate(where.plane, choice[i], slot)) return true;
    }
    for (std::uint32_t i = 0; i < types_; ++i) {
      if (candidate(where.plane, choice[i], slot)) return true;
    }
    return false;
  }

  void taken(const Placement& where, const PageSlot& slot) override {
    const PageType type = blocks_.order().type(slot.page);
    std::uint8_t* const written = counts(where.plane, slot.block);
    ++written[type];
    if (used_ != nullptr) ++used_[where.plane * types_ + type];
    if (written[type] == wordlines_) leave(where.plane, type);
  }

  void given_up(std::uint32_t plane, std::uint32_t block) override {
    if (blocks_.block(plane, block).written == pages_) return;
    const std::uint8_t* const written = counts(plane, block);
    for (std::uint32_t t = 0; t < types_; ++t) {
      if (written[t] != wordlines_)
        blocks_.give_up_pages(plane, static_cast<PageType>(t), wordlines_ - written[t]);
    }
    unlink(plane, block);
  }

  /// A block of which nothing is written stays, for all types. Levels begin anew.
  void close_open(std::uint32_t plane) override {
    PlaneBlocks& p = planes_[plane];
    std::uint16_t fresh = kNil;
    for (std::uint32_t t = 0; t < types_; ++t) {
      const std::uint16_t block = p.active[t];
      if (block == kNil || blocks_.block(plane, block).state != BlockState::open) continue;
      if (blocks_.block(plane, block).written == 0) {
        fresh = block;
      } else {
        blocks_.transition(plane, block, BlockState::closed); // given_up() gives its pages up
      }
    }
    for (std::uint32_t t = 0; t < types_; ++t) {
      p.active[t] = fresh;
      if (used_ != nullptr) used_[plane * types_ + t] = 0;
    }
  }

  /// Planes of a level count from the beginning of the block that they go on in: what they have taken of
  /// equal blocks before makes no difference to where the next page lies.
  bool resume(std::uint32_t plane, std::uint32_t block, const std::uint32_t* written) override {
    std::uint8_t* const own = counts(plane, block);
    PlaneBlocks& p = planes_[plane];
    for (std::uint32_t t = 0; t < types_; ++t) {
      own[t] = static_cast<std::uint8_t>(written[t]);
      if (p.active[t] != kNil || own[t] == wordlines_) continue;
      p.active[t] = static_cast<std::uint16_t>(block);
      if (used_ != nullptr) used_[plane * types_ + t] = own[t];
    }
    append(plane, block);
    if (!active(p, static_cast<std::uint16_t>(block))) blocks_.transition(plane, block, BlockState::closed);
    return true;
  }

  /// A plane that can give the best type there is for `hint`; of equal ones the first.
  std::uint32_t next_plane(std::uint32_t die, Stream /*stream*/, PageHint hint) const override {
    const PageType* choice = choices_[hint <= types_ ? hint : types_];
    for (const bool level : {true, false}) {
      for (std::uint32_t i = 0; i < types_; ++i) {
        for (std::uint32_t p = 0; p < planes_per_die_; ++p) {
          const std::uint32_t plane = die * planes_per_die_ + p;
          if ((!level || lowest(plane, choice[i])) && offers(plane, choice[i])) return p;
        }
      }
    }
    return 0;
  }

  void end_collection() override { keeps_ = false; }

  void serialise(StateVisitor& state) override {
    const Geometry& g = blocks_.geometry();
    constexpr const char* kWhy = "it is damaged (the list of blocks that are partly written)";
    state.table(written_, std::size_t{g.blocks()} * types_, kWhy,
                [this](std::uint8_t n) { return n <= wordlines_; });
    state.table(links_, g.blocks());
    state.table(planes_, g.planes());
    state.table(used_, std::size_t{g.planes()} * types_);
    for (std::uint32_t p = 0; state.loading() && p < g.planes(); ++p) state.require(list_holds(p), kWhy);
  }

 private:
  /// From its newest block backwards: all are there, once, and the active ones are among them, open.
  bool list_holds(std::uint32_t plane) const {
    const PlaneBlocks& p = planes_[plane];
    std::uint32_t passed = 0;
    std::uint32_t found = 0; // types
    std::uint16_t next = kNil;
    for (std::uint16_t block = p.newest; block != kNil; next = block, block = link(plane, block).previous) {
      if (block >= per_plane_ || ++passed > per_plane_ || link(plane, block).next != next) return false;
      const BlockInfo& info = blocks_.block(plane, block);
      std::uint32_t written = 0;
      for (std::uint32_t t = 0; t < types_; ++t) written += counts(plane, block)[t];
      if (written != info.written || written == pages_) return false;
      for (std::uint32_t t = 0; t < types_; ++t) {
        if (p.active[t] != block) continue;
        if (info.state != BlockState::open || counts(plane, block)[t] == wordlines_) return false;
        ++found;
      }
    }
    for (std::uint32_t t = 0; t < types_; ++t) found += p.active[t] == kNil ? 1 : 0;
    return found == types_;
  }

  /// The types by their distance from the wanted one, the faster of two first.
  PageType nth_choice(std::uint32_t wanted, std::uint32_t n) const {
    std::uint32_t found = 0;
    for (std::uint32_t distance = 0;; ++distance) {
      if (distance <= wanted && found++ == n) return static_cast<PageType>(wanted - distance);
      if (distance != 0 && wanted + distance < types_ && found++ == n)
        return static_cast<PageType>(wanted + distance);
    }
  }

  std::uint32_t at(std::uint32_t plane, std::uint32_t block) const { return plane * per_plane_ + block; }
  std::uint8_t* counts(std::uint32_t plane, std::uint32_t block) const {
    return written_ + std::size_t{at(plane, block)} * types_;
  }
  Links& link(std::uint32_t plane, std::uint32_t block) const { return links_[at(plane, block)]; }

  bool host_may_take(std::uint32_t plane, std::uint32_t reclaiming) const {
    const std::uint32_t need =
        reclaiming == kNoBlock ? pages_ : blocks_.most_moved(plane, reclaiming) + torn_;
    return !keeps_ || blocks_.plane(plane).space > need;
  }

  bool candidate(std::uint32_t plane, PageType type, PageSlot& slot) {
    std::uint32_t block = planes_[plane].active[type];
    if (block == kNil) {
      if (type != 0) return false; // no open block has such pages; an erased one would not offer any yet
      block = open_erased(plane);
      if (block == kNil) return false;
    }
    const std::uint8_t* const written = counts(plane, block);
    if (!is_candidate(written, type, wordlines_)) return false;
    slot = PageSlot{block, blocks_.order().page(written[type], type)};
    return true;
  }

  /// candidate() without opening a block.
  bool offers(std::uint32_t plane, PageType type) const {
    const std::uint32_t block = planes_[plane].active[type];
    if (block == kNil) return type == 0 && blocks_.plane(plane).free_blocks != 0;
    return is_candidate(counts(plane, block), type, wordlines_);
  }

  /// No plane of its die has taken fewer pages of the type.
  bool lowest(std::uint32_t plane, PageType type) const {
    const std::uint32_t own = used_[plane * types_ + type];
    std::uint32_t other = plane / planes_per_die_ * planes_per_die_ * types_ + type;
    for (std::uint32_t p = 0; p < planes_per_die_; ++p, other += types_) {
      if (used_[other] < own) return false;
    }
    return true;
  }

  /// Opens an erased block; it becomes active for every type that has run out.
  std::uint32_t open_erased(std::uint32_t plane) {
    const std::uint32_t block = blocks_.find_free(plane);
    if (block == kNoBlock) return kNil;
    blocks_.transition(plane, block, BlockState::open);
    for (std::uint32_t t = 0; t < types_; ++t) counts(plane, block)[t] = 0;
    append(plane, block);
    PlaneBlocks& p = planes_[plane];
    for (std::uint32_t t = 0; t < types_; ++t) {
      if (p.active[t] == kNil) p.active[t] = static_cast<std::uint16_t>(block);
    }
    return block;
  }

  /// To the plane's list, as the newest one.
  void append(std::uint32_t plane, std::uint32_t block) {
    PlaneBlocks& p = planes_[plane];
    const auto id = static_cast<std::uint16_t>(block);
    link(plane, block) = Links{p.newest, kNil};
    if (p.newest != kNil) link(plane, p.newest).next = id;
    p.newest = id;
  }

  /// The active block of `type` has no such page left: go on to the next block that has. Blocks older
  /// than the active one never have any, so every list entry is passed once.
  void leave(std::uint32_t plane, PageType type) {
    PlaneBlocks& p = planes_[plane];
    const std::uint16_t left = p.active[type];
    std::uint16_t next = link(plane, left).next;
    while (next != kNil && counts(plane, next)[type] == wordlines_) next = link(plane, next).next;
    p.active[type] = next;
    if (next != kNil && blocks_.block(plane, next).state == BlockState::closed) {
      blocks_.transition(plane, next, BlockState::open);
    }
    if (blocks_.block(plane, left).state == BlockState::closed) { // full
      unlink(plane, left);
    } else if (!active(p, left)) {
      blocks_.transition(plane, left, BlockState::closed);
    }
  }

  bool active(const PlaneBlocks& p, std::uint16_t block) const {
    for (std::uint32_t t = 0; t < types_; ++t) {
      if (p.active[t] == block) return true;
    }
    return false;
  }

  void unlink(std::uint32_t plane, std::uint32_t block) {
    const Links l = link(plane, block);
    if (l.previous != kNil) link(plane, l.previous).next = l.next;
    if (l.next != kNil) {
      link(plane, l.next).previous = l.previous;
    } else {
      planes_[plane].newest = l.previous;
    }
  }

  BlockTable& blocks_;
  std::uint32_t types_;
  std::uint32_t pages_;
  std::uint32_t torn_; // pages that cuts may waste while a victim is moved
  std::uint32_t wordlines_;
  std::uint32_t per_plane_;
  std::uint8_t* written_; // per block and type
  Links* links_;          // per block
  PlaneBlocks* planes_;
  std::uint32_t planes_per_die_;
  std::uint32_t* used_; // pa-twin: pages taken, per plane and type; else null
  PageType choices_[kMaxPageTypes + 1][kMaxPageTypes] = {}; // by hint
  bool keeps_ = true;                                       // pages for collection
};

} // namespace

std::uint32_t page_type_reserve_pages(const Geometry& g) {
  return (static_cast<std::uint32_t>(g.cell) + 1) * g.pages_per_block + 1;
}

BlockAllocation* make_page_type_allocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config) {
  return memory.make<PageTypeAllocation>(memory, blocks, config, false);
}

BlockAllocation* make_page_type_twin_allocation(BootMemory& memory, BlockTable& blocks,
                                                const FtlConfig& config) {
  return memory.make<PageTypeAllocation>(memory, blocks, config, true);
}

} // namespace twinplane::fw
