// Ends the run of a drive of which a block has fallen silent, and says which one it is. Only for
// drives with blocks that act unannounced: in others nothing is pending in the kernel when nothing can happen
// any more, and the simulation ends by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "platform/host/replay_engine.h"
#include "platform/ssd/ssd.h"

namespace twinplane::platform {

class StallWatch : public sc_core::sc_module {
 public:
  /// Looks every `timeout`, and calls `end` with the reason when nothing was finished since it looked last
  /// though something has been under way all the time.
  /// At the end of a simulation that has run dry the same is asked of silent().
  StallWatch(const sc_core::sc_module_name& name, const Ssd& ssd, const ReplayEngine& replay, TimePs timeout,
             std::function<void(const std::string&)> end);

  /// The block that keeps the drive from going on, as far as its neighbours can tell; empty when none waits.
  std::string silent() {
    seen_ = see();
    return silent_since(seen_);
  }

 private:
  void start_of_simulation() override;
  /// What has happened so far.
  struct Seen {
    bool host_waits = false;
    std::uint64_t requests = 0;
    std::uint64_t turns = 0;              // of the core
    std::vector<std::uint32_t> under_way; // flash operations, by channel
    std::vector<std::uint32_t> completed;
  };
  void look();
  Seen see() const;
  std::string silent_since(const Seen& now) const;
  std::string silent_in_front(const Seen& now) const;

  const Ssd& ssd_;
  const ReplayEngine& replay_;
  TimePs timeout_;
  std::function<void(const std::string&)> end_;
  sc_core::sc_event look_{"time"};
  Seen seen_; // when it looked last
};

} // namespace twinplane::platform
