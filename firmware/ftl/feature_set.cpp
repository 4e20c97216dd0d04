#include "firmware/ftl/feature_set.h"

#include "firmware/ftl/policies.h"

// Each feature is made by a function that is defined in its folder.
#ifdef TWINPLANE_WITHOUT_COPYBACK
#define TWINPLANE_COPYBACK nullptr
#else
#define TWINPLANE_COPYBACK make_copyback
#endif
#ifdef TWINPLANE_WITHOUT_LOWER_PAGES
#define TWINPLANE_LOWER_PAGES nullptr
#else
#define TWINPLANE_LOWER_PAGES make_lower_pages
#endif
#ifdef TWINPLANE_WITHOUT_SANITIZE
#define TWINPLANE_SANITIZE nullptr
#else
#define TWINPLANE_SANITIZE make_purge
#endif

// A feature from outside the tree, which a program names when it is compiled: X is made by make_X (examples/feature_read_hot).
#ifdef TWINPLANE_EXTRA_FEATURE
#define TWINPLANE_NAME(x) #x
#define TWINPLANE_NAME_OF(x) TWINPLANE_NAME(x)
#define TWINPLANE_JOIN(a, b) a##b
#define TWINPLANE_MAKE(x) TWINPLANE_JOIN(make_, x)
#endif

namespace twinplane::fw {

Feature* make_copyback(BootMemory&, const FtlConfig&);
Feature* make_lower_pages(BootMemory&, const FtlConfig&);
Feature* make_purge(BootMemory&, const FtlConfig&);
Feature* make_journal(BootMemory&, const FtlConfig&);
#ifdef TWINPLANE_EXTRA_FEATURE
Feature* TWINPLANE_MAKE(TWINPLANE_EXTRA_FEATURE)(BootMemory&, const FtlConfig&);
#endif

namespace {

bool always(const FtlConfig&) {
  return true;
}

constexpr FeatureRow kRows[] = {
    {"copyback", "ftl.copyback: must be 0, for this build has no feature copyback",
     [](const FtlConfig& c) { return c.copybacks != 0; }, TWINPLANE_COPYBACK},
    {"lower_pages", "ftl.lower_pages: must be \"none\", for this build has no feature lower_pages",
     protects_lower_pages, TWINPLANE_LOWER_PAGES},
    {"sanitize", nullptr, always, TWINPLANE_SANITIZE}, // the host is told that it cannot be
    {"journal", nullptr, always, make_journal},
#ifdef TWINPLANE_EXTRA_FEATURE
    {TWINPLANE_NAME_OF(TWINPLANE_EXTRA_FEATURE), nullptr, always, TWINPLANE_MAKE(TWINPLANE_EXTRA_FEATURE)},
#endif
};

} // namespace

FeatureRows feature_rows() {
  return {kRows, sizeof kRows / sizeof kRows[0]};
}

bool make_features(BootMemory& memory, const FtlConfig& config, Hooks& hooks) {
  for (const FeatureRow& row : kRows) {
    if (row.make == nullptr || !row.wanted(config)) continue;
    Feature* const feature = row.make(memory, config);
    if (feature == nullptr) return false;
    hooks.add(*feature);
  }
  return true;
}

const char* check_features(const FtlConfig& config) {
  for (const FeatureRow& row : kRows) {
    if (row.make == nullptr && row.missing != nullptr && row.wanted(config)) return row.missing;
  }
  return nullptr;
}

} // namespace twinplane::fw
