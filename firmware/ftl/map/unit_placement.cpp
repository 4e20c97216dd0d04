#include "firmware/ftl/map/unit_placement.h"

namespace twinplane::fw {

void UnitPlacement::boot(UnitMap& map, UnitIo& io, BlockTable& blocks, FtlStatistics& statistics) {
  map_ = &map;
  io_ = &io;
  blocks_ = &blocks;
  statistics_ = &statistics;
}

void UnitPlacement::begin_write(Transaction& t) {
  UnitWork& w = io_->work(t);
  w = UnitWork();
  w.todo = policy_->units_to_write(t.lpn, io_->cover(t.mask));
}

void UnitPlacement::take_native(const Transaction& t) {
  UnitWork& w = io_->work(t);
  w.native = true;
  w.todo |= map_->in_native(t.lpn);
}

void UnitPlacement::begin_move(Transaction& t, Ppn page, std::uint32_t slot) {
  UnitWork& w = io_->work(t);
  w = UnitWork();
  t.lpn = map_->owner_lpn(page, slot);
  const std::uint32_t plane = blocks_->plane_of(page);
  const std::uint32_t block = blocks_->block_of(page);
  const std::uint32_t from = map_->sums(plane, block).level;
  const std::uint32_t level = level_of_move(page);
  for (std::uint32_t s = 0; s < map_->units(); ++s) {
    const Pun pun = map_->at(t.lpn, s);
    if (pun == kNoPun) continue;
    const Ppn p = map_->page_of(pun);
    const bool same_block = blocks_->plane_of(p) == plane && blocks_->block_of(p) == block;
    const bool along = p == page || (from != 0 && level == 0 && same_block && policy_->level_of_move(p) == 0);
    if (along) w.todo |= 1u << s;
  }
  w.native = level == 0;
  if (w.native) w.todo |= map_->in_native(t.lpn);
  t.hint = static_cast<PageHint>(level);
}

std::uint32_t UnitPlacement::level_of_move(Ppn page) const {
  return blocks_->in_slc_cache(page) ? policy_->level_of_move(page) : 0;
}

UnitPlacement::SlotOfBlock UnitPlacement::begin_pack(Transaction& t, Ppn page, std::uint32_t slot) {
  UnitWork& w = io_->work(t);
  w = UnitWork();
  w.packed = true;
  t.lpn = map_->owner_lpn(page, slot);
  t.hint = 0;
  const std::uint32_t plane = blocks_->plane_of(page);
  const std::uint32_t block = blocks_->block_of(page);
  SlotOfBlock next{blocks_->page_of(page), slot};
  std::uint32_t count = 0;
  for (;;) {
    const Ppn ppn = blocks_->ppn(plane, block, next.page);
    std::uint32_t left = map_->page(ppn).valid & ~low_mask(next.slot);
    for (; left != 0 && count != map_->units(); left &= left - 1) {
      w.from[count++] = map_->pun(ppn, lowest_bit(left));
      next.slot = lowest_bit(left) + 1;
    }
    if (count == map_->units()) break;
    next = SlotOfBlock{blocks_->next_valid(plane, block, next.page + 1), 0};
    if (next.page == blocks_->pages_per_block()) break;
    if (level_of_move(blocks_->ppn(plane, block, next.page)) != 0) break;
  }
  w.todo = low_mask(count);
  return next;
}

/// Links what the page takes of the work: packed, or all of it.
UnitIo::Written UnitPlacement::link(UnitWork& w, std::uint32_t lpn, Filling& page, TouchedPlanes& touched) {
  const bool native = !blocks_->in_slc_cache(page.ppn);
  const std::uint32_t used = page.used;
  std::uint32_t room = map_->units() - used;
  Written done{0, used, native && !map_->packs()};
  for (std::uint32_t left = w.todo; left != 0 && room != 0; left &= left - 1, --room) {
    const std::uint32_t s = lowest_bit(left);
    const std::uint32_t slot = done.in_order ? s : used + bits_set(done.units);
    const LogicalUnit l = io_->logical(w, lpn, s);
    done.units |= 1u << s;
    const Pun old = map_->at(l.lpn, l.unit);
    const bool repeats = (w.again >> s & 1) != 0 && old == w.at[s]; // what it had replaced stays so
    if (!repeats) w.replaced[s] = old;
    w.at[s] = map_->pun(page.ppn, slot);
    map_->link(l.lpn, l.unit, w.at[s], touched);
  }
  w.lost = 0;
  w.written = done.units;
  w.todo &= ~done.units;
  w.again &= ~done.units;
  page.used = done.in_order ? map_->units() : used + bits_set(done.units);
  return done;
}

/// A native page is programmed as a whole, whatever it holds. `w`: of the write that names the program.
void UnitPlacement::end_page(UnitWork& w, const Filling& page) {
  const bool native = !blocks_->in_slc_cache(page.ppn);
  const std::uint32_t slots = native ? map_->units() : page.used - page.before;
  w.cells = low_mask(slots * io_->sectors_per_unit()) << page.before * io_->sectors_per_unit();
  if (page.before != 0) policy_->programs_again(page.ppn);
  map_->programmed(page.ppn, slots);
}

/// What a move takes along is as old as the page that it comes from. A write that goes with another move of the group may
/// have replaced all of it.
std::uint32_t UnitPlacement::access_by_move(UnitWork& w, const Transaction& t, const PageSlot& slot) {
  w.todo = io_->current(t);
  if (w.todo == 0) return clock_;
  const Ppn source = map_->page_of(w.from[lowest_bit(w.todo)]);
  if (!slot.slc && blocks_->in_slc_cache(t.home))
    policy_->evicts(bits_set(w.packed ? w.todo : w.todo & ~map_->in_native(t.lpn)));
  return map_->page(source).stamp;
}

void UnitPlacement::place(Transaction& t, const PageSlot& slot, std::uint64_t sequence,
                          TouchedPlanes& touched) {
  UnitWork& w = io_->work(t);
  const bool move = t.traits->stream == Stream::relocation;
  const std::uint32_t moved = move ? access_by_move(w, t, slot) : 0;
  io_->begin_words(io_->words_of(t));
  Filling page = begin_page(t.ppn);
  for (const Transaction* part = &t; part != nullptr; part = io_->work(*part).rider) {
    UnitWork& of_part = io_->work(*part);
    const bool of_host = part->traits->stream == Stream::host;
    if (of_host) policy_->host_writes(of_part, part->lpn, t.ppn);
    const Written done = link(of_part, part->lpn, page, touched);
    io_->gather_image(*part, t, done);
    io_->store_words(io_->words_of(t), t.ppn, sequence, done);
    if (of_host) of_part.first = false;
  }
  end_page(w, page);
  map_->accessed(t.ppn, move ? moved : ++clock_);
}

void UnitPlacement::place_losses(const Transaction& t, const LostSectors& lost) {
  UnitWork& w = io_->work(t);
  w.lost = 0;
  for (std::uint32_t left = w.written; left != 0; left &= left - 1) {
    const LogicalUnit l = io_->logical(w, t.lpn, lowest_bit(left));
    const std::uint32_t sectors = lost.of(l.lpn) >> l.unit * io_->sectors_per_unit();
    const std::uint32_t slot = map_->slot_of(map_->at(l.lpn, l.unit));
    w.lost |= (sectors & low_mask(io_->sectors_per_unit())) << slot * io_->sectors_per_unit();
  }
}

UnitWork UnitPlacement::whole_page() const {
  UnitWork w;
  w.todo = map_->all();
  return w;
}

void UnitPlacement::place_untimed(UnitWork& w, std::uint32_t lpn, Ppn ppn, std::uint64_t sequence,
                                  TouchedPlanes& touched) {
  policy_->host_writes(w, lpn, ppn);
  Filling page = begin_page(ppn);
  io_->begin_words(io_->words_untimed());
  io_->store_words(io_->words_untimed(), ppn, sequence, link(w, lpn, page, touched));
  end_page(w, page);
  map_->accessed(ppn, ++clock_);
  w.first = false;
}

void UnitPlacement::place_untimed(const std::uint32_t* numbers, Ppn ppn, std::uint64_t sequence,
                                  TouchedPlanes& touched) {
  Filling page = begin_page(ppn);
  io_->begin_words(io_->words_untimed());
  UnitWork w;
  for (std::uint32_t slot = 0; slot < map_->units(); ++slot) {
    const std::uint32_t lpn = numbers[slot] / map_->units();
    w.todo = 1u << numbers[slot] % map_->units();
    policy_->host_writes(w, lpn, ppn);
    io_->store_words(io_->words_untimed(), ppn, sequence, link(w, lpn, page, touched));
  }
  end_page(w, page);
  map_->accessed(ppn, ++clock_);
}

void UnitPlacement::spoilt(Ppn ppn) {
  policy_->spoilt(ppn);
  map_->use_up(ppn);
}

bool UnitPlacement::has_failed(const Transaction& t, const FlashCompletion& c) {
  if (c.result == 0) return map_->program_failed(t.ppn);
  ++statistics_->flash_failures;
  blocks_->mark_grown_bad(t.ppn);
  spoilt(t.ppn);
  map_->fail_program(t.ppn);
  return true;
}

/// By slot: a page may hold an older version of the unit, too.
std::uint32_t UnitPlacement::failed_at(const Transaction& t) const {
  const UnitWork& w = io_->work(t);
  std::uint32_t bits = 0;
  for (std::uint32_t left = w.written; left != 0; left &= left - 1) {
    const LogicalUnit l = io_->logical(t, lowest_bit(left));
    if (map_->at(l.lpn, l.unit) == w.at[lowest_bit(left)]) bits |= 1u << lowest_bit(left);
  }
  return bits;
}

Pun UnitPlacement::version_before(const Transaction& t, std::uint32_t unit) const {
  const Ppn page = io_->replaced(t, unit);
  const bool own = page == map_->page_of(io_->work(t).at[unit]);
  const bool safe = is_page(page) && !own && !map_->program_failed(page);
  return safe ? io_->place_replaced(t, unit) : kNoPun;
}

void UnitPlacement::repeat_move(Transaction& t, std::uint32_t units) {
  UnitWork& w = io_->work(t);
  w.todo = units;
  w.have = io_->sectors_of(units);
  w.again = w.todo;
  t.source = t.ppn;
  for (; units != 0; units &= units - 1) {
    const LogicalUnit l = io_->logical(t, lowest_bit(units)); // by where it was read, until now
    w.from[lowest_bit(units)] = map_->at(l.lpn, l.unit);
  }
}

bool UnitPlacement::unmap(std::uint32_t lpn, std::uint32_t units, TouchedPlanes& touched) {
  units &= map_->mapped(lpn);
  for (std::uint32_t left = units; left != 0; left &= left - 1) map_->unlink(lpn, lowest_bit(left), touched);
  return units != 0;
}

void UnitPlacement::write_again(Transaction& t) {
  UnitWork& w = io_->work(t);
  const std::uint32_t failed = failed_at(t);
  w.todo |= failed;
  w.superseded |= (w.written & ~failed);
  w.again |= failed;
  const std::uint32_t newest = io_->sectors_of(w.todo);
  t.mask &= newest;
  t.lost &= newest;
  w.have &= newest;
}

void UnitPlacement::note_replaced_losses(const Transaction& t, std::uint32_t lost) {
  UnitWork& w = io_->work(t);
  for (std::uint32_t left = w.written; left != 0; left &= left - 1) {
    Pun& place = w.replaced[lowest_bit(left)];
    if (place == kNoPun && (lost & io_->unit_sectors(lowest_bit(left))) != 0) place = kErasedPun;
  }
}

} // namespace twinplane::fw
