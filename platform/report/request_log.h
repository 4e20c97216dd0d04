// requests.csv.zst: one line per completed request, in order of completion (zstd-compressed CSV):
//   op,offset_bytes,length_bytes,submitted_ns,completed_ns,latency_ns,of_ramp
// Opt-in: formatting and compression cost several times what simulating a request costs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "hw/spec/sim_time.h"
#include "platform/report/output_file.h"
#include "platform/report/zstd_frames.h"
#include "platform/trace/io_record.h"

namespace twinplane::platform {

class RequestLog {
 public:
  struct Entry {
    IoOp op = IoOp::read;
    std::uint64_t offset = 0; // bytes in the namespace
    std::uint32_t length = 0; // bytes
    TimePs submitted = 0;
    TimePs completed = 0;
    bool of_ramp = false; // it does not count in the summary
  };

  /// Throws InputError when the file cannot be created.
  explicit RequestLog(const std::filesystem::path& path);

  /// Throws InputError when the disk is full.
  void add(const Entry& entry);
  /// Ends the file and gives it its name. Without it nothing remains.
  void commit();

 private:
  void flush();

  OutputFile file_;
  std::string packed_; // compressed, not yet in the file
  ZstdWriter compressor_{packed_, 3};
  std::string lines_; // not yet compressed
};

} // namespace twinplane::platform
