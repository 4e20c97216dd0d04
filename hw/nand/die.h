// One die (LUN): page registers, the multi-plane queue, the cell arrays, R/B# and the status register.
//
// Plain C++ without kernel events: every call carries its absolute time, effects on the array take
// place at once, and busy_until() says when R/B# rises. Two faces share the array: `bus` (timed) and
// `debug` (operations complete in zero time, whether or not the die is busy, and nothing of the bus
// face's registers or status is disturbed).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/core/observer.h"
#include "hw/core/onfi_tenure.h"
#include "hw/nand/nand_config.h"
#include "hw/nand/page_register.h"
#include "hw/nand/page_store.h"
#include "hw/nand/rules.h"
#include "hw/nand/statistics.h"

namespace twinplane::hw {

enum class Face : std::uint8_t { bus, debug };
constexpr std::size_t kFaces = 2;

enum class ArrayKind : std::uint8_t { read, program, erase };

struct PlaneAddress {
  std::uint32_t plane = 0;
  std::uint32_t block = 0;
  std::uint32_t page = 0;
};

/// What the dies of a package share.
struct PackageContext {
  const NandConfig& config;
  const PageOrderTable& page_order;
  RowLayout layout;
  RefusalSink& refusals;
  std::vector<NandObserver*> observers;
  NandStatistics statistics;
  std::uint32_t request_tag = 0; // of the tenure being decoded
};

class Die {
 public:
  Die(PackageContext& context, std::uint32_t lun);

  // --- readiness and status ---
  TimePs busy_until() const { return busy_until_; }
  bool busy(TimePs at) const { return at < busy_until_; }
  /// Status register of the LUN (70h): FAIL is the OR of the planes.
  std::uint8_t status(Face face, TimePs at) const;
  /// Status register as one plane shows it (78h).
  std::uint8_t status(Face face, TimePs at, std::uint32_t plane) const;
  /// Bus face: R/B# is low for `duration` from `at` on (features, parameter page, tDBSY).
  void occupy(TimePs at, TimePs duration);

  // --- operations; `at` is when R/B# falls: end of the confirm cycle + tWB ---
  /// Ends the previous result of the plane's register: a program begins to load it.
  void begin_program(Face face, std::uint32_t plane) { faces_[index(face)].registers[plane].clear(); }
  /// `sectors` and `oob` may be null: not moved.
  void data_in(Face face, std::uint32_t plane, std::uint32_t mask, const std::uint8_t* sectors,
               const std::uint64_t* oob);
  /// 32h, 11h, D1h: another plane follows; busy for tDBSY.
  void queue(Face face, ArrayKind kind, const PlaneAddress& address, TimePs at);
  /// 30h, 10h, D0h: starts the queued planes and this one together.
  struct Launch {
    ArrayKind kind = ArrayKind::read;
    bool slc = false;
    PlaneAddress address;
    TimePs at = 0;
  };
  void launch(Face face, const Launch& command);
  /// True while planes are queued for a multi-plane operation of this kind.
  bool queued(Face face, ArrayKind kind) const {
    const FaceState& f = faces_[index(face)];
    return f.queued != 0 && f.queue_kind == kind;
  }
  /// An operation of this kind may follow what is queued.
  bool continues(Face face, ArrayKind kind) const {
    const FaceState& f = faces_[index(face)];
    return f.queued == 0 || f.queue_kind == kind;
  }
  void drop_queue(Face face) { faces_[index(face)].queued = 0; }

  // --- data output ---
  void select_plane(Face face, std::uint32_t plane) { faces_[index(face)].plane = plane; }
  /// True when the plane's register holds the result of a read.
  bool readable(Face face, std::uint32_t plane) const {
    return faces_[index(face)].registers[plane].readable;
  }
  std::uint32_t selected_plane(Face face) const { return faces_[index(face)].plane; }
  /// The selected plane's register, whose sectors of `mask` go to `sectors` (may be null).
  const PageRegister& data_out(Face face, std::uint32_t mask, std::uint8_t* sectors) const;

  /// A read was refused: the bus will see garbage, unless the LUN is busy with something else.
  void spoil_output(Face face, TimePs at);

  /// FFh, FAh: aborts what runs (its pages or blocks become corrupt) and is busy for tRST.
  void reset(Face face, TimePs at);

  /// A rule was broken: counter, message, and FAIL on `planes` (bit mask).
  void refuse(Face face, std::uint32_t planes, Refusal refusal);
  /// A new operation begins: forget how the last one ended.
  void clear_status(Face face) { faces_[index(face)].failed_planes = 0; }
  /// FAIL on all planes, for a refusal that was told elsewhere.
  void fail(Face face) { faces_[index(face)].failed_planes |= all_planes(); }
  std::uint32_t all_planes() const { return (1u << registers_) - 1; }

  const PageStore& store() const { return store_; }

 private:
  struct FaceState {
    std::vector<PageRegister> registers; // one per plane
    std::array<PlaneAddress, kMaxPlanesPerDie> queue{};
    std::uint32_t queued = 0;
    ArrayKind queue_kind = ArrayKind::read;
    std::uint32_t failed_planes = 0; // bit mask, since clear_status()
    std::uint32_t plane = 0;         // selected for data output
  };
  /// The array operation that runs on the bus face, for aborts.
  struct Running {
    ArrayKind kind = ArrayKind::read;
    std::array<PlaneAddress, kMaxPlanesPerDie> planes{};
    std::uint32_t count = 0;
    TimePs end = 0;
  };
  using Verdict = const Fault*; // null: allowed

  static std::size_t index(Face face) { return static_cast<std::size_t>(face); }

  // rules (die_rules.cpp)
  static const Fault kTooManyPlanes;
  Verdict judge_group(const FaceState& face, ArrayKind kind) const;
  Verdict judge_plane(const FaceState& face, const Launch& command, const PlaneAddress& address) const;
  Verdict judge_program(const PageStore::Block& block, const PlaneAddress& address, bool slc,
                        std::uint32_t mask) const;
  bool in_order(const PageStore::Block& block, std::uint32_t page, bool slc) const;

  // execution
  PageType page_type(const PlaneAddress& address, bool slc) const;
  TimePs array_time(const Launch& command, const PlaneAddress& address) const;
  void execute(FaceState& face, const Launch& command, const PlaneAddress& address);
  void count(const Launch& command, const PlaneAddress& address, const PageRegister& page_register);
  void count_multiplane(ArrayKind kind, std::uint32_t planes);
  void start_busy(const Launch& command, std::uint32_t planes, TimePs duration);
  void announce(const Launch& command) const;
  void announce_ready_busy(TimePs from, TimePs until) const;
  void abort(TimePs at);
  void refuse_group(Face face, std::uint32_t planes, const Fault& fault, const Launch& command);
  void refuse_plane(Face face, const Fault& fault, const Launch& command, const PlaneAddress& address);

  PackageContext& context_;
  std::uint32_t lun_;
  std::uint32_t registers_; // planes
  PageStore store_;
  std::array<FaceState, kFaces> faces_;
  Running running_;
  TimePs busy_until_ = 0;
};

} // namespace twinplane::hw
