// Units in buffers: what transactions read and program in a drive whose map's unit is smaller than a page.
//
// A transaction names one logical page. Which of its units it moves, and from where, is its UnitWork
// (unit_work.h). Its page buffer is twice as long as a page: data lie in the first half in the order of the
// logical page, and on their way from and to the flash in the second half in the order of the physical one.
// Behind it are the out-of-band words that a program stores, one for each unit (unit_word.h).
#pragma once

#include "firmware/ftl/map/page_map.h"
#include "firmware/ftl/map/unit_word.h"
#include "firmware/ftl/map/unit_work.h"
#include "firmware/ftl/page_buffer.h"
#include "firmware/ftl/transaction.h"
#include "firmware/hal/hal.h"
#include "hw/spec/flash_descriptor.h"

namespace twinplane::fw {

class UnitIo {
 public:
  void boot(UnitMap& map, const BlockTable& blocks, const UnitShape& shape);
  /// `transactions` in the pool, payload bytes per sector, DRAM offset of the words of functional writes.
  void attach(BootMemory& memory, Hal& hal, std::uint32_t transactions, std::uint32_t payload,
              std::uint32_t untimed_words);

  UnitWork& work(const Transaction& t) { return works_[t.index]; }
  const UnitWork& work(const Transaction& t) const { return works_[t.index]; }

  // --- sectors ---
  std::uint32_t sectors_of(std::uint32_t units) const;
  std::uint32_t unit_sectors(std::uint32_t unit) const {
    return low_mask(sectors_per_unit_) << unit * sectors_per_unit_;
  }
  std::uint32_t sectors_per_unit() const { return sectors_per_unit_; }
  /// The units that these sectors touch.
  std::uint32_t cover(std::uint32_t sectors) const;

  // --- reading ---
  /// Units of a logical page that lie in one physical page.
  struct Run {
    Ppn ppn = kNoPpn;
    std::uint32_t units = 0;
  };
  /// The run of the first one of `units`, all of which are mapped.
  Run run_of(std::uint32_t lpn, std::uint32_t units) const;
  /// The same of what a move takes along.
  Run run_of(const Transaction& t, std::uint32_t units) const;
  /// Pages that hold units with these sectors, all of which are mapped.
  std::uint32_t pages_of(std::uint32_t lpn, std::uint32_t sectors) const;
  void begin_read(Transaction& t) { works_[t.index] = UnitWork(); }
  /// What a read of these sectors of a run moves; remembers it for arrived().
  void set_read_target(Transaction& t, const Run& run, std::uint32_t sectors);
  /// The sectors have been read: puts them where they belong in the logical page.
  void arrived(Transaction& t, std::uint32_t sectors);
  /// Of the read under way, the sectors that the flash has not delivered; in the order of the logical page.
  std::uint32_t failed_sectors(const Transaction& t, const FlashCompletion& c) const;

  // --- moves ---
  /// The units of a move that are still where they were read.
  std::uint32_t current(const Transaction& t) const;
  /// Of what a move takes along, what is still to be moved.
  std::uint32_t still_there(const Transaction& t) const;
  LogicalUnit logical(const Transaction& t, std::uint32_t unit) const {
    return logical(works_[t.index], t.lpn, unit);
  }
  LogicalUnit logical(const UnitWork& w, std::uint32_t lpn, std::uint32_t unit) const;
  /// The move takes along a unit that the write is to write.
  bool moves_any_of(const Transaction& move, const Transaction& write) const;
  /// One of these units of a move is still in the block that is collected.
  bool any_at_home(const Transaction& t, std::uint32_t units) const;
  /// Of the read under way, those that have not been moved since.
  std::uint32_t reading_there(const Transaction& t) const;

  // --- data that only buffers have ---
  /// Where in that write's or move's buffer are the data that the unit has now, as their program is under
  /// way or has failed and will be repeated; kNoPlace: not there.
  static constexpr std::uint32_t kNoPlace = kMaxUnits;
  std::uint32_t place_in(const Transaction& writer, const LogicalUnit& l) const {
    return place_in(writer, l, map_->at(l.lpn, l.unit));
  }
  /// The same of data that the unit has had at that place.
  std::uint32_t place_in(const Transaction& writer, const LogicalUnit& l, Pun at) const;
  /// The part of its work that is this unit; kNoPlace: none of what it has written.
  std::uint32_t part_of(const Transaction& t, const LogicalUnit& l) const;
  /// Copies sectors of one unit of a buffer to another one.
  void copy_unit(const Transaction& from, std::uint32_t at, Transaction& to, std::uint32_t unit,
                 std::uint32_t sectors);

