// One parser per trace format: it turns a line into a record, or says what it expected instead.
#pragma once

#include <cstdint>
#include <string_view>

#include "platform/trace/io_record.h"

namespace twinplane::platform {

/// What a line says, before devices are laid out and times are rebased.
struct RawRecord {
  std::uint64_t time_ns = 0; // absolute, in the trace's own epoch
  IoOp op = IoOp::read;
  bool fua = false;         // of a write: force unit access
  std::uint64_t offset = 0; // bytes
  std::uint64_t length = 0; // bytes
  std::string_view device;  // points into the line (or the parser); empty when the format names none
};

enum class Parsed : std::uint8_t { record, ignored, malformed };

/// Filled for a malformed line; both point to text that lives as long as the line.
struct Complaint {
  std::string_view expected;
  std::string_view got;
};

class RecordParser {
 public:
  virtual ~RecordParser() = default;
  /// Reads one line that is neither empty nor a '#' comment. `ignored` means that lines of this kind carry
  /// no request.
  virtual Parsed parse(std::string_view line, RawRecord& record, Complaint& complaint) = 0;
  /// Forgets everything seen: the next line is the first.
  virtual void restart() = 0;
};

} // namespace twinplane::platform
