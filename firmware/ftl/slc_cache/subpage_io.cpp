#include "firmware/ftl/slc_cache/subpage_io.h"

#include <cstring>

namespace twinplane::fw {

void SubpageIo::boot(const CacheContext& c, std::uint32_t sectors_per_page) {
  begin(c);
  sectors_per_subpage_ = sectors_per_page / map_->subpages();
  number_own_pages(0);
}

void SubpageIo::attach(BootMemory& memory, Hal& hal, std::uint32_t transactions, std::uint32_t payload,
                       std::uint32_t untimed_words) {
  hal_ = &hal;
  untimed_words_ = untimed_words;
  payload_ = payload;
  page_bytes_ = map_->subpages() * sectors_per_subpage_ * payload;
  works_ = memory.array<CacheWork>(transactions);
}

std::uint32_t SubpageIo::sectors_of(std::uint32_t subpages) const {
  std::uint32_t sectors = 0;
  for (; subpages != 0; subpages &= subpages - 1) sectors |= subpage_sectors(lowest_bit(subpages));
  return sectors;
}

std::uint32_t SubpageIo::cover(std::uint32_t sectors) const {
  std::uint32_t subpages = 0;
  for (std::uint32_t s = 0; s < map_->subpages(); ++s)
    subpages |= ((sectors & subpage_sectors(s)) != 0 ? 1u : 0u) << s;
  return subpages;
}

SubpageIo::Run SubpageIo::run_of(std::uint32_t lpn, std::uint32_t subpages) const {
  Run run;
  run.ppn = map_->page_of(map_->at(lpn, lowest_bit(subpages)));
  for (; subpages != 0; subpages &= subpages - 1) {
    const std::uint32_t s = lowest_bit(subpages);
    if (map_->page_of(map_->at(lpn, s)) == run.ppn) run.subpages |= 1u << s;
  }
  return run;
}

SubpageIo::Run SubpageIo::run_of(const Transaction& t, std::uint32_t subpages) const {
  const CacheWork& w = works_[t.index];
  if (!w.packed) return run_of(t.lpn, subpages);
  Run run;
  run.ppn = map_->page_of(w.from[lowest_bit(subpages)]);
  for (; subpages != 0; subpages &= subpages - 1) {
    if (map_->page_of(w.from[lowest_bit(subpages)]) == run.ppn) run.subpages |= 1u << lowest_bit(subpages);
  }
  return run;
}

void SubpageIo::aim(Transaction& t, const Run& run, std::uint32_t sectors) {
  CacheWork& w = work(t);
  w.reading = static_cast<std::uint8_t>(run.subpages);
  w.again = static_cast<std::uint8_t>(w.again & ~run.subpages);
  w.cells = 0;
  for (std::uint32_t left = run.subpages; left != 0; left &= left - 1) {
    const std::uint32_t s = lowest_bit(left);
    const std::uint32_t inside = (sectors & subpage_sectors(s)) >> s * sectors_per_subpage_;
    if (!w.packed) w.from[s] = map_->at(t.lpn, s);
    w.cells |= inside << map_->slot_of(w.from[s]) * sectors_per_subpage_;
  }
  t.flash_mask = sectors & sectors_of(run.subpages);
}

void SubpageIo::arrived(Transaction& t, std::uint32_t sectors) {
  CacheWork& w = work(t);
  for (std::uint32_t left = w.reading; left != 0; left &= left - 1) {
    const std::uint32_t s = lowest_bit(left);
    const std::uint32_t slot = map_->slot_of(w.from[s]);
    const std::uint32_t to = t.buffer + s * sectors_per_subpage_ * payload_;
    const std::uint32_t from = landing(t) + slot * sectors_per_subpage_ * payload_;
    copy_sectors(*hal_, payload_, to, from, (sectors & subpage_sectors(s)) >> s * sectors_per_subpage_);
  }
  w.have |= sectors;
}

/// The completion names sectors of the physical page.
std::uint32_t SubpageIo::failed_sectors(const Transaction& t, const FlashCompletion& c) const {
  if (c.result != flash_result::uncorrectable) return c.result == 0 ? 0 : t.flash_mask;
  const CacheWork& w = works_[t.index];
  std::uint32_t failed = 0;
  for (std::uint32_t left = w.reading; left != 0; left &= left - 1) {
    const std::uint32_t s = lowest_bit(left);
    const std::uint32_t cells = c.failed_sectors >> map_->slot_of(w.from[s]) * sectors_per_subpage_;
    failed |= (cells & low_mask(sectors_per_subpage_)) << s * sectors_per_subpage_;
  }
  return failed & t.flash_mask;
}

std::uint32_t SubpageIo::current(const Transaction& t) const {
  return where_read(t, works_[t.index].todo);
}

/// Of these subpages, those that are still where they were read.
std::uint32_t SubpageIo::where_read(const Transaction& t, std::uint32_t subpages) const {
  std::uint32_t bits = 0;
  for (; subpages != 0; subpages &= subpages - 1) {
    const std::uint32_t s = lowest_bit(subpages);
    const LogicalSubpage l = logical(t, s);
    if (map_->at(l.lpn, l.subpage) == works_[t.index].from[s]) bits |= 1u << s;
  }
  return bits;
}

bool SubpageIo::any_at_home(const Transaction& t, std::uint32_t subpages) const {
  for (; subpages != 0; subpages &= subpages - 1) {
    const Ppn ppn = map_->page_of(works_[t.index].from[lowest_bit(subpages)]);
    if (ppn == t.source) return true;
    if (blocks_->plane_of(ppn) == blocks_->plane_of(t.home) &&
        blocks_->block_of(ppn) == blocks_->block_of(t.home))
      return true;
  }
  return false;
}

std::uint32_t SubpageIo::reading_there(const Transaction& t) const {
  return where_read(t, works_[t.index].reading);
}

LogicalSubpage SubpageIo::logical(const CacheWork& w, std::uint32_t lpn, std::uint32_t subpage) const {
  if (!w.packed) return LogicalSubpage{lpn, subpage};
  const Psn from = w.from[subpage]; // its block has not been erased: a move out of it is under way
  return LogicalSubpage{map_->owner_lpn(map_->page_of(from), map_->slot_of(from)),
                        map_->owner_subpage(map_->page_of(from), map_->slot_of(from))};
}

std::uint32_t SubpageIo::still_there(const Transaction& t) const {
  const CacheWork& w = works_[t.index];
  return w.packed ? current(t) : w.todo & map_->mapped(t.lpn);
}

std::uint32_t SubpageIo::place_in(const Transaction& writer, const LogicalSubpage& l) const {
  if (!writer.traits->by_subpage) return kNoPlace;
  const Psn now = map_->at(l.lpn, l.subpage);
  for (std::uint32_t left = now == kNoPsn ? 0 : in_hand(writer); left != 0; left &= left - 1) {
    const LogicalSubpage there = logical(writer, lowest_bit(left));
    const bool same = there.lpn == l.lpn && there.subpage == l.subpage;
    if (same && works_[writer.index].at[lowest_bit(left)] == now) return lowest_bit(left);
  }
  return kNoPlace;
}

std::uint32_t SubpageIo::part_of(const Transaction& t, const LogicalSubpage& l) const {
  for (std::uint32_t left = works_[t.index].written; left != 0; left &= left - 1) {
    const LogicalSubpage there = logical(t, lowest_bit(left));
    if (there.lpn == l.lpn && there.subpage == l.subpage) return lowest_bit(left);
  }
  return kNoPlace;
}

void SubpageIo::copy_subpage(const Transaction& from, std::uint32_t at, Transaction& to,
                             std::uint32_t subpage, std::uint32_t sectors) {
  const std::uint32_t bytes = sectors_per_subpage_ * payload_;
  copy_sectors(*hal_, payload_, to.buffer + subpage * bytes, from.buffer + at * bytes,
               sectors >> subpage * sectors_per_subpage_);
  work(to).have |= sectors;
}

void SubpageIo::store_words(std::uint32_t to, Ppn ppn, std::uint64_t sequence, const Written& done) const {
  auto* const words = reinterpret_cast<std::uint64_t*>(hal_->dram() + to);
  for (std::uint32_t s = 0; s < map_->subpages(); ++s) words[s] = kNoWord;
  const std::uint32_t level = map_->sums(blocks_->plane_of(ppn), blocks_->block_of(ppn)).level;
  std::uint32_t slot = done.slot;
  for (std::uint32_t left = done.subpages; left != 0; left &= left - 1) {
    const std::uint32_t at = done.in_order ? lowest_bit(left) : slot++;
    const std::uint32_t number = map_->owner_lpn(ppn, at) * map_->subpages() + map_->owner_subpage(ppn, at);
    words[at] = words_.word(sequence, level, number);
  }
}

void SubpageIo::gather_image(const Transaction& t, const Written& done) {
  const std::uint32_t bytes = sectors_per_subpage_ * payload_;
  std::uint32_t slot = done.slot;
  for (std::uint32_t left = done.subpages; left != 0; left &= left - 1) {
    const std::uint32_t s = lowest_bit(left);
    const std::uint32_t at = done.in_order ? s : slot++;
    copy_sectors(*hal_, payload_, landing(t) + at * bytes, t.buffer + s * bytes,
                 low_mask(sectors_per_subpage_));
  }
}

void SubpageIo::arrange(const CacheWork& w, const std::uint8_t* payload, std::uint8_t* cells) const {
  const std::size_t bytes = std::size_t{sectors_per_subpage_} * payload_;
  std::uint32_t slot = lowest_bit(w.cells) / sectors_per_subpage_; // of a native page the first one, and all
  for (std::uint32_t left = w.written; left != 0; left &= left - 1, ++slot) {
    if (payload == nullptr) {
      std::memset(cells + slot * bytes, 0, bytes);
    } else {
      std::memcpy(cells + slot * bytes, payload + lowest_bit(left) * bytes, bytes);
    }
  }
}

} // namespace twinplane::fw
