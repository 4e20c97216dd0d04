#include "firmware/ftl/features/journal/key.h"
#include "firmware/ftl/features/journal/units.h"
#include "firmware/ftl/policies.h"

namespace twinplane::fw {

Feature* make_journal(BootMemory&, const FtlConfig&);

/// Each drive gets one: the key says which ones cannot be without it.
const FeatureRow& journal_feature() {
  static constexpr FeatureRow kRow{{journal_key().name}, make_journal, {}, {}, {}, {}, {}, journal_blocks};
  return kRow;
}

} // namespace twinplane::fw
