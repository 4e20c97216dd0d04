// What the driver model tells the workload that uses it.
#pragma once

#include <cstdint>
#include <string>

#include "hw/spec/sim_time.h"
#include "platform/trace/io_record.h"

namespace twinplane::platform {

/// One command for the drive, in its logical blocks.
struct HostCommand {
  IoOp op = IoOp::read;
  std::uint64_t lba = 0;
  std::uint32_t sectors = 0;       // 0 for flush; at most NvmeHost::max_sectors() for read and write
  bool fua = false;                // of a write: force unit access
  std::uint8_t access_latency = 0; // NVMe dataset management hint, bits 5:4 of CDW13 7:0
  std::uint16_t share = 0;         // of the queues, see NvmeHost::share_queues()
  std::uint32_t cookie = 0;        // given back in the completion
};

struct HostCompletion {
  std::uint32_t cookie = 0;
  std::uint16_t sqid = 0;   // submission queue
  std::uint16_t cid = 0;    // command identifier; no other command in flight has it, on any queue
  std::uint16_t status = 0; // NVMe status field, 0 = success
  IoOp op = IoOp::read;
  TimePs submitted = 0; // doorbell rung
  TimePs completed = 0; // interrupt taken
};

class HostClient {
 public:
  /// The drive is up: identified, queues created.
  virtual void on_ready() = 0;
  /// One command is done. May submit; doorbells are rung after the batch.
  virtual void on_complete(const HostCompletion& completion) = 0;
  /// All completions of this instant were delivered.
  virtual void on_batch_end() = 0;
  /// After NvmeHost::request_shutdown(): queues deleted, CSTS.SHST says complete.
  virtual void on_shutdown() = 0;
  /// The drive does not come up, or dies; nothing follows.
  virtual void on_failure(const std::string& what) = 0;

 protected:
  ~HostClient() = default;
};

} // namespace twinplane::platform
