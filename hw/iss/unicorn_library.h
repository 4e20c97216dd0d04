// Unicorn's C library, loaded when it is first wanted: it is under the GPL (version 2), and a program that
// was built with its headers runs without it.
#pragma once

#include <unicorn/unicorn.h>

namespace twinplane::hw {

/// The functions that UnicornCore calls.
struct UnicornLibrary {
  decltype(&uc_open) open;
  decltype(&uc_close) close;
  decltype(&uc_strerror) strerror;
  decltype(&uc_ctl) ctl;
  decltype(&uc_mem_map) mem_map;
  decltype(&uc_mem_map_ptr) mem_map_ptr;
  decltype(&uc_mmio_map) mmio_map;
  decltype(&uc_mem_read) mem_read;
  decltype(&uc_mem_write) mem_write;
  decltype(&uc_reg_read) reg_read;
  decltype(&uc_reg_write) reg_write;
  decltype(&uc_hook_add) hook_add;
  decltype(&uc_hook_del) hook_del;
  decltype(&uc_emu_start) emu_start;
  decltype(&uc_emu_stop) emu_stop;
};

/// Throws std::runtime_error when it is not there.
UnicornLibrary load_unicorn();

} // namespace twinplane::hw
