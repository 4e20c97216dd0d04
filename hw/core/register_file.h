// Registers of 32 bits: what a block answers to calls (hw/core/register_target.h) it answers to transactions
// of one aligned word, too. TLM_IGNORE_COMMAND does nothing.
#pragma once

#include "hw/core/kernel_time.h"
#include "hw/core/register_access.h"
#include "hw/core/register_target.h"
#include "hw/core/target_socket.h"

namespace twinplane::hw {

class RegisterFile : public BlockingTarget<>, public RegisterTarget {
 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) final {
    if (!is_word_access(payload)) return;
    const TimePs issued = time_at(delay);
    TimePs at = issued;
    bool ok = true;
    if (payload.is_read()) {
      std::uint32_t word = 0;
      ok = read32(payload.get_address(), word, at);
      if (ok) set_word(payload, word);
    } else if (payload.is_write()) {
      ok = write32(payload.get_address(), word_of(payload), at);
    }
    delay += to_sc_time(at - issued);
    payload.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
};

} // namespace twinplane::hw
