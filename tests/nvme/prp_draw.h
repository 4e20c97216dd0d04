// Host buffers in every shape that physical region pages (NVMe 1.4 section 4.3) allow, and some they do not.
#pragma once

#include <vector>

#include "hw/spec/nvme.h"
#include "tests/nvme/random_draw.h"
#include "tests/support/host_memory.h"

namespace twinplane::test {

/// Pages of host memory that belong to no command, and who owns the others.
class PagePool {
 public:
  PagePool(HostMemory& memory, std::uint64_t first);
  std::uint64_t take(Draw& draw, std::uint8_t fill);
  void give(const std::vector<std::uint64_t>& pages);
  bool owned(std::uint64_t page) const { return owned_[page]; }
  std::size_t free() const { return free_.size(); }

 private:
  HostMemory& memory_;
  std::vector<std::uint64_t> free_;
  std::vector<bool> owned_;
};

enum class PrpFault : std::uint8_t {
  none,
  first_misaligned,  // PRP1 is no multiple of 4
  first_nowhere,     // ... or names memory that nothing answers for
  second_misaligned, // PRP2 as a page has an offset; as a list is no multiple of 8
  list_nowhere,
  entry_misaligned, // one entry of the list (or PRP2) has an offset
  entry_nowhere,
  link_misaligned, // the pointer to the next page of the list
  link_nowhere,
  kinds
};

/// The data of a command.
struct HostBuffer {
  std::uint32_t bytes = 0;
  std::uint32_t offset = 0;         // in the first page
  std::vector<std::uint64_t> pages; // page numbers, in the order of the data
  std::vector<std::uint64_t> lists;
  std::size_t reachable_from = 0; // pages [reachable_from, reachable_to) can be moved, but for `broken`
  std::size_t reachable_to = 0;
  std::size_t broken = ~std::size_t{0};
  std::uint16_t status = nvme::status::success; // what moving all of it ends with

  bool reachable(std::uint32_t from, std::uint32_t count) const;
  void put(HostMemory& memory, std::uint32_t from, const std::uint8_t* data, std::uint32_t count) const;
  void get(HostMemory& memory, std::uint32_t from, std::uint8_t* data, std::uint32_t count) const;
};

class PrpDraw {
 public:
  PrpDraw(HostMemory& memory, PagePool& pool, Draw& draw) : memory_(memory), pool_(pool), draw_(draw) {}

  /// Lays out `bytes` of data, all of the value `fill`, and sets the command's PRPs. A fault that the shape
  /// has no place for is left out.
  HostBuffer lay_out(nvme::Sqe& sqe, std::uint32_t bytes, PrpFault fault, std::uint8_t fill);
  void release(const HostBuffer& buffer) {
    pool_.give(buffer.pages);
    pool_.give(buffer.lists);
  }

 private:
  void write_list(nvme::Sqe& sqe, HostBuffer& buffer, PrpFault fault);
  void break_first(nvme::Sqe& sqe, HostBuffer& buffer, PrpFault fault);
  std::uint64_t break_entry(HostBuffer& buffer, std::size_t page, PrpFault fault);
  std::uint64_t nowhere() { return (memory_.pages() + draw_.below(9999)) * HostMemory::kPage; }

  HostMemory& memory_;
  PagePool& pool_;
  Draw& draw_;
};

} // namespace twinplane::test
