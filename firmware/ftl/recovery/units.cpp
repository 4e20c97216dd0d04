// Which blocks are a unit, in a drive that replaces bad blocks of twin units.
//
// Boot has found the maker's marks and has replaced what they cost, the same way in each life. Blocks that have gone
// bad since are not marked, so what has replaced them is still a spare one by then, or belongs to a unit that had been
// lost. All good blocks are read, spare ones too, and then:
//
//   * Blocks of a unit are filled together, so the times between their first and their last programs overlap, and they
//     begin and end nearly at the same time. Of units whose blocks do not all belong together, blocks of a plane change
//     places as long as that brings blocks nearer to each other.
//   * A spare block that is not erased has to be in a unit, for only units are erased. One that belongs to none takes
//     the place of an erased block. Blocks of metadata and others are not in one unit.
//   * What is known to be bad is replaced by a spare block as it would have been; or its unit is lost.
//
// A number is but a name: which one a unit has makes no difference. Whatever is brought together here, each page is
// found; units that are not as they were are less even than they might be. There is a place for all that is needed: in
// the last life each such block of a plane was in another unit, and no unit has come to those that the maker's marks
// leave. Units of copies of lower pages keep their blocks (BlockTable::after_erase) and are left out.
#include "firmware/ftl/recovery/units.h"
#include "firmware/ftl/recovery/found_metadata.h"

namespace twinplane::fw {
namespace {

// How far apart two blocks are that have been filled together is counted in programs. More than that:
constexpr std::uint64_t kBothTorn = std::uint64_t{1} << 40;  // no word can be read: erased together, perhaps
constexpr std::uint64_t kUneven = std::uint64_t{1} << 44;    // one of them has been filled further
constexpr std::uint64_t kStrangers = std::uint64_t{1} << 48; // they have not been filled together
constexpr std::uint32_t kFewPasses = 3; // with so few two blocks of a unit need not overlap

std::uint64_t between(std::uint64_t x, std::uint64_t y) {
  return x < y ? y - x : x - y;
}

/// Of one site.
class UnitJoin : private RecoveryPart {
 public:
  UnitJoin(const RecoveryPart& part, std::uint32_t site, FoundUnits::Unit* room)
      : RecoveryPart(part),
        site_(site),
        first_(blocks_.first_plane_of(site)),
        end_(first_ + blocks_.twins()),
        pass_(state_.config.pass_pages),
        suspects_(room) {}

  void run() {
    for (std::uint32_t unit = 0; unit < blocks_.blocks_per_plane(); ++unit) {
      for (std::uint32_t plane = first_; plane < end_; ++plane)
        if (is_bad(plane, unit)) found(plane, unit) = FoundBlock(); // it tells nothing of units
      if (is_suspect(unit)) suspects_[count_++].block = unit;
    }
    do {
      Move next;
      while (moving_ && next_move(next)) exchange(next.plane, next.a, next.b);
    } while (place_stray());
    replace_bad();
  }

 private:
  /// Two blocks of a plane change places.
  struct Move {
    std::uint32_t plane = 0;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint64_t gain = 0;
  };

  FoundBlock& found(std::uint32_t plane, std::uint32_t block) const { return found_.at(plane, block); }
  BlockState state(std::uint32_t plane, std::uint32_t block) const {
    return blocks_.block(plane, block).state;
  }
  static bool needed(const FoundBlock& f) { return f.named || f.copy != 0; }

