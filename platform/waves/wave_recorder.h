// Records what the flash does as waves.vcd, with waves.gtkw and translate files beside it, so that
//   gtkwave OUT/waves.gtkw
// shows states, opcodes and page types as text. Attach it to the packages and channels; without it the
// models pay nothing. Signals (those of the chosen scope exist, no others):
//
//   ssd.planes_busy                       planes whose array is busy, of the whole drive
//   ssd.ch0.bus.{phase,opcode,chip}       phase per wave_codes.h; opcode and chip (CE#) of the last command
//   ssd.ch0.chip1.die0.rb_n               ready/busy of the die
//   ssd.ch0.chip1.die0.group              planes of the command whose array time runs, 0 when none does
//   ssd.ch0.chip1.die0.violation          code of a refused command's rule for 100 ns
//   ssd.ch0.chip1.die0.plane1.{state,page_type,block,page}       page_type, block and page keep the last
//                                         operation's values while the plane is idle
//
// Calls may come up to `slack` of simulated time out of order (temporal decoupling, late announcements).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hw/core/observer.h"
#include "hw/spec/geometry.h"
#include "platform/waves/vcd_writer.h"
#include "platform/waves/wave_selection.h"

namespace twinplane::platform {

class WaveRecorder final : public hw::NandObserver, public hw::BusObserver {
 public:
  struct Options {
    std::filesystem::path folder; // must exist
    std::string scope;            // patterns of WaveScope; empty: everything
    WaveWindow window;
    TimePs slack = ms(1);
    std::function<void()> on_failure; // called once when the disk is full, inside the model: stop the run
  };

  /// Throws InputError when a pattern matches nothing (the message lists what exists) or a file cannot
  /// be written.
  WaveRecorder(const Geometry& geometry, const Options& options);

  void on_array(std::uint32_t channel, const hw::ArrayOperation& operation) override;
  void on_ready_busy(std::uint32_t channel, std::uint32_t chip, std::uint32_t lun, bool ready,
                     TimePs at) override;
  void on_violation(std::uint32_t channel, const hw::Violation& violation) override;
  void on_tenure(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure, TimePs start,
                 TimePs end) override;

  /// Ends the file at the end of simulated time. Throws InputError when the disk was full (the file
  /// ends early, but is readable) or when the window lies after `end`.
  void finish(TimePs end);
  /// False once the disk is full: nothing more is recorded, the run may stop.
  bool ok() const { return vcd_.ok(); }
  std::uint64_t late_changes() const { return vcd_.late_changes(); }

 private:
  using Signal = std::optional<VcdWriter::Signal>; // nullopt: outside the scope

  struct Bus {
    Signal phase, opcode, chip;
    bool recorded = false;
  };
  struct Die {
    Signal rb_n, group, violation;
    TimePs group_start = kNever; // of the operation that `group` shows
    TimePs group_end = 0;
  };
  struct Plane {
    Signal state, page_type, block, page;
    TimePs busy_until = 0;
    bool recorded = false;
  };

  Signal wire(const std::string& name, std::uint32_t bits, VcdWriter::Initial initial);
  void declare_bus(std::uint32_t channel);
  void declare_die(std::uint32_t channel, std::uint32_t chip, std::uint32_t lun);
  void declare_plane(const std::string& die, std::uint32_t plane);
  void reject_unmatched() const;
  void write_viewer_files() const;

  std::uint32_t die_index(std::uint32_t channel, std::uint32_t chip, std::uint32_t lun) const {
    return (channel * geometry_.chips_per_channel + chip) * geometry_.dies_per_chip + lun;
  }
  bool outside(TimePs start, TimePs end) const {
    return start > vcd_.window().end || end < vcd_.window().begin;
  }
  void put(const Signal& signal, TimePs at, std::uint64_t value) {
    if (signal) vcd_.change(*signal, at, value);
  }
  void show_group(Die& die, const hw::ArrayOperation& operation);
  void count_plane(Plane& plane, const hw::ArrayOperation& operation);
  void seen(TimePs start);

  Geometry geometry_;
  Options options_;
  WaveScope scope_;
  VcdWriter vcd_;
  std::vector<std::string> names_; // as in the save file, with bit ranges
  Signal planes_busy_;
  std::vector<Bus> buses_;
  std::vector<Die> dies_;
  std::vector<Plane> planes_;
  TimePs latest_start_ = 0;
  std::size_t flush_at_;
};

} // namespace twinplane::platform
