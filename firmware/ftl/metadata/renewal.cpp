// Metadata: a copy is written anew in its own units.
//
// The units of the copy are erased and all slices written to them. Meanwhile nothing is written to the other
// copy, so whatever a cut ruins it has all that counts: if it is complete itself. It is not where a cut has
// torn one of its pages, and with it perhaps older ones of the wordline, or has left nothing of a unit that
// was being erased. Such a copy is the first to be written anew, when the drive comes back, or if that is not
// possible all slices are written once more.
#include "firmware/ftl/metadata/metadata.h"

namespace twinplane::fw {

bool Metadata::renew_in_place() {
  if (renewed_ != kCopies) return false;
  keep_units();
  if (!begin_renewal(room(0) <= room(1) ? 0 : 1)) return false;
  waits_for_unit_ = false;
  return true;
}

/// There are no new ones for what is in them.
void Metadata::keep_units() {
  fresh_ = false;
  for (std::uint32_t u = 0; u < unit_count_; ++u) units_[u].old = units_[u].to_erase != 0;
}

/// Only with room for what may be asked for next, twice: it would have to be done again for every trim. When
/// the drive is read-only nothing more is asked for.
bool Metadata::begin_renewal(std::uint32_t copy) {
  if (incomplete_ != kCopies && incomplete_ != copy) return false;
  std::uint32_t units[kCopies] = {};
  for (std::uint32_t u = 0; u < unit_count_; ++u) units[units_[u].copy] += units_[u].to_erase == 0 ? 1 : 0;
  std::uint32_t slices = 0;
  for (std::uint32_t s = 0; s < layout_.slices(); ++s) slices += known_[s];
  const std::uint32_t next = state_->read_only() ? slices_in_use() : 2 * room_wanted();
  if (units[copy] * unit_pages() < slices + next || units[kCopies - 1 - copy] == 0) return false;
  for (std::uint32_t u = 0; u < unit_count_; ++u) {
    if (units_[u].to_erase == 0 && units_[u].copy == copy) units_[u].to_erase = units_[u].again = 1;
  }
  for (std::uint32_t s = 0; s < layout_.slices(); ++s) anew_[s] = known_[s];
  incomplete_ = renewed_ = copy;
  busy_ = true;
  return true;
}

/// False: the pool is empty, or the copy's blocks have gone bad.
bool Metadata::renew() {
  if (erases_wait()) return begin_erase();
  std::uint32_t slice = 0;
  while (slice < layout_.slices() && anew_[slice] == 0) ++slice;
  const bool all = slice == layout_.slices();
  if (!all && current(renewed_) != nullptr) return write(slice, renewed_);
  if (all) incomplete_ = kCopies;
  renewed_ = kCopies;
  return true;
}

/// Of a drive that has recovered.
void Metadata::complete_copies() {
  bool any[kCopies] = {};
  for (std::uint32_t u = 0; u < unit_count_; ++u) any[units_[u].copy] = true;
  for (std::uint32_t copy = 0; copy < kCopies && unit_count_ != 0; ++copy) {
    if (!any[copy]) incomplete_ = copy;
  }
  if (incomplete_ == kCopies) return;
  if (incomplete_ < kCopies && begin_renewal(incomplete_)) return;
  for (std::uint32_t s = 0; s < layout_.slices(); ++s) dirty_[s] |= known_[s];
  want(complete_from_ = epoch_);
}

} // namespace twinplane::fw
