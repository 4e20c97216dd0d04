// Takes away everything that the host has written, for good (Format NVM, Sanitize: NVMe 1.4 sections 5.23,
// 5.24).
//
// All logical blocks are deallocated, then that is made to outlast a power cut, then, if that is asked for,
// the flash blocks are erased; only then the job is done. It goes on over resets. I/O commands are refused
// meanwhile; those that the backend has already are executed before.
#pragma once

#include <cstdint>

#include "firmware/nvme/io_commands.h"
#include "firmware/nvme/services.h"

namespace twinplane::fw {

class EraseJob {
 public:
  /// `slot` is none of the front end's.
  void boot(Services& services, std::uint16_t slot);

  [[nodiscard]] bool busy() const { return busy_; }
  /// Not while busy. `erases`: the blocks as well.
  void start(bool erases);
  void on_request_done(Command& command);
  /// The job that was started last is over, which may be inside start(); says so once.
  [[nodiscard]] bool take_end(std::uint16_t& status);
  /// In 65536ths of the blocks.
  [[nodiscard]] std::uint16_t progress() const {
    return work_.kind == RequestKind::purge ? services_->storage->purge_progress() : std::uint16_t{0};
  }

 private:
  void submit(RequestKind kind, std::uint32_t sectors);
  void go_on();
  [[nodiscard]] bool begin_next();

  Services* services_ = nullptr;
  Command work_;           // not a host command
  std::uint64_t next_ = 0; // sector
  bool erases_ = false;
  bool busy_ = false;
  bool ended_ = false;
  bool inside_submit_ = false;
  bool part_done_ = false;
};

} // namespace twinplane::fw
