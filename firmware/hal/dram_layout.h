// Who owns which part of device DRAM: a bump allocator over Hal::dram(), used at boot only.
#pragma once

#include <cstdint>

#include "firmware/hal/hal.h"

namespace twinplane::fw {

/// Bytes of device DRAM by what lies in them, as boot has laid them out.
struct DramUse {
  std::uint64_t rings = 0; // command, DMA and flash rings, data of admin commands
  std::uint64_t write_buffer = 0;
  std::uint64_t page_buffers = 0; // of pages on their way; at boot, parameter pages
  std::uint64_t map = 0;          // among what boot_alloc has given
};

class DramLayout {
 public:
  /// Manages the bytes [begin, hal.dram_size()).
  DramLayout(Hal& hal, std::uint32_t begin) : next_(begin), end_(hal.dram_size()) {}

  /// Byte offset of a new region aligned to 64 bytes. When it does not fit, exhausted() turns true
  /// and the offset must not be used.
  std::uint32_t take(std::uint64_t bytes) {
    const std::uint64_t begin = (std::uint64_t{next_} + 63) & ~std::uint64_t{63};
    if (exhausted_ || begin + bytes > end_) {
      exhausted_ = true;
      return 0;
    }
    next_ = static_cast<std::uint32_t>(begin + bytes);
    return static_cast<std::uint32_t>(begin);
  }

  /// Bytes that take() can still hand out.
  std::uint32_t left() const { return next_ + 63 < end_ ? end_ - ((next_ + 63) & ~63u) : 0; }
  std::uint32_t next() const { return next_; }
  bool exhausted() const { return exhausted_; }

 private:
  std::uint32_t next_;
  std::uint32_t end_;
  bool exhausted_ = false;
};

} // namespace twinplane::fw
