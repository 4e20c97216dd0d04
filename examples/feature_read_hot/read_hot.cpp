#include "examples/feature_read_hot/read_hot.h"

#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/io/host_path.h"

namespace twinplane::fw {

namespace {

constexpr PageHint kFastPage = 1; // 1 + the page type

constexpr FeatureParameter kParameters[] = {
    {"reads", "reads of a page until it is written again as a fast page; 0: none is", 255}};
constexpr FeatureCounter kCounters[] = {{"moved"}};
constexpr TraceEventText kEvents[] = {{TraceShape::mark, "read_hot", "read-hot page", "lpn", nullptr}};

bool moves_pages(const FtlConfig& config) {
  return feature_value(config, kParameters[0]) != 0;
}

constexpr Rule kRules[] = {
    {"ftl.block_allocation: must be \"pa\" with read_hot.reads: it finds a page by its type",
     needs_relaxed_order}};
constexpr RuleSet kSets[] = {make_rule_set("read_hot.reads", moves_pages, kRules)};

Feature* make_read_hot(BootMemory& memory, const FtlConfig& config) {
  return memory.make<ReadHot>(config);
}

} // namespace

const FeatureRow& read_hot_feature() {
  static constexpr FeatureRow kRow{
      {"read_hot", moves_pages}, make_read_hot, kSets, {}, kParameters, kCounters, kEvents};
  return kRow;
}

ReadHot::ReadHot(const FtlConfig& config)
    : limit_(static_cast<std::uint8_t>(feature_value(config, kParameters[0]))) {}

void ReadHot::boot(BootMemory& memory, const Pipeline& pipeline) {
  state_ = &pipeline.state;
  host_ = &pipeline.host;
  moved_ = &feature_counter(state_->statistics, kCounters[0]);
  reads_ = memory.zeroed<std::uint8_t>(state_->exported_pages);
}

void ReadHot::host_read(std::uint32_t lpn, Ppn page, const FlashCompletion& /*c*/) {
  const BlockTable& blocks = state_->blocks;
  if (blocks.order().type(blocks.page_of(page)) == 0 || ++reads_[lpn] < limit_) return;
  reads_[lpn] = 0;
  if (waiting_ == kMostWaiting) return;
  lpns_[waiting_++] = lpn;
  state_->hooks.wake(*this);
}

/// What has been trimmed meanwhile stays so; and a drive that is worn out keeps its pages where they are.
bool ReadHot::step(bool admits) {
  if (!admits) return false;
  for (; waiting_ != 0; --waiting_) {
    const std::uint32_t lpn = lpns_[waiting_ - 1];
    if (state_->read_only() || !is_page(state_->policy.mapping->lookup(lpn))) continue;
    if (!host_->rewriter.rewrite(lpn, ProgramCause::migration, kFastPage)) return false;
    ++*moved_;
    state_->hal->trace_event(feature_event(kEvents[0]), lpn, 0);
  }
  state_->hooks.sleep(*this);
  return true;
}

void ReadHot::serialise(StateVisitor& visitor) {
  visitor.table(reads_, state_->exported_pages);
}

} // namespace twinplane::fw
