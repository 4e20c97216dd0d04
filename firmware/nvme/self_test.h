// Device self-test (NVMe 1.4 sections 5.8 and 8.11): health, then a part of the media is read, or all of it.
//
// One test at a time, in the background; the host goes on. Segments are numbered as in the standard's
// example: 2 looks at the critical warnings, 7 reads. A short test reads kSamples pieces spread over the
// namespace, an extended one everything. A test ends with the first segment that fails.
#pragma once

#include <cstdint>

#include "firmware/nvme/services.h"

namespace twinplane::fw {

class SelfTest {
 public:
  static constexpr std::uint32_t kEntries = 20; // of the log page
  static constexpr std::uint32_t kPageBytes = 4 + kEntries * 28;
  static constexpr std::uint32_t kSamples = 64;

  enum class Result : std::uint8_t {
    passed = 0,
    aborted = 1,   // by Device Self-test
    reset = 2,     // by a controller reset
    formatted = 4, // by Format NVM
    failed = 7,    // in the segment that is named
    sanitized = 9, // by Sanitize
  };

  /// `slot` is none of the front end's.
  void boot(Services& services, std::uint16_t slot);

  /// Executes Device Self-test.
  void execute(Command& command);
  /// Ends the test that is going on, if there is one.
  void end(Result why);
  void on_request_done(Command& command);
  /// Goes on, if it has paused for the host's sake.
  void on_timer();
  /// Log page 06h, kPageBytes.
  void write_page(std::uint8_t* page) const;

 private:
  enum class Code : std::uint8_t { none = 0, brief = 1, extended = 2 };
  struct Entry {
    Code code = Code::none;
    Result result = Result::passed;
    std::uint8_t segment = 0;
    bool has_lba = false;
    std::uint16_t status = 0;
    std::uint32_t nsid = 0;
    std::uint64_t power_on_hours = 0;
    std::uint64_t lba = 0;
  };

  void begin(Code code, std::uint32_t nsid);
  void read_next();
  void submit(std::uint64_t lba, std::uint32_t sectors);
  void judge();
  void note(Result result, std::uint8_t segment);
  struct Piece {
    std::uint64_t lba;
    std::uint32_t sectors;
  };
  [[nodiscard]] std::uint64_t all_pieces() const;
  [[nodiscard]] std::uint32_t pieces() const;
  [[nodiscard]] Piece piece() const;

  Services* services_ = nullptr;
  Entry entries_[kEntries];
  std::uint32_t count_ = 0; // of tests that have ended
  Code code_ = Code::none;  // of the one that is going on
  std::uint32_t nsid_ = 0;
  std::uint32_t piece_ = 0;  // that is read
  std::uint32_t most_ = 0;   // sectors of a piece
  std::uint32_t single_ = 0; // a piece has failed: the sector of it that is read alone, + 1
  bool reading_ = false;
  bool stale_ = false; // what is being read was for a test that has ended
  bool inside_submit_ = false;
  bool read_done_ = false;
  Alarm pause_;  // for the host's sake
  Command work_; // not a host command
};

} // namespace twinplane::fw
