// The NVMe controller in firmware: takes host commands from the command ring, executes them, and
// follows the host's enable, reset and shutdown (NVMe 1.4 sections 3.1.5, 7.3, 7.6).
//
// Every command ring entry is answered by exactly one `complete` or, when its queue is gone, one
// `release`. CSTS.RDY falls only when no command is in the firmware, all posted DMA is done and the
// front end holds no command: host memory is not touched afterwards.
#pragma once

#include <cstdint>

#include "firmware/nvme/admin_commands.h"
#include "firmware/nvme/io_commands.h"
#include "firmware/nvme/services.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

class NvmeController final : public RequestSink {
 public:
  struct Parts {
    Hal* hal;
    HostPort* host;             // booted
    StorageBackend* storage;    // booted: its size is asked
    const NvmeConfig* config;   // copied
    std::uint32_t slots;        // front end's command slots
    std::uint32_t command_ring; // DRAM offset, ring_entries(slots) * sizeof(CommandEntry)
    std::uint32_t data;         // DRAM offset, data_bytes(config)
  };

  /// Device DRAM the controller needs.
  static std::uint32_t ring_entries(std::uint32_t slots);
  static std::uint32_t data_bytes(const NvmeConfig& config);

  /// Returns an error text or nullptr.
  const char* boot(const Parts& parts);

  /// Told of every command from now on.
  void attach(CommandObserver& observer) { services_.completion.attach(observer); }

  // --- one call per interrupt cause ---
  /// Takes what is visible in the command ring, but no more than a batch: see pump().
  void on_host_command();
  void on_host_event();
  void on_host_dma();
  void on_timer();

  /// End of turn: executes commands that waited for a buffer. True when visible commands are left in
  /// the ring: call on_host_command() next turn without waiting for its interrupt.
  bool pump();
  /// After pump() the backend has freed a buffer that a command waits for: pump() again, there may be no
  /// interrupt to come.
  [[nodiscard]] bool wants_turn() const { return services_.transfers.any_ready(); }

  void on_request_done(Request& request) override;
  void on_wear() override { admin_.on_wear(); }
  void on_recovered() override;
  DriveRecord* record() override { return &services_.health; }

  /// No command is being executed (parked asynchronous event requests count as commands).
  [[nodiscard]] std::uint32_t in_flight() const { return services_.completion.in_flight(); }
  [[nodiscard]] const HealthCounters& health() const { return services_.health; }
  [[nodiscard]] const ErrorLog& errors() const { return services_.errors; }
  /// What the health and error logs count; nothing of a host may be under way. A controller that a host has
  /// enabled comes back in another power cycle.
  void serialise(StateVisitor& state);

 private:
  enum class State : std::uint8_t { disabled, ready, resetting };

  void accept(const CommandEntry& entry);
  void execute(Command& command);
  [[nodiscard]] bool identifier_in_use(const Command& command) const;
  void resume(Command& command);
  void on_bad_doorbell();
  void enable();
  void begin_reset();
  void try_finish_reset();
  void begin_shutdown();
  void finish_shutdown();
  void submit_for_shutdown(RequestKind kind);
  void host_control(std::uint32_t value);

  Services services_;
  IoCommands io_;
  AdminCommands admin_;
  HostPort* host_ = nullptr;
  Command* commands_ = nullptr; // one per slot
  const CommandEntry* ring_ = nullptr;
  std::uint32_t slots_ = 0;
  std::uint32_t ring_mask_ = 0;
  std::uint32_t ring_head_ = 0;
  State state_ = State::disabled;
  bool commands_left_ = false;
  bool enabled_ever_ = false;
  bool enable_after_reset_ = false;
  bool enable_after_recovery_ = false;
  bool shutting_down_ = false;
  bool flush_again_ = false; // shutdown_flush_ runs, but began too early for the shutdown that waits
  Command shutdown_flush_;   // not a host command: has no slot
  Alarm reset_poll_;
};

} // namespace twinplane::fw
