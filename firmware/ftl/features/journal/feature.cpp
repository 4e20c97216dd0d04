#include "firmware/ftl/features/journal/key.h"
#include "firmware/ftl/policies.h"

namespace twinplane::fw {

Feature* make_journal(BootMemory&, const FtlConfig&);

const FeatureRow& journal_feature() {
  static constexpr FeatureRow kRow{journal_key(), make_journal};
  return kRow;
}

} // namespace twinplane::fw
