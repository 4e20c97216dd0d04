// The firmware as an image for a target core (scripts/firmware), executed instruction by instruction:
// cpu.firmware names it. Its cycles are those of the instructions, not those of the cost table.
#pragma once

#include <string>

#include "hw/iss/instruction_core.h"
#include "platform/config/config.h"
#include "platform/fw_host/firmware_process.h"
#include "platform/fw_host/image_machine.h"
#include "platform/fw_host/tlm_hal.h"

namespace twinplane::platform {

class ImageFirmware final : public FirmwareProcess,
                            private FirmwareWindow,
                            private hw::InstructionCore::Device {
 public:
  /// Throws InputError for an image that cannot run here.
  ImageFirmware(const std::string& drive, hw::CoreBlock& core, TlmHal& hal, const Config& config);

  void boot() override;
  bool step() override;
  FirmwareWindow& window() override { return *this; }
  const FirmwareWindow& window() const override { return *this; }

  ImageMeter* image_meter() override { return &machine_.meter(); }
  bool can_be_watched() const override { return machine_.has_probe_points(); }
  ImageMachine* image() override { return &machine_; }

 private:
  const fw::FtlStatistics& statistics() const override;
  void set_statistics(const fw::FtlStatistics& s) override { *statistics_ = s; }
  std::uint64_t exported_sectors() const override { return exported_sectors_; }
  const fw::RecoveryCounters& recovery() const override { return *recovery_; }
  const fw::BringUpTimes& bring_up() const override { return *bring_up_; }
  const fw::HealthCounters& health() const override { return *health_; }
  fw::DramUse dram_use() const override;
  std::uint32_t cache_level(std::uint32_t plane, std::uint32_t block) const override;
  std::uint32_t flash_under_way(std::uint32_t channel) const override;
  std::uint32_t flash_completed(std::uint32_t channel) const override;
  std::uint32_t dma_posted() const override;
  const char* functional_write(std::uint32_t lpn, const std::uint8_t* payload) override {
    return functional(fw::target::Call::write, lpn, payload);
  }
  const char* functional_store(std::uint32_t lpn, const std::uint8_t* payload) override {
    return functional(fw::target::Call::store, lpn, payload);
  }
  const char* functional_write_packed(const std::vector<std::uint32_t>& units,
                                      const std::uint8_t* payload) override;
  const char* functional_age(double fraction) override;
  const char* functional_scatter(std::uint64_t seed) override;
  void functional_end() override;
  bool quiesce() override;
  void serialise(StateVisitor& state) override;
  void attach(fw::CommandObserver& observer) override { commands_ = &observer; }
  void attach(fw::IssueObserver& observer) override { issues_ = &observer; }
  void attach(fw::WorkProbe& probe) override {
    work_ = &probe;
    machine_.look(fw::Watch::planes);
  }
  void tell_waiting(fw::WorkProbe& probe) override;
  std::uint32_t class_of_plane(std::uint32_t plane) const override;

  void look(fw::Watch who);
  std::uint32_t read(std::uint32_t offset) override;
  void write(std::uint32_t offset, std::uint32_t address) override;
  void flash(std::uint32_t address);
  void page(std::uint32_t offset, std::uint32_t address);
  void state(std::uint32_t address);
  void event(std::uint32_t address);
  void observed(std::uint32_t offset, std::uint32_t address);
  void work(const fw::target::WorkMessage& message);
  const fw::WaitingWork& waiting_at(std::uint32_t address);

  std::uint64_t ask(fw::target::Call call, std::uint32_t first = 0, std::uint32_t second = 0) const {
    return machine_.call(call, first, second);
  }
  const char* functional(fw::target::Call call, std::uint32_t lpn, const std::uint8_t* payload);
  const char* error_of(std::uint64_t text_address);

  TlmHal& target_hal_;
  const std::size_t page_payload_; // bytes
  mutable ImageMachine machine_;   // asking it changes nothing that the drive knows of
  bool has_booted_ = false;
  std::string error_step_;
  std::string error_text_; // of boot; of preconditioning, while its caller looks at it
  fw::FtlStatistics* statistics_ = nullptr;
  const fw::RecoveryCounters* recovery_ = nullptr;
  const fw::BringUpTimes* bring_up_ = nullptr;
  const fw::HealthCounters* health_ = nullptr;
  std::uint64_t exported_sectors_ = 0;
  fw::CommandObserver* commands_ = nullptr;
  fw::IssueObserver* issues_ = nullptr;
  fw::WorkProbe* work_ = nullptr;
  StateVisitor* visitor_ = nullptr;
};

} // namespace twinplane::platform
