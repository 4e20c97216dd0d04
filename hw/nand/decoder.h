// Command decoder of one target: a state machine over command, address and data cycles that turns the
// phases of a tenure into operations of its dies.
//
// Rules of the sequences: a LUN that is busy accepts only 70h, 78h and resets; target commands (90h,
// ECh, EEh, EFh) need every LUN idle, D4h and D5h theirs. The planes of a multi-plane command follow each
// other without the same kind of operation of another LUN in between. The remaining cycles of a refused
// operation are ignored. The SLC prefix holds for one operation, all planes of it.
//
// Sequences (OnfiTenure::planes) that meet a ready die and an idle decoder and that break none of these
// rules go straight to the die, with the same calls and the same state left behind.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/core/onfi_tenure.h"
#include "hw/nand/command_table.h"
#include "hw/nand/die.h"
#include "hw/nand/target_registers.h"

namespace twinplane::hw {

/// What the decoders of a target's two faces share.
struct Target {
  PackageContext& context;
  std::vector<Die>& dies;
  TargetRegisters& registers;
  const CommandIndex& commands;
};

class Decoder {
 public:
  /// The target's dies must exist and stay where they are.
  Decoder(Face face, const Target& target);

  /// Decodes the phases at their times and sets the tenure's `ready_at` and responses.
  void run(OnfiTenure& tenure);
  /// Executes a sequence from its planes. False, with nothing done, when it takes the cycles to tell
  /// what happens.
  [[nodiscard]] bool run_sequence(OnfiTenure& tenure);
  /// Forgets every cycle it has seen.
  void power_on();

 private:
  enum class Stage : std::uint8_t { closed, open, addressed, loaded, refused };
  enum class Output : std::uint8_t {
    none,
    status,
    status_enhanced,
    page,
    id,
    parameter_page,
    unique_id,
    features
  };
  enum class Input : std::uint8_t { none, page, features, lun_features, odt, answer };

  /// Where the fields of a row address are: RowLayout with the sums and masks worked out.
  struct RowFields {
    explicit RowFields(const RowLayout& layout);
    std::uint32_t plane_shift, block_shift, lun_shift;
    std::uint32_t page_mask, plane_mask, block_mask, lun_mask;
    std::uint32_t lun_bits; // of a row
  };
  /// The operation between its first command and its confirm.
  struct Operation {
    ArrayKind kind = ArrayKind::read;
    Stage stage = Stage::closed;
    RowAddress at;
    bool jedec = false;  // opened by 81h
    bool cancel = false; // 60h with a row of all ones: D1h drops what is queued
  };

  void on_command(const OnfiPhase& phase);
  void on_address(const OnfiPhase& phase);
  void on_data_in(const OnfiPhase& phase);
  void on_data_out(OnfiPhase& phase);
  void announce_ready(OnfiTenure& tenure) const {
    tenure.ready_at = timed() ? die_->busy_until() : 0;
    tenure.array_ready_at = timed() ? die_->array_busy_until() : 0;
    if (timed() && die_->has_plane_reads())
      tenure.plane_ready_at = die_->plane_busy_until(operation_.at.place.plane);
  }

  // commands
  void take_prefix(bool slc, const OnfiPhase& phase);
  bool keep_answer(Action action);
  bool ready_for(const CommandRow& row) const;
  void open(ArrayKind kind, const OnfiPhase& phase);
  void refuse_command(const CommandRow& row, const OnfiPhase& phase);
  void end_plane(Action confirm);
  void queue_plane(const OnfiPhase& phase);
  void join_plane(const OnfiPhase& phase);
  void launch(const OnfiPhase& phase, bool cache);
  void load(const OnfiPhase& phase);
  void read_cache(Action action, const OnfiPhase& phase);
  void reset_target(const OnfiPhase& phase);

  // sequences (decoder_sequence.cpp)
  bool can_operate(ArrayKind kind, const OnfiTenure& tenure) const;
  bool can_have_form(ArrayKind kind, const OnfiTenure& tenure, const Die& die) const;
  bool columns_fit(const OnfiTenure& tenure) const;
  bool busy_times_pass(const OnfiTenure& tenure) const;
  bool addressable(const OnfiTenure& tenure) const;
  bool operate(const OnfiTenure& tenure);
  bool sequence_data_out(OnfiTenure& tenure);
  bool sequence_status(OnfiTenure& tenure);
  bool between_operations() const {
    return operation_.stage != Stage::addressed && operation_.stage != Stage::loaded;
  }
  bool nothing_pending() const { return between_operations() && !group_open_ && !slc_ && queued_luns_ == 0; }
  void end_commands() {
    waiting_ = Action::unknown;
    input_ = Input::none;
  }

