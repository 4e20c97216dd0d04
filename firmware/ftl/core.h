// The stages of the pipeline put together.
#pragma once

#include "firmware/ftl/bring_up/refusal.h"
#include "firmware/ftl/die_queues.h"
#include "firmware/ftl/gc/collector.h"
#include "firmware/ftl/io/host_path.h"
#include "firmware/ftl/recovery/recovery.h"
#include "firmware/ftl/sched/dispatcher.h"
#include "firmware/ftl/state.h"
#include "firmware/ftl/zero_time_writer.h"
#include "firmware/hal/flash_port.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

class FtlCore final : private Completions {
 public:
  /// See Ftl::boot.
  const char* boot(Hal& hal, HostPort& host, const FtlConfig& config, RequestSink& sink);

  void on_flash_irq(std::uint32_t channel);
  void pump();
  /// See Ftl::supply_failed.
  void supply_failed();
  /// The tables are still being recovered from the cells: no request may be submitted.
  bool recovering() const { return recovery.busy(); }
  /// Instead of pump(), while nothing is in flight: collection goes on until it has nothing to do, by the
  /// same decisions, but the flash answers at once and no time passes.
  void collect_untimed();
  /// Behind untimed programs: features protect what these have left in danger.
  void protect_untimed();
  void attach(WorkProbe& probe);
  bool idle() const;
  bool nothing_under_way() const;
  /// See Ftl::rest.
  bool quiesce();
  std::uint32_t flash_under_way(std::uint32_t channel) const { return ports_[channel].under_way(); }
  std::uint32_t flash_completed(std::uint32_t channel) const { return ports_[channel].completed(); }
  const FtlStatistics& refresh_statistics();

  FtlState state;
  DieQueues board;
  Collector collector;
  HostPath host_path;
  Dispatcher dispatcher;
  ZeroTimeWriter zero_time;
  Recovery recovery;
  DramUse dram_use; // of the FTL

  /// The state of the whole FTL between two requests: refused unless idle(). What is configured is not part
  /// of it.
  void serialise(StateVisitor& visitor);

 private:
  bool map_holds() const;
  void refresh_regions();
  void complete(const FlashCompletion& c);
  void notify_probe(const Transaction& t, const FlashCompletion& c);
  [[gnu::cold]] static void tell_done(const FtlState& state, const Transaction& t, const FlashCompletion& c);
  [[gnu::noinline]] void complete_with_hooks(Transaction& t, const FlashCompletion& c);
  void take(Transaction& t, const FlashCompletion& c);
  void take_units(Transaction& t, const FlashCompletion& c);
  void run_untimed();
  bool run_flash_untimed();
  bool reached_end_of_life();
  [[gnu::noinline]] void rewrite_unrelocatable();
  const char* boot_features(BootMemory& memory);
  void deliver(Transaction& t, const FlashCompletion& c) override;

  enum class Mode : std::uint8_t { normal, recovering, holding_up };
  bool pump_in_mode();
  void recover();
  [[gnu::noinline]] bool recovery_can_progress();

  FlashPort ports_[kMaxChannels];
  Refusal refusal_; // its text, if the drive has been refused
  Mode mode_ = Mode::normal;
  bool completes_with_hooks_ = false; // complete_with_hooks()
  bool untimed_ = false;              // nothing that is programmed now needs a copy at once
  std::uint64_t last_program_ = 0;    // holding up: no page is programmed beyond that many
};

/// The first reason why the FTL cannot run with this configuration, nullptr when there is none.
const char* check_config(const FtlConfig& config);

} // namespace twinplane::fw
