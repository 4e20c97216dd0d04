// Sanitize (NVMe 1.4 sections 5.24, 8.15): block erase, in the background.
//
// The state is part of DriveRecord, which the drive keeps: an operation goes on over resets and power cuts,
// and a failure restricts the host until it is recovered from. So only drives that keep their tables offer
// it. The command is completed when a power cut would not undo that an operation has begun.
#pragma once

#include <cstdint>

#include "firmware/nvme/erase_job.h"
#include "firmware/nvme/io_commands.h"
#include "firmware/nvme/self_test.h"
#include "firmware/nvme/services.h"

namespace twinplane::fw {

class Sanitize {
 public:
  static constexpr std::uint32_t kPageBytes = 512;

  struct Parts {
    Services* services;
    IoCommands* io;
    EraseJob* erase;
    SelfTest* self_test;
  };
  /// `slot` is none of the front end's.
  void boot(const Parts& parts, std::uint16_t slot);

  /// Executes the command. No format goes on.
  void execute(Command& command);
  /// What commands are refused with that are not allowed now; success: all are.
  [[nodiscard]] std::uint16_t refusal() const;
  /// EraseJob's job is the operation's.
  [[nodiscard]] bool erasing() const { return erasing_; }
  void on_erased(std::uint16_t status);
  /// The state is durable.
  void on_request_done();
  /// Boot is over and the record is what an earlier life has left.
  void recall();
  /// Controller reset: the command is dropped, the operation goes on.
  void reset();
  /// Log page 81h.
  void write_page(std::uint8_t* page) const;

 private:
  enum State : std::uint32_t { never = 0, completed = 1, in_progress = 2, failed = 3, failure_left = 3 | 8 };

  [[nodiscard]] std::uint32_t state() const { return parts_.services->health.sanitize_state; }
  [[nodiscard]] std::uint16_t check(std::uint32_t cdw10) const;
  void keep(State state);
  void commit();

  Parts parts_{};
  Command* waiter_ = nullptr;
  Command work_; // not a host command
  bool keep_again_ = false;
  bool tells_ = false; // the host, when the end is durable
  bool erasing_ = false;
};

} // namespace twinplane::fw
