// The admin command set (NVMe 1.4 section 5) of an I/O controller with one namespace.
#pragma once

#include <cstdint>

#include "firmware/nvme/io_commands.h"
#include "firmware/nvme/services.h"

namespace twinplane::fw {

class AdminCommands {
 public:
  void boot(Services& services, IoCommands& io) {
    services_ = &services;
    io_ = &io;
  }

  /// Executes a command of the admin queue; a command that waited for a buffer starts over here.
  void execute(Command& command);
  /// The descriptor the command waited for is done.
  void on_data(Command& command);
  /// Tells the host, if it wants to know, of critical warnings that were not there before.
  void on_wear();
  /// The flush before the write cache is switched off is done.
  void on_request_done(Command& command);

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

  /// Fills a log page; the bytes the page has, 0 for a page that does not exist.
  std::uint32_t write_log(std::uint8_t* page, std::uint8_t id) const;
  void write_effects(std::uint8_t* page) const;
  std::uint8_t warnings() const;
  void report_health(std::uint32_t warnings);

  Services* services_ = nullptr;
  IoCommands* io_ = nullptr;
  std::uint8_t warned_ = 0; // warnings of wear that the host was or could have been told of
};

} // namespace twinplane::fw
