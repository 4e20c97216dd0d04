// One target seen from the pins: takes bus cycles one by one and sends them to the package as raw phases.
//
// A phase is a run of equal cycles, and each goes to the die in a tenure of its own as soon as it is
// complete, because only the die knows when R/B# falls and what a status byte says:
//   command    at the rising edge of WE#
//   address    with its last cycle, as many as the command takes; an address of open length (85h)
//              or cut short when anything else follows
//   data in    of a page when anything else follows; of features with the last parameter
//   data out   registers (status, ID, features): byte by byte, each with the answer of its time;
//              a page: whole, when the first byte is wanted, and then byte by byte from there
// Phases carry the times of their pin edges (start: WE# or RE# falls; end: WE# rises, or one byte time
// after RE# has fallen), so the die counts tWB and what follows from the rising edge of WE#. The decoder
// keeps its state between tenures, therefore it makes no difference whether a controller raises CE# between
// a command and its status or keeps it low over a whole operation. Observers are told whole cycles, as a
// channel tells them: a cycle that WE# strobes ends with its rising edge and has begun tWC before, at the
// latest.
//
// A sector is the smallest thing that moves: bytes of a sector of which only some were written read as FFh.
#pragma once

#include <cstdint>
#include <tlm>

#include "hw/core/onfi_protocol.h"
#include "hw/nand/command_table.h"
#include "hw/pins/page_bytes.h"
#include "hw/pins/pin_config.h"
#include "hw/pins/pin_faults.h"
#include "hw/pins/tenure_recorder.h"

namespace twinplane::hw {

/// One strobe: when it began and ended.
struct Strobe {
  TimePs start = 0;
  TimePs end = 0;
};

struct PinStatistics {
  std::uint64_t commands = 0;
  std::uint64_t addresses = 0; // cycles
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t transactions = 0; // phases sent to packages
};

class PinTarget {
 public:
  using Socket = OnfiInitiatorSocket;
  /// What the targets of a channel share; must outlive them.
  struct Shared {
    PinConfig config;
    PinStatistics statistics;
    PinFaults faults;
  };

  PinTarget(Shared& shared, Socket& socket, std::uint32_t chip);
  ~PinTarget();
  PinTarget(const PinTarget&) = delete;
  PinTarget& operator=(const PinTarget&) = delete;

  void command(std::uint8_t opcode, const Strobe& strobe, bool write_protected);
  void address(std::uint8_t byte, const Strobe& strobe);
  void data_in(std::uint8_t byte, const Strobe& strobe);
  /// The byte for a strobe that begins at `at`.
  std::uint8_t data_out(TimePs at, bool write_protected);
  /// CE# falls.
  void select(TimePs at) { recorder_.open(at); }
  /// CE# rises: what is complete goes to the die, and the tenure to the observers.
  void deselect(TimePs at);

  void attach(BusObserver& observer) { recorder_.attach(observer); }

 private:
  enum class Run : std::uint8_t { none, address, page_in, register_in };
  enum class Output : std::uint8_t { page, status, registers };

  bool swallow(std::uint8_t opcode, TimePs at, bool write_protected);
  void follow_program(Action action);
  void choose_data(std::uint8_t opcode);
  void end_run();
  std::uint32_t address_cycles() const;
  void take_column();
  void open_data(const Strobe& strobe);
  std::uint8_t page_byte(TimePs at);
  OnfiPhase& begin(PhaseKind kind, const Strobe& strobe);
  void send();
  void tell(const OnfiPhase& phase, TimePs first_end);

  Shared& shared_;
  Socket& socket_;
  TenureRecorder recorder_;
  CommandIndex commands_;
  std::uint32_t row_cycles_;
  tlm::tlm_generic_payload payload_;
  OnfiTenure tenure_;

  Run run_ = Run::none;
  std::uint8_t opcode_ = 0; // of the last command
  bool swallowing_ = false; // the cycles of a write-protected operation
  bool loading_ = false;    // a program is open
  Strobe strobes_;          // of the run: begin of the first, end of the last
  TimePs first_end_ = 0;    // ... end of the first
  std::uint32_t run_bytes_ = 0;
  std::array<std::uint8_t, 6> address_{};
  std::array<std::uint8_t, 2 * onfi::feature::parameters> registers_{};
  std::uint32_t column_ = 0;
  PageBytes input_;
  PageBytes output_;
  Output output_kind_ = Output::page;
  bool fetched_ = false; // `output_` holds what the die puts out
};

} // namespace twinplane::hw
