#include "platform/fw_host/alignment_check.h"

namespace twinplane::platform {

void AlignmentCheck::before_turn() {
  calls_ = 0;
  const bool looks = always_ || turns_ < kTurns;
  if (looks) ++turns_;
  look(looks);
}

void AlignmentCheck::before_call() {
  if (calls_ < kCalls) ++calls_;
  if (!always_ && calls_ == kCalls) look(false);
}

void AlignmentCheck::look(bool looks) {
  if (looks == looks_) return;
  looks_ = looks;
  looks ? core_.listen(static_cast<hw::InstructionCore::AccessListener&>(*this), 0, 0) : core_.forget(*this);
}

} // namespace twinplane::platform
