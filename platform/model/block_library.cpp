#include "platform/model/block_library.h"

#include <dlfcn.h>

#include <filesystem>

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

} // namespace

std::shared_ptr<BlockFactory> load_blocks(const std::string& path, const std::string& options) {
  if (!std::filesystem::exists(path)) fail(path, "no such file");
  void* const library = ::dlopen(as_file(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail(path, std::string("cannot be loaded: ") + ::dlerror());
  void* const symbol = ::dlsym(library, "twinplane_blocks");
  if (symbol == nullptr) fail(path, "defines no function twinplane_blocks (platform/model/block_library.h)");

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
