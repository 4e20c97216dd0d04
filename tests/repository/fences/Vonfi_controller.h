// What `verilator --sc` makes of examples/rtl_controller, as far as its headers ask.
#pragma once

#include <systemc>

class Vonfi_controller : public sc_core::sc_module {
 public:
  explicit Vonfi_controller(sc_core::sc_module_name name);
};
