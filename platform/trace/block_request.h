// What block traces say of one request, whatever has printed it: RWBS letters, sector and number of sectors.
#pragma once

#include <string_view>

#include "platform/trace/formats.h"
#include "platform/trace/record_parser.h"

namespace twinplane::platform {

struct BlockRequestText {
  std::string_view letters;
  std::string_view sector; // empty where no sectors are named: a flush, or a command that passes through
  std::string_view sectors;
};

/// Sets everything of `record` but its time and device. What is left out or changed goes into the tally.
Parsed read_block_request(const BlockRequestText& text, RawRecord& record, LineTally& tally,
                          Complaint& complaint);

/// Throws InputError when the options do not fit a format of block traces.
void require_block_options(const char* format, const ParserOptions& options);

} // namespace twinplane::platform
