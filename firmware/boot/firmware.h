// The whole firmware: boots every part in order and runs one turn of the main loop at a time.
//
// Device DRAM from offset 0: command ring, DMA ring, NVMe data buffers, then the FTL's part.
#pragma once

#include <cstdint>

#include "firmware/ftl/config.h"
#include "firmware/ftl/ftl.h"
#include "firmware/hal/hal.h"
#include "firmware/hal/host_port.h"
#include "firmware/nvme/config.h"
#include "firmware/nvme/controller.h"
#include "firmware/nvme/storage_backend.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

/// What the platform chooses. Fields of `nvme` that repeat `ftl` (geometry, data mode, cost, volatile
/// write cache) and ftl.dram_base, ftl.max_requests are set by boot.
struct FirmwareConfig {
  FtlConfig ftl;
  NvmeConfig nvme;
};

class Firmware {
 public:
  Firmware() = default;
  Firmware(const Firmware&) = delete;
  Firmware& operator=(const Firmware&) = delete;

  struct BootError {
    const char* step; // name of the boot step that failed
    const char* text; // why; nullptr: booted
  };

  /// Runs the boot steps. On an error nothing may be called any more.
  BootError boot(Hal& hal, const FirmwareConfig& config);

  /// One turn: serves every interrupt cause pending at the core's local time, starts what became
  /// possible, rings the doorbells. Returns true when visible work is left for which no interrupt
  /// will come (a full batch of host commands was taken, the FTL has freed a data buffer that a command
  /// waits for): run another turn.
  bool step();

  /// No host command in progress and the FTL has nothing queued or in flight.
  [[nodiscard]] bool idle() const { return nvme_.in_flight() == 0 && ftl_.idle(); }

  /// Told of every host command that has been executed.
  void attach(CommandObserver& observer) { nvme_.attach(observer); }

  /// What lasts between two hosts: counters of the NVMe part, all of the FTL. Refused unless idle().
  void serialise(StateVisitor& state);

  Ftl& ftl() { return ftl_; }
  [[nodiscard]] const Ftl& ftl() const { return ftl_; }
  [[nodiscard]] const NvmeController& nvme() const { return nvme_; }
  [[nodiscard]] const HostPort& host_port() const { return host_; }
  /// Device DRAM, once booted.
  [[nodiscard]] DramUse dram_use() const {
    DramUse use = ftl_.dram_use();
    use.rings += config_.ftl.dram_base;
    return use;
  }

 private:
  struct Step {
    const char* name;
    const char* (Firmware::*action)();
  };
  static const Step kSteps[];

  /// The NVMe part's view of the FTL.
  class Storage final : public StorageBackend {
   public:
    explicit Storage(Ftl& ftl) : ftl_(ftl) {}
    [[nodiscard]] std::uint64_t exported_sectors() const override { return ftl_.exported_sectors(); }
    void submit(Request& request) override { ftl_.submit(request); }
    [[nodiscard]] const FtlStatistics& statistics() const override { return ftl_.statistics(); }
    [[nodiscard]] bool recovering() const override { return ftl_.recovering(); }
    [[nodiscard]] bool keeps_tables() const override { return ftl_.keeps_tables(); }
    void opened() override { ftl_.opened(); }
    void record_changed() override { ftl_.record_changed(); }
    [[nodiscard]] bool can_purge() const override { return ftl_.can_purge(); }
    [[nodiscard]] bool can_sanitize() const override { return ftl_.can_sanitize(); }
    [[nodiscard]] std::uint16_t purge_progress() const override { return ftl_.purge_progress(); }

   private:
    Ftl& ftl_;
  };

  const char* check_configuration();
  const char* lay_out_memory();
  const char* boot_host_port();
  const char* boot_ftl();
  const char* boot_nvme();
  const char* count_cause_words();

  std::uint32_t cause(std::uint32_t word);
  void panic_about_flash();
  void serve_timer();
  void serve_failure(std::uint32_t causes);
  void serve_flash(std::uint32_t causes, std::uint32_t first_channel);

  Hal* hal_ = nullptr;
  FirmwareConfig config_;
  HostPort host_;
  Ftl ftl_;
  Storage storage_{ftl_};
  NvmeController nvme_;
  std::uint32_t slots_ = 0;
  std::uint32_t command_ring_ = 0;
  std::uint32_t dma_ring_ = 0;
  std::uint32_t dma_entries_ = 0;
  std::uint32_t nvme_data_ = 0;
  std::uint32_t cause_words_ = 1;
  bool commands_left_ = false;
};

} // namespace twinplane::fw
