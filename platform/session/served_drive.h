// A drive whose host is a guest outside of the simulation, behind a PCI function and a transport.
//
// Simulated time passes only while the drive has something to do, and then as fast as it can be computed: a
// guest's idle time is not the drive's.
#pragma once

#include <functional>
#include <string>

#include "platform/measure/guest_meter.h"
#include "platform/measure/measured_drive.h"
#include "platform/pci_host/guest_port.h"
#include "platform/pci_host/session_recorder.h"
#include "platform/pci_host/session_replay.h"
#include "platform/pci_host/transport.h"
#include "platform/session/pacer.h"
#include "platform/session/state_file.h"
#include "platform/ssd/precondition.h"

namespace twinplane::platform {

class ServedDrive final : public MeasuredDrive {
 public:
  /// data.mode must be full. The drive does not run ahead.
  ServedDrive(const Config& config, BlockFactory& factory);

  /// Boots the firmware, and preconditions the drive, or takes it from the image when there is one. Throws
  /// InputError when the drive refuses, or the image is of another one.
  void prepare(const std::string& image);
  const PreconditionResult& preconditioned() const { return preconditioned_; }

  /// Before serve(): simulated time follows this clock.
  void pace(WallClock& clock) { clock_ = &clock; }
  /// Serves the guest until it goes, `stopped` says so, or the run is abandoned. True: `stopped` has said so.
  bool serve(Transport& transport, const std::function<bool()>& stopped);
  /// The same, and everything goes into this file.
  bool serve_and_record(Transport& transport, const std::function<bool()>& stopped, StateSaver& session);
  /// Leads the drive through a session again. Throws InputError when it does otherwise, or the file is bad.
  bool replay(SessionReplay& session, const std::function<bool()>& stopped);
  /// The guest has gone: for the drive a host that has crashed, unless it has been shut down. It is reset,
  /// and shut down as a host's firmware would. Throws InputError when the run was abandoned.
  void wind_up();

  /// After wind_up(): leaves the drive in this file. Throws InputError when it cannot be kept.
  void keep(const std::string& image);

  void abandon(const std::string& reason) override { abandoned_ = reason; }
  /// Everything measured. `source` says who the guest was.
  Summary summary(const std::string& source) const;

 private:
  /// Where interrupts go that nothing waits for.
  class NoInterrupts final : public InterruptSink {
   public:
    void message(std::uint64_t, std::uint32_t) override {}
    void pin(bool) override {}
  };

  bool panicked() const { return !ssd_.firmware().panic().empty(); }
  bool serve(Transport& transport, PciDevice& device, const std::function<bool()>& stopped);
  void guest_has_gone();
  [[nodiscard]] bool run_drive();
  void wait_for(Transport& transport);
  bool wait_for_status(std::uint32_t mask, std::uint32_t value);
  void shut_down();

  GuestMeter guest_;
  NvmeWatch watch_;
  GuestPort port_;
  NoInterrupts no_interrupts_;
  WallClock* clock_ = nullptr;
  std::unique_ptr<Pacer> pacer_; // null: as fast as can be
  PreconditionResult preconditioned_;
  std::string abandoned_;
};

} // namespace twinplane::platform
