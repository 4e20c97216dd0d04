// One die (LUN) as its command decoder sees it: page registers and a multi-plane queue for each way of access,
// the cell arrays, R/B# and the status register.
//
// Plain C++ without kernel events: every call carries its absolute time, effects on the array take
// place at once, and timeline() says when R/B# rises. The bus (timed) and debug transport share the array:
// functional operations complete in zero time, whether or not the die is busy, and nothing of the registers or
// the status of the bus is disturbed.
//
// A stream of cache operations is open from the first 31h or 15h to 3Fh, 10h or any other operation. FAIL tells
// of the last operation, FAILC of the one before it in the stream. A suspended program allows reads only, a
// suspended erase everything but another erase; the blocks of both are out of bounds.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "hw/nand/array_timeline.h"
#include "hw/nand/wordline_pass.h"

namespace twinplane::hw {

class Die {
 public:
  Die(PackageContext& context, std::uint32_t lun);

  DieAccess& access(AccessMode mode) { return accesses_[static_cast<std::size_t>(mode)]; }
  const DieAccess& access(AccessMode mode) const { return accesses_[static_cast<std::size_t>(mode)]; }
  ArrayTimeline& timeline() { return timeline_; }
  const ArrayTimeline& timeline() const { return timeline_; }
  CellArray& cells() { return cells_; }
  const CellArray& cells() const { return cells_; }

  /// Status register as some planes show it, a bit mask (78h: one, 70h: all): FAIL is the OR of them.
  std::uint8_t status(const DieAccess& access, TimePs at, std::uint32_t planes) const;
  /// The status register of every plane is that of an idle one, from `at` on.
  bool status_is_clean(const DieAccess& access, TimePs at) const {
    return !(access.timed && timeline_.array_busy(at)) && !restricted_ &&
           (access.failed_planes | access.failed_previous) == 0;
  }
  /// Null when an operation of this kind may be addressed to the plane at this time, else what forbids it.
  RuleResult check_start(const DieAccess& access, ArrayKind kind, std::uint32_t plane, TimePs at) const {
    if (!access.timed || (!timeline_.array_busy(at) && !restricted_)) return nullptr;
    return check_restricted(kind, plane, at);
  }

  // --- operations; `at` is when R/B# falls: end of the confirm cycle + tWB ---
  /// 60h-60h: another plane follows at once.
  void join(DieAccess& access, ArrayKind kind, const PlaneAddress& address, TimePs at);
  /// 32h, 11h, D1h: another plane follows; busy for tDBSY.
  void queue(DieAccess& access, ArrayKind kind, const PlaneAddress& address, TimePs at);
  void launch(DieAccess& access, const ArrayCommand& command);
  /// 1Ah after the page of the queued planes and this one: they wait for the rest of their wordline.
  void load(DieAccess& access, const ArrayCommand& command);
  /// 31h without address: the page that was read ahead goes to the output, the next one is read.
  void read_ahead(DieAccess& access, TimePs at);
  /// 3Fh: the page that was read ahead goes to the output.
  void end_read_ahead(DieAccess& access, TimePs at);
  /// 84h, 61h: `address` is of a plane of the running operation.
  void suspend(ArrayKind kind, const PlaneAddress& address, TimePs at);
  /// 13h, D2h.
  void resume(ArrayKind kind, TimePs at);

  /// A read was refused: the bus will see garbage, unless the LUN is busy with something else.
  void invalidate_output(DieAccess& access, TimePs at);
  /// A rule was broken: counter, message, and FAIL on `planes` (bit mask).
  void refuse(DieAccess& access, std::uint32_t planes, Refusal refusal);

  /// FFh, FAh: aborts what runs (its pages or blocks become corrupt) and is busy for tRST.
  void reset(DieAccess& access, TimePs at);
  /// The supply fails at this time, which has been announced in `power_cut_at`, and comes back: what runs or
  /// is suspended is cut off as by a reset, and nothing but the cells is left.
  void cut_power(TimePs at);
  /// WP# low: programs and erases are ignored, SR7 shows it.
  void protect(bool on) {
    write_protected_ = on;
    update_restricted();
  }

 private:
  RuleResult check_restricted(ArrayKind kind, std::uint32_t plane, TimePs at) const;
  void update_restricted() {
    restricted_ = write_protected_ || timeline_.suspended() || (pass_ != nullptr && pass_->open());
  }

  void end_suspension(RuleResult fault, TimePs at, const PlaneAddress& address);

  // a launch (die_launch.cpp)
  bool may_launch(DieAccess& access, const ArrayCommand& command);
  RuleResult enter_stream(DieAccess& access, const ArrayCommand& command);
  bool continue_pass(DieAccess& access, const ArrayCommand& command, bool last);
  void launch_pass(DieAccess& access, ArrayCommand command);
  void refuse_group(DieAccess& access, std::uint32_t planes, const Fault& fault, const ArrayCommand& command);
  void refuse_plane(DieAccess& access, const Fault& fault, const ArrayCommand& command,
                    const PlaneAddress& address);

  PackageContext& context_;
  std::uint32_t lun_;
  std::array<DieAccess, kAccessModes> accesses_;
  CellArray cells_;
  ArrayTimeline timeline_;
  std::unique_ptr<WordlinePass> pass_; // null: native pages are programmed one by one
  bool write_protected_ = false;
  bool restricted_ = false; // write protected, something is suspended, or a pass is open
};

} // namespace twinplane::hw
