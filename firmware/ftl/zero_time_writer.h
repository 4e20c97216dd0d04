// Preconditioning in zero simulated time, through Hal::flash_functional. Only to be used while nothing is in
// flight.
//
// Nothing is decided here. Plane allocation names the die, as if all were idle; block allocation the page,
// and the plane where it deals planes; garbage collection is the collector's and the dispatcher's own
// (FtlCore::collect_untimed), begun when a page is wanted of a domain that is short of space.
//
// A page is not sent through HostPath and Dispatcher, although those make the same decisions: as a
// transaction it would cost about 1,000 instructions of firmware instead of 280, of 1,900 for a page that is
// filled in all, and filling is most of the time of short runs.
#pragma once

#include <cstdint>

#include "firmware/ftl/state.h"
#include "hw/spec/flash_descriptor.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

class FtlCore;

class ZeroTimeWriter {
 public:
  void boot(BootMemory& memory, FtlCore& core);

  /// Writes one whole logical page with the sector payload given; runs GC functionally when needed.
  /// Returns an error text when the drive cannot take it, else nullptr.
  const char* write(std::uint32_t lpn, const std::uint8_t* payload);
  /// The same for data that have been there for long: they lie in native blocks where there is an SLC-mode
  /// cache.
  const char* store(std::uint32_t lpn, const std::uint8_t* payload);
  /// Of a drive that packs units of any logical pages: writes these as one page, as many as it has, each once. Their
  /// numbers count the units of all logical pages, and the payload is in their order.
  const char* write_packed(const std::uint32_t* units, const std::uint8_t* payload);
  /// SSDSim's "aged" state: fills every plane with invalid pages until `fraction` of its blocks are used.
  const char* age(double fraction);
  /// Ends the lockstep of equally filled planes: each gets up to a block of invalid pages, less one.
  const char* scatter(std::uint64_t seed);
  /// Untimed writes have left wordlines incomplete that are programmed in one pass: the pass that goes on
  /// there would endanger them. Pads them.
  void complete_passes();

  /// Nothing may be queued or in flight.
  void serialise(StateVisitor& state);

 private:
  void make_room(std::uint32_t plane);
  const char* write_units(std::uint32_t lpn, const std::uint8_t* payload, bool long_ago);
  const char* program_units(const Placement& where, const PageSlot& slot, const TouchedPlanes& touched,
                            std::uint32_t cells, std::uint8_t* payload);
  bool find_page(Placement& where, PageSlot& slot);
  std::uint32_t used_pages(std::uint32_t plane) const;
  std::uint32_t untimed_region() const;
  std::uint32_t room(std::uint32_t plane) const;
  const char* write_invalid(std::uint32_t plane);
  const char* program(std::uint32_t plane, const PageSlot& slot, std::uint64_t oob,
                      const std::uint8_t* payload);
  FlashCompletion run(FlashOp op, Ppn ppn, std::uint64_t oob, std::uint8_t* payload, std::uint32_t sectors);
  FlashCompletion run(Ppn ppn, FlashDescriptor& d, std::uint8_t* payload);
  std::uint32_t choose_plane(std::uint32_t lpn);
  std::uint32_t assigned_plane(std::uint32_t plane) const;
  [[nodiscard]] bool peek(const Placement& where, PageSlot& slot);

  FtlCore* core_ = nullptr;
  FtlState* state_ = nullptr; // the core's
  DieSet all_dies_;
  std::uint8_t* page_ = nullptr; // the content of invalid pages; scratch
  struct Current {
    std::uint32_t die = 0;
    std::uint32_t planes_used = 0;
  };
  Current* current_ = nullptr; // per class: plane-first allocation stays there until its planes are used
};

} // namespace twinplane::fw
