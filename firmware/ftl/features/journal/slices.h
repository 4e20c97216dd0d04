// Which slices of the journal are to be written, are being written, and lie in the flash.
#pragma once

#include <cstdint>

#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/features/journal/slice.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

class JournalSlices {
 public:
  void boot(BootMemory& memory, const SliceLayout& layout);
  const SliceLayout& layout() const { return layout_; }

  /// What the tables say of the item, and of those beside it, is to be written.
  void changed(std::uint32_t item) { dirty_[layout_.slice_of(item)] = dirty_[layout_.part_of(item)] = 1; }
  void changed_all(SliceKind kind);
  /// Nothing that has happened to the item has to be written.
  bool clean(std::uint32_t item) const;
  /// A page of the slice has been found, or written.
  void known(std::uint32_t slice) {
    if (layout_.kind(slice) == SliceKind::parts) parts_known_ += 1u - known_[slice];
    known_[slice] = 1;
  }
  /// Slices that lie in the flash, and those that may be written in one flush.
  std::uint32_t count_known() const;
  std::uint32_t most() const { return layout_.slices() + parts_known_; }

  /// All that is dirty is to be written, and with a map all that tells of losses before it.
  void begin_flush(bool losses);
  /// All that is known is written again, by the flush that is going on or the next one.
  void write_all_again(bool flushing);
  void give_up_flush();
  /// The slice that is written next, layout().with_parts(): none. Trims and their parts come before the map.
  std::uint32_t next() const;
  void write_parts(std::uint32_t slice);
  void written(std::uint32_t slice);

  void serialise(StateVisitor& visitor);
  bool holds() const;

 private:
  SliceLayout layout_;
  // by slice, with parts
  std::uint8_t* dirty_ = nullptr;   // to be written some time
  std::uint8_t* pending_ = nullptr; // by the flush that is going on
  std::uint8_t* known_ = nullptr;   // a page of it is in the flash, and needed
  std::uint32_t parts_known_ = 0;   // of them
};

} // namespace twinplane::fw
