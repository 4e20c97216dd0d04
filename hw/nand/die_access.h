// What one way of access (bus or debug transport) has of a die for itself: the planes' page registers, the queue
// of a multi-plane command, results, and the stream of cache operations. The cells are common to both.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/nand/array_command.h"
#include "hw/nand/nand_config.h"
#include "hw/nand/page_register.h"
#include "hw/nand/page_shape.h"
#include "hw/nand/rules.h"

namespace twinplane::hw {

/// A page register that fits the part.
PageRegister make_register(const NandConfig& config);

/// The registers of all planes. Cache reads have a second one per plane, which the array reads ahead into.
class PlaneRegisters {
 public:
  explicit PlaneRegisters(const NandConfig& config);

  std::uint32_t count() const { return count_; }
  /// All planes, as a bit mask.
  std::uint32_t all() const { return (1u << count_) - 1; }
  PageRegister& operator[](std::uint32_t plane) { return registers_[plane]; }
  const PageRegister& operator[](std::uint32_t plane) const { return registers_[plane]; }

  /// Data in, to one of them. `sectors` and `oob` may be null: not moved.
  void load(PageRegister& page, std::uint32_t mask, const std::uint8_t* sectors,
            const std::uint64_t* oob) const {
    page.mask |= mask & shape_.full_mask;
    page.copied &= ~mask;
    if (sectors != nullptr) shape_.copy(page.payload.get(), sectors, mask);
    if (oob == nullptr) return;
    page.oob = *oob;
    page.oob_loaded = true;
  }
  /// 85h a5 after 35h: the register becomes what a program has loaded. False when it holds no such page.
  bool begin_copyback(std::uint32_t plane);

  // --- cache reads ---
  /// Where a read puts its page.
  PageRegister& target(std::uint32_t plane, bool cache) { return cache ? ahead(plane) : registers_[plane]; }
  /// The pages that were read ahead go to the output.
  void show_ahead();
  void drop_ahead() { ahead_planes_ = 0; }

  // --- data output ---
  void select(std::uint32_t plane) {
    selected_ = plane;
    undefined_ = false;
  }
  /// A read of several planes has ended, and none of them is selected.
  void set_undefined(bool undefined) { undefined_ = undefined; }
  bool undefined() const { return undefined_; }
  std::uint32_t selected() const { return selected_; }
  /// The selected plane's register, whose sectors of `mask` go to `sectors` (may be null).
  const PageRegister& output(std::uint32_t mask, std::uint8_t* sectors) const {
    const PageRegister& r = registers_[selected_];
    if (sectors != nullptr) shape_.copy(sectors, r.payload.get(), mask);
    return r;
  }

  /// A read of all planes was refused.
  void invalidate();
  void clear();
  void power_on();

 private:
  PageRegister& ahead(std::uint32_t plane);

  const NandConfig& config_;
  std::uint32_t count_;
  PageShape shape_;
  std::vector<PageRegister> registers_;
  std::vector<PageRegister> ahead_; // empty until the first cache read
  std::uint32_t ahead_planes_ = 0;  // bit mask: planes with a page in it
  std::uint32_t selected_ = 0;
  bool undefined_ = false;
};

namespace group_faults {
inline constexpr Fault kSamePlane{Rule::distinct_planes, "planes of a group must differ"};
inline constexpr Fault kOtherPage{Rule::pac, "pages of a group must be equal"};
inline constexpr Fault kOtherBlock{Rule::bac, "blocks of a group must be equal"};
} // namespace group_faults

/// Planes that wait for the last one of their command.
struct PlaneQueue {
  std::array<PlaneAddress, kMaxPlanesPerDie> planes{};
  std::uint32_t count = 0;
  ArrayKind kind = ArrayKind::read;

  bool holds(ArrayKind wanted) const { return count != 0 && kind == wanted; }
  /// An operation of this kind may follow what waits.
  bool continues(ArrayKind wanted) const { return count == 0 || kind == wanted; }
  /// The rules that concern the group as a whole. Sets `mask` to its planes.
  RuleResult check(const NandConfig& config, ArrayKind group, std::uint32_t& mask) const {
    const bool same_page = config.pac && group != ArrayKind::erase;
    const PlaneAddress& first = planes[0];
    RuleResult fault = nullptr; // the first one
    mask = 1u << first.plane;
    for (std::uint32_t i = 1; i < count; ++i) {
      const PlaneAddress& a = planes[i];
      const std::uint32_t plane = 1u << a.plane;
      if (fault == nullptr) {
        fault = (mask & plane) != 0                    ? &group_faults::kSamePlane
                : same_page && a.page != first.page    ? &group_faults::kOtherPage
                : config.bac && a.block != first.block ? &group_faults::kOtherBlock
                                                       : nullptr;
      }
      mask |= plane;
    }
    return fault;
  }
  /// 85h a5 after 11h: the plane leaves the queue, its data stay loaded. False when it does not wait.
  bool reopen(std::uint32_t plane);
};

/// The last operation, which a cache read may go on from.
struct LastOperation {
  ArrayKind kind = ArrayKind::read;
  std::uint8_t planes = 0; // 0: there was none
  bool slc = false;
  bool in_queue = false; // its planes are still in the queue's entries
};

struct DieAccess {
  enum class Stream : std::uint8_t { none, read, program };

  DieAccess(const NandConfig& config, AccessMode mode) : timed(mode == AccessMode::bus), registers(config) {}

  bool timed;
  PlaneRegisters registers;
  PlaneQueue queue;
  LastOperation last;
  Stream stream = Stream::none;
  std::uint32_t failed_planes = 0;   // bit mask: FAIL, since begin_operation()
  std::uint32_t failed_previous = 0; // FAILC

  /// A new operation begins: forget how the last one ended, but for a further page of a stream.
  void begin_operation(ArrayKind kind) {
    if (stream != Stream::none && continue_stream(kind)) return;
    failed_planes = failed_previous = 0;
  }
  /// A read begins beside those of other planes, whose results stay.
  void begin_plane_read(std::uint32_t plane) { failed_planes &= ~(1u << plane); }
  /// The last operation was a read, so its next page can be read ahead.
  bool can_read_ahead() const { return last.planes != 0 && last.kind == ArrayKind::read; }
  /// ... from where it was: no plane of another group, which may never have been started, has been queued
  /// since.
  bool can_continue_read() const { return can_read_ahead() && last.in_queue; }
  /// A stream of cache reads is open: 3Fh may come.
  bool reading_ahead() const { return stream == Stream::read; }
  void end_stream();
  void reset();
  void power_on();

 private:
  bool continue_stream(ArrayKind kind);
};

} // namespace twinplane::hw
