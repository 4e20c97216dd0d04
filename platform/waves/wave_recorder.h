// Records what the flash does as waves.vcd or waves.fst, with waves.gtkw and translate files beside it, so
// that
//   gtkwave OUT/waves.gtkw
// shows states, opcodes and page types as text. Attach it to the packages and channels; without it the
// models pay nothing. Signals (those of the chosen scope exist, no others) bear the name of the drive's
// module, which is ssd in twinplane's own runs:
//
//   ssd.planes_busy                       planes whose array is busy, of the whole drive
//   ssd.ch0.bus.{phase,opcode,chip}       phase per wave_codes.h; opcode and chip (CE#) of the last command
//   ssd.ch0.pins.{...}                    level `pins`: see pin_waves.h
//   ssd.ch0.chip1.die0.rb_n               ready/busy of the die
//   ssd.ch0.chip1.die0.group              planes of the command whose array time runs, 0 when none does
//   ssd.ch0.chip1.die0.violation          code of a refused command's rule for 100 ns
//   ssd.ch0.chip1.die0.plane1.{state,page_type,block,page}       page_type, block and page keep the last
//                                         operation's values while the plane is idle
//   ssd.ch0.chip1.die0.plane1.{mode,level} in drives with an SLC-mode cache: how that block is used
//
// Calls may come out of order (temporal decoupling, late announcements), up to `slack` of simulated time
// where no clock says what is over.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "hw/core/observer.h"
#include "hw/spec/data_mode.h"
#include "hw/spec/geometry.h"
#include "platform/config/config.h"
#include "platform/waves/bus_waves.h"
#include "platform/waves/die_waves.h"
#include "platform/waves/pin_waves.h"
#include "platform/waves/wave_codes.h"
#include "platform/waves/wave_signals.h"

namespace twinplane::platform {

class WaveRecorder final : public hw::NandObserver, public hw::BusObserver {
 public:
  struct Options {
    std::filesystem::path folder; // must exist
    std::string scope;            // patterns of WaveScope; empty: everything
    WaveWindow window;
    TimePs slack = ms(1);
    std::function<TimePs()> now;      // if set: no call begins before the time it tells (the kernel's)
    std::function<void()> on_failure; // called once when the disk is full, inside the model: stop the run
    WaveLevel level = WaveLevel::phases;
    DataMode data = DataMode::tag;  // `full`: level pins shows the bytes of page data
    std::string module = "ssd";     // name() of the drive's sc_module: the scope of all signals
    BlockLevel level_of_block = {}; // empty: no SLC-mode cache
    WaveFormat format = WaveFormat::vcd;
  };

  /// Throws InputError when a pattern matches nothing (the message lists what exists) or a file cannot
  /// be written.
  WaveRecorder(const Geometry& geometry, const Options& options);

  void on_array(std::uint32_t channel, const hw::ArrayOperation& operation) override;
  void on_group(std::uint32_t channel, const hw::ArrayOperation& operation,
                const hw::PlaneAddress* places) override;
  void on_array_change(std::uint32_t channel, hw::ArrayChange change,
                       const hw::ArrayOperation& operation) override;
  void on_ready_busy(std::uint32_t channel, std::uint32_t chip, std::uint32_t lun, bool ready,
                     TimePs at) override;
  void on_violation(std::uint32_t channel, const hw::Violation& violation) override;
  void on_tenure(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure, TimePs start,
                 TimePs end) override;
  bool wants_phases() const override { return pins_ != nullptr; }
  void on_timing(std::uint32_t channel, const BusTiming& bus, TimePs tDBSY) override;

  /// Ends the file at the end of simulated time. Throws InputError when the disk was full (the file
  /// ends early, but is readable) or when the window lies after `end`.
  void finish(TimePs end);
  /// False once the disk is full: nothing more is recorded, the run may stop.
  bool ok() const { return signals_.writer().ok(); }
  std::uint64_t late_changes() const { return signals_.writer().late_changes(); }

 private:
  void declare();
  void reject_unmatched() const;
  std::vector<TranslationTable> tables() const;
  void write_viewer_files() const;
  void note_start(TimePs start) {
    if (start > latest_start_) latest_start_ = start;
    if (signals_.writer().pending() >= flush_at_) flush();
  }
  void flush();

  Geometry geometry_;
  Options options_;
  WaveSignals signals_;
  BusWaves buses_;
  DieWaves dies_;
  std::unique_ptr<PinWaves> pins_; // level `pins`
  TimePs latest_start_ = 0;
  std::size_t flush_at_;
};

} // namespace twinplane::platform
