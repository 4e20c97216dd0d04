// The conventional drive: no request asks for a page type.
#include "firmware/ftl/classifier/classifier.h"

namespace twinplane::fw {

namespace {

class NoClassifier final : public Classifier {
 public:
  PageHint classify(const Request& /*request*/, const DeviceState& /*state*/) override { return kAnyPage; }
  PageHint refine(PageHint request_hint, bool /*partial*/) const override { return request_hint; }
};

} // namespace

Classifier* make_no_classifier(BootMemory& memory, const FtlConfig& /*config*/) {
  return memory.make<NoClassifier>();
}

} // namespace twinplane::fw
