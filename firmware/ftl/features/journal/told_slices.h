// Is anything gone that both copies of a page of metadata have told?
//
// A page whose data cannot be read tells by its word which copy of which slice it is, and when it was written. One
// whose word cannot be read either tells nothing: it was being programmed at a cut, shares a wordline with one that
// was, or its program had failed. Copies are written one behind the other. So what a slice has told last is gone if
// its newest page of the first copy is unreadable, nothing newer has been read, and the second copy behind it is
// unreadable, too, or may be one of those without a word; the same the other way round. Where the second copy had not
// been written to its end nothing relied on it: then it is counted although nothing is lost. A slice and its parts
// tell of the same items, and the newer page counts.
#pragma once

#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/features/journal/slice.h"
#include "firmware/ftl/map/write_stamp.h"

namespace twinplane::fw {

class ToldSlices {
 public:
  ToldSlices(BootMemory& memory, const SliceLayout& layout)
      : layout_(layout), slices_(memory.zeroed<Slice>(layout.with_parts())) {}

  /// A page of copy 0 or 1 has been read, whose stamp is this.
  void read(std::uint32_t slice, std::uint32_t copy, std::uint32_t stamp) {
    note(slices_[slice].read[copy], stamp);
  }
  /// Its data cannot be, or not any more.
  void unreadable(std::uint32_t slice, std::uint32_t copy, std::uint32_t stamp) {
    Slice& s = slices_[slice];
    if (s.read[copy].any != 0 && s.read[copy].stamp == stamp) s.read[copy] = Stamp{};
    note(s.unreadable[copy], stamp);
  }
  /// Of a page of that copy nothing can be read.
  void wordless(std::uint32_t copy) { wordless_[copy] = true; }

  /// What is gone: calls each(kind, first item, items) for trims and losses (SliceKind::trims) and for slices of
  /// the block table. Returns how many pages had told of it. A map that is gone costs nothing but time.
  template <typename Each>
  std::uint32_t for_each_gone(const Each& each) const {
    std::uint32_t pages = 0;
    for (std::uint32_t s = 0; s < layout_.slices(); ++s) {
      const SliceKind kind = layout_.kind(s);
      if (kind == SliceKind::blocks && gone(s).any != 0) {
        each(kind, layout_.first(s), layout_.items(s));
        ++pages;
      }
      bool whole = false;
      for (std::uint32_t n = 0; kind == SliceKind::trims && n < layout_.parts(s); ++n) {
        const std::uint32_t part = layout_.part(s, n);
        const bool by_whole = gone_behind(s, part);
        const bool by_part = gone_behind(part, s);
        if (by_whole || by_part) each(kind, layout_.first(part), layout_.items(part));
        pages += by_part ? 1 : 0;
        whole = whole || by_whole;
      }
      pages += whole ? 1 : 0;
    }
    return pages;
  }

 private:
  struct Stamp {
    std::uint32_t stamp;
    std::uint32_t any; // there is one
  };
  struct Slice {
    Stamp read[2]; // by copy, the newest one
    Stamp unreadable[2];
  };

  /// Any page is newer than none.
  static bool newer(const Stamp& a, const Stamp& b) {
    return a.any == 0 || b.any == 0 ? a.any != 0 : kPageStamps.newer(a.stamp, b.stamp);
  }
  static void note(Stamp& newest, std::uint32_t stamp) {
    if (newer(Stamp{stamp, 1}, newest)) newest = Stamp{stamp, 1};
  }
  static const Stamp& newest_of(const Stamp (&stamps)[2]) {
    return newer(stamps[1], stamps[0]) ? stamps[1] : stamps[0];
  }
  /// The newest page of the slice that is gone in both copies.
  Stamp gone(std::uint32_t slice) const {
    const Slice& s = slices_[slice];
    const Stamp& read = newest_of(s.read);
    const Stamp& first = s.unreadable[0];
    const Stamp& second = s.unreadable[1];
    if (newer(first, read) && (wordless_[1] || newer(second, first))) return first;
    const bool second_was_read = newer(s.read[1], s.read[0]) || read.any == 0; // or nothing: not of the pair
    return newer(second, read) && wordless_[0] && second_was_read ? second : Stamp{};
  }
  /// ... and tells of what no page of `other` that has been read is newer than.
  bool gone_behind(std::uint32_t slice, std::uint32_t other) const {
    return newer(gone(slice), newest_of(slices_[other].read));
  }
  const SliceLayout& layout_;
  Slice* slices_; // with parts
  bool wordless_[2] = {};
};

} // namespace twinplane::fw
