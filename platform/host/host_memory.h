// The host's physical memory: one arena that a driver model allocates from, and sparse 4 KiB pages for all other
// writes. Reads of memory that was never written give zeros.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <tlm>

namespace twinplane::platform {

class HostMemory {
 public:
  static constexpr std::uint64_t kPageSize = 4096;

  /// Arena of `bytes` from `base` (page aligned); untouched parts of it cost nothing.
  HostMemory(std::uint64_t base, std::uint64_t bytes);

  /// Address of `bytes` fresh, zeroed memory in the arena; `alignment` is a power of two. Throws
  /// std::length_error when the arena is used up.
  std::uint64_t allocate(std::uint64_t bytes, std::uint64_t alignment = kPageSize);
  /// The arena byte at `address`, which must have been allocated.
  std::uint8_t* pointer(std::uint64_t address) { return arena_.get() + (address - base_); }

  /// Executes a read or write of any address and length; grants a DMI hint for the arena.
  void access(tlm::tlm_generic_payload& payload);
  /// Grants the arena; false for addresses elsewhere.
  bool direct(std::uint64_t address, tlm::tlm_dmi& dmi);

 private:
  struct Free {
    void operator()(std::uint8_t* p) const { std::free(p); }
  };
  struct Page {
    std::uint8_t bytes[kPageSize] = {};
  };
  bool in_arena(std::uint64_t address, std::uint64_t length) const {
    return address >= base_ && address - base_ <= bytes_ && length <= bytes_ - (address - base_);
  }
  void access_page(bool write, std::uint64_t address, std::uint8_t* data, std::uint64_t length);

  std::uint64_t base_;
  std::uint64_t bytes_;
  std::uint64_t used_ = 0;
  std::unique_ptr<std::uint8_t, Free> arena_;
  std::map<std::uint64_t, std::unique_ptr<Page>> pages_; // by page number
};

} // namespace twinplane::platform
