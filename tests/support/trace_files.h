// Reading traces in tests.
#pragma once

#include <string>
#include <vector>

#include "platform/config/error.h"
#include "platform/trace/trace_source.h"
#include "tests/support/temp_file.h"

namespace twinplane::testing {

inline std::vector<platform::IoRecord> all_records(platform::IoSource& source) {
  std::vector<platform::IoRecord> records;
  platform::IoRecord record;
  while (source.next(record)) records.push_back(record);
  return records;
}

/// The records of a trace with this text, by default in a format recognised from it.
inline std::vector<platform::IoRecord> read_text(const std::string& text,
                                                 platform::TraceOptions options = {}) {
  const TempFile file("trace", text);
  options.path = file.path();
  return all_records(*platform::open_trace(options));
}

/// What the reader complains about, or "" when it reads the text to its end.
inline std::string complaint_about(const std::string& text, platform::TraceOptions options = {}) {
  const TempFile file("trace", text);
  options.path = file.path();
  try {
    all_records(*platform::open_trace(options));
  } catch (const platform::InputError& error) {
    std::string message = error.what();
    const std::size_t at = message.find(file.path());
    return at == std::string::npos ? message : message.replace(at, file.path().size(), "FILE");
  }
  return "";
}

} // namespace twinplane::testing
