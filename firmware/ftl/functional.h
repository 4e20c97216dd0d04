// Preconditioning in zero simulated time, through Hal::flash_functional: the same decisions, the same
// tables, no queues. Only to be used while nothing is in flight.
#pragma once

#include <cstdint>

#include "firmware/ftl/state.h"
#include "hw/spec/flash_descriptor.h"

namespace twinplane::fw {

class Functional {
 public:
  void boot(BootMemory& memory, FtlState& state);

  /// See Ftl::functional_write, Ftl::functional_age, Ftl::functional_scatter.
  const char* write(std::uint32_t lpn, const std::uint8_t* payload);
  const char* age(double fraction);
  const char* scatter(std::uint64_t seed);
  /// Factory-bad blocks, by the maker's mark (not FFh) in the first spare byte of their first or last page.
  void retire_marked_blocks();

 private:
  const char* make_room(std::uint32_t domain);
  std::uint32_t used_pages(std::uint32_t plane) const;
  std::uint32_t room(std::uint32_t plane) const;
  const char* write_invalid(std::uint32_t plane);
  const char* reclaim(std::uint32_t domain);
  const char* move_all(std::uint32_t domain, std::uint32_t victim);
  const char* move(std::uint32_t domain, Ppn source);
  const char* program(std::uint32_t plane, const PageSlot& slot, std::uint64_t oob,
                      const std::uint8_t* payload);
  FlashCompletion run(FlashOp op, Ppn ppn, std::uint64_t oob, std::uint8_t* payload);
  std::uint32_t choose_plane(std::uint32_t lpn);
  bool peek(std::uint32_t plane, Stream stream, PageSlot& slot);

  FtlState* state_ = nullptr;
  DieSet all_dies_;
  std::uint8_t* page_ = nullptr; // scratch for the page being moved
  struct Current {
    std::uint32_t die = 0;
    std::uint32_t planes_used = 0;
  };
  Current* current_ = nullptr; // per class: plane-first allocation stays there until its planes are used
};

} // namespace twinplane::fw
