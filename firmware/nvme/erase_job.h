// Takes away everything that the host has written, for good (Format NVM, NVMe 1.4 section 5.23).
//
// All logical blocks are deallocated, then that is made to outlast a power cut; only then the job is done.
// I/O commands are refused meanwhile; those that the backend has already are executed before.
#pragma once

#include <cstdint>

#include "firmware/nvme/io_commands.h"
#include "firmware/nvme/services.h"

namespace twinplane::fw {

class EraseJob {
 public:
  /// `slot` is none of the front end's.
  void boot(Services& services, IoCommands& io, std::uint16_t slot);

  [[nodiscard]] bool busy() const { return waiter_ != nullptr; }
  /// The command is completed when the job is done. Not while busy.
  void start(Command& waiter);
  void on_request_done(Command& command);

 private:
  void submit(RequestKind kind, std::uint32_t sectors);
  void trim_next();
  void end(std::uint16_t status);

  Services* services_ = nullptr;
  IoCommands* io_ = nullptr;
  Command* waiter_ = nullptr;
  Command work_;           // not a host command
  std::uint64_t next_ = 0; // sector
  bool inside_submit_ = false;
  bool part_done_ = false;
};

} // namespace twinplane::fw
