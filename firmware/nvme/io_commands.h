// The NVM command set (NVMe 1.4 section 6): checks, then requests to the storage backend.
#pragma once

#include <cstdint>

#include "firmware/nvme/compare_unit.h"
#include "firmware/nvme/services.h"

namespace twinplane::fw {

class IoCommands {
 public:
  /// `compare_buffer`: DRAM for CompareUnit.
  void boot(Services& services, std::uint32_t compare_buffer);

  /// Executes a command of an I/O queue; a command that waited for a buffer starts over here.
  void execute(Command& command);
  /// The backend is done with a request of the command (any phase this class gave it).
  void on_request_done(Command& command);
  /// The descriptor the command waited for is done.
  void on_data(Command& command);
  /// Takes a command that has not started back for an abort; nullptr when there is none.
  Command* remove_waiting(std::uint16_t sqid, std::uint16_t cid) {
    return compare_.remove_waiting(sqid, cid);
  }
  /// Ends what has not started with that status; a controller reset drops it.
  void end_waiting(std::uint16_t status) { compare_.end_waiting(status); }
  /// No data of the host are in buffers any more.
  void forget_data() { compare_.forget_data(); }

  /// From now on all commands are refused with that status; success: no longer.
  void refuse_all(std::uint16_t status);

 private:
  void transfer(Command& command, RequestKind kind);
  void write_zeroes(Command& command);
  void write_uncorrectable(Command& command);
  void verify(Command& command);
  void flush(Command& command);
  void compare(Command& command);
  void dataset_management(Command& command);
  void check_ranges(Command& command);
  void trim_next(Command& command);
  void submit(Command& command, RequestKind kind);
  std::uint16_t check_range(const Command& command) const;
  bool refused(Command& command, std::uint16_t status);
  std::uint16_t check_other(const Command& command, bool of_all) const;

  Services* services_ = nullptr;
  CompareUnit compare_;
  std::uint64_t namespace_sectors_ = 0;                  // 0 while all commands are refused
  std::uint16_t out_of_range_ = nvme::status::lba_range; // what is refused then
  std::uint32_t max_transfer_sectors_ = 0;
};

} // namespace twinplane::fw
