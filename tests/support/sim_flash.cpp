#include "tests/support/sim_flash.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "firmware/ftl/bits.h"

namespace twinplane::test {

namespace {
constexpr std::uint64_t kErasedWord = ~std::uint64_t{0};
} // namespace

SimFlash::SimFlash(const Geometry& geometry, DataMode mode, const SimFlashRules& rules)
    : geometry_(geometry),
      layout_(geometry),
      rules_(rules),
      payload_(payload_bytes(mode, geometry.sector_size)),
      pages_(geometry.pages()),
      data_(geometry.pages() * geometry.sectors_per_page() * payload_),
      table_(geometry.cell, geometry.pages_per_block, rules.page_table),
      written_(geometry.blocks()),
      modes_(geometry.blocks()),
      marked_(geometry.blocks()) {}

void SimFlash::broken(const char* rule, const Ppa& a) {
  std::fprintf(stderr, "simulated flash: %s (die %u plane %u block %u page %u)\n", rule, a.die, a.plane,
               a.block, a.page);
  std::abort();
}

std::uint32_t SimFlash::die_of(std::uint32_t channel, const FlashDescriptor& d) const {
  return (channel * geometry_.chips_per_channel + d.chip) * geometry_.dies_per_chip + layout_.lun(d.row);
}

Ppa SimFlash::place(std::uint32_t channel, const FlashDescriptor& d) const {
  const Ppa a{die_of(channel, d), layout_.plane(d.row), layout_.block(d.row), layout_.page(d.row)};
  if (d.chip >= geometry_.chips_per_channel || layout_.lun(d.row) >= geometry_.dies_per_chip ||
      a.plane >= geometry_.planes_per_die || a.block >= geometry_.blocks_per_plane ||
      a.page >= geometry_.pages_per_block) {
    broken("bad address", a);
  }
  return a;
}

std::size_t SimFlash::block_index(const Ppa& a) const {
  return (std::size_t{a.die} * geometry_.planes_per_die + a.plane) * geometry_.blocks_per_plane + a.block;
}

std::uint32_t SimFlash::programmed_pages(std::uint32_t die, std::uint32_t plane, std::uint32_t block) const {
  return written_[block_index(Ppa{die, plane, block, 0})];
}

void SimFlash::check_group(const std::vector<Ppa>& places, const FlashDescriptor* group,
                           std::uint32_t count) const {
  const Ppa& first = places[0];
  std::uint32_t planes = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Ppa& a = places[i];
    if (group[i].op != group[0].op) broken("one kind of operation per multi-plane command", a);
    if (((group[i].flags ^ group[0].flags) & flash_flag::slc_mode) != 0) broken("one mode per command", a);
    if (a.die != first.die) broken("one die per multi-plane command", a);
    if ((planes >> a.plane & 1) != 0) broken("distinct planes in a multi-plane command", a);
    planes |= 1u << a.plane;
    if (group[0].op != static_cast<std::uint8_t>(FlashOp::erase) && a.page != first.page) {
      broken("page address constraint (PAC)", a);
    }
    if (rules_.bac && a.block != first.block) broken("block address constraint (BAC)", a);
  }
}

void SimFlash::run(std::uint32_t channel, const FlashDescriptor* group, std::uint32_t count,
                   std::uint8_t* dram, FlashCompletion* completions) {
  std::vector<Ppa> places;
  for (std::uint32_t i = 0; i < count; ++i) places.push_back(place(channel, group[i]));
  const bool native = (group[0].flags & flash_flag::slc_mode) == 0;
  const bool pass = rules_.fold != 1 && native && group[0].op == static_cast<std::uint8_t>(FlashOp::program);
  pass ? check_pass(places, group, count) : check_group(places, group, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    completions[i] = execute(channel, places[i], group[i], dram + group[i].buffer);
    move_words(places[i], group[i], dram);
  }
  if (pass) fail_pass(places, count, completions);
}

std::uint32_t SimFlash::planes_of(const FlashDescriptor* command) {
  std::uint32_t planes = 1;
  while ((command[planes - 1].flags & flash_flag::more) != 0) ++planes;
  return planes;
}

