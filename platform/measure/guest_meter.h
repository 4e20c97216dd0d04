// What a guest's requests took: between the watch on its link, the firmware's trace port, and the meters.
#pragma once

#include <map>
#include <utility>

#include "firmware/nvme/command_observer.h"
#include "platform/measure/host_meter.h"
#include "platform/pci_host/nvme_watch.h"
#include "platform/report/summary.h"

namespace twinplane::platform {

class GuestMeter final : public NvmeWatch::Listener, public fw::CommandObserver {
 public:
  GuestMeter(HostMeter& meter, std::uint32_t sector_size) : meter_(meter), sector_size_(sector_size) {}

  /// Hears of every request, too, before it is in the guest's hands.
  void attach(NvmeWatch::Listener& listener) { listener_ = &listener; }

  const WorkloadSummary& workload() const { return workload_; }
  /// Data that requests have moved which succeeded, between host and device.
  std::uint64_t bytes_in() const { return bytes_in_; }
  std::uint64_t bytes_out() const { return bytes_out_; }
  /// Some requests have moved data of an amount that is not known.
  bool in_doubt() const { return workload_.failed != 0 || workload_.unanswered != 0; }

  void on_rung(TimePs at) override;
  void on_finished(const GuestRequest& request) override;
  void on_given_up(TimePs rung, TimePs now) override;
  void on_command_done(const fw::Command& command, std::uint64_t now_ps) override;

 private:
  /// A command in the firmware, until its entry has reached the guest.
  struct Known {
    TimePs seen = 0;
    TimePs done = 0;
    fw::LatencyBreakdown parts;
  };

  void count(const GuestRequest& request, std::uint64_t bytes);

  HostMeter& meter_;
  NvmeWatch::Listener* listener_ = nullptr;
  std::uint32_t sector_size_;
  WorkloadSummary workload_;
  std::uint64_t bytes_in_ = 0;
  std::uint64_t bytes_out_ = 0;
  std::map<std::pair<std::uint16_t, std::uint16_t>, Known> known_; // by queue and command identifier
};

} // namespace twinplane::platform
