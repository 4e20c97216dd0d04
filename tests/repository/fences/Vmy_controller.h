// What `verilator --sc` would make of the reader's my_controller.v: its ports.
#pragma once

#include <cstdint>
#include <systemc>

struct Vmy_controller : sc_core::sc_module {
  sc_core::sc_in<bool> clk, rb_n;
  sc_core::sc_out<bool> ce_n, cle, ale, we_n, re_n, wp_n, dq_oe;
  sc_core::sc_out<std::uint32_t> dq_out;
  sc_core::sc_in<std::uint32_t> dq_in;
  explicit Vmy_controller(sc_core::sc_module_name name) : sc_module(name) {}
};
