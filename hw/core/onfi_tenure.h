// One bus tenure on an ONFI channel as a TLM-2.0 transaction.
//
// The initiator says what happens in one of two ways:
//   raw        `phases` without times: any cycles in any order;
//   sequences  one of the five command sequences that move pages (Sequence), as `planes`: what differs
//              from use to use, without the cycles that are always the same.
// The channel fills in exact times from the timing table (start and end of each phase; begin, data and
// end of each plane) and forwards the transaction to the package whose CE# is selected. A package
// executes a sequence at once when nothing about it is unusual; otherwise it answers
// TLM_INCOMPLETE_RESPONSE, having done nothing, and gets the transaction again with the sequence's
// phases (hw/nand/tenure_expansion.h) for its cycle decoder. Both ways have the same effects.
// One b_transport call covers the whole tenure (loosely timed inside a tenure, exact at its borders):
// the annotated delay grows by the tenure's duration.
//
// Generic payload: command TLM_IGNORE_COMMAND, address = chip (CE#) on the channel, this extension
// mandatory. Response: TLM_OK_RESPONSE even when the die refuses (a refusal shows in the status
// register, as on a real bus); TLM_ADDRESS_ERROR_RESPONSE for a CE# that no target answers, and
// TLM_GENERIC_ERROR_RESPONSE, with nothing done, for a tenure that is not well_formed().
// transport_dbg with the same extension runs the cycles in zero time (times are not looked at).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tlm>
#include <vector>

#include "hw/core/block_error.h"
#include "hw/spec/bus_timing.h"
#include "hw/spec/geometry.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

enum class PhaseKind : std::uint8_t { command, address, data_in, data_out };

/// RawErrors::kind of pages in SLC mode; of others it is the page type.
constexpr std::uint8_t kSlcPages = kMaxPageTypes;

/// Wrong bits in the page data of a transfer, as they leave the cells.
struct RawErrors {
  double worst = 0;            // in the codeword that has most of them
  double total = 0;            // in all codewords of the transfer
  std::uint32_t codewords = 0; // 0: not counted
  std::uint8_t kind = 0;
  /// By sector of the page: in the worst codeword that it has a part in. Valid until the next transfer.
  const double* by_sector = nullptr;
  /// Wrong bits in the bytes that were moved, as bits of the page's data; null where only tags move, or where
  /// the errors are expected ones. Valid as long.
  const std::vector<std::uint32_t>* flips = nullptr;
};

/// A run of equal cycles. Page data moves as sector payloads (see DataMode) with nominal byte counts.
struct OnfiPhase {
  PhaseKind kind = PhaseKind::command;
  std::uint8_t opcode = 0;         // command
  std::uint8_t address_cycles = 0; // address: number of cycles used in `address`
  std::array<std::uint8_t, 6> address{};
  std::uint32_t bytes = 0;      // data: nominal bytes on the bus (decides the duration)
  std::uint8_t* data = nullptr; // small transfers (ID, status, features, parameter page): real bytes
  // page transfers (data == nullptr):
  std::uint8_t* sectors = nullptr; // payload of sector 0 of the page, packed at payload_bytes() stride
  std::uint32_t sector_mask = 0;   // sectors moved by this phase
  std::uint64_t* oob = nullptr;    // out-of-band word moved with the page (null: not moved)
  /// A word for each subpage, moved with the page instead (null: not moved). In: all ones are not stored.
  std::uint64_t* words = nullptr;
  /// Of the page's sectors, those that are stored as lost ones; data out, filled in by the package: that
  /// were.
  std::uint32_t lost = 0;
  // data_out of a page, filled in by the package:
  bool blank = false;   // the page was never programmed since its erase (oob is all ones)
  bool corrupt = false; // its program or erase was aborted: ECC cannot correct it
  RawErrors errors;     // parts with a model of bit errors only
  // filled in by the channel:
  TimePs start = 0; // first cycle begins
  TimePs end = 0;   // last cycle has ended
};

/// What a tenure is for; arbiters and utilisation counters use it, dies do not.
enum class TenureKind : std::uint8_t { read_command, program, erase, status, data_out, other };

/// The command sequences with a short form (ONFI 4.x command definitions); A5 and A3 are page and row
/// addresses with as many row cycles as `row_cycles` says.
enum class Sequence : std::uint8_t {
  raw,          // none of them: `phases` tell
  read_command, // [SLC prefix] 00h-A5-32h ... 00h-A5-30h (cache: 31h)
  program,      // [SLC prefix] 80h-A5-data-11h ... 80h-A5-data-10h (cache: 15h, load: 1Ah)
  erase,        // [SLC prefix] 60h-A3-D1h ... 60h-A3-D0h
  data_out,     // [06h-A5-E0h or 00h] data out, for each plane
  status,       // 70h or 78h-A3, and one status byte, for each plane
};
constexpr std::size_t kSequences = 6;

