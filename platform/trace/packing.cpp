#include "platform/trace/packing.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "platform/config/error.h"

namespace twinplane::platform {
namespace {

using namespace std::string_view_literals;

struct Beginning {
  std::string_view bytes;
  const char* what;
};

constexpr std::array<Beginning, 10> kNoText{
    {{"PK\3\4"sv, "a zip archive: unzip it"},
     {"7z\xBC\xAF\x27\x1C"sv, "a 7z archive: unpack it"},
     {"Rar!\x1A"sv, "a rar archive: unpack it"},
     {"\x04\x22\x4D\x18"sv, "lz4: decompress it with lz4 -d"},
     {"\x1F\x9D"sv, "a file of compress: decompress it with uncompress"},
     {"LZIP"sv, "lzip: decompress it with lzip -d"},
     {"\xFF\xFE"sv, "UTF-16 text: convert it with iconv -f UTF-16 -t UTF-8"},
     {"\xFE\xFF"sv, "UTF-16 text: convert it with iconv -f UTF-16 -t UTF-8"},
     {"\x7F"
      "ELF"sv,
      "a program, not a trace"},
     {"SQLite format 3"sv, "an SQLite database: export it as CSV"}}};

bool begins(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

} // namespace

Packing packing_of(const std::string& path) {
  if (std::filesystem::is_directory(path)) throw InputError(path + ": expected a file, got a directory");
  if (std::error_code error;
      std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    throw InputError(path + ": expected a file, got a pipe or a device: a trace is read more than once");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path + ": cannot be opened for reading");
  std::array<char, 6> bytes{};
  file.read(bytes.data(), bytes.size());
  const std::string_view magic(bytes.data(), bytes.size());
  if (begins(magic, "\x1F\x8B"sv)) return Packing::gzip;
  if (begins(magic, "\x28\xB5\x2F\xFD"sv)) return Packing::zstd;
  if (begins(magic, "BZh"sv) && magic[3] >= '1' && magic[3] <= '9') return Packing::bzip2;
  if (begins(magic,
             "\xFD"
             "7zXZ\0"sv))
    return Packing::xz;
  return Packing::none;
}

std::string is_no_text(std::string_view beginning) {
  for (const Beginning& known : kNoText) {
    if (begins(beginning, known.bytes)) return known.what;
  }
  constexpr std::size_t kPlaceOfTar = 257; // of the word in its first header
  if (beginning.size() > kPlaceOfTar && begins(beginning.substr(kPlaceOfTar), "ustar"sv)) {
    return "a tar archive: unpack it with tar -xf";
  }
  if (std::find(beginning.begin(), beginning.end(), '\0') != beginning.end()) return "binary data";
  return "";
}

} // namespace twinplane::platform
