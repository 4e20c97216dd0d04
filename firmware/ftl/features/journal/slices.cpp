#include "firmware/ftl/features/journal/slices.h"

#include <cstring>

namespace twinplane::fw {

void JournalSlices::boot(BootMemory& memory, const SliceLayout& layout) {
  layout_ = layout;
  dirty_ = memory.zeroed<std::uint8_t>(layout.with_parts());
  pending_ = memory.zeroed<std::uint8_t>(layout.with_parts());
  known_ = memory.zeroed<std::uint8_t>(layout.with_parts());
}

void JournalSlices::changed_all(SliceKind kind) {
  for (std::uint32_t s = layout_.begin(kind); s < layout_.slices() && layout_.kind(s) == kind; ++s)
    dirty_[s] = 1;
}

bool JournalSlices::clean(std::uint32_t item) const {
  const std::uint32_t slice = layout_.slice_of(item);
  const std::uint32_t part = layout_.part_of(item);
  return (dirty_[slice] | pending_[slice] | dirty_[part] | pending_[part]) == 0;
}

std::uint32_t JournalSlices::count_known() const {
  std::uint32_t count = 0;
  for (std::uint32_t s = 0; s < layout_.with_parts(); ++s) count += known_[s];
  return count;
}

/// A map has no stamps of its own: what it names is as old as the checkpoint, and lost where a newer page
/// says so. So if one is to be written all that tells of losses is, before it, and the checkpoint is as old
/// as the moment before that.
void JournalSlices::begin_flush(bool losses) {
  const std::uint32_t map = layout_.begin(SliceKind::map);
  const std::uint32_t maps = layout_.begin(SliceKind::blocks) - map;
  if (losses && std::memchr(dirty_ + map, 1, maps) != nullptr) {
    for (std::uint32_t s = 0; s < layout_.with_parts(); ++s) {
      if (tells_trims(layout_.kind(s))) dirty_[s] |= known_[s];
    }
  }
  std::memcpy(pending_, dirty_, layout_.with_parts());
  std::memset(dirty_, 0, layout_.with_parts());
}

void JournalSlices::write_all_again(bool flushing) {
  std::uint8_t* const to_write = flushing ? pending_ : dirty_;
  for (std::uint32_t s = 0; s < layout_.with_parts(); ++s) to_write[s] |= known_[s];
}

void JournalSlices::give_up_flush() {
  for (std::uint32_t s = 0; s < layout_.with_parts(); ++s) dirty_[s] |= pending_[s];
}

std::uint32_t JournalSlices::next() const {
  const std::uint32_t map = layout_.begin(SliceKind::map);
  const std::uint32_t parts = layout_.begin(SliceKind::parts);
  const std::uint32_t end = layout_.with_parts();
  struct Range {
    std::uint32_t first, behind;
  };
  const Range ranges[] = {{0, map}, {parts, end}, {map, parts}};
  for (const Range& range : ranges) {
    const void* const found = std::memchr(pending_ + range.first, 1, range.behind - range.first);
    if (found != nullptr)
      return static_cast<std::uint32_t>(static_cast<const std::uint8_t*>(found) - pending_);
  }
  return end;
}

/// In the place of the slice: those that have changed since they, or the slice as a whole, were written; all of
/// them if what tells of the others is a page of the slice, which need not be written again from now on.
void JournalSlices::write_parts(std::uint32_t slice) {
  for (std::uint32_t n = 0; n < layout_.parts(slice); ++n) pending_[layout_.part(slice, n)] |= known_[slice];
  pending_[slice] = known_[slice] = 0;
}

/// A page of it tells of all its items. So of a slice and its parts nothing older has to be kept.
void JournalSlices::written(std::uint32_t slice) {
  pending_[slice] = 0;
  known(slice);
  if (layout_.kind(slice) != SliceKind::trims) return;
  for (std::uint32_t n = 0; n < layout_.parts(slice); ++n) {
    const std::uint32_t part = layout_.part(slice, n);
    parts_known_ -= known_[part];
    pending_[part] = known_[part] = 0;
  }
}

void JournalSlices::serialise(StateVisitor& visitor) {
  visitor.table(dirty_, layout_.with_parts());
  visitor.table(known_, layout_.with_parts());
  visitor.value(parts_known_);
}

bool JournalSlices::holds() const {
  std::uint32_t parts = 0;
  for (std::uint32_t s = 0; s < layout_.with_parts(); ++s) {
    if (dirty_[s] > 1 || known_[s] > 1) return false;
    parts += layout_.kind(s) == SliceKind::parts ? known_[s] : 0;
  }
  return parts == parts_known_;
}

} // namespace twinplane::fw
