#include "firmware/ftl/checks/table_check.h"

#include "firmware/ftl/checks/disputed_page.h"
#include "firmware/ftl/core.h"

namespace twinplane::fw {
namespace {

class TableCheck {
 public:
  explicit TableCheck(const FtlCore& core)
      : core_(core),
        state_(core.state),
        blocks_(core.state.blocks),
        geometry_(core.state.blocks.geometry()) {}

  BrokenRule run() {
    const bool by_unit = state_.units != nullptr;
    const bool twins = blocks_.twins() != 1;
    // sums come last, since they name a plane at most
    if (pool() && locks() && blocks() && (by_unit ? units() : map()) && planes() && (!twins || dies()))
      idle();
    return broken_;
  }

 private:
  using Where = TablePlace;

  static Where of(std::uint32_t lpn) {
    return Where{BrokenRule::kNowhere, BrokenRule::kNowhere, BrokenRule::kNowhere, lpn};
  }

  bool equal(std::uint64_t found, std::uint64_t expected, const char* rule, const Where& at) {
    if (found == expected) return true;
    broken_ = BrokenRule{rule, at.lpn, at.plane, at.block, at.page, found, expected};
    return false;
  }
  bool holds(bool condition, const char* rule, const Where& at) {
    return equal(condition ? 1 : 0, 1, rule, at);
  }

  /// Pages of a block are handed out in any order, and blocks close before they are full.
  bool relaxed() const { return blocks_.counts_space_in_pages(); }

  bool pool() {
    return holds(state_.pool.counts_hold(), "the pool counts as many free transactions as there are",
                 Where{});
  }

  bool locks() {
    const LpnLocks& locks = state_.locks;
    for (std::uint32_t lpn = locks.next_held(0); lpn != kNoLpn; lpn = locks.next_held(lpn + 1)) {
      const auto has_it = [&](const Transaction& t) { return t.lpn == lpn && !locks.waits(t); };
      if (!holds(state_.pool.find(has_it) != nullptr, "a lock is held by a transaction in use", of(lpn)))
        return false;
    }
    std::uint32_t waiting = 0;
    state_.pool.for_each([&](const Transaction& t) { waiting += locks.waits(t) ? 1 : 0; });
    return equal(locks.waiting(), waiting, "what waits for a lock is in use", Where{});
  }

  bool blocks() {
    for (std::uint32_t p = 0; p < geometry_.planes(); ++p) {
      for (std::uint32_t b = 0; b < geometry_.blocks_per_plane; ++b) {
        if (!block(p, b)) return false;
      }
    }
    return true;
  }

  bool planes() {
    std::uint64_t valid = 0;
    std::uint64_t free_blocks = 0;
    for (std::uint32_t p = 0; p < geometry_.planes(); ++p) {
      if (!sums_of(p, valid, free_blocks) || !victim(p)) return false;
      if (blocks_.regions() != 1 && !regions_of(p)) return false;
    }
    return equal(blocks_.good_blocks(), good_, "good blocks are those in use and the spare ones", Where{}) &&
           equal(blocks_.valid_pages(), valid, "valid pages of the drive are those of its blocks", Where{}) &&
           equal(blocks_.free_blocks(), free_blocks, "free blocks of the drive are those of its planes",
                 Where{});
  }

  bool victim(std::uint32_t plane) {
    const std::uint32_t block = core_.collector.jobs.victim(plane);
    if (block == kNoBlock) return true;
    const BlockState s = blocks_.block(plane, block).state;
    return holds(s == BlockState::victim || s == BlockState::erasing,
                 "the block under collection is a victim or being erased", Where{plane, block});
  }

  bool sums_of(std::uint32_t plane, std::uint64_t& valid, std::uint64_t& drive_free) {
    std::uint32_t free_blocks = 0;
    std::uint32_t reclaimable = 0;
    std::uint32_t space = 0;
    for (std::uint32_t b = 0; b < geometry_.blocks_per_plane; ++b) {
      const BlockInfo& info = blocks_.block(plane, b);
      const std::uint32_t in_die = blocks_.block_in_die(plane, b);
      if (!holds(in_die < geometry_.blocks_per_plane && blocks_.number_of(plane, in_die) == b,
                 "each block of the die stands behind one number", Where{plane, b}))
        return false;
      good_ += info.state != BlockState::bad || blocks_.is_spare(plane, b) ? 1 : 0;
      valid += info.valid;
      free_blocks += info.state == BlockState::free ? 1 : 0;
      space += info.state < BlockState::victim ? geometry_.pages_per_block - info.written : 0;
      if (info.state == BlockState::closed && blocks_.twins() == 1)
        reclaimable += blocks_.invalid_data(blocks_.domain_of(plane, info.region), b);
    }
    drive_free += free_blocks;
    const PlaneInfo& p = blocks_.plane(plane);
    if (!equal(p.free_blocks, free_blocks, "free blocks of a plane are those in the state free",
               Where{plane}))
      return false;
    if (!equal(p.space, relaxed() ? space : free_blocks, "the plane's space is what can be written",
               Where{plane}))
      return false;
    if (blocks_.twins() != 1) return true;
    std::uint32_t sum = 0;
    for (std::uint32_t r = 0; r < blocks_.regions(); ++r)
      sum += blocks_.domain(blocks_.domain_of(plane, r)).reclaimable;
    return equal(sum, reclaimable, "reclaimable data are the invalid ones of closed blocks", Where{plane});
  }