  // --- programs ---
  /// What of a work a page got.
  struct Written {
    std::uint32_t units; // logical
    std::uint32_t slot;  // first physical slot, unless
    bool in_order;       // slots are those of the logical page
  };
  /// Being programmed, or about to be again, whatever the work reads for it or writes elsewhere before that.
  std::uint32_t in_hand(const Transaction& t) const {
    return works_[t.index].written | works_[t.index].again;
  }
  /// By the program under way, or the one that has failed last.
  std::uint32_t written(const Transaction& t) const { return works_[t.index].written; }
  /// Of a write whose program has failed: what newer ones have written instead.
  std::uint32_t superseded(const Transaction& t) const { return works_[t.index].superseded; }
  /// The program has ended well: nothing is replaced by it any more.
  void ended(const Transaction& t) { works_[t.index].written = 0; }
  /// What the program under way replaces with this unit of its work; kNoPun: nothing, kErasedPun: it is gone.
  Pun place_replaced(const Transaction& t, std::uint32_t unit) const {
    return works_[t.index].replaced[unit];
  }
  /// ... and the page that it is in; kNoPpn, kErasedPpn.
  Ppn replaced(const Transaction& t, std::uint32_t unit) const {
    const Pun place = place_replaced(t, unit);
    if (place == kNoPun) return kNoPpn;
    return place == kErasedPun ? kErasedPpn : map_->page_of(place);
  }
  void set_replaced(const Transaction& t, std::uint32_t unit, Pun place) {
    works_[t.index].replaced[unit] = place;
  }
  /// The program of t is that of this slot of its page.
  bool programs_slot(const Transaction& t, std::uint32_t slot) const {
    return (works_[t.index].cells >> slot * sectors_per_unit_ & 1) != 0;
  }
  /// The units in the order in which the page holds them, where `of` programs it from.
  void gather_image(const Transaction& t, const Transaction& of, const Written& done);
  /// What is programmed in the same page as t, which names the program, behind it; nullptr: nothing else is.
  Transaction* rider(const Transaction& t) const { return works_[t.index].rider; }
  void add_rider(const Transaction& last, Transaction& t) { works_[last.index].rider = &t; }
  /// ... and does not any more.
  Transaction* take_rider(const Transaction& t) {
    Transaction* const rider = works_[t.index].rider;
    works_[t.index].rider = nullptr;
    return rider;
  }
  /// What the page got of `payload`, as its cells hold it.
  void arrange(const UnitWork& w, const std::uint8_t* payload, std::uint8_t* cells) const;

  // --- out-of-band words ---
  /// DRAM bytes of the words of a page: behind the page buffer of each transaction, and once more for functional
  /// writes.
  std::uint32_t words_bytes() const {
    return map_->units() * static_cast<std::uint32_t>(sizeof(std::uint64_t));
  }
  std::uint32_t words_of(const Transaction& t) const { return t.own_buffer + 2 * page_bytes_; }
  const std::uint64_t* words_read(const Transaction& t) const {
    return reinterpret_cast<const std::uint64_t*>(hal_->dram() + words_of(t));
  }
  /// DRAM offset of the words of what was placed last by a functional write.
  std::uint32_t words_untimed() const { return untimed_words_; }
  /// None is there.
  void begin_words(std::uint32_t to);
  /// Of the slots that have just been linked.
  void store_words(std::uint32_t to, Ppn ppn, std::uint64_t sequence, const Written& done) const;
  const UnitWords& words() const { return words_; }
  /// Metadata, in blocks of the cache, have so many numbers, beyond those of all units. One more is never used: its
  /// word would be all ones.
  void number_own_pages(std::uint32_t numbers) { words_ = UnitWords(all_units() + numbers + 1); }
  std::uint64_t own_word(std::uint64_t sequence, std::uint32_t number) const {
    return words_.word(sequence, 0, all_units() + number);
  }
  /// + 1; 0: the word is a unit's.
  std::uint32_t own_number(std::uint64_t word) const {
    const std::uint32_t number = words_.number(word);
    return number < all_units() ? 0 : number - all_units() + 1;
  }

  // --- descriptors ---
  /// What the flash moves, and the half of the page buffer that it is moved through.
  void describe(const Transaction& t, FlashDescriptor& f) const {
    if (t.traits->page_as_it_is) return;
    f.buffer = landing(t);
    f.sector_mask = works_[t.index].cells;
    if (t.traits->reads_words) describe_words(t, f);
    std::uint32_t lost = 0;
    for (const Transaction* part = &t; part != nullptr; part = rider(*part)) lost |= works_[part->index].lost;
    if (t.traits->maps_page && lost != 0) mark_lost(f, lost);
  }
  /// ... and the words that a program stores, or a scan reads.
  void describe_words(const Transaction& t, FlashDescriptor& f) const {
    f.flags |= flash_flag::oob_words;
    f.oob = words_of(t);
  }

 private:
  std::uint32_t all_units() const { return pages_ * map_->units(); }
  std::uint32_t landing(const Transaction& t) const { return t.own_buffer + page_bytes_; }
  template <class At>
  Run run(std::uint32_t units, const At& at) const;
  std::uint32_t where_read(const Transaction& t, std::uint32_t units) const;

  UnitMap* map_ = nullptr;
  const BlockTable* blocks_ = nullptr;
  Hal* hal_ = nullptr;
  UnitWords words_;
  UnitWork* works_ = nullptr; // by transaction
  std::uint32_t pages_ = 0;   // logical ones
  std::uint32_t sectors_per_unit_ = 0;
  std::uint32_t payload_ = 0;       // bytes per sector
  std::uint32_t page_bytes_ = 0;    // in a buffer
  std::uint32_t untimed_words_ = 0; // DRAM offset
};

} // namespace twinplane::fw
