#include "platform/ssd/block_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <systemc>

#include "platform/config/error.h"

namespace twinplane::platform {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw InputError("--blocks " + path + ": " + why);
}

/// dlopen searches the system for a name without a slash; a user means the file that he has named.
std::string as_file(const std::string& path) {
  return path.find('/') == std::string::npos ? "./" + path : path;
}

/// The release of SystemC that a library was compiled with, as "2.3.4": it stands in the name of a symbol that
/// each object file asks for, so that releases are not mixed. Empty when the library asks for none.
std::string systemc_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::string name = "sc_api_version_";
  for (std::size_t at = bytes.find(name); at != std::string::npos; at = bytes.find(name, at + 1)) {
    const std::size_t from = at + name.size();
    const std::size_t to = std::min(bytes.find_first_not_of("0123456789_", from), bytes.size());
    std::string release = bytes.substr(from, to - from);
    if (release.empty()) continue;
    if (release.back() == '_') release.pop_back();
    std::replace(release.begin(), release.end(), '_', '.');
    return release;
  }
  return {};
}

/// Loading would begin with the static objects of the library's SystemC, on top of ours.
void refuse_another_systemc(const std::string& path) {
  const std::string ours = std::to_string(SC_VERSION_MAJOR) + "." + std::to_string(SC_VERSION_MINOR) + "." +
                           std::to_string(SC_VERSION_PATCH);
  const std::string theirs = systemc_of(path);
  if (theirs.empty() || theirs == ours) return;
  fail(path, "it was compiled with another SystemC: " + theirs + ", and this program with " + ours);
}

} // namespace

std::shared_ptr<BlockFactory> load_blocks(const std::string& path, const std::string& options) {
  if (!std::filesystem::exists(path)) fail(path, "no such file");
  refuse_another_systemc(path);
  void* const library = ::dlopen(as_file(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail(path, std::string("cannot be loaded: ") + ::dlerror());
  void* const symbol = ::dlsym(library, "twinplane_blocks");
  if (symbol == nullptr) fail(path, "defines no function twinplane_blocks (platform/ssd/block_library.h)");

  // The options live as long as the factory, which may keep the pointer.
  struct Loaded {
    TwinplaneBlocks blocks{};
    std::string options;
    ~Loaded() {
      if (blocks.factory != nullptr && blocks.release != nullptr) blocks.release(&blocks);
    }
  };
  const auto loaded = std::make_shared<Loaded>();
  loaded->options = options;
  loaded->blocks.version = kBlocksVersion;
  loaded->blocks.layout = blocks_layout();
  loaded->blocks.options = loaded->options.c_str();
  reinterpret_cast<TwinplaneBlocksFunction>(symbol)(&loaded->blocks);
  if (loaded->blocks.factory == nullptr) {
    loaded->blocks.error[sizeof loaded->blocks.error - 1] = '\0';
    const std::string why = loaded->blocks.error;
    fail(path, why.empty() ? "gives no factory, and no reason" : why);
  }
  return {loaded, loaded->blocks.factory};
}

} // namespace twinplane::platform
