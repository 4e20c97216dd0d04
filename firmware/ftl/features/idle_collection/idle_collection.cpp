// Collection in idle time: when the host has asked for nothing for `idle_collection.after_us`, planes make more erased
// blocks than ftl.gc_threshold demands, until they have `idle_collection.free_blocks` or no victim gains enough any more,
// and a cache is emptied. With the next request no further victim is chosen; those under way are moved to their end.
#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/feature_set.h"
#include "firmware/ftl/features/idle_collection/key.h"
#include "firmware/ftl/gc/collector.h"
#include "firmware/ftl/io/host_path.h"

namespace twinplane::fw {

namespace {

constexpr std::uint64_t kPsPerUs = 1'000'000;

constexpr FeatureParameter kParameters[] = {
    {"after_us", "us without a request of the host after which space is made ahead of need; 0 = it never is",
     3'600'000'000},
    {"free_blocks", "erased blocks of each plane, or units of a die, that idle time makes", 65535},
    {"least_gain",
     "a block is collected in idle time when so many percent of its pages, or more, are invalid", 100},
};
constexpr FeatureCounter kCounters[] = {{"times"}};

class IdleCollection final : public Feature {
 public:
  explicit IdleCollection(const FtlConfig& c)
      : after_ps_(feature_value(c, kParameters[0]) * kPsPerUs),
        wish_{true, static_cast<std::uint32_t>(feature_value(c, kParameters[1])),
              static_cast<std::uint32_t>(feature_value(c, kParameters[2]))} {}
  std::uint32_t hooks() const override { return hook_set(); }
  void boot(BootMemory& /*memory*/, const Pipeline& pipeline) override {
    state_ = &pipeline.state;
    collector_ = &pipeline.collector;
    host_ = &pipeline.host;
    times_ = &feature_counter(state_->statistics, kCounters[0]);
    state_->hooks.wake(*this);
  }

  bool step(bool admits) override {
    if (!admits || resting_ || host_->requests_in_flight() != 0) {
      stop();
      return false;
    }
    const std::uint64_t now_ps = state_->now_ps();
    if (idle_since_ps_ == kBusy) {
      idle_since_ps_ = now_ps;
      state_->hal->wake_at(alarm_, now_ps + after_ps_);
    }
    if (collects_ || now_ps - idle_since_ps_ < after_ps_) return false;
    collects_ = true;
    ++*times_;
    collector_->collect_ahead(wish_);
    return true;
  }
  void quiesce() override {
    resting_ = true;
    stop();
  }
  void resume() override { resting_ = false; }

 private:
  static constexpr std::uint64_t kBusy = ~std::uint64_t{0};

  void stop() {
    idle_since_ps_ = kBusy;
    if (!collects_) return;
    collects_ = false;
    collector_->collect_ahead(AheadOfNeed());
  }

  FtlState* state_ = nullptr;
  Collector* collector_ = nullptr;
  HostPath* host_ = nullptr;
  std::uint64_t* times_ = nullptr; // counter of the report
  std::uint64_t after_ps_;
  AheadOfNeed wish_;
  std::uint64_t idle_since_ps_ = kBusy;
  Alarm alarm_;
  bool collects_ = false;
  bool resting_ = true; // until a host is there
};

Feature* make_idle_collection(BootMemory& memory, const FtlConfig& config) {
  return memory.make<IdleCollection>(config);
}

bool collects_ahead(const FtlConfig& config) {
  return feature_value(config, kParameters[0]) != 0;
}

} // namespace

const FeatureRow& idle_collection_feature() {
  static constexpr FeatureRow kRow{
      {idle_collection_key().name, collects_ahead}, make_idle_collection, {}, {}, kParameters, kCounters};
  return kRow;
}

} // namespace twinplane::fw
