// Finds traces that tell each request twice, such as at its issue and at its completion.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "platform/trace/record_parser.h"

namespace twinplane::platform {

/// Counts requests that equal one of the last 256 in kind, device, offset and length.
class RepeatCounter {
 public:
  void add(const RawRecord& raw) {
    const Seen seen{raw.offset, raw.length, std::hash<std::string_view>()(raw.device), raw.op, ++count_};
    Seen& last =
        seen_[(raw.offset / 512 * 31 + raw.length / 512 * 7 + static_cast<unsigned>(raw.op)) % kMost];
    const bool same = last.count != 0 && count_ - last.count <= kMost && last.offset == seen.offset &&
                      last.length == seen.length && last.device == seen.device && last.op == seen.op;
    repeated_ += same ? 1 : 0;
    last = seen;
  }
  std::uint64_t repeated() const { return repeated_; }

 private:
  static constexpr std::size_t kMost = 256;
  struct Seen {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::size_t device = 0;
    IoOp op = IoOp::read;
    std::uint64_t count = 0; // its number, from 1
  };
  std::array<Seen, kMost> seen_{};
  std::uint64_t count_ = 0;
  std::uint64_t repeated_ = 0;
};

} // namespace twinplane::platform