  bool block(std::uint32_t plane, std::uint32_t block) {
    const BlockInfo& info = blocks_.block(plane, block);
    const bool skips = blocks_.regions() != 1 && blocks_.mode(info.region) == PageMode::fast;
    const bool copies = info.state == BlockState::metadata && copies_lower_pages(state_.config);
    std::uint32_t valid = 0;
    for (std::uint32_t page = blocks_.next_valid(plane, block, 0); page < blocks_.pages_per_block();
         page = blocks_.next_valid(plane, block, page + 1)) {
      const Where at{plane, block, page};
      if (!holds(relaxed() || skips || copies || page < info.written, "a valid page has been handed out", at))
        return false;
      if (!holds(!skips || blocks_.order().type(page) == 0, "a fast block holds fast pages alone", at))
        return false;
      ++valid;
      ++valid_;
      valid_hash_ += page_hash(blocks_.ppn(plane, block, page));
    }
    // a drive that is read-only cannot write again what it finds in a copy alone
    const bool rescues = copies && !core_.recovering() && !state_.read_only();
    return equal(info.valid, valid, "a block counts as many valid pages as it has", Where{plane, block}) &&
           (!rescues ||
            equal(valid, 0, "data found in a copy alone are written again", Where{plane, block})) &&
           life(plane, block);
  }

  bool life(std::uint32_t plane, std::uint32_t block) {
    const BlockInfo& info = blocks_.block(plane, block);
    const Where at{plane, block};
    const std::uint32_t pages = blocks_.region_pages(info.region);
    if (!holds(blocks_.slc_erases(plane, block) <= info.erases, "erases in SLC mode are among a block's", at))
      return false;
    if (!holds(info.erases <= blocks_.most_erases(), "no block has more erases than the most worn one", at))
      return false;
    switch (info.state) {
      case BlockState::free:
        return equal(info.written, 0, "a free block has no page handed out", at) &&
               equal(info.pending_reads, 0, "a free block is not being read", at);
      case BlockState::open:
        return holds(info.written < pages, "an open block has a page left", at);
      case BlockState::closed:
        // a purge, for one, closes blocks before their last page (close_early())
        return holds(relaxed() || info.written <= pages, "a closed block has the pages of its region", at);
      default:
        return true;
    }
  }

  bool regions_of(std::uint32_t plane) {
    std::uint32_t listed = 0;
    for (std::uint32_t r = 0; r < blocks_.regions(); ++r) {
      if (!region(plane, r, listed)) return false;
    }
    std::uint32_t bad = 0;
    for (std::uint32_t b = 0; b < blocks_.blocks_per_plane(); ++b)
      bad += blocks_.block(plane, b).state == BlockState::bad ? 1 : 0;
    return equal(listed + bad, blocks_.blocks_per_plane(), "each good block is on the list of one region",
                 Where{plane});
  }

  bool region(std::uint32_t plane, std::uint32_t r, std::uint32_t& listed) {
    PlaneInfo sum{};
    std::uint32_t used = 0; // pages
    for (std::uint32_t b = 0; b < blocks_.blocks_per_plane(); ++b) {
      const BlockInfo& info = blocks_.block(plane, b);
      if (info.region != r || info.state == BlockState::bad) continue;
      ++sum.blocks;
      sum.own += info.system_owned;
      sum.free_blocks += info.state == BlockState::free ? 1 : 0;
      sum.valid += info.valid;
      used += info.written;
      if (info.state == BlockState::closed)
        sum.reclaimable += blocks_.invalid_data(blocks_.domain_of(plane, r), b);
    }
    listed += sum.blocks;
    const PlaneInfo& d = blocks_.domain(blocks_.domain_of(plane, r));
    const Where at{plane};
    return equal(d.blocks, sum.blocks, "a region counts the blocks of its list", at) &&
           equal(d.free_blocks, sum.free_blocks, "a region counts its free blocks", at) &&
           equal(d.space, sum.free_blocks, "a region's space is its free blocks", at) &&
           equal(d.valid, sum.valid, "a region counts its valid pages", at) &&
           equal(d.own, sum.own, "a region counts the firmware's own blocks", at) &&
           equal(d.reclaimable, sum.reclaimable, "a region counts its reclaimable pages", at) &&
           holds(used <= d.blocks * blocks_.region_pages(r), "a region's list is as long as what is used",
                 at);
  }