  /// Blocks of a unit of metadata are filled one behind the other: `x` is of the plane that comes first.
  std::uint64_t apart(const FoundBlock& x, const FoundBlock& y) const {
    if (x.pages() == 0 || y.pages() == 0 || x.stamped != y.stamped || x.copy != y.copy) return kStrangers;
    if (!x.stamped) return kBothTorn;
    const auto ago = [&](std::uint64_t stamp) { return found_.age(stamp); };
    if (x.copy != 0) return ago(x.newest) < ago(y.oldest) ? kStrangers : ago(x.newest) - ago(y.oldest);
    const bool overlap = ago(x.oldest) >= ago(y.newest) && ago(y.oldest) >= ago(x.newest);
    if (!overlap && (x.pages() > kFewPasses * pass_ || y.pages() > kFewPasses * pass_)) return kStrangers;
    return between(ago(x.oldest), ago(y.oldest)) + between(ago(x.newest), ago(y.newest)) +
           (between(x.pages(), y.pages()) > pass_ ? kUneven : 0);
  }
  /// From all other blocks of a unit, together.
  std::uint64_t apart(const FoundBlock& f, std::uint32_t plane, std::uint32_t unit) const {
    const bool bad = state(plane, unit) == BlockState::bad; // what there is has nothing to do with it
    std::uint64_t sum = bad ? kStrangers * (end_ - first_ - 1) : 0;
    for (std::uint32_t p = first_; p < end_ && !bad; ++p) {
      if (p != plane) sum += p < plane ? apart(found(p, unit), f) : apart(f, found(p, unit));
    }
    return sum;
  }
  bool is_odd(std::uint32_t plane, std::uint32_t unit) const {
    return apart(found(plane, unit), plane, unit) == kStrangers * (end_ - first_ - 1);
  }
  /// It is known to be, and its last erase is over.
  bool is_bad(std::uint32_t plane, std::uint32_t block) const {
    const FoundBlock& f = found(plane, block);
    return blocks_.block(plane, block).grown_bad != 0 && !needed(f) && !f.stamped &&
           state(plane, block) != BlockState::metadata; // of lower pages
  }
  /// Not erased, and without a unit; or something else needs that, as a block of a plane before this one does.
  bool is_stray(std::uint32_t plane, std::uint32_t block) const {
    const FoundBlock& f = found(plane, block);
    if (f.pages() == 0) return false;
    if (state(plane, block) == BlockState::bad) return true;
    if (state(plane, block) != BlockState::free || !needed(f)) return false;
    return any_plane([&](std::uint32_t p) { return p < plane && is_needed_else(found(p, block), f); });
  }

  template <typename Is>
  bool any_plane(const Is& is) const {
    for (std::uint32_t plane = first_; plane < end_; ++plane) {
      if (is(plane)) return true;
    }
    return false;
  }

