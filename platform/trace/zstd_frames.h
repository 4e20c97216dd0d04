// Walks the frame and block headers of a zstd file without decompressing it (RFC 8878, section 3.1).
#pragma once

#include <cstdint>
#include <string>

namespace twinplane::platform {

struct ZstdExtent {
  std::uint64_t file_bytes = 0;
  std::uint64_t whole_bytes = 0; // compressed bytes of frames that are whole
  bool complete = false;         // the file ends where a frame ends
};

/// Boost's zstd filter ends quietly when the data does, so a truncated trace would look like a short one.
/// Reads a few bytes per 128 KiB of content. Throws InputError when the file cannot be read.
ZstdExtent walk_zstd_frames(const std::string& path);

} // namespace twinplane::platform
