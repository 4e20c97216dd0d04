// The reader's own names in docs/extending.md.
#pragma once

#include <systemc>
#include <tlm>

struct MyBridge {
  tlm::tlm_initiator_socket<32> bar;
};
struct MyMemory {
  tlm::tlm_target_socket<32> port;
};
extern MyBridge my_bridge;
extern MyMemory my_memory;
extern sc_core::sc_signal<bool> my_signal;
