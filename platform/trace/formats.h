// The trace formats by name, and recognising one by its first lines.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platform/trace/fields.h"
#include "platform/trace/record_parser.h"

namespace twinplane::platform {

struct ParserOptions {
  std::string time_unit;   // replaces the format's own unit; empty keeps it
  char block_action = 'D'; // blkparse: Q (arrival at the block layer) or D (issue to the device)
};

struct TraceFormat {
  std::string_view name;
  std::string_view summary;
  std::string_view columns; // the column map; empty for formats with a parser of their own
  std::unique_ptr<RecordParser> (*make)(const ParserOptions&); // null where `columns` says it all
  bool (*looks_like)(const std::vector<std::string>& lines); // first lines, not empty; null = never detected
};

/// All of them, in the order in which they are tried on an unknown file.
const std::vector<TraceFormat>& trace_formats();

/// Throws InputError listing the known names.
const TraceFormat& find_trace_format(std::string_view name);

/// The first format whose `looks_like` accepts the file's first lines. Two formats that differ in nothing a
/// file shows (unit of time, meaning of the size) cannot be told apart: name those. Throws InputError.
const TraceFormat& detect_trace_format(const std::string& path);

/// Throws InputError when the format has no unit of time to replace or `time_unit` is not one.
std::unique_ptr<RecordParser> make_parser(const TraceFormat& format, const ParserOptions& options);

/// Throws InputError when there is no such unit.
const TimeUnit& require_time_unit(const std::string& name);

// Parsers that are more than columns.
std::unique_ptr<RecordParser> make_fio_parser(const ParserOptions& options);
std::unique_ptr<RecordParser> make_blkparse_parser(const ParserOptions& options);
std::unique_ptr<RecordParser> make_ftrace_parser(const ParserOptions& options);
std::unique_ptr<RecordParser> make_xperf_parser(const ParserOptions& options);

} // namespace twinplane::platform
