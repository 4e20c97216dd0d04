// gdb on the drive's core: breakpoints, watchpoints and single steps of an image, over gdb's remote protocol.
//
// The core is never stopped and started again: before an instruction, or in the middle of an access, this
// object simply does not return until gdb lets go on. So simulated time and bus stand still meanwhile, and a
// session that only looks changes no result. Where the firmware is called from outside (preconditioning,
// reports) it is not listened to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/debug/debug_target.h"
#include "platform/debug/gdb_server.h"
#include "platform/fw_host/image_machine.h"
#include "platform/session/drive_monitor.h"
#include "platform/ssd/ssd.h"

namespace twinplane::platform {

class ImageDebugger final : private DebugTarget, private MachineDebugger {
 public:
  /// Before simulation starts, of a drive whose firmware is an image. The reset code waits for a client.
  /// Throws InputError when it cannot listen on the port.
  ImageDebugger(Ssd& ssd, std::uint16_t port);
  ~ImageDebugger() { exited(1); }
  ImageDebugger(const ImageDebugger&) = delete;
  ImageDebugger& operator=(const ImageDebugger&) = delete;
  /// The run ends with that status; told by the destructor at the latest.
  void exited(int status) { server_.exited(status); }

 private:
  // DebugTarget
  std::uint32_t reg(unsigned number) const override;
  void set_reg(unsigned number, std::uint32_t value) override;
  bool read(std::uint32_t address, void* to, std::size_t bytes) override;
  bool write(std::uint32_t address, const void* from, std::size_t bytes) override;
  bool insert(const DebugPoint& point) override;
  void remove(const DebugPoint& point) override;
  void remove_all() override;
  std::string monitor(const std::string& command) override { return monitor_.answer(command); }
  // MachineDebugger
  void on_instruction(std::uint32_t address) override;
  void on_access(std::uint32_t address, std::uint32_t bytes, bool write) override;
  void on_end(End how) override;

  void stand_still(const DebugStop& stop);
  bool steps_to(std::uint32_t address) const {
    return stepping_ && (address < step_begin_ || address >= step_end_);
  }
  bool read_registers(std::uint32_t address, std::uint8_t* to, std::size_t bytes);

  ImageMachine& machine_;
  DriveMonitor monitor_;
  GdbServer server_;
  std::vector<bool> breakpoints_; // by half word of code
  std::vector<DebugPoint> watchpoints_;
  std::uint32_t at_ = 0;      // the instruction that is about to be executed, or is
  std::uint32_t to_poll_ = 0; // instructions until the client is asked again
  bool waits_for_first_ = true;
  bool stepping_ = false;
  std::uint32_t step_begin_ = 0;
  std::uint32_t step_end_ = 0;
  bool watched_ = false; // the instruction has been stopped at an access of its own
};

} // namespace twinplane::platform
