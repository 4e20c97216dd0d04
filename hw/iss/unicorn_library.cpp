#include "hw/iss/unicorn_library.h"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace twinplane::hw {
namespace {

// Where the build has found it, then where the system looks.
constexpr const char* kPlaces[] = {TWINPLANE_UNICORN_LIBRARY, "libunicorn.so.2"};

template <class Function>
void find(void* library, const char* name, Function& function) {
  void* const symbol = ::dlsym(library, name);
  if (symbol == nullptr) throw std::runtime_error(std::string("Unicorn has no function ") + name);
  function = reinterpret_cast<Function>(symbol);
}

} // namespace

UnicornLibrary load_unicorn() {
  void* library = nullptr;
  for (const char* place : kPlaces) {
    if (library == nullptr) library = ::dlopen(place, RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr) {
    throw std::runtime_error(std::string("the instruction-set simulator Unicorn cannot be loaded (") +
                             ::dlerror() + "); scripts/install_deps iss installs it");
  }
  UnicornLibrary u{};
  find(library, "uc_open", u.open);
  find(library, "uc_close", u.close);
  find(library, "uc_strerror", u.strerror);
  find(library, "uc_ctl", u.ctl);
  find(library, "uc_mem_map", u.mem_map);
  find(library, "uc_mem_map_ptr", u.mem_map_ptr);
  find(library, "uc_mmio_map", u.mmio_map);
  find(library, "uc_mem_read", u.mem_read);
  find(library, "uc_mem_write", u.mem_write);
  find(library, "uc_reg_read", u.reg_read);
  find(library, "uc_reg_write", u.reg_write);
  find(library, "uc_hook_add", u.hook_add);
  find(library, "uc_hook_del", u.hook_del);
  find(library, "uc_emu_start", u.emu_start);
  find(library, "uc_emu_stop", u.emu_stop);
  return u;
}

} // namespace twinplane::hw
