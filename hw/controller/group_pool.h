// The commands that a flash controller holds, and how they come together out of descriptors.
#pragma once

#include <utility>
#include <vector>

#include "hw/controller/flash_group.h"

namespace twinplane::hw {

class GroupPool {
 public:
  explicit GroupPool(std::uint32_t groups) : pool_(groups) {
    for (FlashGroup& group : pool_) release(group);
  }

  /// Where the next descriptor is to be put; null when all groups are in use.
  FlashDescriptor* room() {
    if (assembling_ == nullptr) {
      if (free_ == nullptr) return nullptr;
      assembling_ = std::exchange(free_, free_->next);
      assembling_->count = 0;
    }
    return &assembling_->planes[assembling_->count];
  }

  /// The command that the descriptor which was put there completes; null when more of it is to come.
  FlashGroup* assembled() {
    const FlashDescriptor& d = assembling_->planes[assembling_->count++];
    if ((d.flags & flash_flag::more) != 0 && assembling_->count < kMaxPlanesPerDie) return nullptr;
    FlashGroup& group = *std::exchange(assembling_, nullptr);
    if ((d.flags & flash_flag::load) != 0) { // waits for the last page of its wordline
      group.next = nullptr;
      (first_load_ == nullptr ? first_load_ : last_load_->next) = &group;
      last_load_ = &group;
      return nullptr;
    }
    group.loads = std::exchange(first_load_, nullptr);
    group.tag = (group.loads != nullptr ? group.loads : &group)->planes[0].cookie;
    return &group;
  }

  void release(FlashGroup& group) { group.next = std::exchange(free_, &group); }
  void release_loads(FlashGroup& group) {
    while (group.loads != nullptr) release(*std::exchange(group.loads, group.loads->next));
  }

 private:
  std::vector<FlashGroup> pool_;
  FlashGroup* free_ = nullptr;
  FlashGroup* assembling_ = nullptr; // its last descriptor has not arrived yet
  FlashGroup* first_load_ = nullptr; // of the pass whose last descriptor has not arrived yet
  FlashGroup* last_load_ = nullptr;
};

} // namespace twinplane::hw
