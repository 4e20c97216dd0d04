// Dispatcher: native pages that are programmed by whole wordlines, in one pass. Moves of the collector come
// together (collector_fold.cpp); a host page that has found no place in the cache comes alone.
#include "firmware/ftl/dispatcher.h"

namespace twinplane::fw {

/// The pages from the frontier to the end of its wordline: all of it, unless untimed writes have begun it.
bool Dispatcher::form_fold(Transaction& first, Group& g) {
  PageSlot slot;
  if (!peek(first, first.plane, Stream::relocation, slot)) {
    collector_->give_up_fold(first);
    return false;
  }
  const std::uint32_t plane = plane_in_die(first);
  const std::uint32_t fold = cache_->fold();
  Transaction* moves[kMaxPageTypes];
  const std::uint32_t count = collector_->take_fold(first, fold - slot.page % fold, moves);
  for (std::uint32_t i = 0; i < count; ++i) {
    add(g, *moves[i], plane, slot);
    ++slot.page;
  }
  return count != 0;
}

} // namespace twinplane::fw