/// Variants of a sequence, one bit each.
namespace sequence_form {
constexpr std::uint8_t slc = 1u << 0;       // operations: SLC prefix
constexpr std::uint8_t addressed = 1u << 1; // data_out: with 06h; status: 78h
constexpr std::uint8_t resume = 1u << 2;    // data_out: 00h returns from status to data output
constexpr std::uint8_t load = 1u << 2;      // program: 1Ah instead of 10h (the bit is free there)
constexpr std::uint8_t cache = 1u << 3;     // read_command: 31h instead of 30h; program: 15h instead of 10h
constexpr std::uint8_t mask = 15;
} // namespace sequence_form

/// What one plane contributes to a sequence; fields that the sequence does not use are not looked at.
struct OnfiPlane {
  std::uint32_t row = 0;
  std::uint32_t bytes = 0;         // nominal bytes on the bus
  std::uint32_t sector_mask = 0;   // sectors moved
  std::uint16_t column = 0;        // of the first sector moved
  std::uint8_t* sectors = nullptr; // as in OnfiPhase
  std::uint64_t oob = 0;           // program: stored with the page; data_out: response
  std::uint64_t* words = nullptr;  // as in OnfiPhase; a program with words does not look at `oob`
  std::uint32_t lost = 0;          // as in OnfiPhase; data_out: response
  // response, filled in by the package:
  std::uint8_t status = 0;
  bool blank = false;
  bool corrupt = false;
  RawErrors errors; // written by parts with a model of bit errors only
  // filled in by the channel:
  TimePs begin = 0; // the plane's first command (data out without command: its data) begins
  TimePs data = 0;  // its data begins; equals `end` when the sequence moves none
  TimePs end = 0;   // its last cycle has ended
};

struct OnfiTenure : tlm::tlm_extension<OnfiTenure> {
  static constexpr std::uint32_t kMaxPhases = 48;

  Sequence sequence = Sequence::raw;
  std::uint8_t form = 0;       // sequence_form bits
  std::uint8_t row_cycles = 3; // 3 or 4
  std::uint32_t plane_count = 0;
  std::array<OnfiPlane, kMaxPlanesPerDie> planes;

  /// Status bytes of an expanded status sequence; a DDR bus drives each twice.
  std::array<std::array<std::uint8_t, 2>, kMaxPlanesPerDie> status_bytes{};

  std::array<OnfiPhase, kMaxPhases> phases;
  std::uint32_t phase_count = 0; // of a sequence: 0 until it is expanded
  TenureKind kind = TenureKind::other;
  std::uint32_t lun = 0;         // LUN on the chip this tenure is for (bookkeeping only)
  std::uint32_t request_tag = 0; // for observers: cookie of the command's first descriptor

  // response, filled in by the package:
  TimePs ready_at = 0;                   // when R/B# of the addressed LUN rises (<= end of tenure: not busy)
  const BusTiming* new_timing = nullptr; // of the target's tenures from the next one on; the channel takes it
  TimePs plane_ready_at = 0; // parts with independent plane reads: when the plane addressed last is ready
  TimePs array_ready_at = 0; // when its array is idle (SR5): later than that after cache operations

  /// There must be room for it: a phase more than kMaxPhases is an SC_ERROR, and takes the place of the last one
  /// where that does not throw.
  OnfiPhase& add(PhaseKind k) {
    if (phase_count >= kMaxPhases) {
      report_full();
      phase_count = kMaxPhases - 1;
    }
    OnfiPhase& p = phases[phase_count++];
    p = OnfiPhase{};
    p.kind = k;
    return p;
  }
  void command(std::uint8_t opcode) { add(PhaseKind::command).opcode = opcode; }
  /// Numbers of planes or phases and of row cycles that there can be.
  bool well_formed() const {
    if (phase_count > kMaxPhases) return false;
    return sequence == Sequence::raw ||
           (plane_count - 1u < kMaxPlanesPerDie && (row_cycles == 3 || row_cycles == 4));
  }
  bool has(std::uint8_t form_bit) const { return (form & form_bit) != 0; }
  /// Page data of a sequence, as it passes on the bus.
  std::uint64_t page_bytes() const {
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < plane_count; ++i) bytes += planes[i].bytes;
    return bytes;
  }

  [[gnu::cold, gnu::noinline]] static void report_full() {
    SC_REPORT_ERROR(kBlockReport, ("a tenure has no room for more than " + std::to_string(kMaxPhases) +
                                   " phases: send them in two tenures")
                                      .c_str());
  }

  tlm::tlm_extension_base* clone() const override { return new OnfiTenure(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const OnfiTenure&>(other);
  }
};

} // namespace twinplane::hw
