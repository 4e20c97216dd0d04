// The drive's DRAM by pointer, for the blocks that work in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tlm>

#include "hw/core/block_error.h"

namespace twinplane::hw {

struct GrantedDram {
  std::uint8_t* memory = nullptr; // of address 0
  std::uint64_t bytes = 0;
};

/// What the DRAM behind `socket` grants. SC_ERROR with its name when that is not memory for reading and writing from
/// address 0 on; then there is none.
template <typename Socket>
GrantedDram granted_dram(Socket& socket) {
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi dmi;
  payload.set_address(0);
  const bool granted = socket->get_direct_mem_ptr(payload, dmi);
  if (granted && dmi.is_read_write_allowed() && dmi.get_start_address() == 0 && dmi.get_dmi_ptr() != nullptr)
    return {dmi.get_dmi_ptr(), std::min(dmi.get_end_address(), ~sc_dt::uint64{1}) + 1};
  report_no_dmi(socket.get_base_port());
  return {};
}

} // namespace twinplane::hw