/// A page of each of some planes, then the next ones, up to the end of their wordlines: of those none but what was
/// programmed untimed is left out.
void SimFlash::check_pass(const std::vector<Ppa>& places, const FlashDescriptor* group,
                          std::uint32_t count) const {
  const std::uint32_t planes = planes_of(group);
  if (count % planes != 0) broken("a pass has as many pages of each plane", places[0]);
  check_group(places, group, planes);
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool load = (group[i].flags & flash_flag::load) != 0;
    const bool more = (group[i].flags & flash_flag::more) != 0;
    const std::uint32_t step = i / planes;
    const Ppa& first = places[i % planes];
    if (load != (step + 1 < count / planes)) broken("1Ah behind all pages but the last", places[i]);
    if (more != (i % planes + 1 < planes)) broken("the same planes in each step of a pass", places[i]);
    if ((group[i].flags & flash_flag::slc_mode) != 0) broken("a pass in native mode", places[i]);
    if (block_index(places[i]) != block_index(first)) broken("a pass in one block of a plane", places[i]);
    if (places[i].page != first.page + step) broken("pages of a pass follow each other", places[i]);
    if ((places[i].page % rules_.fold == rules_.fold - 1) != !load)
      broken("a pass ends with its wordline", places[i]);
  }
}

/// One page of a plane fails, all of that plane fail.
void SimFlash::fail_pass(const std::vector<Ppa>& places, std::uint32_t count, FlashCompletion* completions) {
  std::uint32_t failed = 0; // planes, as bits
  for (std::uint32_t i = 0; i < count; ++i)
    failed |= (completions[i].result != 0 ? 1u : 0u) << places[i].plane;
  for (std::uint32_t i = 0; i < count; ++i) {
    if ((failed >> places[i].plane & 1) == 0) continue;
    if (completions[i].result == 0) spoil(places[i]);
    pages_[page_index(places[i])].failed = true;
    completions[i].result = flash_result::fail;
  }
}

FlashCompletion SimFlash::run_functional(std::uint32_t channel, const FlashDescriptor& d,
                                         std::uint8_t* payload, std::uint8_t* dram) {
  const Ppa a = place(channel, d);
  const FlashCompletion c = execute(channel, a, d, payload);
  move_words(a, d, dram);
  return c;
}

/// To and from the cells, once the data have moved. Of a read they come whether or not the data can be read,
/// for they have a protection of their own, but for a page whose program has failed.
void SimFlash::move_words(const Ppa& a, const FlashDescriptor& d, std::uint8_t* dram) {
  Page& page = pages_[page_index(a)];
  if ((d.flags & flash_flag::oob_words) == 0) { // one word, its first subpage's
    if (d.op == static_cast<std::uint8_t>(FlashOp::program)) page.words[0] = d.oob;
    return;
  }
  const std::uint32_t sectors = geometry_.sectors_per_page() / geometry_.subpages_per_page;
  for (std::uint32_t s = 0; s < geometry_.subpages_per_page; ++s) {
    std::uint8_t* const at = dram + d.oob + s * sizeof(std::uint64_t);
    if (d.op == static_cast<std::uint8_t>(FlashOp::read)) {
      const bool none = page.failed || in_other_mode(a, d);
      const std::uint64_t word = none ? fw::kNoWord : page.words[s];
      std::memcpy(at, &word, sizeof word);
      continue;
    }
    std::uint64_t word = fw::kNoWord;
    std::memcpy(&word, at, sizeof word);
    if (word == fw::kNoWord) continue;
    const std::uint32_t own = fw::low_mask(sectors) << s * sectors;
    if ((d.flags & flash_flag::loses) != 0) {
      store_lost(a, own & ~d.sector_mask);
    } else if ((d.sector_mask & own) != own) {
      broken("a word for a subpage that is not programmed", a);
    }
    if (page.words[s] != fw::kNoWord) broken("a second word for a subpage", a);
    page.words[s] = word;
  }
}

FlashCompletion SimFlash::execute(std::uint32_t channel, const Ppa& a, const FlashDescriptor& d,
                                  std::uint8_t* payload) {
  FlashCompletion c;
  c.cookie = d.cookie;
  switch (static_cast<FlashOp>(d.op)) {
    case FlashOp::read:
      read(a, d, payload, c);
      break;
    case FlashOp::program:
      program(a, d, payload, c);
      break;
    case FlashOp::erase:
      if (!erase(a)) c.result = flash_result::fail;
      break;
    case FlashOp::copyback:
      copy(channel, a, d, c);
      break;
    default:
      broken("unknown operation", a);
  }
  return c;
}

/// In the first spare byte of the first and the last page; the others are blank.
bool SimFlash::read_mark(const Ppa& a, FlashCompletion& c) const {
  if (!marked(a)) return false;
  const bool here = a.page == 0 || a.page + 1 == geometry_.pages_per_block;
  c.oob = here ? kErasedWord << 8 : kErasedWord;
  c.result = here ? 0 : flash_result::blank;
  return true;
}

