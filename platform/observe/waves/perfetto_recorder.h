// Records what the flash does as waves.json, to be opened in ui.perfetto.dev (or chrome://tracing).
//
// A channel is a process; its bus, each of its dies and each of their planes is a track:
//   bus     one slice per tenure ("program x2"), in it one per command, address and data phase
//   die     one slice per array command; a mark "refused: RULE" for a command that broke a rule. Reads that run
//           beside others on their planes have tracks of their own below it, "chip0.die0 (2)" and so on
//   plane   one slice per operation of the plane ("program msb")
// Arguments: chip, lun; block, page, page_type, with an SLC-mode cache mode and level; group (number of the
// array command on its die, the same on all planes of a multi-plane command) and planes; transaction (the
// descriptor's cookie: the firmware's number for one page operation, on the bus that of the first plane);
// exact times in ps. A program of a wordline in one pass is "program lsb-msb", with first_page and the last
// page. An operation that is cut short ends where its successor begins; one that was suspended
// has a second slice, "program msb resumed". Slices that reach into the window are recorded whole.
// The drive is a process as well: requests and counters (perfetto_requests.h), and what the firmware says
// (perfetto_firmware.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/core/observer.h"
#include "hw/spec/geometry.h"
#include "platform/observe/waves/known_parts.h"
#include "platform/observe/waves/perfetto_firmware.h"
#include "platform/observe/waves/perfetto_requests.h"
#include "platform/observe/waves/phase_scripts.h"
#include "platform/observe/waves/trace_events.h"
#include "platform/observe/waves/wave_codes.h"
#include "platform/observe/waves/wave_selection.h"
#include "platform/observe/waves/wave_writer.h"

namespace twinplane::platform {

class PerfettoRecorder final : public hw::NandObserver, public hw::BusObserver {
 public:
  struct Options {
    std::filesystem::path file;
    std::string scope; // patterns of WaveScope, matched as for the VCD's signals; empty: everything
    WaveWindow window;
    std::function<void()> on_failure; // called once when the disk is full, inside the model: stop the run
    std::string module = "ssd";       // name() of the drive's sc_module: begins the names of processes
    BlockLevel level_of_block = {};   // empty: no SLC-mode cache
    std::function<std::optional<std::uint64_t>()> free_blocks = {}; // of the drive; empty: not drawn
  };

  /// Throws InputError when the scope matches no track or the file cannot be written.
  PerfettoRecorder(const Geometry& geometry, const Options& options);

  void on_array(std::uint32_t channel, const hw::ArrayOperation& operation) override;
  void on_array_change(std::uint32_t channel, hw::ArrayChange change,
                       const hw::ArrayOperation& operation) override;
  void on_ready_busy(std::uint32_t, std::uint32_t, std::uint32_t, bool, TimePs) override {}
  bool wants_ready_busy() const override { return false; }
  void on_violation(std::uint32_t channel, const hw::Violation& violation) override;
  void on_tenure(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure, TimePs start,
                 TimePs end) override;
  bool wants_phases() const override { return false; }
  void on_timing(std::uint32_t channel, const BusTiming& bus, TimePs tDBSY) override;

  /// Requests and counters, see there. Null: outside the scope.
  PerfettoRequests* requests() { return requests_.get(); }
  PerfettoFirmware* firmware() { return firmware_.get(); }

  /// Completes the file. Throws InputError when the disk was full, the window lies after `end`, or the drive is
  /// not of the recorder's geometry.
  void finish(TimePs end);
  bool ok() const { return file_.ok(); }

 private:
  struct Bus {
    bool recorded = false;
    std::unique_ptr<const PhaseScripts> scripts;
  };
  /// A plane, or a track of a die's commands: its operation is held back until the next one shows whether it
  /// was cut short.
  struct Unit {
    bool recorded = false;
    bool holds = false;
    hw::ArrayOperation held;
    bool resumed = false;    // ... after a suspension
    std::uint32_t group = 0; // number of the held operation's command
    std::uint32_t level = 0; // of its block
    TimePs busy_until = 0;   // planes
    std::uint32_t flow = 0;  // from the request to the held operation, 0 = none
  };
  struct Die {
    bool recorded = false;
    std::uint32_t groups = 0;   // commands so far
    std::vector<Unit> commands; // of each track: first the die's, then those of reads beside it
  };

  void name_tracks(std::uint32_t channel);
  void reject_unmatched() const;
  bool in_scope(const std::string& track, const char* const* signals);
  /// `row`: of Die::commands.
  TraceTrack die_track(std::uint32_t die, std::uint32_t row = 0) const;
  TraceTrack plane_track(std::uint32_t plane) const;
  bool outside(TimePs start, TimePs end) const {
    return start > options_.window.end || end < options_.window.begin;
  }
  std::string die_name(std::uint32_t die) const;
  /// The one that holds the operation's command, or one that is free to do so.
  Unit& command_row(std::uint32_t die, const hw::ArrayOperation& operation);
  void release_commands(std::uint32_t die, TimePs until);
  void hold(std::uint32_t channel, const hw::ArrayOperation& operation, bool resumed);
  void release(Unit& unit, const TraceTrack& track, bool whole_die, TimePs until);
  void record_phases(const Bus& bus, const TraceTrack& track, const hw::OnfiTenure& tenure, TimePs start,
                     TimePs end);
  void note_start(const hw::ArrayOperation& operation, Unit& plane);
  void check_file();

  Geometry geometry_;
  KnownParts parts_;
  Options options_;
  WaveScope scope_;
  TraceEventFile file_;
  std::unique_ptr<PerfettoRequests> requests_;
  std::unique_ptr<PerfettoFirmware> firmware_;
  std::vector<Bus> buses_;
  std::vector<Die> dies_;
  std::vector<Unit> planes_;
};

} // namespace twinplane::platform
