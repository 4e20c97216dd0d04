// The admin command set (NVMe 1.4 section 5) of an I/O controller with one namespace.
#pragma once

#include <cstdint>

#include "firmware/nvme/erase_job.h"
#include "firmware/nvme/io_commands.h"
#include "firmware/nvme/sanitize.h"
#include "firmware/nvme/self_test.h"
#include "firmware/nvme/services.h"
#include "firmware/nvme/telemetry.h"

namespace twinplane::fw {

class AdminCommands {
 public:
  /// `slot` is none of the front end's.
  void boot(Services& services, IoCommands& io, std::uint16_t slot);

  /// Executes a command of the admin queue; a command that waited for a buffer starts over here.
  void execute(Command& command);
  /// The descriptor the command waited for is done.
  void on_data(Command& command);
  /// Tells the host, if it wants to know, of critical warnings that were not there before.
  void on_wear();
  /// The backend is done with a request of the command (any phase this class gave it).
  void on_request_done(Command& command);
  void on_timer() { self_test_.on_timer(); }
  /// Controller reset.
  void reset();
  /// The drive's record is what an earlier life has left.
  void recall();

 private:
  using Handler = void (AdminCommands::*)(Command&);
  struct Row {
    std::uint8_t opcode;
    Handler handler;
    bool beside_sanitize; // section 8.15: allowed while an operation goes on, or has failed
  };
  static const Row kRows[];

  void identify(Command& command);
  void get_log_page(Command& command);
  void create_completion_queue(Command& command);
  void create_submission_queue(Command& command);
  void delete_completion_queue(Command& command);
  void delete_submission_queue(Command& command);
  void doorbell_buffers(Command& command);
  void get_features(Command& command);
  void set_features(Command& command);
  void abort(Command& command);
  void async_event(Command& command);
  void self_test(Command& command);
  void format(Command& command);
  void sanitize(Command& command);
  [[nodiscard]] std::uint16_t refusal(const Row& row, const Command& command) const;
  void settle_erase();
  void end_format(std::uint16_t status);

  /// Fills a log page; the bytes the page has, 0 for a page that does not exist.
  std::uint32_t write_log(std::uint8_t* page, std::uint8_t id) const;
  HealthSources health_sources() const;
  void write_effects(std::uint8_t* page) const;
  std::uint8_t warnings() const;
  void report_health(std::uint32_t warnings);

  Services* services_ = nullptr;
  IoCommands* io_ = nullptr;
  EraseJob erase_; // of a format or of a sanitize operation
  Sanitize sanitize_;
  Command* formatting_ = nullptr;
  SelfTest self_test_;
  Telemetry telemetry_;
  std::uint8_t warned_ = 0; // warnings of wear that the host was or could have been told of
};

} // namespace twinplane::fw
