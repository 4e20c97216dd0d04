// One bus tenure on an ONFI channel as a TLM-2.0 transaction.
//
// The flash controller composes phases without times; the channel fills in the exact start and end of
// each phase from the timing table and forwards the transaction to the package whose CE# is selected;
// the die decodes the cycles at those times. One b_transport call covers the whole tenure (loosely
// timed inside a tenure, exact at its borders): the annotated delay grows by the tenure's duration.
//
// Generic payload: command TLM_IGNORE_COMMAND, address = chip (CE#) on the channel, this extension
// mandatory. Response: TLM_OK_RESPONSE even when the die refuses (a refusal shows in the status
// register, as on a real bus); TLM_ADDRESS_ERROR_RESPONSE for a CE# nobody answers.
// transport_dbg with the same extension runs the cycles in zero time (times are not looked at).
#pragma once

#include <array>
#include <cstdint>
#include <tlm>

#include "hw/spec/geometry.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

enum class PhaseKind : std::uint8_t { command, address, data_in, data_out };

/// A run of equal cycles. Page data moves as sector payloads (see DataMode) with nominal byte counts.
struct OnfiPhase {
  PhaseKind kind = PhaseKind::command;
  std::uint8_t opcode = 0;         // command
  std::uint8_t address_cycles = 0; // address: number of cycles used in `address`
  std::array<std::uint8_t, 6> address{};
  std::uint32_t bytes = 0;       // data: nominal bytes on the bus (decides the duration)
  std::uint8_t* data = nullptr;  // small transfers (ID, status, features, parameter page): real bytes
  // page transfers (data == nullptr):
  std::uint8_t* sectors = nullptr; // payload of sector 0 of the page, packed at payload_bytes() stride
  std::uint32_t sector_mask = 0;   // sectors moved by this phase
  std::uint64_t* oob = nullptr;    // out-of-band word moved with the page (null: not moved)
  // data_out of a page, filled in by the package:
  bool blank = false;   // the page was never programmed since its erase (oob is all ones)
  bool corrupt = false; // its program or erase was aborted: ECC cannot correct it
  // filled in by the channel:
  TimePs start = 0; // first cycle begins
  TimePs end = 0;   // last cycle has ended
};

/// What a tenure is for; arbiters and utilisation counters use it, dies do not.
enum class TenureKind : std::uint8_t { read_command, program, erase, status, data_out, other };

struct OnfiTenure : tlm::tlm_extension<OnfiTenure> {
  static constexpr std::uint32_t kMaxPhases = 48;

  std::array<OnfiPhase, kMaxPhases> phases;
  std::uint32_t phase_count = 0;
  TenureKind kind = TenureKind::other;
  std::uint32_t lun = 0;         // LUN on the chip this tenure is for (bookkeeping only)
  std::uint32_t request_tag = 0; // for waves: cookie of the descriptor

  // response, filled in by the package:
  TimePs ready_at = 0; // when R/B# of the addressed LUN rises (<= end of tenure: not busy)

  OnfiPhase& add(PhaseKind k) {
    OnfiPhase& p = phases[phase_count++];
    p = OnfiPhase{};
    p.kind = k;
    return p;
  }
  void command(std::uint8_t opcode) { add(PhaseKind::command).opcode = opcode; }

  tlm::tlm_extension_base* clone() const override { return new OnfiTenure(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const OnfiTenure&>(other);
  }
};

} // namespace twinplane::hw
