// How a file is packed, by its first bytes.
#pragma once

#include <string>
#include <string_view>

namespace twinplane::platform {

enum class Packing { none, gzip, zstd, bzip2, xz };

/// Of the file at `path`. Throws InputError when it cannot be read.
Packing packing_of(const std::string& path);

/// Bytes that is_no_text() looks at.
constexpr std::size_t kTellingBytes = 512;

/// What the bytes are the beginning of and what to do with it, if they hold no lines (an archive, a packing
/// that is not read, UTF-16); "" if they may be text.
std::string is_no_text(std::string_view beginning);

} // namespace twinplane::platform