  // addresses
  std::uint32_t cycles(AddressForm form) const;
  bool fits(Action action, std::uint32_t address_cycles) const;
  std::uint32_t lun_of(std::uint32_t row) const { return row >> fields_.lun_shift & fields_.lun_mask; }
  std::uint32_t plane_of(std::uint32_t row) const { return row >> fields_.plane_shift & fields_.plane_mask; }
  RowAddress decode_row(std::uint32_t row) const {
    // Bits above the LUN's (of a fourth cycle that was not sent, or unused ones) are masked away.
    const RowFields& f = fields_;
    return {row >> f.lun_shift & f.lun_mask,
            {row >> f.plane_shift & f.plane_mask, row >> f.block_shift & f.block_mask, row & f.page_mask}};
  }
  RowAddress decode_row(const OnfiPhase& phase, std::uint32_t first_cycle) const;
  bool exists(const RowAddress& at, const OnfiPhase& phase);
  void address_operation(const OnfiPhase& phase);
  bool may_operate(const OnfiPhase& phase);
  void address_write(const OnfiPhase& phase);
  void change_row(const RowAddress& at, const OnfiPhase& phase);
  void calibrate(Action action, const OnfiPhase& phase);
  bool same_lun_as_queue(const RowAddress& at, const OnfiPhase& phase);
  void address_output(Action action, const OnfiPhase& phase);
  void address_target(Action action, const OnfiPhase& phase);
  void address_lun_feature(Action action, const OnfiPhase& phase);
  void address_status(const OnfiPhase& phase);
  void reset_lun(const OnfiPhase& phase);
  void address_suspended(Action action, const OnfiPhase& phase);
  bool column_exists(const OnfiPhase& phase);
  bool column_fits(std::uint32_t column) const {
    return column < columns_ && (column % 2 == 0 || !target_.context.bus.ddr);
  }

  // data
  void store_feature(const OnfiPhase& phase, bool of_lun);
  void switch_timing(const BusTiming& timing) {
    target_.context.bus = timing;
    retimed_ = true;
  }
  void page_out(OnfiPhase& phase);
  std::uint8_t output_byte(std::uint32_t offset, TimePs at);

  // shared
  bool timed() const { return face_ == Face::bus; }
  Die& die() { return *die_; }
  void select(std::uint32_t lun) {
    lun_ = lun;
    die_ = &target_.dies[lun];
  }
  TimePs array_start(TimePs confirm_end) const { return timed() ? confirm_end + target_.context.bus.tWB : 0; }
  bool lun_is_busy_at(TimePs at) const;
  /// The same for the registers of the plane that is selected for data out.
  bool output_is_busy_at(TimePs at) const {
    return timed() && die_->plane_busy(die_->selected_plane(face_), at);
  }
  void begin_operation(ArrayKind kind, std::uint32_t plane, TimePs at) {
    if (timed() && die_->reads_by_plane(at)) {
      die_->begin_plane_read(plane);
    } else {
      die_->begin_operation(face_, kind);
    }
  }
  void occupy_target(const OnfiPhase& phase, TimePs duration);
  /// Refuses on one plane (or on all planes of the selected LUN when the place is not known).
  void refuse(Rule rule, const char* detail, const OnfiPhase& phase, const RowAddress* at = nullptr);

  Face face_;
  Target target_;
  RowFields fields_;
  std::uint32_t row_cycles_;
  std::uint32_t luns_;
  std::uint32_t planes_;
  std::uint32_t columns_;         // of a page and its spare area
  std::uint32_t queued_luns_ = 0; // bit per LUN that has planes queued
  Operation operation_;
  Action waiting_ = Action::unknown; // command whose address has not come yet
  AddressForm waiting_form_ = AddressForm::none;
  TimePs waiting_since_ = 0;      // start of that command's cycle
  bool output_addressed_ = false; // 05h or 06h has its address
  bool group_open_ = false;       // the last plane ended with 32h, 11h or D1h
  bool slc_ = false;
  bool retimed_ = false; // by the tenure being decoded
  Output output_ = Output::none;
  Input input_ = Input::none; // `answer`: no input; 00h leads back from the status to `answer_`
  Output answer_ = Output::none;
  std::uint8_t register_address_ = 0; // of 90h, EEh, EFh, D4h, D5h
  std::uint32_t feature_lun_ = 0;     // of D4h, D5h; the target answers EEh with those of LUN 0
  std::uint32_t output_offset_ = 0;
  std::uint32_t lun_ = 0; // selected: last addressed
  Die* die_;              // of lun_
  std::uint32_t status_plane_ = 0;
};

} // namespace twinplane::hw
