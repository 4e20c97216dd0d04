// The admin command set (NVMe 1.4 section 5) of an I/O controller with one namespace.
#pragma once

#include <cstdint>

#include "firmware/nvme/erase_job.h"
#include "firmware/nvme/io_commands.h"
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
  void reset() { self_test_.end(SelfTest::Result::reset); }

 private:
  using Handler = void (AdminCommands::*)(Command&);
  struct Row {
    std::uint8_t opcode;
    Handler handler;
  };
  static const Row kRows[];

  void identify(Command& command);
  void get_log_page(Command& command);
  void create_completion_queue(Command& command);
  void create_submission_queue(Command& command);
  void delete_completion_queue(Command& command);
  void delete_submission_queue(Command& command);
  void get_features(Command& command);
  void set_features(Command& command);
  void abort(Command& command);
  void async_event(Command& command);
  void self_test(Command& command);
  void format(Command& command);

  /// Fills a log page; the bytes the page has, 0 for a page that does not exist.
  std::uint32_t write_log(std::uint8_t* page, std::uint8_t id) const;
  HealthSources health_sources() const;
  void write_effects(std::uint8_t* page) const;
  std::uint8_t warnings() const;
  void report_health(std::uint32_t warnings);

  Services* services_ = nullptr;
  IoCommands* io_ = nullptr;
  EraseJob erase_;
  SelfTest self_test_;
  Telemetry telemetry_;
  std::uint8_t warned_ = 0; // warnings of wear that the host was or could have been told of
};

} // namespace twinplane::fw
