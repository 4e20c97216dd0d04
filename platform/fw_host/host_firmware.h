// The firmware as code of this program: its cycles are those of the cost table (cpu.cost).
#pragma once

#include <string>

#include "firmware/ftl/zero_time_writer.h"
#include "platform/fw_host/firmware_process.h"

namespace twinplane::platform {

class HostFirmware final : public FirmwareProcess, private FirmwareWindow {
 public:
  /// `check_turns`: after so many turns each the tables are checked (firmware/ftl/checks); 0: never.
  HostFirmware(const std::string& drive, fw::Hal& hal, const fw::FirmwareConfig& config,
               std::uint64_t check_turns)
      : FirmwareProcess(drive, hal, config), check_turns_(check_turns) {}

  void boot() override;
  bool step() override;
  FirmwareWindow& window() override { return *this; }
  const FirmwareWindow& window() const override { return *this; }
  fw::Firmware* host_code() override { return &firmware_; }

 private:
  const fw::FtlStatistics& statistics() const override { return firmware_.ftl().statistics(); }
  void set_statistics(const fw::FtlStatistics& s) override { firmware_.ftl().statistics_for_reset() = s; }
  std::uint64_t exported_sectors() const override { return firmware_.ftl().exported_sectors(); }
  const fw::RecoveryCounters& recovery() const override { return firmware_.ftl().recovery(); }
  const fw::BringUpTimes& bring_up() const override { return firmware_.ftl().bring_up(); }
  const fw::HealthCounters& health() const override { return firmware_.nvme().health(); }
  fw::DramUse dram_use() const override { return firmware_.dram_use(); }
  std::uint32_t cache_level(std::uint32_t plane, std::uint32_t block) const override {
    return firmware_.ftl().cache_level(plane, block);
  }
  std::uint32_t flash_under_way(std::uint32_t channel) const override {
    return firmware_.ftl().flash_under_way(channel);
  }
  std::uint32_t flash_completed(std::uint32_t channel) const override {
    return firmware_.ftl().flash_completed(channel);
  }
  std::uint32_t dma_posted() const override { return firmware_.host_port().posted(); }
  const char* functional_write(std::uint32_t lpn, const std::uint8_t* payload) override {
    return firmware_.ftl().zero_time_writer().write(lpn, payload);
  }
  const char* functional_store(std::uint32_t lpn, const std::uint8_t* payload) override {
    return firmware_.ftl().zero_time_writer().store(lpn, payload);
  }
  const char* functional_write_packed(const std::vector<std::uint32_t>& units,
                                      const std::uint8_t* payload) override {
    return firmware_.ftl().zero_time_writer().write_packed(units.data(), payload);
  }
  const char* functional_age(double fraction) override {
    return firmware_.ftl().zero_time_writer().age(fraction);
  }
  const char* functional_scatter(std::uint64_t seed) override {
    return firmware_.ftl().zero_time_writer().scatter(seed);
  }
  void functional_end() override { firmware_.ftl().functional_end(); }
  bool quiesce() override { return firmware_.ftl().quiesce(); }
  void serialise(StateVisitor& state) override;
  void attach(fw::WorkProbe& probe) override { firmware_.ftl().attach(probe); }
  void tell_waiting(fw::WorkProbe& probe) override { firmware_.ftl().tell_waiting(probe); }
  std::uint32_t class_of_plane(std::uint32_t plane) const override {
    return firmware_.ftl().class_of_plane(plane);
  }
  void attach(fw::CommandObserver& observer) override { firmware_.attach(observer); }
  void attach(fw::IssueObserver& observer) override { firmware_.ftl().attach(observer); }

  void check_tables() const;

  fw::Firmware firmware_;
  std::uint64_t check_turns_;
};

} // namespace twinplane::platform
