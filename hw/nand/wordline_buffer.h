// Which partly programmed wordlines have the data of their lower pages at hand (PA-SSD section 2.1).
//
// Programming a CSB page needs the wordline's LSB page, an MSB page both. A conventional drive keeps
// them buffered from one program to the next: in the strict order of TLC at most three wordlines are
// partly programmed at a time. A drive that does not must read the pages first, inside the program's time.
//
// One buffer per plane, for a fixed number of wordlines; the one programmed longest ago makes room.
// Without capacity every CSB and MSB program reads. Only native-mode programs come here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/spec/page_order.h"

namespace twinplane::hw {

class WordlineBuffer {
 public:
  explicit WordlineBuffer(std::uint32_t capacity) : capacity_(capacity) { held_.reserve(capacity); }

  /// A page of `type` of the wordline is programmed; `last`: it completes the wordline. True when its
  /// lower pages are not at hand and have to be read.
  bool program(std::uint32_t block, std::uint32_t wordline, PageType type, bool last) {
    const bool found = drop(Key{block, wordline});
    if (!last && capacity_ != 0) {
      if (held_.size() == capacity_) held_.erase(held_.begin());
      held_.push_back(Key{block, wordline});
    }
    return type != 0 && !found;
  }

  /// The block is erased.
  void forget(std::uint32_t block) {
    std::size_t kept = 0;
    for (const Key& k : held_) {
      if (k.block != block) held_[kept++] = k;
    }
    held_.resize(kept);
  }

 private:
  struct Key {
    std::uint32_t block = 0;
    std::uint32_t wordline = 0;
  };

  bool drop(const Key& key) {
    for (auto k = held_.begin(); k != held_.end(); ++k) {
      if (k->block != key.block || k->wordline != key.wordline) continue;
      held_.erase(k);
      return true;
    }
    return false;
  }

  std::size_t capacity_;
  std::vector<Key> held_; // longest ago first
};

} // namespace twinplane::hw
