// Records what the flash does as waves.vcd or waves.fst, with waves.gtkw and translate files beside it:
//   gtkwave OUT/waves.gtkw
// shows states, opcodes and page types as text. Attach it to the packages and channels; without it the
// models pay nothing. Signals (those of the chosen scope exist, no others) bear the name of the drive's
// module, which is ssd in twinplane's own runs:
//
//   ssd.planes_busy                       planes whose array is busy, of the whole drive
//   ssd.ch0.bus.{phase,opcode,chip}       phase per wave_codes.h; opcode and chip (CE#) of the last command
//   ssd.ch0.pins.{...}                    level `pins`: see pin_waves.h
//   ssd.ch0.chip1.die0.rb_n               ready/busy of the die
//   ssd.ch0.chip1.die0.group              planes of the command whose array time runs, 0 when none does;
//                                         of reads beside each other the newest, then the one that ends last
//   ssd.ch0.chip1.die0.violation          code of a refused command's rule for 100 ns
//   ssd.ch0.chip1.die0.plane1.state       what the plane's array does
//   ssd.ch0.chip1.die0.plane1.{page_type,block,page}
//                                         keep the last operation's values while the plane is idle
//   ssd.ch0.chip1.die0.plane1.{mode,level}
//                                         in drives with an SLC-mode cache: how that block is used
//
// Calls may come out of order (temporal decoupling, late announcements); several drives of a simulation may
// share a file (wave_file.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "hw/core/observer.h"
#include "hw/spec/data_mode.h"
#include "hw/spec/geometry.h"
#include "platform/config/config.h"
#include "platform/observe/waves/bus_waves.h"
#include "platform/observe/waves/die_waves.h"
#include "platform/observe/waves/known_parts.h"
#include "platform/observe/waves/pin_waves.h"
#include "platform/observe/waves/wave_codes.h"
#include "platform/observe/waves/wave_file.h"
#include "platform/observe/waves/wave_signals.h"

namespace twinplane::platform {

class WaveRecorder final : public hw::NandObserver, public hw::BusObserver {
 public:
  struct Drive {
    std::string scope; // patterns of WaveScope; empty: everything
    WaveLevel level = WaveLevel::phases;
    DataMode data = DataMode::tag;  // `full`: level pins shows the bytes of page data
    std::string module = "ssd";     // name() of the drive's sc_module: the scope of all signals
    BlockLevel level_of_block = {}; // empty: no SLC-mode cache
  };
  struct Options : WaveFile::Options, Drive {};

  /// With a file of its own, which is started. Throws InputError when a pattern matches nothing (the message
  /// lists what exists) or a file cannot be written.
  WaveRecorder(const Geometry& geometry, const Options& options);
  /// One drive of `file`, which must outlive this and is started when all have joined. Throws InputError as
  /// above, and when the file takes no drive of this name.
  WaveRecorder(const Geometry& geometry, const Drive& drive, WaveFile& file);

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

  /// Of the file: see there. Throws InputError as well when the drive is not of the recorder's geometry.
  void finish(TimePs end) {
    file_.finish(end);
    parts_.require_all(drive_.module);
  }
  bool ok() const { return file_.ok(); }
  std::uint64_t late_changes() const { return file_.late_changes(); }

 private:
  WaveRecorder(const Geometry& geometry, const Drive& drive, std::unique_ptr<WaveFile> own, WaveFile* shared);
  void declare();
  void reject_unmatched() const;

  Geometry geometry_;
  KnownParts parts_;
  Drive drive_;
  std::unique_ptr<WaveFile> own_; // null: shared
  WaveFile& file_;
  WaveSignals signals_;
  BusWaves buses_;
  DieWaves dies_;
  std::unique_ptr<PinWaves> pins_; // level `pins`
};

} // namespace twinplane::platform
