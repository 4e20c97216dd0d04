// What gdb's command `monitor` shows of a drive: queues, rings, dies, planes, and who has refused what.
// It looks by the debug transport and by hooks, and disturbs nothing.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "hw/core/observer.h"
#include "platform/ssd/ssd.h"

namespace twinplane::platform {

class DriveMonitor final : private hw::NandObserver, private hw::BusObserver {
 public:
  /// Before simulation starts.
  explicit DriveMonitor(Ssd& ssd);

  /// Of one command line, in lines; says what there is when it does not know the command.
  std::string answer(const std::string& command) const;

 private:
  /// Operations are announced when they begin on the bus: the newest may still be to come.
  struct Plane {
    std::array<hw::ArrayOperation, 2> newest{};
    bool suspended = false;
  };
  struct Refused {
    TimePs at = 0;
    std::uint32_t channel = 0;
    std::uint32_t chip = 0;
    std::uint32_t lun = 0;
    const char* rule = "";
    std::string command; // told behind the refusal
  };

  // NandObserver
  void on_array(std::uint32_t channel, const hw::ArrayOperation& operation) override;
  void on_array_change(std::uint32_t channel, hw::ArrayChange change,
                       const hw::ArrayOperation& operation) override;
  void on_ready_busy(std::uint32_t, std::uint32_t, std::uint32_t, bool, TimePs) override {}
  void on_violation(std::uint32_t channel, const hw::Violation& violation) override;
  bool wants_ready_busy() const override { return false; }
  // BusObserver
  void on_tenure(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure, TimePs start,
                 TimePs end) override;
  void on_functional(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure) override;
  bool wants_phases() const override { return false; }

  TimePs now() const { return ssd_.core().local_time(); }
  std::string queues() const;
  std::string rings() const;
  std::string dma_ring() const;
  std::string dies() const;
  std::string planes() const;
  std::string refused() const;
  std::string value_of(std::uint32_t address) const; // a register, "?" where nothing answers
  std::size_t plane_number(std::uint32_t channel, const hw::ArrayOperation& operation) const;
  const hw::ArrayOperation* running(const Plane& plane) const;
  std::string words_of(const hw::OnfiTenure& tenure) const;
  std::string name_of_die(std::size_t die) const;

  Ssd& ssd_;
  const Geometry& geometry_;
  std::vector<Plane> planes_;   // in the order of channel, chip, LUN, plane
  std::deque<Refused> refused_; // the newest ones
};

} // namespace twinplane::platform
