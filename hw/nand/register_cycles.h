// Cycles of the target's registers: ID, parameter page, unique ID and features. They belong to the target, so
// every LUN must be idle; D4h and D5h are of one LUN, and the others may be busy.
#pragma once

#include <cstdint>

#include "hw/nand/decoder_state.h"

namespace twinplane::hw {

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

} // namespace twinplane::hw
