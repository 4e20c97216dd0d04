// The folder of a run's output files, which are written as platform/config/output_file.h says.
#pragma once

#include <filesystem>
#include <string_view>

#include "platform/config/output_file.h"

namespace twinplane::platform {

/// The folder given with --out. Construct it before the simulation: it is created (with its parents)
/// and tried out by creating a file, so a run never ends with results that cannot be stored.
class OutputFolder {
 public:
  explicit OutputFolder(std::filesystem::path path);
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path file(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

} // namespace twinplane::platform
