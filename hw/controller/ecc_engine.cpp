#include "hw/controller/ecc.h"

namespace twinplane::hw {

namespace {

class FixedEcc final : public EccStage {
 public:
  explicit FixedEcc(TimePs latency) : latency_(latency) {}
  EccResult decode(const EccInput& input) override {
    EccResult result;
    result.latency = latency_;
    result.corrected_bits = whole_bits(input.errors.total);
    return result;
  }
  bool constant_latency() const override { return true; }

 private:
  TimePs latency_;
};

class EccEngine final : public EccStage {
 public:
  explicit EccEngine(const EccConfig& config)
      : config_(config), intake_(Rate::bytes_per_second(config.throughput)) {}

  EccResult decode(const EccInput& input) override {
    const double worst = input.errors.worst;
    const double limit = correctable(input.soft);
    EccResult result;
    result.latency = take_in(input.at, input.bytes) - input.at + decoding_time(worst, limit);
    result.uncorrectable = worst > limit;
    if (result.uncorrectable) {
      result.failed = failed_sectors(input, limit);
    } else {
      result.corrected_bits = whole_bits(input.errors.total);
    }
    return result;
  }
  std::uint32_t soft_senses() const override {
    return config_.code == EccCode::ldpc ? config_.soft_senses : 0;
  }

  TimePs busy() const override { return engine_.busy(); }

 private:
  double correctable(std::uint32_t soft) const {
    if (soft == 0) return config_.corrects;
    const double further = double{1} * config_.soft_corrects - config_.corrects;
    return config_.corrects + further * soft / config_.soft_senses;
  }

  static std::uint32_t failed_sectors(const EccInput& input, double limit) {
    if (input.errors.by_sector == nullptr) return input.sectors;
    std::uint32_t failed = 0;
    for (std::uint32_t rest = input.sectors; rest != 0; rest &= rest - 1) {
      if (input.errors.by_sector[__builtin_ctz(rest)] > limit) failed |= rest & (~rest + 1);
    }
    return failed;
  }

  /// When the engine has taken the data in.
  TimePs take_in(TimePs at, std::uint32_t bytes) {
    return config_.throughput == 0 ? at : engine_.book(at, intake_.duration(bytes));
  }

  TimePs decoding_time(double worst, double limit) const {
    if (!config_.early_termination || worst >= limit) return config_.slowest;
    const double range = static_cast<double>(config_.slowest - config_.fastest);
    return config_.fastest + static_cast<TimePs>(range * (worst / limit));
  }

  EccConfig config_;
  Rate intake_;
  Reservation engine_;
};

} // namespace

std::unique_ptr<EccStage> make_fixed_ecc(TimePs latency) {
  return std::make_unique<FixedEcc>(latency);
}

std::unique_ptr<EccStage> make_ecc(const EccConfig& config) {
  if (config.code == EccCode::fixed) return make_fixed_ecc(config.fixed_latency);
  return std::make_unique<EccEngine>(config);
}

} // namespace twinplane::hw
