#include "hw/controller/functional_access.h"

#include "hw/controller/services/page_delivery.h"
#include "hw/spec/onfi_commands.h"
#include "hw/spec/registers.h"

namespace twinplane::hw {

FunctionalAccess::FunctionalAccess(const TenureBuilder& builder, OnfiInitiatorSocket& bus)
    : builder_(builder), bus_(bus) {
  payload_.set_command(tlm::TLM_IGNORE_COMMAND);
  payload_.set_extension(&tenure_);
}

unsigned FunctionalAccess::serve(const tlm::tlm_generic_payload& payload) {
  FunctionalFlash* functional = nullptr;
  payload.get_extension(functional);
  if (functional == nullptr || payload.get_address() != reg::flash::functional) return 0;
  run(*functional);
  return sizeof(FlashDescriptor);
}

void FunctionalAccess::send() {
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  bus_->transport_dbg(payload_);
}

void FunctionalAccess::run(FunctionalFlash& functional) {
  FlashGroup group;
  group.planes[0] = functional.descriptor;
  if (group.op() != FlashOp::copyback) group.planes[0].buffer = 0;
  if ((group.planes[0].flags & flash_flag::oob_words) != 0) group.planes[0].oob = 0; // from there on
  group.count = 1;
  FlashCompletion& completion = functional.completion;
  completion = FlashCompletion{};
  completion.cookie = functional.descriptor.cookie;
  builder_.set_dram(functional.payload);
  builder_.set_words(reinterpret_cast<std::uint8_t*>(functional.words));
  payload_.set_address(group.planes[0].chip);
  if (is_of_target(group.op())) { // of the bus, and of no page
    completion.result = flash_result::fail;
    return;
  }
  if (group.op() == FlashOp::reset) {
    builder_.raw(tenure_);
    tenure_.command(onfi::opcode::reset);
  } else {
    builder_.operation(tenure_, group);
  }
  send();
  const OnfiPlane& plane = tenure_.planes[0];
  if (group.op() == FlashOp::copyback) {
    builder_.copy(tenure_, group);
    send();
  }
  if (group.op() == FlashOp::read) {
    builder_.data_out(tenure_, group, false);
    send();
    set_result(completion, functional.descriptor, plane);
    return;
  }
  builder_.status(tenure_, group);
  send();
  completion.status = plane.status;
  completion.result = (plane.status & onfi::status::fail) != 0 ? flash_result::fail : std::uint8_t{0};
}

} // namespace twinplane::hw
