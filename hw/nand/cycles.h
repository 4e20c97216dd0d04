// The cycles of a target's decoder, by kind: commands, what must have come before each and what it starts;
// addresses, which LUN, plane, block and page a command is for and whether it may come now; data, of page
// registers, status bytes and what the target's registers take or answer.
#pragma once

#include <cstdint>

#include "hw/nand/decoder_state.h"

namespace twinplane::hw {

/// Cycles of the target's registers: ID, parameter page, unique ID and features. They belong to the target,
/// so every LUN must be idle; D4h and D5h are of one LUN, and the others may be busy.
class RegisterCycles {
 public:
  explicit RegisterCycles(DecoderState& state) : s_(state) {}

  /// 90h, ECh, EDh, EEh, EFh.
  void address_target(Action action, const OnfiPhase& phase);
  /// D4h, D5h.
  void address_lun_feature(Action action, const OnfiPhase& phase);
  /// Parameters of a feature, of one LUN or of all of them.
  void store_feature(const OnfiPhase& phase);
  /// Data out of an answer.
  void answer(OnfiPhase& phase);
  /// 70h interrupts the answer, to which 00h leads back.
  void interrupt() { interrupted_ = s_.output; }
  Output interrupted() const { return interrupted_; }
  void power_on() {
    address_ = 0;
    lun_ = offset_ = 0;
  }

 private:
  std::uint8_t answer_byte(std::uint32_t offset) const;

  DecoderState& s_;
  std::uint8_t address_ = 0; // of 90h, EEh, EFh, D4h, D5h
  std::uint32_t lun_ = 0;    // of D4h, D5h; the target answers EEh with those of LUN 0
  std::uint32_t offset_ = 0; // of the next byte of the answer
  Output interrupted_ = Output::none;
};

class AddressCycles {
 public:
  AddressCycles(DecoderState& state, RegisterCycles& registers) : s_(state), registers_(registers) {}

  void on_address(const OnfiPhase& phase);

 private:
  bool fits(Action action, std::uint32_t address_cycles) const;
  void complete(Action action, const OnfiPhase& phase);
  void address_operation(const OnfiPhase& phase);
  bool may_operate(const OnfiPhase& phase);
  bool same_lun_as_queue(const OnfiPhase& phase);
  void address_write(const OnfiPhase& phase);
  void begin_write(const RowAddress& at, const OnfiPhase& phase);
  void change_row(const RowAddress& at, const OnfiPhase& phase);
  bool column_exists(const OnfiPhase& phase);
  void address_output(Action action, const OnfiPhase& phase);
  void address_status(const OnfiPhase& phase);
  void calibrate(Action action, const OnfiPhase& phase);
  void reset_lun(const OnfiPhase& phase);
  void address_suspended(Action action, const OnfiPhase& phase);

  DecoderState& s_;
  RegisterCycles& registers_;
};

class CommandCycles {
 public:
  CommandCycles(DecoderState& state, RegisterCycles& registers) : s_(state), registers_(registers) {}

  void on_command(const OnfiPhase& phase);

 private:
  void start(const CommandRow& row, const OnfiPhase& phase);
  bool keep_answer(Action action);
  bool ready_for(const CommandRow& row) const;
  void refuse_command(const CommandRow& row, const OnfiPhase& phase);
  void refuse_busy(const CommandRow& row, const OnfiPhase& phase);
  void take_prefix(bool slc, const OnfiPhase& phase);
  void open(ArrayKind kind, const OnfiPhase& phase);
  void join_group(const OnfiPhase& phase);
  void queue_plane(const OnfiPhase& phase);
  void launch(const OnfiPhase& phase, bool cache);
  void load(const OnfiPhase& phase);
  void read_cache(Action action, const OnfiPhase& phase);
  void reset_target(const OnfiPhase& phase);

  DecoderState& s_;
  RegisterCycles& registers_;
};

class DataCycles {
 public:
  DataCycles(DecoderState& state, RegisterCycles& registers) : s_(state), registers_(registers) {}

  void on_data_in(const OnfiPhase& phase);
  void on_data_out(OnfiPhase& phase);

 private:
  void status_out(OnfiPhase& phase) const;
  void page_out(OnfiPhase& phase);
  void words_out(const PageRegister* page, OnfiPhase& phase) const;

  DecoderState& s_;
  RegisterCycles& registers_;
};

} // namespace twinplane::hw
