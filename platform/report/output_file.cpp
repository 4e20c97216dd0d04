#include "platform/report/output_file.h"

#include <system_error>
#include <utility>

#include "platform/config/error.h"

namespace twinplane::platform {

OutputFolder::OutputFolder(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error) {
    throw InputError("output folder \"" + path_.string() + "\" cannot be created: " + error.message());
  }
  if (!std::filesystem::is_directory(path_, error)) {
    throw InputError("output folder \"" + path_.string() + "\" is not a folder");
  }
  OutputFile::try_out(file("writable"));
}

} // namespace twinplane::platform