  static bool is_needed_else(const FoundBlock& f, const FoundBlock& than) {
    return needed(f) && f.copy != than.copy;
  }
  /// It is no unit, or not all of its blocks belong together.
  bool is_suspect(std::uint32_t unit) const {
    if (any_plane([&](std::uint32_t p) { return is_stray(p, unit); })) return true;
    const bool odd = any_plane([&](std::uint32_t p) { return is_odd(p, unit); });
    return blocks_.unit(site_, unit).state == BlockState::free && odd && !is_erased(unit);
  }
  bool is_erased(std::uint32_t unit) const {
    return !any_plane([&](std::uint32_t p) { return found(p, unit).pages() != 0; });
  }
  /// What brings blocks together most. Each one makes the sum of all that is between the blocks of units less.
  [[nodiscard]] bool next_move(Move& best) const {
    best.gain = 0;
    for (std::uint32_t plane = first_; plane < end_; ++plane) {
      for (std::uint32_t i = 0; i < count_; ++i) {
        for (std::uint32_t k = 0; k < i; ++k) consider(plane, suspects_[i].block, suspects_[k].block, best);
      }
    }
    return best.gain != 0;
  }
  void consider(std::uint32_t plane, std::uint32_t a, std::uint32_t b, Move& best) const {
    const FoundBlock& x = found(plane, a);
    const FoundBlock& y = found(plane, b);
    if ((x.pages() == 0 && y.pages() == 0) || !fits(x, plane, b) || !fits(y, plane, a)) return;
    const std::uint64_t now = apart(x, plane, a) + apart(y, plane, b);
    const std::uint64_t then = apart(x, plane, b) + apart(y, plane, a);
    if (then < now && now - then > best.gain) best = Move{plane, a, b, now - then};
  }
  /// A block that belongs to no unit, those that are needed first. False: there is none left.
  [[nodiscard]] bool place_stray() {
    for (const bool wanted : {true, false}) {
      for (std::uint32_t plane = first_; plane < end_; ++plane) {
        for (std::uint32_t block = 0; block < blocks_.blocks_per_plane(); ++block) {
          if (is_stray(plane, block) && needed(found(plane, block)) == wanted) {
            place(plane, block);
            return true;
          }
        }
      }
    }
    return false;
  }
  void place(std::uint32_t plane, std::uint32_t block) {
    const std::uint32_t to = place_for(plane, found(plane, block));
    if (to != kNoBlock) {
      if (!is_erased(to)) moving_ = false; // what it displaces would come back
      if (moving_ && count_ != blocks_.blocks_per_plane()) suspects_[count_++].block = to;
      return exchange(plane, block, to);
    }
    if (needed(found(plane, block))) state_.hal->panic("more blocks hold data than there are units");
    // It cannot be used in this life: only units are erased, and there is none for it.
    blocks_.mark_grown_bad(blocks_.ppn(plane, block, 0));
    found(plane, block) = FoundBlock();
  }
  /// Best in a unit that is erased. What is needed comes in the place of whatever is not.
  std::uint32_t place_for(std::uint32_t plane, const FoundBlock& f) const {
    std::uint32_t place = kNoBlock;
    for (std::uint32_t to = 0; to < blocks_.blocks_per_plane(); ++to) {
      if (state(plane, to) != BlockState::free || needed(found(plane, to))) continue;
      if (is_erased(to)) return to;
      if (needed(f) && place == kNoBlock && fits(f, plane, to)) place = to;
    }
    return place;
  }
  /// The unit's other blocks are not needed for something else.
  bool fits(const FoundBlock& f, std::uint32_t plane, std::uint32_t unit) const {
    if (!needed(f) || state(plane, unit) != BlockState::free) return true;
    return !any_plane([&](std::uint32_t p) { return p != plane && is_needed_else(found(p, unit), f); });
  }
  /// What has no unit then, and is erased, is a spare block.
  void exchange(std::uint32_t plane, std::uint32_t from, std::uint32_t to) {
    blocks_.exchange_blocks(plane, from, to);
    if (state_.units != nullptr) state_.units->map.exchange_blocks(plane, from, to);
    std::swap(found(plane, from), found(plane, to));
  }
  /// In units that hold pages first. A unit with a bad block for which there is no good one is lost; if it holds
  /// pages, when they are erased.
  void replace_bad() {
    for (const bool erased : {false, true}) {
      for (std::uint32_t unit = 0; unit < blocks_.blocks_per_plane(); ++unit) {
        if (blocks_.unit(site_, unit).state == BlockState::free && is_erased(unit) == erased)
          replace_bad(unit);
      }
    }
  }
  void replace_bad(std::uint32_t unit) {
    const bool erased = is_erased(unit);
    for (std::uint32_t plane = first_; plane < end_; ++plane) {
      if (!is_bad(plane, unit)) continue;
      const std::uint32_t good = find_good(plane, unit);
      if (good != kNoBlock) exchange(plane, unit, good);
    }
    if (!has_bad(unit)) return;
    if (erased) return blocks_.lose_unit(site_, unit);
    for (std::uint32_t plane = first_; plane < end_; ++plane) {
      if (!is_bad(plane, unit)) continue;
      found(plane, unit).fill(blocks_.order().types(), blocks_.order().wordlines());
      found(plane, unit).torn = true;
    }
  }
  /// An erased block: a spare one, or that of a unit which cannot have all of its own.
  std::uint32_t find_good(std::uint32_t plane, std::uint32_t not_of) const {
    const std::uint32_t spare = blocks_.find_spare(plane);
    for (std::uint32_t unit = 0; spare == kNoBlock && unit < blocks_.blocks_per_plane(); ++unit) {
      const bool other = unit != not_of && blocks_.unit(site_, unit).state == BlockState::free;
      if (other && is_erased(unit) && has_bad(unit) && !is_bad(plane, unit)) return unit;
    }
    return spare;
  }
  bool has_bad(std::uint32_t unit) const {
    return any_plane([&](std::uint32_t p) { return is_bad(p, unit); });
  }

  std::uint32_t site_;
  std::uint32_t first_; // planes
  std::uint32_t end_;
  std::uint32_t pass_;         // pages that are programmed together
  FoundUnits::Unit* suspects_; // units, and numbers of lost ones
  std::uint32_t count_ = 0;
  bool moving_ = true;
};

} // namespace

/// What names pages does so by the die's blocks meanwhile.
void FoundUnits::join(FoundMap& map, FoundMetadata& metadata) {
  if (!blocks_.replaces_blocks()) return;
  map.rename_pages([&](Ppn page) {
    found_.at(page).named = true;
    return blocks_.in_die(page);
  });
  metadata.rename_pages(&BlockTable::in_die);
  for (std::uint32_t site = 0; site < blocks_.sites(); ++site) UnitJoin(*this, site, units_).run();
  map.rename_pages([&](Ppn page) { return blocks_.numbered(page); });
  metadata.rename_pages(&BlockTable::numbered);
  state_.charge(2 * state_.exported_pages, state_.config.cost.map_lookup);
}

} // namespace twinplane::fw