void SimFlash::read(const Ppa& a, const FlashDescriptor& d, std::uint8_t* payload, FlashCompletion& c) {
  if (read_mark(a, c)) return;
  if (rules_.allow_blank_reads && in_other_mode(a, d)) return read_in_other_mode(a, d, c);
  check_mode(a, d);
  const Page& page = pages_[page_index(a)];
  const bool spoils = spoiling_permille_ != 0 && read_random_.below(1000) < spoiling_permille_;
  if (spoils && page.programmed) {
    const std::uint32_t sectors = read_random_.below(1u << geometry_.sectors_per_page());
    if (keeps_words_) {
      spoil_sectors(a, sectors == 0 ? ~0u : sectors);
    } else {
      sectors == 0 ? spoil(a) : spoil_sectors(a, sectors);
    }
  }
  if (page.spoilt) {
    c.oob = kErasedWord;
    c.result = flash_result::uncorrectable;
    c.failed_sectors = d.sector_mask;
    return;
  }
  c.failed_sectors = page.bad & d.sector_mask;
  if (c.failed_sectors != 0) c.result = flash_result::uncorrectable;
  if (!page.programmed) {
    if (!rules_.allow_blank_reads) broken("read of an erased page", a);
    c.oob = kErasedWord;
    c.result = flash_result::blank;
    return;
  }
  if ((d.sector_mask & ~page.sectors) != 0) broken("read of sectors that were not programmed", a);
  c.oob = page.oob;
  if (d.sector_mask == 0) c.failed_sectors = page.lost;
  if (payload == nullptr || payload_ == 0) return;
  const std::uint8_t* stored = data_.data() + page_index(a) * geometry_.sectors_per_page() * payload_;
  for (std::uint32_t s = 0; s < geometry_.sectors_per_page(); ++s) {
    if ((d.sector_mask >> s & 1) == 0) continue;
    std::memcpy(payload + s * payload_, stored + s * payload_, payload_);
    if ((page.bad >> s & 1) != 0) payload[s * payload_] ^= 0xFF;
  }
}

void SimFlash::interrupt(std::uint32_t channel, const FlashDescriptor* group, std::uint32_t count,
                         std::uint8_t* dram, std::uint32_t running) {
  std::vector<FlashCompletion> nobody_gets(count);
  run(channel, group, count, dram, nobody_gets.data());
  const auto op = static_cast<FlashOp>(group[0].op);
  if (op == FlashOp::read) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    Ppa a = place(channel, group[i]);
    if ((running >> a.plane & 1) == 0) continue;
    if (op == FlashOp::erase) {
      for (a.page = 0; a.page < geometry_.pages_per_block; ++a.page) ruin(a);
      written_[block_index(a)] = geometry_.pages_per_block;
    } else if (modes_[block_index(a)] == Mode::slc) {
      ruin(a);
    } else {
      const std::uint32_t wordline = table_.wordline(a.page);
      for (int type = table_.type(a.page); type >= 0; --type) {
        a.page = table_.page(wordline, static_cast<PageType>(type));
        ruin(a);
      }
    }
  }
}

/// Neither its data nor its word can be read, and it cannot be programmed.
void SimFlash::ruin(const Ppa& a) {
  Page& page = pages_[page_index(a)];
  page.programmed = false;
  page.spoilt = page.failed = true;
  if (page.programs == 0) page.programs = 1;
}

SectorTag SimFlash::tag(const Ppa& a, std::uint32_t sector) const {
  SectorTag tag;
  std::memcpy(&tag, data_.data() + (page_index(a) * geometry_.sectors_per_page() + sector) * payload_,
              sizeof tag);
  return tag;
}

/// Data, losses and all, of a page of the same plane; with the word of the descriptor.
void SimFlash::copy(std::uint32_t channel, const Ppa& a, const FlashDescriptor& d, FlashCompletion& c) {
  FlashDescriptor from = d;
  from.row = d.buffer;
  const Ppa source = place(channel, from);
  const Page page = pages_[page_index(source)];
  if (source.die != a.die || source.plane != a.plane) broken("a copyback stays in its plane", a);
  if (!page.programmed && !page.spoilt) broken("copyback of an erased page", source);
  if (page.copies >= rules_.copybacks) broken("copybacks in a row", source);
  from.sector_mask = page.sectors;
  program(a, from, data_.data() + page_index(source) * geometry_.sectors_per_page() * payload_, c);
  Page& copied = pages_[page_index(a)];
  copied.copies = page.copies + 1;
  copied.bad = page.bad;
  copied.lost = page.lost;
  if (page.spoilt) spoil(a);
  ++copybacks_;
  if (copied.copies > most_copies_) most_copies_ = copied.copies;
}

