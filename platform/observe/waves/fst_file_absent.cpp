// Where the FST library was not found: see platform/observe/waves/CMakeLists.txt.
#include "platform/config/error.h"
#include "platform/observe/waves/fst_file.h"

namespace twinplane::platform {

FstFile::FstFile(const std::filesystem::path& path, const std::vector<Variable>&,
                 const std::vector<WaveDrive>&)
    : path_(path), count_(0) {
  throw InputError(
      "waves.fst: this program was built without the FST library, which comes with Verilator (Debian's "
      "packages verilator and zlib1g-dev; scripts/install_deps test); --vcd and scripts/waves --fst do "
      "without");
}

FstFile::~FstFile() = default;
void FstFile::go_to(TimePs) {}
void FstFile::value(TimePs, std::uint32_t, WaveValue) {}
void FstFile::text(TimePs, std::uint32_t, std::string_view) {}
std::string FstFile::close(TimePs) {
  return {};
}

} // namespace twinplane::platform