  bool dies() {
    for (std::uint32_t die = 0; die < blocks_.domains(); ++die) {
      if (!units_of(die)) return false;
    }
    return true;
  }

  bool units_of(std::uint32_t die) {
    PlaneInfo sum{};
    for (std::uint32_t b = 0; b < blocks_.blocks_per_plane(); ++b) {
      std::uint32_t written = 0;
      if (!unit(die, b, written)) return false;
      const BlockInfo& u = blocks_.unit(die, b);
      sum.free_blocks += u.state == BlockState::free ? 1 : 0;
      if (u.state == BlockState::free || u.state == BlockState::open)
        sum.free_pages += blocks_.unit_pages() - written;
      if (u.state == BlockState::closed) sum.reclaimable += blocks_.invalid_data(die, b);
    }
    const PlaneInfo& d = blocks_.domain(die);
    const Where at{blocks_.first_plane_of(die)};
    return equal(d.free_blocks, sum.free_blocks, "a die counts its free units", at) &&
           equal(d.reclaimable, sum.reclaimable, "a die counts its reclaimable pages", at) &&
           equal(d.free_pages, sum.free_pages, "a die counts its free pages", at);
  }

  bool unit(std::uint32_t die, std::uint32_t block, std::uint32_t& written) {
    const BlockInfo& u = blocks_.unit(die, block);
    const std::uint32_t first = blocks_.first_plane_of(die);
    const std::uint32_t pass = blocks_.pass_pages(0);
    std::uint32_t valid = 0;
    std::uint32_t data = 0;
    for (std::uint32_t p = first; p < first + blocks_.twins(); ++p) {
      const BlockInfo& twin = blocks_.block(p, block);
      const Where at{p, block};
      valid += twin.valid;
      written += twin.written;
      data += state_.units != nullptr ? state_.units->map.sums(p, block).valid : twin.valid;
      if (!equal(twin.erases, u.erases, "twin blocks are erased together", at)) return false;
      const std::uint32_t ahead = blocks_.block(first, block).written;
      const bool level =
          u.state != BlockState::open || (twin.written <= ahead && ahead - twin.written <= pass);
      if (!holds(level, "twin blocks are filled level", at)) return false;
      if (!holds(u.state == BlockState::open || twin.state == u.state, "twin blocks share their state", at))
        return false;
    }
    return equal(u.valid, valid, "a unit counts the valid pages of its blocks", Where{first, block}) &&
           (u.state == BlockState::free ||
            (equal(u.written, written, "a unit counts the pages of its blocks", Where{first, block}) &&
             equal(blocks_.data(die, block), data, "a unit counts its valid data", Where{first, block})));
  }

  bool map() {
    std::uint64_t mapped = 0;
    std::uint64_t hash = 0;
    for (std::uint32_t lpn = 0; lpn < state_.exported_pages; ++lpn) {
      const Ppn ppn = state_.policy.mapping->lookup(lpn);
      if (!is_page(ppn)) continue;
      const Where at{blocks_.plane_of(ppn), blocks_.block_of(ppn), blocks_.page_of(ppn), lpn};
      if (!holds(blocks_.valid(ppn), "a page that the map names is valid", at)) return false;
      ++mapped;
      hash += page_hash(ppn);
    }
    if (mapped == valid_ && hash == valid_hash_) return true;
    const Where at = find_disputed_page(state_, mapped >= valid_);
    return equal(mapped, valid_, "as many pages are valid as the map names", at) &&
           equal(hash, valid_hash_, "no two LPNs name the same page", at);
  }

  bool units() {
    std::uint64_t mapped = 0;
    for (std::uint32_t lpn = 0; lpn < state_.exported_pages; ++lpn) {
      if (!units_of_page(lpn, mapped)) return false;
    }
    std::uint64_t valid = 0;
    for (std::uint32_t p = 0; p < geometry_.planes(); ++p) {
      if (!slots_of(p, valid)) return false;
    }
    return equal(mapped, valid, "each valid slot is named by one subpage", Where{});
  }

