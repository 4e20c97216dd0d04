#include "firmware/ftl/map/unit_io.h"

#include <cstring>

namespace twinplane::fw {

void UnitIo::boot(UnitMap& map, const BlockTable& blocks, const UnitShape& shape) {
  map_ = &map;
  blocks_ = &blocks;
  pages_ = shape.pages;
  sectors_per_unit_ = shape.sectors_per_page / shape.units;
  number_own_pages(0);
}

void UnitIo::attach(BootMemory& memory, Hal& hal, std::uint32_t transactions, std::uint32_t payload,
                    std::uint32_t untimed_words) {
  hal_ = &hal;
  untimed_words_ = untimed_words;
  payload_ = payload;
  page_bytes_ = map_->units() * sectors_per_unit_ * payload;
  works_ = memory.array<UnitWork>(transactions);
}

std::uint32_t UnitIo::sectors_of(std::uint32_t units) const {
  std::uint32_t sectors = 0;
  for (; units != 0; units &= units - 1) sectors |= unit_sectors(lowest_bit(units));
  return sectors;
}

std::uint32_t UnitIo::cover(std::uint32_t sectors) const {
  std::uint32_t units = 0;
  for (std::uint32_t s = 0; s < map_->units(); ++s)
    units |= ((sectors & unit_sectors(s)) != 0 ? 1u : 0u) << s;
  return units;
}

template <class At>
UnitIo::Run UnitIo::run(std::uint32_t units, const At& at) const {
  Run run;
  for (; units != 0; units &= units - 1) {
    const Ppn page = map_->page_of(at(lowest_bit(units)));
    if (run.units == 0) run.ppn = page;
    if (page == run.ppn) run.units |= 1u << lowest_bit(units);
  }
  return run;
}

UnitIo::Run UnitIo::run_of(std::uint32_t lpn, std::uint32_t units) const {
  return run(units, [&](std::uint32_t s) { return map_->at(lpn, s); });
}

UnitIo::Run UnitIo::run_of(const Transaction& t, std::uint32_t units) const {
  const UnitWork& w = works_[t.index];
  return run(units, [&](std::uint32_t s) { return w.packed ? w.from[s] : map_->at(t.lpn, s); });
}

std::uint32_t UnitIo::pages_of(std::uint32_t lpn, std::uint32_t sectors) const {
  std::uint32_t pages = 0;
  for (std::uint32_t left = cover(sectors); left != 0; ++pages) left &= ~run_of(lpn, left).units;
  return pages;
}

void UnitIo::set_read_target(Transaction& t, const Run& run, std::uint32_t sectors) {
  UnitWork& w = work(t);
  w.reading = run.units;
  w.again &= ~run.units;
  w.cells = 0;
  for (std::uint32_t left = run.units; left != 0; left &= left - 1) {
    const std::uint32_t s = lowest_bit(left);
    const std::uint32_t inside = (sectors & unit_sectors(s)) >> s * sectors_per_unit_;
    if (!w.packed) w.from[s] = map_->at(t.lpn, s);
    w.cells |= inside << map_->slot_of(w.from[s]) * sectors_per_unit_;
  }
  t.flash_mask = sectors & sectors_of(run.units);
}

void UnitIo::arrived(Transaction& t, std::uint32_t sectors) {
  UnitWork& w = work(t);
  for (std::uint32_t left = w.reading; left != 0; left &= left - 1) {
    const std::uint32_t s = lowest_bit(left);
    const std::uint32_t slot = map_->slot_of(w.from[s]);
    const std::uint32_t to = t.buffer + s * sectors_per_unit_ * payload_;
    const std::uint32_t from = landing(t) + slot * sectors_per_unit_ * payload_;
    copy_sectors(*hal_, payload_, to, from, (sectors & unit_sectors(s)) >> s * sectors_per_unit_);
  }
  w.have |= sectors;
}

/// The completion names sectors of the physical page.
std::uint32_t UnitIo::failed_sectors(const Transaction& t, const FlashCompletion& c) const {
  if (c.result != flash_result::uncorrectable) return c.result == 0 ? 0 : t.flash_mask;
  const UnitWork& w = works_[t.index];
  std::uint32_t failed = 0;
  for (std::uint32_t left = w.reading; left != 0; left &= left - 1) {
    const std::uint32_t s = lowest_bit(left);
    const std::uint32_t cells = c.failed_sectors >> map_->slot_of(w.from[s]) * sectors_per_unit_;
    failed |= (cells & low_mask(sectors_per_unit_)) << s * sectors_per_unit_;
  }
  return failed & t.flash_mask;
}

std::uint32_t UnitIo::current(const Transaction& t) const {
  return where_read(t, works_[t.index].todo);
}

/// Of these units, those that are still where they were read.
std::uint32_t UnitIo::where_read(const Transaction& t, std::uint32_t units) const {
  std::uint32_t bits = 0;
  for (; units != 0; units &= units - 1) {
    const std::uint32_t s = lowest_bit(units);
    const LogicalUnit l = logical(t, s);
    if (map_->at(l.lpn, l.unit) == works_[t.index].from[s]) bits |= 1u << s;
  }
  return bits;
}

bool UnitIo::any_at_home(const Transaction& t, std::uint32_t units) const {
  for (; units != 0; units &= units - 1) {
    const Ppn ppn = map_->page_of(works_[t.index].from[lowest_bit(units)]);
    if (ppn == t.source) return true;
    if (blocks_->plane_of(ppn) == blocks_->plane_of(t.home) &&
        blocks_->block_of(ppn) == blocks_->block_of(t.home))
      return true;
  }
  return false;
}

bool UnitIo::moves_any_of(const Transaction& move, const Transaction& write) const {
  for (std::uint32_t left = works_[move.index].todo; left != 0; left &= left - 1) {
    const LogicalUnit l = logical(move, lowest_bit(left));
    if (l.lpn == write.lpn && (works_[write.index].todo >> l.unit & 1) != 0) return true;
  }
  return false;
}

std::uint32_t UnitIo::reading_there(const Transaction& t) const {
  return where_read(t, works_[t.index].reading);
}

LogicalUnit UnitIo::logical(const UnitWork& w, std::uint32_t lpn, std::uint32_t unit) const {
  if (!w.packed) return LogicalUnit{lpn, unit};
  const Pun from = w.from[unit]; // its block has not been erased: a move out of it is under way
  return LogicalUnit{map_->owner_lpn(map_->page_of(from), map_->slot_of(from)),
                     map_->owner_unit(map_->page_of(from), map_->slot_of(from))};
}

std::uint32_t UnitIo::still_there(const Transaction& t) const {
  const UnitWork& w = works_[t.index];
  return w.packed ? current(t) : w.todo & map_->mapped(t.lpn);
}

std::uint32_t UnitIo::place_in(const Transaction& writer, const LogicalUnit& l, Pun at) const {
  if (!writer.traits->by_unit) return kNoPlace;
  for (std::uint32_t left = at == kNoPun ? 0 : in_hand(writer); left != 0; left &= left - 1) {
    const LogicalUnit there = logical(writer, lowest_bit(left));
    const bool same = there.lpn == l.lpn && there.unit == l.unit;
    if (same && works_[writer.index].at[lowest_bit(left)] == at) return lowest_bit(left);
  }
  return kNoPlace;
}

std::uint32_t UnitIo::part_of(const Transaction& t, const LogicalUnit& l) const {
  for (std::uint32_t left = works_[t.index].written; left != 0; left &= left - 1) {
    const LogicalUnit there = logical(t, lowest_bit(left));
    if (there.lpn == l.lpn && there.unit == l.unit) return lowest_bit(left);
  }
  return kNoPlace;
}

void UnitIo::copy_unit(const Transaction& from, std::uint32_t at, Transaction& to, std::uint32_t unit,
                       std::uint32_t sectors) {
  const std::uint32_t bytes = sectors_per_unit_ * payload_;
  copy_sectors(*hal_, payload_, to.buffer + unit * bytes, from.buffer + at * bytes,
               sectors >> unit * sectors_per_unit_);
  work(to).have |= sectors;
}

void UnitIo::begin_words(std::uint32_t to) {
  auto* const words = reinterpret_cast<std::uint64_t*>(hal_->dram() + to);
  for (std::uint32_t s = 0; s < map_->units(); ++s) words[s] = kNoWord;
}

void UnitIo::store_words(std::uint32_t to, Ppn ppn, std::uint64_t sequence, const Written& done) const {
  auto* const words = reinterpret_cast<std::uint64_t*>(hal_->dram() + to);
  const std::uint32_t level = map_->sums(blocks_->plane_of(ppn), blocks_->block_of(ppn)).level;
  std::uint32_t slot = done.slot;
  for (std::uint32_t left = done.units; left != 0; left &= left - 1) {
    const std::uint32_t at = done.in_order ? lowest_bit(left) : slot++;
    const std::uint32_t number = map_->owner_lpn(ppn, at) * map_->units() + map_->owner_unit(ppn, at);
    words[at] = words_.word(sequence, level, number);
  }
}

void UnitIo::gather_image(const Transaction& t, const Transaction& of, const Written& done) {
  const std::uint32_t bytes = sectors_per_unit_ * payload_;
  std::uint32_t slot = done.slot;
  for (std::uint32_t left = done.units; left != 0; left &= left - 1) {
    const std::uint32_t s = lowest_bit(left);
    const std::uint32_t at = done.in_order ? s : slot++;
    copy_sectors(*hal_, payload_, landing(of) + at * bytes, t.buffer + s * bytes,
                 low_mask(sectors_per_unit_));
  }
}

void UnitIo::arrange(const UnitWork& w, const std::uint8_t* payload, std::uint8_t* cells) const {
  const std::size_t bytes = std::size_t{sectors_per_unit_} * payload_;
  std::uint32_t slot = lowest_bit(w.cells) / sectors_per_unit_; // of a native page the first one, and all
  for (std::uint32_t left = w.written; left != 0; left &= left - 1, ++slot) {
    if (payload == nullptr) {
      std::memset(cells + slot * bytes, 0, bytes);
    } else {
      std::memcpy(cells + slot * bytes, payload + lowest_bit(left) * bytes, bytes);
    }
  }
}

} // namespace twinplane::fw
