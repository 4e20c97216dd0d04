// The map as the words of pages, a checkpoint and pages of metadata tell it: of all versions of an item the newest one.
// An item is a logical page or a unit of one (map/item_map.h), and a page has a word for each of its slots. With a
// checkpoint the map begins with the checkpoint's, and copies of lower pages stand in for pages that cannot be read.
#pragma once

#include "firmware/ftl/map/item_losses.h"
#include "firmware/ftl/recovery/found_blocks.h"

namespace twinplane::fw {

class FoundMap final : private RecoveryPart {
 public:
  /// The words of a page, as many as it has slots; kNoWord: of one that is erased, or cannot be read.
  struct Words {
    const std::uint64_t* word;
    std::uint32_t count;
  };
  FoundMap(BootMemory& memory, const RecoveryPart& part);

  // --- words ---
  void begin_read(Transaction& t) const {
    if (units_ != nullptr) units_->io.begin_read(t);
  }
  Words words_of(const Transaction& t, const FlashCompletion& c) const {
    return units_ == nullptr ? Words{&c.oob, 1} : Words{units_->io.words_read(t), items_.each()};
  }
  /// Of a page that was programmed as a whole; none: it has no word.
  struct LastWord {
    std::uint64_t stamp;
    bool any;
  };
  LastWord last_word(const Transaction& t, const FlashCompletion& c) const;
  /// t has read a page that is not blank.
  void take_page(const Transaction& t, const FlashCompletion& c);
  /// The block was read in the wrong mode: what its pages told is void.
  void read_again(std::uint32_t plane, std::uint32_t block, bool slc);

  // --- checkpoint ---
  /// All of its map has been read, and follows: its programs with this stamp or older ones had ended.
  void begin_checkpoint(std::uint32_t stamp);
  /// An entry, whose page is named by the die's blocks.
  void load_entry(std::uint32_t item, Pun entry);
  /// The stamp is newer than the checkpoint: what is not, and lies in a known block, is in the map.
  bool is_newer(std::uint64_t stamp) const { return order_.newer(stamp, checkpoint_); }
  /// The block is a known one, that is full.
  void know_block(std::uint32_t plane, std::uint32_t block);
  /// The checkpoint names a page that is not there any more, and nothing newer tells of the item.
  bool dropped(std::uint32_t item) const {
    return from_checkpoint_ && items_.at(item) == kNoPun && is_confirmed(item);
  }

  // --- items ---
  Ppn page_of(std::uint32_t item) const { return items_.page_of(items_.at(item)); }
  /// Of the version that the map names. Pages of metadata have as much of it as a page's stamp.
  std::uint64_t stamp_of(std::uint32_t item) const { return stamps_.of(item); }
  void forget(std::uint32_t item) { items_.set(item, kNoPun); }
  /// A page of metadata with this stamp calls the item unmapped.
  void told_unmapped(std::uint32_t item, std::uint32_t stamp);
  /// Of what the map names now exactly these sectors are lost.
  void set_losses(std::uint32_t item, std::uint32_t sectors) const {
    if (sectors != 0 || losses_.any()) losses_.set(item, sectors);
  }
  /// Blocks get other numbers: places are on page to(page).
  template <typename To>
  void rename_pages(const To& to) {
    for (std::uint32_t item = 0; item < items_.count(); ++item) {
      const Pun place = items_.at(item);
      if (place != kNoPun) items_.set(item, items_.renamed(place, to));
    }
  }

  // --- later steps: all words are known; the map is complete, and all blocks are free yet; all units are open ---
  void words_known();
  void complete();
  void recovered();
  /// How far next_to_rescue() has come.
  struct Rescued {
    std::size_t copies = 0;
    std::uint32_t lpns = 0;
  };
  /// The next LPN that has to be written again; kNoLpn: there is none.
  std::uint32_t next_to_rescue(Rescued& at) const;

 private:
  void map_word(Pun place, std::uint64_t word, std::uint32_t lost);
  void note_use(Ppn page, const Words& words);
  void note_torn(Ppn page);
  void name(std::uint32_t item, Pun place, std::uint64_t stamp, std::uint32_t lost);
  void drop_stale_entries();
  void find_owners();
  void take_repair(const Feature::Version& copy);
  bool is_split(std::uint32_t lpn) const;
  bool is_confirmed(std::uint32_t item) const { return (confirmed_[item / 32] >> item % 32 & 1) != 0; }
  void confirm(std::uint32_t item) { confirmed_[item / 32] |= 1u << item % 32; }

  ItemMap& items_ = state_.items;
  const ItemLosses losses_;
  Units* const units_ = state_.units;
  const UnitWords words_;
  const StampOrder order_ = words_.order();
  FoundStamps stamps_;                 // of the version that the map names
  std::uint32_t* confirmed_ = nullptr; // a bit per item: its entry in the map has been found by its word
  std::uint64_t checkpoint_ = 0;       // stamp
  bool from_checkpoint_ = false;
};

} // namespace twinplane::fw
