// A load generator in fio's words for a drive behind a vfio-user server: no guest, no kernel. Times are those
// of the wall clock: they tell how fast the path and the model are, not how fast the drive is.
//
// Every sector that it writes has content of its own, from the sector's number and the number of its writes;
// with `verify` every sector that it has written is compared when it is read. Requests that overlap one in
// flight wait for it, so that what they find is defined.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/config/config.h"
#include "platform/pci_client/nvme_driver.h"
#include "platform/pci_client/write_journal.h"
#include "platform/trace/io_record.h"

namespace twinplane::platform {

struct LoadOptions {
  Config config; // [workload], host.iodepth, host.queues
  std::string vfio_user;
  int wait_ms = 0; // for a server to listen there
  bool verify = false;
  bool shut_down = true;     // the controller, at the end
  bool written_once = false; // every sector of the workload's space was, by another load before
  std::string journal;       // file of what was written; empty: none
};

struct LoadResult {
  std::uint64_t requests = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t others = 0; // trims and flushes
  std::uint64_t bytes = 0;
  std::uint64_t failed = 0;     // ended with an error status
  std::uint64_t compared = 0;   // sectors
  std::uint64_t mismatches = 0; // of them
  std::uint64_t under_way = 0;  // of the journal: sectors of which either content was right
  double seconds = 0;           // wall clock
  double latency_mean_us = 0;   // wall clock
  double latency_p99_us = 0;
};

class Load {
 public:
  Load(NvmeDriver& driver, std::uint32_t depth, bool verify);

  /// From here on these sectors are expected to hold their first content.
  void expect_written(std::uint64_t lba, std::uint64_t sectors);
  /// Every sector that the journal knows of is read and compared; from here on writes are noted there.
  void go_on_with(WriteJournal& journal);
  /// Plays the stream to its end, as many requests outstanding as the depth says.
  LoadResult run(IoSource& source);
  const LoadResult& result() const { return result_; }

 private:
  struct Command {
    IoRecord record;
    std::uint64_t begun_ns = 0;
    bool busy = false;
  };
  bool overlaps(const IoRecord& record) const;
  void start(std::uint32_t tag, const IoRecord& record);
  void finish(std::uint32_t tag, std::uint16_t status);
  nvme::Sqe entry_of(std::uint32_t tag, const IoRecord& record);
  void fill(std::uint8_t* sector, std::uint64_t lba, std::uint32_t version) const;
  std::uint64_t check_piece(std::uint64_t lba);
  void check_sector(std::uint64_t lba, const std::uint8_t* data);
  bool holds(const std::uint8_t* sector, std::uint64_t lba, std::uint32_t version);
  void compare(const Command& command, const std::uint8_t* data);

  NvmeDriver& driver_;
  const std::uint32_t depth_;
  const bool verify_;
  WriteJournal* journal_ = nullptr;
  std::vector<Command> commands_;
  std::vector<std::uint32_t> idle_;
  std::vector<std::uint32_t> versions_; // by sector: of its newest write; 0: not known
  std::vector<std::uint8_t> expected_;
  std::vector<std::uint32_t> latencies_ns_;
  LoadResult result_;
};

/// Connects, plays the configuration's workload, prints what came of it. Returns the exit status: 1 when
/// sectors read back wrong or requests failed.
int run_load(const LoadOptions& options);

} // namespace twinplane::platform
