// What the modelled core runs. The platform puts the firmware behind it.
#pragma once

namespace twinplane::hw {

class Software {
 public:
  /// Called once when simulation starts, at the core's local time zero.
  virtual void boot() = 0;
  /// One turn after an interrupt: runs to completion. Returns true when it left work that needs
  /// another turn without a new interrupt.
  virtual bool step() = 0;

 protected:
  ~Software() = default;
};

} // namespace twinplane::hw