void SimFlash::spoil(const Ppa& a) {
  note_spoilt(a, ~0u, true);
  Page& page = pages_[page_index(a)];
  page.programmed = false;
  page.spoilt = true;
}

void SimFlash::spoil_sectors(const Ppa& a, std::uint32_t sectors) {
  sectors &= fw::low_mask(geometry_.sectors_per_page());
  note_spoilt(a, sectors, false);
  pages_[page_index(a)].bad |= sectors;
}

/// They hold nothing, and reads of them fail.
void SimFlash::store_lost(const Ppa& a, std::uint32_t sectors) {
  Page& page = pages_[page_index(a)];
  sectors &= fw::low_mask(geometry_.sectors_per_page());
  page.sectors |= sectors;
  page.bad |= sectors;
  page.lost |= sectors;
  std::uint8_t* const stored = data_.data() + page_index(a) * geometry_.sectors_per_page() * payload_;
  for (; payload_ != 0 && sectors != 0; sectors &= sectors - 1)
    std::memset(stored + fw::lowest_bit(sectors) * payload_, 0, payload_);
}

void SimFlash::note_spoilt(const Ppa& a, std::uint32_t sectors, bool wordless) {
  const Page& page = pages_[page_index(a)];
  const std::uint8_t* stored = data_.data() + page_index(a) * geometry_.sectors_per_page() * payload_;
  for (std::uint32_t s = 0; s < geometry_.sectors_per_page(); ++s) {
    if ((sectors >> s & page.sectors >> s & 1) == 0) continue;
    const std::uint64_t word = page.words[s * geometry_.subpages_per_page / geometry_.sectors_per_page()];
    if (word != fw::kNoWord) spoilt_words_.insert(word);
    SectorTag tag;
    if (payload_ < sizeof tag) continue;
    std::memcpy(&tag, stored + s * payload_, sizeof tag);
    if (tag.sequence == 0) continue;
    spoilt_lbas_.insert(tag.lba);
    if (wordless) wordless_lbas_.insert(tag.lba);
  }
}

void SimFlash::program(const Ppa& a, const FlashDescriptor& d, const std::uint8_t* payload,
                       FlashCompletion& c) {
  Page& page = pages_[page_index(a)];
  const bool slc = (d.flags & flash_flag::slc_mode) != 0;
  if (marked(a)) broken("program of a block that its maker has marked", a);
  check_mode(a, d);
  if (page.programs != 0) {
    check_again(a, d);
  } else {
    check_order(a, slc);
    ++written_[block_index(a)];
  }
  modes_[block_index(a)] = slc ? Mode::slc : Mode::native;
  page.programmed = !page.spoilt;
  page.oob = d.oob;
  page.sectors |= d.sector_mask;
  const bool words = (d.flags & flash_flag::oob_words) != 0; // of subpages: move_words()
  if ((d.flags & flash_flag::loses) != 0 && !words) store_lost(a, ~d.sector_mask);
  if (++page.programs > most_programs_) most_programs_ = page.programs;
  ++programs_;
  const bool by_chance = failing_permille_ != 0 && random_.below(1000) < failing_permille_;
  if (by_chance || (programs_ >= first_failing_ && programs_ < behind_failing_)) {
    note_spoilt(a, ~d.sector_mask, true); // of earlier programs
    page.programmed = false;
    page.spoilt = page.failed = true;
    c.result = flash_result::fail;
    return;
  }
  if (payload_ == 0) return;
  std::uint8_t* stored = data_.data() + page_index(a) * geometry_.sectors_per_page() * payload_;
  for (std::uint32_t i = 0; i < geometry_.sectors_per_page(); ++i) {
    if ((d.sector_mask >> i & 1) == 0) continue;
    if (payload == nullptr) {
      std::memset(stored + i * payload_, 0, payload_);
    } else {
      std::memcpy(stored + i * payload_, payload + i * payload_, payload_);
    }
  }
  note_spoilt(a, page.spoilt ? ~0u : page.bad, page.spoilt);
}

