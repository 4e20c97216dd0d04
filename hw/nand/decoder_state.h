// Where a target's command sequence is, for one way of access: what the parts of its decoder share.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/core/onfi_tenure.h"
#include "hw/nand/command_table.h"
#include "hw/nand/die.h"
#include "hw/nand/row_decoder.h"
#include "hw/nand/target_registers.h"

namespace twinplane::hw {

/// What both ways of access to a target share.
struct Target {
  PackageContext& context;
  std::vector<Die>& dies;
  TargetRegisters& registers;
  const CommandIndex& commands;
};

/// Of an operation, from its first command to its confirm.
enum class Stage : std::uint8_t { closed, open, addressed, loaded, refused };
/// What data out gives.
enum class Output : std::uint8_t {
  none,
  status,
  status_enhanced,
  page,
  // answers of the target's registers
  id,
  parameter_page,
  unique_id,
  features
};
/// What data in goes to; `answer`: no input, 00h leads back from the status to the answer.
enum class Input : std::uint8_t { none, page, features, lun_features, odt, answer };

struct DecoderState {
  struct Operation {
    ArrayKind kind = ArrayKind::read;
    Stage stage = Stage::closed;
    RowAddress at;
    bool jedec = false;  // opened by 81h
    bool cancel = false; // 60h with a row of all ones: D1h drops what is queued
  };
  /// A command whose address has not come yet.
  struct Waiting {
    Action action = Action::unknown;
    AddressForm form = AddressForm::none;
    TimePs since = 0; // start of the command's cycle
  };

  DecoderState(AccessMode access_mode, const Target& target_of_both)
      : mode(access_mode),
        target(target_of_both),
        rows(target_of_both.context.config.geometry, target_of_both.context.layout) {
    select(0);
  }

  AccessMode mode;
  Target target;
  RowDecoder rows;
  std::uint32_t lun = 0; // selected: last addressed, or of the operation that is gone on with
  Die* die = nullptr;
  DieAccess* access = nullptr;
  std::uint32_t queued_luns = 0; // bit per LUN that has planes queued
  Operation operation;
  Waiting waiting;
  bool output_addressed = false; // 05h or 06h has its address
  bool group_open = false;       // the last plane ended with 32h, 11h or D1h
  bool slc = false;
  bool retimed = false; // by the tenure being decoded
  Output output = Output::none;
  Input input = Input::none;
  std::uint32_t status_plane = 0; // of 78h

  bool timed() const { return mode == AccessMode::bus; }
  bool ddr() const { return target.context.bus.ddr; }
  const ArrayTiming& array_timing() const { return target.context.config.array; }
  void select(std::uint32_t number) {
    lun = number;
    die = &target.dies[number];
    access = &die->access(mode);
  }
  /// The cycles to come belong to the operation, whatever LUN a command since its address has named.
  void select_operation() {
    if (operation.at.lun != lun) select(operation.at.lun);
  }
  /// The LUN where planes of this kind are queued; the selected one when there are none.
  std::uint32_t lun_of_queue(ArrayKind kind) const;
  DieAccess& access_of(std::uint32_t number) const { return target.dies[number].access(mode); }
  std::uint32_t lun_bit() const { return 1u << lun; }
  TimePs array_start(TimePs confirm_end) const { return timed() ? confirm_end + target.context.bus.tWB : 0; }
  bool busy(TimePs at) const { return timed() && die->timeline().busy(at); }
  bool array_busy(TimePs at) const { return timed() && die->timeline().array_busy(at); }
  /// Its LUN is busy, or of a read beside those of other planes its plane.
  bool operation_busy(TimePs at) const {
    return busy(at) &&
           (operation.kind != ArrayKind::read || die->timeline().plane_busy(operation.at.place.plane, at));
  }
  /// The same for the registers of the plane that is selected for data out.
  bool output_busy(TimePs at) const {
    return timed() && die->timeline().plane_busy(access->registers.selected(), at);
  }
  /// Of the selected LUN.
  void occupy(const OnfiPhase& phase, TimePs duration) {
    if (timed()) die->timeline().occupy(array_start(phase.end), duration);
  }

  bool between_operations() const {
    return operation.stage != Stage::addressed && operation.stage != Stage::loaded;
  }
  bool nothing_pending() const { return between_operations() && !group_open && !slc && queued_luns == 0; }
  void begin_operation(ArrayKind kind, std::uint32_t plane, TimePs at) {
    if (timed() && die->timeline().reads_by_plane(at)) {
      access->begin_plane_read(plane);
    } else {
      access->begin_operation(kind);
    }
  }
  void end_plane(bool queued) {
    group_open = queued;
    if (!queued) slc = false;
  }
  /// The operation has its confirm, or is given up.
  void close(bool queued) {
    operation.stage = Stage::closed;
    end_plane(queued);
  }
  void end_commands() {
    waiting.action = Action::unknown;
    input = Input::none;
  }
  void switch_timing(const BusTiming& timing) {
    target.context.bus = timing;
    retimed = true;
  }

  void power_on();
  /// LUN and plane exist; selects the LUN. Refuses what does not.
  bool exists(const RowAddress& at, const OnfiPhase& phase);
  /// Refuses on one plane (or on all planes of the selected LUN when the place is not known).
  void refuse(Rule rule, const char* detail, const OnfiPhase& phase, const RowAddress* at = nullptr);
};

} // namespace twinplane::hw