  bool units_of_page(std::uint32_t lpn, std::uint64_t& mapped) {
    const UnitMap& map = state_.units->map;
    Ppn native = kNoPpn;
    for (std::uint32_t s = 0; s < map.units(); ++s) {
      const Pun pun = map.at(lpn, s);
      if (pun == kNoPun) continue;
      ++mapped;
      const Ppn ppn = map.page_of(pun);
      const std::uint32_t slot = map.slot_of(pun);
      const Where at{blocks_.plane_of(ppn), blocks_.block_of(ppn), blocks_.page_of(ppn), lpn};
      if (!holds((map.page(ppn).valid >> slot & 1) != 0, "a slot that the map names is valid", at))
        return false;
      if (!equal(map.owner_lpn(ppn, slot), lpn, "a slot knows its LPN", at)) return false;
      if (!equal(map.owner_unit(ppn, slot), s, "a slot knows its subpage", at)) return false;
      if (blocks_.slc_mode(ppn) || map.packs()) continue;
      if (!equal(slot, s, "a native page holds a logical page in its order", at)) return false;
      const bool alone =
          native == kNoPpn || native == ppn || state_.read_only(); // then recovery rewrites none
      if (!holds(alone, "a logical page lies in one native page", at)) return false;
      native = ppn;
    }
    return true;
  }

  bool slots_of(std::uint32_t plane, std::uint64_t& valid) {
    const UnitMap& map = state_.units->map;
    std::uint32_t cached = 0, native = 0;
    for (std::uint32_t b = 0; b < blocks_.blocks_per_plane(); ++b) {
      const BlockState s = blocks_.block(plane, b).state;
      if (s == BlockState::free || s == BlockState::metadata || s == BlockState::bad) continue;
      std::uint32_t in_block = 0;
      if (!slots_of(plane, b, in_block)) return false;
      const bool slc = blocks_.mode(blocks_.block(plane, b).region) == PageMode::slc;
      (slc ? cached : native) += in_block;
      valid += in_block;
    }
    return equal(map.cached(plane), cached, "a plane counts the subpages of its cache", Where{plane}) &&
           equal(map.native(plane), native, "a plane counts its native subpages", Where{plane});
  }

  bool slots_of(std::uint32_t plane, std::uint32_t block, std::uint32_t& valid) {
    const UnitMap& map = state_.units->map;
    std::uint32_t used = 0;
    std::uint32_t programmed = 0;
    for (std::uint32_t page = 0; page < blocks_.pages_per_block(); ++page) {
      const Ppn ppn = blocks_.ppn(plane, block, page);
      const PageRecord& r = map.page(ppn);
      const Where at{plane, block, page};
      used += r.used;
      programmed += r.programs != 0 ? 1 : 0;
      valid += bits_set(r.valid);
      if (!holds((r.valid != 0) == blocks_.valid(ppn), "a page is valid while one of its slots is", at))
        return false;
      if (!holds(r.used <= map.units(), "a page has no more slots than subpages", at)) return false;
      if (!equal(r.valid & ~low_mask(r.used), 0, "a valid slot has been programmed", at)) return false;
    }
    const BlockState s = blocks_.block(plane, block).state;
    if (s == BlockState::erasing && valid == 0 && map.sums(plane, block).used == 0)
      return true; // of metadata
    return holds(programmed <= blocks_.block(plane, block).written,
                 "a block counts the pages of its programs", Where{plane, block}) &&
           equal(map.sums(plane, block).used, used, "a block counts its slots", Where{plane, block}) &&
           equal(map.sums(plane, block).valid, valid, "a block counts its valid slots",
                 Where{plane, block}) &&
           (!map.packs() || blocks_.regions() != 1 || blocks_.twins() != 1 ||
            equal(blocks_.data(plane, block), valid, "a block counts its valid data", Where{plane, block}));
  }

  bool idle() {
    if (!core_.idle()) return true;
    const std::uint32_t held = state_.locks.next_held(0);
    return holds(held == kNoLpn, "an idle drive holds no lock", of(held));
  }

  const FtlCore& core_;
  const FtlState& state_;
  const BlockTable& blocks_;
  const Geometry& geometry_;
  std::uint64_t good_ = 0;       // blocks
  std::uint64_t valid_ = 0;      // pages
  std::uint64_t valid_hash_ = 0; // of all of them
  BrokenRule broken_;
};

} // namespace

BrokenRule check_tables(const FtlCore& core) {
  return TableCheck(core).run();
}

} // namespace twinplane::fw
