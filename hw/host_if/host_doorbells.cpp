// HostInterface: doorbells that its host keeps in memory (hw/host_if/shadow_doorbells.h).
#include "hw/host_if/host_interface.h"

namespace twinplane::hw {

/// The register is written, and what counts is in memory; what could not be there is reported as ever.
void HostInterface::shadowed_doorbell(std::uint32_t number, std::uint32_t value, TimePs at) {
  const std::uint32_t id = number / 2;
  const bool head = (number & 1) != 0;
  const bool exists = head ? queues_.has_cq(id) : queues_.has_sq(id);
  if (exists && value < (head ? queues_.cq(id).entries : queues_.sq(id).entries)) {
    shadow_doorbells_.written(number, value, at);
  } else {
    head ? cq_doorbell(id, value, at) : sq_doorbell(id, value, at);
  }
}

ShadowDoorbells::User HostInterface::doorbell_user() {
  ShadowDoorbells::User user;
  user.take = [this](std::uint32_t number, std::uint32_t value, TimePs at) {
    return (number & 1) == 0 ? sq_doorbell(number / 2, value, at) : cq_doorbell(number / 2, value, at);
  };
  user.wants_head = [this](const CompletionQueue& queue) {
    return queue.interrupts && interrupts_.pin_in_use();
  };
  user.lost = [this] {
    shadow_doorbells_.stop();
    fetch_engine_.set_enabled(false);
    fatal_ = true;
  };
  return user;
}

void HostInterface::on_doorbells() {
  ++activations_;
  shadow_doorbells_.serve(false);
}

} // namespace twinplane::hw
