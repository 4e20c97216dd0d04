#include "firmware/ftl/recovery/told_slices.h"

#include "firmware/ftl/write_stamp.h"

namespace twinplane::fw {

void ToldSlices::boot(BootMemory& memory, const SliceLayout& layout) {
  layout_ = layout;
  slices_ = memory.zeroed<Slice>(layout.with_parts());
}

/// Any page is newer than none.
bool ToldSlices::newer(const Stamp& a, const Stamp& b) {
  if (a.any == 0 || b.any == 0) return a.any != 0;
  return kPageStamps.newer(a.stamp, b.stamp);
}

void ToldSlices::note(Stamp& newest, std::uint32_t stamp) {
  const Stamp found{stamp, 1};
  if (newer(found, newest)) newest = found;
}

void ToldSlices::read(std::uint32_t slice, std::uint32_t copy, std::uint32_t stamp) {
  note(slices_[slice].read[copy], stamp);
}

void ToldSlices::unreadable(std::uint32_t slice, std::uint32_t copy, std::uint32_t stamp) {
  Slice& s = slices_[slice];
  if (s.read[copy].any != 0 && s.read[copy].stamp == stamp) s.read[copy] = Stamp{};
  note(s.unreadable[copy], stamp);
}

ToldSlices::Stamp ToldSlices::gone(std::uint32_t slice) const {
  const Slice& s = slices_[slice];
  const Stamp& read = newest_of(s.read);
  const Stamp& first = s.unreadable[0];
  const Stamp& second = s.unreadable[1];
  if (newer(first, read) && (wordless_[1] || newer(second, first))) return first;
  const bool second_was_read = newer(s.read[1], s.read[0]) || read.any == 0; // or nothing: not of the pair
  return newer(second, read) && wordless_[0] && second_was_read ? second : Stamp{};
}

} // namespace twinplane::fw