/// A page is programmed once more: in SLC mode, sectors that are still erased, in one piece.
void SimFlash::check_again(const Ppa& a, const FlashDescriptor& d) const {
  const Page& page = pages_[page_index(a)];
  if ((d.flags & flash_flag::slc_mode) == 0 || rules_.partial_programs == 1)
    broken("program without erase", a);
  if (page.failed && !rules_.queued_programs) broken("program of a page whose program has failed", a);
  if (page.programs >= rules_.partial_programs) broken("number of partial programs (NOP)", a);
  if ((page.sectors & d.sector_mask) != 0) broken("program of a sector without erase", a);
  if ((d.flags & flash_flag::loses) != 0) return; // what is lost may lie between
  const std::uint32_t piece = d.sector_mask >> fw::lowest_bit(d.sector_mask);
  if ((piece & (piece + 1)) != 0) broken("partial programs are of one piece", a);
}

bool SimFlash::in_other_mode(const Ppa& a, const FlashDescriptor& d) const {
  const Mode mode = modes_[block_index(a)];
  return mode != Mode::erased && (mode == Mode::slc) != ((d.flags & flash_flag::slc_mode) != 0);
}

/// Who looks for what is written does not know the mode of a block, and gets garbage from all of its
/// wordlines that are not erased.
void SimFlash::read_in_other_mode(const Ppa& a, const FlashDescriptor& d, FlashCompletion& c) const {
  Ppa first = a;
  first.page = modes_[block_index(a)] == Mode::slc ? table_.wordline(a.page) : table_.page(a.page, 0);
  const Page& page = pages_[page_index(first)];
  const bool erased = !page.programmed && !page.spoilt;
  c.oob = kErasedWord;
  c.result = erased ? flash_result::blank : flash_result::uncorrectable;
  c.failed_sectors = erased ? 0 : d.sector_mask;
}

/// A block is used in the mode of its first program until its erase.
void SimFlash::check_mode(const Ppa& a, const FlashDescriptor& d) const {
  const bool slc = (d.flags & flash_flag::slc_mode) != 0;
  if (in_other_mode(a, d)) broken("mode of the block", a);
  const auto bits = static_cast<std::uint32_t>(geometry_.cell);
  if (slc && a.page >= geometry_.pages_per_block / bits) broken("page of a block in SLC mode", a);
}

/// Relaxed: pages of one type ascend; a page of type t needs type t-1 of its own and the adjacent
/// wordlines. Spelled out over the pages themselves.
void SimFlash::check_order(const Ppa& a, bool slc) const {
  if (slc || rules_.order == ProgramOrder::strict) {
    if (a.page != written_[block_index(a)]) broken("program order", a);
    return;
  }
  if (rules_.order == ProgramOrder::ascending) {
    for (std::uint32_t p = a.page + 1; p < geometry_.pages_per_block; ++p) {
      const Page& later = pages_[page_index(Ppa{a.die, a.plane, a.block, p})];
      if (later.programmed || later.spoilt) broken("program order", a);
    }
    return;
  }
  const auto programmed = [&](std::uint32_t wordline, PageType type) {
    const Page& page = pages_[page_index(Ppa{a.die, a.plane, a.block, table_.page(wordline, type)})];
    return page.programmed || page.spoilt;
  };
  const PageType type = table_.type(a.page);
  const std::uint32_t wordline = table_.wordline(a.page);
  if (wordline != 0 && !programmed(wordline - 1, type)) broken("pages of a type ascend", a);
  if (type == 0) return;
  const auto lower = static_cast<PageType>(type - 1);
  const bool before = wordline == 0 || programmed(wordline - 1, lower);
  const bool after = wordline + 1 == table_.wordlines() || programmed(wordline + 1, lower);
  if (!before || !after || !programmed(wordline, lower)) broken("lower pages of adjacent wordlines first", a);
}

bool SimFlash::erase(const Ppa& a) {
  if (marked(a)) broken("erase of a block that its maker has marked", a);
  for (std::uint32_t p = 0; p < geometry_.pages_per_block; ++p) {
    pages_[page_index(Ppa{a.die, a.plane, a.block, p})] = Page();
  }
  written_[block_index(a)] = 0;
  modes_[block_index(a)] = Mode::erased;
  ++erases_;
  if (failing_erases_permille_ == 0 || erase_random_.below(1000) >= failing_erases_permille_) return true;
  for (std::uint32_t p = 0; p < geometry_.pages_per_block; ++p) ruin({a.die, a.plane, a.block, p});
  written_[block_index(a)] = geometry_.pages_per_block;
  return false;
}

} // namespace twinplane::test
